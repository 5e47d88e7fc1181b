import type { WatchAccessResponse } from '../../../gen/daikon/v1/access_keys.ts'
import { Sleeper } from '../../core/sleeper.ts'
import type { KeyNames } from '../key-names.ts'
import { formatPosition } from '../position.ts'
import type { ResourceChangeStore } from '../store/resource-change-store.ts'
import type { ResourceKey, ResourceStateStore } from '../store/resource-state-store.ts'
import { BookmarkSchedule, type Progress } from './bookmark-schedule.ts'
import { type AccessCursor, createGeneration, formatAccessCursor } from './cursor.ts'
import { toMessage } from './messages.ts'
import { RecordReader, type RecordsRead } from './record-reader.ts'
import {
  createKindWalk,
  createTreeWalk,
  type IsAsked,
  type KindWalk,
  type KindWalkPart,
  type Walk,
} from './walk.ts'

/** The intervals of streams, in milliseconds. */
export type AccessTimes = {
  /** Between two readings of changes. */
  poll: number
  /** Between bookmarks while the position advances, although nothing was sent. */
  progress: number
  /** The longest time without a bookmark. */
  bookmark: number
  /** The longest time for which a reader may take nothing. */
  stall: number
}

/** What a stream follows. */
export type AccessFollowing = {
  changes: ResourceChangeStore
  states: ResourceStateStore
  serviceName: string
  isAsked: IsAsked
  names: KeyNames
  /** Identifies what cursors are made for (`digestOf`). */
  digest: string
  times: AccessTimes
  /** Aborts the signal if the reader may no longer read. */
  verify(): Promise<void>
  onFailure(error: unknown): void
}

/** Messages of a stream; returns a result at their end. */
type Messages<Result = void> = AsyncGenerator<WatchAccessResponse, Result>

/** A walk, and the snapshot whose records have been sent without it. */
type OpenWalk = { walk: Walk; since: string }

/** The number of walks after which no more records are read. */
const maxWalks = 1000

/** Milliseconds after which a failed reading is repeated. */
const retryInterval = 1000

/**
 * Follows what the resources of a service accept. Records only name what has changed: what is sent is its
 * present state, so the order of records does not matter, and a record that is read twice is harmless.
 *
 * Three kinds of work take turns, a page each: the records since a snapshot, the trees and workspaces
 * that they name, and the first copy of all resources. A bookmark has the position before the oldest
 * walk, so that a stream that continues there walks again.
 */
export function followAccess(
  following: AccessFollowing,
  start: AccessCursor | undefined,
  signal: AbortSignal,
): Messages {
  return new AccessStream(following, start, signal).messages(start?.fill)
}

class AccessStream {
  readonly #following: AccessFollowing
  readonly #signal: AbortSignal
  readonly #records: RecordReader
  readonly #bookmarks: BookmarkSchedule
  readonly #sleeper = new Sleeper()
  readonly #walks: OpenWalk[] = []
  #generation: string
  #fill: KindWalk | undefined

  constructor(following: AccessFollowing, start: AccessCursor | undefined, signal: AbortSignal) {
    const { changes, serviceName, times } = following
    this.#following = following
    this.#signal = signal
    this.#records = new RecordReader(changes, serviceName, times.poll, start)
    this.#bookmarks = new BookmarkSchedule(times)
    this.#generation = start?.generation ?? ''
  }

