import type { ActivityEntry } from '../../gen/daikon/v1/admin_records.ts'
import { type Cursor, formatCursor } from '../activity/feed/cursor.ts'
import { ServiceError } from '../core/errors.ts'
import { reasons } from '../core/reasons.ts'
import { Sleeper } from '../core/sleeper.ts'
import type { Batch, LiveReader } from './live-feed.ts'
import type { Relations, Viewer } from './visibility.ts'

/** An entry, or a bookmark: all entries up to the cursor have been delivered. */
export type FeedMessage = { cursor: Cursor; entry?: ActivityEntry }

/** Returns an entry as a reader gets it, or undefined if it does not select it. */
export type SelectEntry = (entry: ActivityEntry, relations: Relations) => ActivityEntry | undefined

/** The maximum number of entries that wait for a reader. */
export const maxWaitingEntries = 1000

/** Creates the selection of a reader. */
export function createSelection(
  viewer: Viewer,
  selects: (action: string) => boolean,
  workspaceId: string | undefined,
): SelectEntry {
  return (entry, relations) => {
    if (!selects(entry.action)) return undefined
    if (workspaceId !== undefined && entry.workspace_id !== workspaceId) return undefined
    return relations.view(entry, viewer)
  }
}

/** The entries that wait for a live reader. `onOverflow` is called if there are too many. */
export class LiveQueue implements LiveReader {
  readonly viewer: Viewer
  cursor: Cursor
  isBehind = false
  readonly #select: SelectEntry
  readonly #onOverflow: (error: Error) => void
  readonly #messages: FeedMessage[] = []
  #isUnverified = false
  #error: Error | undefined
  readonly #sleeper = new Sleeper()

  constructor(
    viewer: Viewer,
    cursor: Cursor,
    select: SelectEntry,
    onOverflow: (error: Error) => void,
  ) {
    this.viewer = viewer
    this.cursor = cursor
    this.#select = select
    this.#onOverflow = onOverflow
  }

  receive({ entries, relations }: Batch): void {
    for (const { cursor, entry } of entries) {
      if (cursor.position <= this.cursor.position) continue
      const selected = this.#select(entry, relations)
      if (selected) {
        this.#messages.push({ cursor, entry: selected })
        this.#isUnverified = true
      }
      this.cursor = cursor
    }
    if (this.#messages.length > maxWaitingEntries) {
      const [first] = this.#messages.splice(0)
      this.fail(readerTooSlow(first as FeedMessage))
      this.#onOverflow(this.#error as Error)
    }
    this.#sleeper.wake()
  }

  fallBehind(): void {
    this.isBehind = true
    this.#sleeper.wake()
  }

  fail(error: Error): void {
    this.#error = error
    this.#sleeper.wake()
  }

  /** Whether entries have arrived since the last verification of the reader, which starts now. */
  startVerification(): boolean {
    const isUnverified = this.#isUnverified
    this.#isUnverified = false
    return isUnverified
  }

  /**
   * Returns the next message; undefined if there is none within `milliseconds`, the signal is
   * aborted, or the reader has fallen behind.
   */
  async take(milliseconds: number, signal: AbortSignal): Promise<FeedMessage | undefined> {
    if (this.#messages.length === 0 && !this.#error && !this.isBehind && !signal.aborted)
      await this.#sleeper.wait(milliseconds, signal)
    if (this.#error) throw this.#error
    return this.#messages.shift()
  }
}

/** The reader continues with the cursor of the last message that it received. */
function readerTooSlow({ cursor }: FeedMessage): ServiceError {
  const detail = `The reader is too slow: more than ${maxWaitingEntries} entries are waiting, from ${formatCursor(cursor)} on. Continue after the last cursor that you received`
  return new ServiceError(reasons.READER_TOO_SLOW, detail)
}
