import type { Cursor } from '../activity/feed/cursor.ts'
import { type LiveFeed, pageSize } from './live-feed.ts'
import { type FeedMessage, LiveQueue, type SelectEntry } from './live-queue.ts'
import type { Viewer } from './visibility.ts'

/** Milliseconds without a message after which a reader gets a bookmark. */
const bookmarkInterval = 5000

/** What a reader wants: the entries after a cursor that `select` returns. */
export type Following = {
  viewer: Viewer
  cursor: Cursor
  select: SelectEntry
  /** Aborts the signal if the reader may no longer read. */
  verify(): Promise<void>
}

/**
 * Follows the log from a cursor: first the entries that exist, at the pace of the reader, then new
 * ones. Ends with a bookmark when the signal is aborted. Calls `onOverflow` if a reader of new
 * entries does not keep up, even while it takes no message. The reader is verified once for the entries
 * that a statement has read, before it gets the first of them.
 */
export async function* follow(
  feed: LiveFeed,
  { viewer, cursor: start, select, verify }: Following,
  signal: AbortSignal,
  onOverflow: (error: Error) => void,
): AsyncGenerator<FeedMessage> {
  let cursor = start
  yield { cursor }
  while (!signal.aborted) {
    for await (const message of readExisting(feed, { viewer, cursor, select, verify }, signal)) {
      cursor = message.cursor
      if (!message.isSilent) yield message
    }
    if (signal.aborted) break
    const queue = new LiveQueue(viewer, cursor, select, onOverflow)
    if (!feed.join(queue)) continue
    try {
      for (;;) {
        const message = await queue.take(bookmarkInterval, signal)
        if (message) {
          if (queue.startVerification()) await verify()
          if (signal.aborted) break
          cursor = message.cursor
          yield message
          continue
        }
        cursor = queue.cursor
        if (queue.isBehind || signal.aborted) break
        yield { cursor }
      }
    } finally {
      feed.leave(queue)
    }
  }
  yield { cursor }
}

/** Silent messages only say how far the log has been read. */
async function* readExisting(
  feed: LiveFeed,
  { viewer, cursor: start, select, verify }: Following,
  signal: AbortSignal,
): AsyncGenerator<FeedMessage & { isSilent?: boolean }> {
  let cursor = start
  let lastMessage = performance.now()
  while (!signal.aborted) {
    const entries = await feed.read(cursor)
    const relations = await feed.relate(entries, [viewer])
    let isVerified = false
    for (const { cursor: at, entry } of entries) {
      if (signal.aborted) return
      const selected = select(entry, relations)
      if (selected && !isVerified) {
        await verify()
        isVerified = true
        if (signal.aborted) return
      }
      cursor = at
      if (!selected) continue
      yield { cursor, entry: selected }
      lastMessage = performance.now()
    }
    const isSilent = performance.now() - lastMessage < bookmarkInterval
    yield { cursor, isSilent }
    if (!isSilent) lastMessage = performance.now()
    if (entries.length < pageSize) return
  }
}