  async *messages(fillPlace: ResourceKey | undefined): Messages {
    if (fillPlace) await this.#openFill(fillPlace)
    while (!this.#signal.aborted) {
      yield* this.#sendRecords()
      if (this.#signal.aborted) return
      yield* this.#sendWalk()
      if (this.#signal.aborted) return
      const progress = this.#readProgress()
      if (this.#bookmarks.isDue(progress)) {
        this.#bookmarks.add(progress)
        yield this.#createBookmark(progress.position)
      }
      const isIdle = this.#walks.length === 0 && !this.#fill
      if (isIdle) await this.#sleeper.wait(this.#records.delay, this.#signal)
    }
  }

  /** Sends a page of records, if it is time to. */
  async *#sendRecords(): Messages {
    if (this.#walks.length >= maxWalks || this.#records.delay > 0) return
    const reading = await this.#persist(() => this.#records.read())
    if (reading === 'begin') yield* this.#begin()
    else if (reading) yield* this.#sendChanges(reading)
  }

  async *#begin(): Messages {
    this.#generation = createGeneration()
    this.#walks.length = 0
    await this.#openFill()
    await this.#following.verify()
    if (!this.#signal.aborted) yield { begin: { generation: this.#generation } }
  }

  async *#sendChanges({ changes, since }: RecordsRead): Messages {
    const resources = new Map<string, ResourceKey>()
    const trees: ResourceKey[] = []
    for (const change of changes) {
      if (change.scope === 'workspace') {
        const { workspaceId } = change
        this.#addWalk(await this.#createKindWalk({ workspaceId }), since)
      } else if (change.scope !== 'all') {
        resources.set(nameOf(change), change)
        if (change.scope === 'tree') trees.push(change)
      }
    }
    const rowIds = yield* this.#send([...resources.values()])
    for (const tree of trees) {
      const id = rowIds.get(nameOf(tree))
      if (id !== undefined) this.#addWalk(createTreeWalk(this.#following.states, id), since)
    }
    if (changes.length > 0) this.#bookmarks.request()
  }

  /** Sends a page of the first walk, or of the first copy. */
  async *#sendWalk(): Messages {
    const walk = this.#walks[0]?.walk ?? this.#fill
    const page = walk && (await this.#persist(() => walk.read()))
    if (!page) return
    yield* this.#send(page.keys)
    if (this.#signal.aborted || !page.isLast) return
    if (walk === this.#fill) this.#fill = undefined
    else this.#walks.shift()
    this.#bookmarks.request()
  }

  /** Sends the states of resources. Returns the IDs of the rows of those that exist, by `nameOf`. */
  async *#send(keys: ResourceKey[]): Messages<Map<string, string>> {
    const { states, names, isAsked, verify } = this.#following
    const rowIds = new Map<string, string>()
    let remaining = keys
    while (remaining.length > 0) {
      const page = remaining
      const found = await this.#persist(() => states.readStates(page))
      if (!found) break
      await verify()
      for (const state of found) {
        if (this.#signal.aborted) return rowIds
        if (state.rowId !== undefined) rowIds.set(nameOf(state), state.rowId)
        yield toMessage(state, names, isAsked)
      }
      // Types that an operator has deleted have no states.
      remaining = found.length === 0 ? [] : remaining.slice(found.length)
    }
    return rowIds
  }

  #addWalk(walk: Walk | undefined, since: string): void {
    const isWaiting = this.#walks.some(
      (open) => open.walk.name === walk?.name && !open.walk.hasBegun,
    )
    if (walk && !isWaiting) this.#walks.push({ walk, since })
  }

  async #openFill(after?: ResourceKey): Promise<void> {
    this.#fill = await this.#createKindWalk(after ? { after } : {})
  }

  async #createKindWalk(part: KindWalkPart): Promise<KindWalk | undefined> {
    const { states, serviceName, isAsked } = this.#following
    const kinds = await this.#persist(() => states.findKinds(serviceName))
    return kinds && createKindWalk(states, kinds, isAsked, part)
  }

  #readProgress(): Progress {
    const { since, hasMore } = this.#records
    const snapshot = this.#walks[0]?.since ?? since ?? ''
    const position = snapshot.slice(0, snapshot.indexOf(':'))
    return { position, isFilling: this.#fill !== undefined, hasMore }
  }

  #createBookmark(since: string): WatchAccessResponse {
    const { history } = this.#records
    const cursor = { history, since, generation: this.#generation, fill: this.#fill?.place() }
    return {
      bookmark: {
        cursor: formatAccessCursor(cursor, this.#following.digest),
        position: formatPosition({ history, number: Number(since) }),
        complete: this.#fill === undefined,
      },
    }
  }

  /** Repeats a reading until it succeeds, because open streams outlast failures of the database. */
  async #persist<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
    while (!this.#signal.aborted) {
      try {
        return await read()
      } catch (error) {
        this.#following.onFailure(error)
        await this.#sleeper.wait(retryInterval, this.#signal)
      }
    }
    return undefined
  }
}

function nameOf({ kindId, resourceId }: ResourceKey): string {
  return `${kindId} ${resourceId}`
}
