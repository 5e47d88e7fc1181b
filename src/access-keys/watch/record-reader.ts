import { historyOf } from '../position.ts'
import type {
  RecordPage,
  RecordPlace,
  ResourceChangeStore,
} from '../store/resource-change-store.ts'
import type { AccessCursor } from './cursor.ts'

/** A page of records of transactions that the snapshot `since` does not include. */
export type RecordsRead = Pick<RecordPage, 'changes'> & { since: string }

/** What was read; `begin` if a stream can't continue and must send everything. */
export type Reading = RecordsRead | 'begin'

/** Records that are being read: of the transactions between two snapshots. */
type Window = { since: string; until: string; next: RecordPlace }

/** Reads the records of a service in pages, and remembers how far it has read. */
export class RecordReader {
  readonly #changes: ResourceChangeStore
  readonly #serviceName: string
  readonly #interval: number
  #history: string | undefined
  #since: string | undefined
  #window: Window | undefined
  #nextWindow = 0

  /** @param interval milliseconds between two windows */
  constructor(
    changes: ResourceChangeStore,
    serviceName: string,
    interval: number,
    start: AccessCursor | undefined,
  ) {
    this.#changes = changes
    this.#serviceName = serviceName
    this.#interval = interval
    this.#history = start?.history
    this.#since = start && `${start.since}:${start.since}:`
  }

  /** The history of the records; empty before the first reading. */
  get history(): string {
    return this.#history ?? ''
  }

  /** The snapshot up to which all records have been read; undefined before the first reading. */
  get since(): string | undefined {
    return this.#since
  }

  /** Whether a window has been read in part. */
  get hasMore(): boolean {
    return this.#window !== undefined
  }

  /** Milliseconds until the next reading. */
  get delay(): number {
    return this.hasMore ? 0 : Math.max(0, this.#nextWindow - performance.now())
  }

  /** Reads the next page. After an error, the same page can be read again. */
  async read(): Promise<Reading> {
    const window = this.#window
    if (!window) return await this.#openWindow()
    const page = await this.#changes.readOn(this.#serviceName, window, window.next)
    return this.#advance(page, window)
  }

  async #openWindow(): Promise<Reading> {
    const since = this.#since
    const opened = await this.#changes.openWindow(this.#serviceName, since)
    const { identity, snapshot, isComplete, changes } = opened
    if (identity === null) {
      // After a crash of PostgreSQL, the first reader starts the new history.
      await this.#changes.startIdentity()
      return await this.#openWindow()
    }
    this.#nextWindow = performance.now() + this.#interval
    const history = historyOf(identity)
    const isContinued = history === this.#history && isComplete
    if (since === undefined || !isContinued || changes.some(({ scope }) => scope === 'all')) {
      this.#history = history
      this.#since = snapshot
      return 'begin'
    }
    return this.#advance(opened, { since, until: snapshot })
  }

  #advance({ changes, next }: RecordPage, { since, until }: Omit<Window, 'next'>): RecordsRead {
    this.#window = next && { since, until, next }
    if (!next) this.#since = until
    return { changes, since }
  }
}
