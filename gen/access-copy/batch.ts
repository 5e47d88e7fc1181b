// Copied from clients/typescript/src/access/copy/batch.ts. DO NOT EDIT.

import type { AccessMessage, AccessResource } from './messages.ts'

/** The last known state of some resources. */
export type Batch = {
  upserts: AccessResource[]
  removes: { resourceType: string; resourceId: string }[]
}

/** Collects messages. Of several about a resource, the last counts. */
export type BatchCollector = {
  readonly size: number
  add(message: Extract<AccessMessage, { type: 'upsert' | 'remove' }>): void
  /** Returns what was collected and begins another batch. */
  take(): Batch
}

export function createBatchCollector(): BatchCollector {
  let latest = new Map<string, AccessResource | Batch['removes'][number]>()
  return {
    get size() {
      return latest.size
    },
    add(message) {
      const state = message.type === 'upsert' ? message.resource : message
      latest.set(`${state.resourceType} ${state.resourceId}`, state)
    },
    take() {
      const batch: Batch = { upserts: [], removes: [] }
      for (const state of latest.values())
        if ('inheritKey' in state) batch.upserts.push(state)
        else {
          const { resourceType, resourceId } = state
          batch.removes.push({ resourceType, resourceId })
        }
      latest = new Map()
      return batch
    },
  }
}
