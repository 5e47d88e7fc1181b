// Copied from clients/typescript/src/access/copy/follow-once.ts. DO NOT EDIT.

import { randomUUID } from 'node:crypto'
import { createBatchCollector } from './batch.ts'
import type { AcceptsColumns, ColumnNames } from './column-names.ts'
import { type DatabaseClient, type DatabasePool, inTransaction } from './database.ts'
import { createColumnFill } from './fill-columns.ts'
import { findColumns } from './find-columns.ts'
import { createKeyIds } from './key-ids.ts'
import type { KeyTypes } from './key-types.ts'
import { createMessageQueue } from './message-queue.ts'
import type { AccessMessage } from './messages.ts'
import { prepareIndexes, prepareSchema } from './prepare-schema.ts'
import {
  beginGeneration,
  saveBookmark,
  saveComplete,
  takeOver,
  tryLock,
  unlock,
} from './sql/follower.ts'
import { countKeys } from './sql/upkeep.ts'
import { type Chore, createSweep, fence, findUncountedTypes, removeEnded } from './upkeep.ts'
import { type SkippedResource, writeBatch } from './write-batch.ts'

/** What a transaction has written to the copy. */
export type FollowProgress = {
  /** `filling` until all resources have been received, and again when the stream begins again. */
  phase: 'filling' | 'following'
  /** The resources that were written since the fill began, or since the follower connected. */
  written: number
  /** The resources that were removed. */
  removed: number
  /** The resources since the last report whose IDs do not fit the type of the keys. */
  skipped: SkippedResource[]
  /** The number of all resources that were skipped. */
  skippedCount: number
  /** The position that the copy covers, once it is complete. */
  position: string | undefined
}

export type FollowSource = (options: {
  types: string[]
  cursor: string | undefined
  signal: AbortSignal
}) => AsyncIterable<AccessMessage>

export type FollowTarget = {
  pool: DatabasePool
  types: KeyTypes
  columns?: ColumnNames | undefined
  source: FollowSource
  signal: AbortSignal
  onProgress?: ((progress: FollowProgress) => void) | undefined
}

/** The number of resources that one transaction writes. */
const batchSize = 2000

/** The number of messages in memory. */
const queueSize = 2 * batchSize

/** How long an incomplete batch waits for a bookmark, in milliseconds. */
const batchDelayMs = 50

/** How often ends are looked for, and how often a waiting follower tries to take over. */
const tickMs = 1000

/**
 * Follows daikon until the signal is aborted, the stream ends or the database fails. Waits while another
 * follower runs.
 */
export async function followOnce(target: FollowTarget): Promise<void> {
  const { pool, types, columns = {}, signal } = target
  const client = await pool.connect()
  let isBroken = true
  client.on('error', () => {})
  try {
    // Fails at once, even if another follower runs.
    await findColumns(client, types, columns)
    while (!(await client.query(tryLock)).rows[0]?.locked)
      if (await waitOrStop(tickMs, signal)) {
        isBroken = false
        return
      }
    await prepareSchema(client, types)
    await run(client, target, await findColumns(client, types, columns))
    await client.query(unlock)
    isBroken = false
  } finally {
    // Closing the connection releases the lock.
    client.release(isBroken)
  }
}

async function run(
  client: DatabaseClient,
  target: FollowTarget,
  columns: AcceptsColumns,
): Promise<void> {
  const { types, source, signal, onProgress } = target
  const follower = randomUUID()
  const { rows } = await client.query(takeOver, [follower])
  let { generation, complete, position } = rows[0] as {
    generation: string
    complete: boolean
    position: string | null
  }
  const keyIds = createKeyIds()
  let uncounted = await findUncountedTypes(client, types)
  let sweep: Chore | undefined
  const beginSweep = (counted: ReadonlySet<string>) => {
    sweep = createSweep(client, follower, { types, columns, keyIds, generation, counted })
  }
  let columnFill = columns.size > 0 ? createColumnFill(client, follower, types, columns) : undefined
  if (complete && rows[0].swept !== generation) beginSweep(new Set())
  const collector = createBatchCollector()
  const total = { written: 0, removed: 0, skipped: 0 }
  let skipped: SkippedResource[] = []

  const report = () => {
    onProgress?.({
      phase: complete ? 'following' : 'filling',
      written: total.written,
      removed: total.removed,
      skipped,
      skippedCount: total.skipped,
      position: position ?? undefined,
    })
    skipped = []
  }

  /** Writes what was collected, and in the same transaction what `then` writes. */
  const write = async (then?: () => Promise<void>) => {
    const batch = collector.take()
    const result = await inTransaction(client, async () => {
      await fence(client, follower)
      const written = await writeBatch(
        { client, types, columns, keyIds, generation, counts: complete, uncounted },
        batch,
      )
      await then?.()
      return written
    })
    total.written += result.written
    total.removed += result.removed
    total.skipped += result.skipped.length
    skipped.push(...result.skipped)
  }

  const process = async (message: AccessMessage) => {
    if (message.type === 'begin') {
      if (collector.size > 0) await write()
      const begun = await inTransaction(client, async () => {
        await fence(client, follower)
        return client.query(beginGeneration)
      })
      generation = begun.rows[0].generation
      complete = false
      sweep = undefined
      Object.assign(total, { written: 0, removed: 0, skipped: 0 })
      report()
    } else if (message.type === 'bookmark') {
      const isNew = message.complete && !complete
      const counted = uncounted
      if (isNew) {
        if (collector.size > 0) await write()
        await prepareIndexes(client, types)
        for (const type of counted)
          await inTransaction(client, async () => {
            await fence(client, follower)
            await client.query(countKeys(type), [type])
          })
        uncounted = new Set()
      }
      // A fill covers a position once it is complete.
      const reached = message.complete ? message.position : null
      await write(async () => {
        await client.query(saveBookmark, [message.cursor, reached])
        if (isNew) await client.query(saveComplete, [Object.keys(types)])
      })
      position = reached ?? position
      complete = message.complete
      if (isNew) beginSweep(counted)
      report()
    } else {
      collector.add(message)
      if (collector.size < batchSize) return
      await write()
      report()
    }
  }

  const cursor = rows[0].cursor ?? undefined
  const stopped = new AbortController()
  const stop = AbortSignal.any([signal, stopped.signal])
  const names = Object.keys(types)
  const stream = source({ types: names, cursor, signal: stop })
  const queue = createMessageQueue(stream, queueSize)
  let tickedAt = 0
  try {
    while (!signal.aborted) {
      const wait = sweep || columnFill ? 0 : collector.size > 0 ? batchDelayMs : tickMs
      const message = await queue.next(wait)
      if (message) await process(message)
      else if (collector.size > 0) {
        await write()
        report()
      }
      if (Date.now() - tickedAt >= tickMs) {
        while (await removeEnded(client, follower, types, columns));
        tickedAt = Date.now()
      }
      if (sweep && (await (sweep as Chore).step())) sweep = undefined
      if (columnFill && (await columnFill.step())) columnFill = undefined
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    queue.close()
    stopped.abort()
  }
}

/** Resolves after a number of milliseconds, or at once if the signal is aborted. Returns whether it is. */
export function waitOrStop(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve(signal.aborted)
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
