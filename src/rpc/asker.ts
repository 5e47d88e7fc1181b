import { AsyncLocalStorage } from 'node:async_hooks'
import { Fault } from './fault.ts'
import type { Span } from './trace.ts'

/** On whose behalf work is done: whether they still wait for it, and the span it is a part of. */
export type Asker = {
  /** The call was cancelled, its deadline has passed, or its connection is gone. */
  isGone(): boolean
  /** Calls `listener` when the asker goes; answers how to take that back. */
  onGone(listener: () => void): () => void
  span?: Span
}

/** An asker who is there until `leave`. */
export function createAsker(): Asker & { leave(): void } {
  let gone = false
  let listeners: (() => void)[] = []
  return {
    isGone: () => gone,
    onGone(listener) {
      listeners.push(listener)
      return () => {
        listeners = listeners.filter((other) => other !== listener)
      }
    },
    leave() {
      if (gone) return
      gone = true
      const heard = listeners
      listeners = []
      for (const listener of heard) listener()
    },
  }
}

/** The asker of the use case that runs, for the statements it makes. */
export const asking = new AsyncLocalStorage<Asker>()

/** What a call ends with that nobody waits for any more. */
export function callEnded(): Fault {
  const detail = 'The call was cancelled or its deadline has passed'
  return new Fault('unavailable', 'CALL_ENDED', detail, { retryAfter: 1 })
}
