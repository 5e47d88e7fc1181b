import type { Cursor } from '../activity/feed/cursor.ts'
import { Sleeper } from '../core/sleeper.ts'
import type { Batch, LiveReader } from './live-feed.ts'
import type { WatchingUser } from './visibility.ts'

/** Whether the permissions of a user may have changed since the last `take`. */
export class ChangeReader implements LiveReader {
  readonly viewer: WatchingUser
  readonly cursor: Cursor
  #hasChanged = false
  #isBehind = false
  #error: Error | undefined
  readonly #sleeper = new Sleeper()

  constructor(viewer: WatchingUser, cursor: Cursor) {
    this.viewer = viewer
    this.cursor = cursor
  }

  /** Whether it missed entries, so that another reader must continue. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  receive({ entries, relations }: Batch): void {
    const isNew = ({ cursor }: { cursor: Cursor }) => cursor.position > this.cursor.position
    if (!entries.some((one) => isNew(one) && relations.concerns(one.entry, this.viewer))) return
    this.#hasChanged = true
    this.#sleeper.wake()
  }

  fallBehind(): void {
    this.#isBehind = true
    this.#hasChanged = true
    this.#sleeper.wake()
  }

  fail(error: Error): void {
    this.#error = error
    this.#sleeper.wake()
  }

  /** Returns whether there was a change within `milliseconds`. Returns early if the signal is aborted. */
  async take(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#hasChanged && !this.#error) await this.#sleeper.wait(milliseconds, signal)
    if (this.#error) throw this.#error
    const hasChanged = this.#hasChanged
    this.#hasChanged = false
    return hasChanged
  }
}
