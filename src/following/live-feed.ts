import type { EventTable } from '../activity/events.ts'
import type { Cursor } from '../activity/feed/cursor.ts'
import type { FeedEntry, FeedStore } from '../activity/store/feed-store.ts'
import { ServiceError } from '../core/errors.ts'
import { type JobResult, moreIf } from '../core/job.ts'
import { type RunningJob, runEvery } from '../core/run-every.ts'
import type { Semaphore } from '../core/semaphore.ts'
import { createSemaphore } from '../core/semaphore.ts'
import { forEachInTurns } from '../core/turns.ts'
import { reasons } from './reasons.ts'
import { findConcernedUsers, findRelated } from './relations.ts'
import type { RelationStore } from './store/relation-store.ts'
import { createViews, type Relations, type Viewer } from './visibility.ts'

/** Entries in the order of the log, which follow `from` immediately. */
export type Batch = { from: Cursor; entries: FeedEntry[]; relations: Relations }

/** A reader that has read the whole log and waits for new entries. */
export type LiveReader = {
  readonly viewer: Viewer
  readonly cursor: Cursor
  receive(batch: Batch): void
  /** Called if the reader missed entries, and must read them by itself. */
  fallBehind(): void
  fail(error: Error): void
}

/** The entries of the log for any number of readers on this node. */
export type LiveFeed = {
  /** The events of all features. */
  readonly events: EventTable
  /** Returns the cursor before the first entry. */
  findStart(): Promise<Cursor>
  /** Returns the cursor after the last entry. */
  findEnd(): Promise<Cursor>
  /**
   * Returns up to `pageSize` entries after a cursor.
   *
   * @throws ServiceError `gone`
   */
  read(cursor: Cursor): Promise<FeedEntry[]>
  relate(entries: FeedEntry[], viewers: Viewer[]): Promise<Relations>
  /** Returns false if there are newer entries, which the reader must read first. */
  join(reader: LiveReader): boolean
  leave(reader: LiveReader): void
}

/** The maximum number of entries that a statement reads. */
export const pageSize = 100
const livePageSize = 1000

/** The maximum number of readers whose statements run at the same time. */
const maxReading = 3

/**
 * Milliseconds between two polls. With the pause of the sealer, an entry arrives within a second of
 * its commit.
 */
const pollInterval = 700

/**
 * Creates the feed of a node. While there are readers, it polls the database once per interval for
 * all of them.
 */
export function createLiveFeed(
  events: EventTable,
  openStores: () => { feed: FeedStore; relations: RelationStore },
  onFailure: (error: unknown) => void,
): LiveFeed {
  const readers = new Set<LiveReader>()
  const inTurn: Semaphore = createSemaphore(maxReading)
  let head: Cursor | undefined
  let polling: RunningJob | undefined

  async function relate(entries: FeedEntry[], viewers: Viewer[]): Promise<Relations> {
    const [isRelated, concerns] = await Promise.all([
      findRelated(openStores().relations, entries, viewers),
      findConcernedUsers(openStores().relations, events, entries, viewers),
    ])
    return { isRelated, concerns, view: createViews(isRelated) }
  }

  async function poll(): Promise<JobResult> {
    const from = head
    if (!from) return 'done'
    const included = new Set(readers)
    const entries = await openStores().feed.readAfter(from, livePageSize)
    if (!entries) {
      for (const reader of included) reader.fail(cursorGone())
      return 'done'
    }
    const last = entries.at(-1)
    if (!last) return 'done'
    const viewers = [...included].map(({ viewer }) => viewer)
    const batch = { from, entries, relations: await relate(entries, viewers) }
    // All readers may have left, and others joined, while the statements ran.
    if (head !== from) return 'done'
    head = last.cursor
    for (const reader of readers) {
      if (!included.has(reader) && reader.cursor.position < last.cursor.position)
        reader.fallBehind()
    }
    await forEachInTurns(included, (reader) => {
      if (readers.has(reader)) reader.receive(batch)
    })
    return moreIf(entries.length === livePageSize)
  }

  return {
    events,
    findStart: () => inTurn(() => openStores().feed.findStart()),
    findEnd: () => inTurn(() => openStores().feed.findEnd()),
    relate,
    read: (cursor) =>
      inTurn(async () => {
        const entries = await openStores().feed.readAfter(cursor, pageSize)
        if (!entries) throw cursorGone()
        return entries
      }),
    join(reader) {
      if (head && head.position > reader.cursor.position) return false
      head ??= reader.cursor
      readers.add(reader)
      polling ??= runEvery(pollInterval, poll, onFailure)
      return true
    },
    leave(reader) {
      readers.delete(reader)
      if (readers.size > 0) return
      head = undefined
      void polling?.stop()
      polling = undefined
    },
  }
}

/** Returns the error of a cursor that is older than the retention or of another history. */
function cursorGone(): ServiceError {
  return new ServiceError(reasons.CURSOR_GONE)
}
