import type { WatchAccessResponse } from '../../../gen/daikon/v1/access_keys.ts'
import { Sleeper } from '../../core/sleeper.ts'
import type { KeyNames } from '../key-names.ts'
import { formatPosition, historyOf } from '../position.ts'
import type {
  RecordPage,
  RecordPlace,
  ResourceChange,
  ResourceChangeStore,
} from '../store/resource-change-store.ts'
import type { ResourceKey, ResourceStateStore } from '../store/resource-state-store.ts'
import { type AccessCursor, createGeneration, formatAccessCursor } from './cursor.ts'
import { toMessage } from './messages.ts'
import { createKindWalk, createTreeWalk, type IsAsked, type Walk } from './walk.ts'

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

/** A walk, and the snapshot whose records have been sent without it. */
type OpenWalk = { walk: Walk; since: string }

/** Records that are being read. */
type OpenWindow = { until: string; next: RecordPlace }

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
export async function* followAccess(
  following: AccessFollowing,
  start: AccessCursor | undefined,
  signal: AbortSignal,
): AsyncGenerator<WatchAccessResponse> {
  const { changes, states, serviceName, isAsked, names, digest, times, verify, onFailure } =
    following
  const sleeper = new Sleeper()
  let history = start?.history
  let generation = start?.generation ?? ''
  /** All records up to this snapshot have been read. */
  let since = start ? `${start.since}:${start.since}:` : undefined
  let window: OpenWindow | undefined
  let walks: OpenWalk[] = []
  let fill: ReturnType<typeof createKindWalk> | undefined

  let nextPoll = 0
  let lastBookmark = Number.NEGATIVE_INFINITY
  let lastPosition: string | undefined
  /** Whether changes have been sent, or all of a walk. */
  let isBookmarkDue = false
  let hasChanges = false

  async function openFill(after?: ResourceKey) {
    const kinds = await states.findKinds(serviceName)
    return createKindWalk(states, kinds, isAsked, after ? { after } : {})
  }

  /** Repeats a reading until it succeeds, because open watches outlast failures of the database. */
  async function persist<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
    while (!signal.aborted) {
      try {
        return await read()
      } catch (error) {
        onFailure(error)
        await sleeper.wait(retryInterval, signal)
      }
    }
    return undefined
  }

  async function* begin(identity: string, snapshot: string): AsyncGenerator<WatchAccessResponse> {
    history = historyOf(identity)
    generation = createGeneration()
    since = snapshot
    window = undefined
    walks = []
    fill = await persist(() => openFill())
    await verify()
    if (!signal.aborted) yield { begin: { generation } }
  }

  /** Sends the states of resources. Returns the IDs of the rows of those that exist, by key. */
  async function* send(
    keys: ResourceKey[],
    rows = new Map<string, string>(),
  ): AsyncGenerator<WatchAccessResponse, Map<string, string>> {
    let remaining = keys
    while (remaining.length > 0) {
      const page = remaining
      const found = await persist(() => states.readStates(page))
      if (!found) return rows
      await verify()
      for (const state of found) {
        if (signal.aborted) return rows
        if (state.rowId !== undefined) rows.set(nameOf(state), state.rowId)
        yield toMessage(state, names, isAsked)
      }
      // Types that an operator has deleted have no states.
      remaining = found.length === 0 ? [] : remaining.slice(found.length)
    }
    return rows
  }

  async function* sendChanges(page: ResourceChange[], before: string) {
    const resources = new Map<string, ResourceKey>()
    const trees: ResourceKey[] = []
    for (const change of page) {
      if (change.scope === 'workspace') {
        const { workspaceId } = change
        const kinds = (await persist(() => states.findKinds(serviceName))) ?? []
        addWalk(createKindWalk(states, kinds, isAsked, { workspaceId }), before)
      } else if (change.scope !== 'all') {
        resources.set(nameOf(change), change)
        if (change.scope === 'tree') trees.push(change)
      }
    }
    const rows = yield* send([...resources.values()])
    for (const tree of trees) {
      const id = rows.get(nameOf(tree))
      if (id !== undefined) addWalk(createTreeWalk(states, id), before)
    }
  }

  function addWalk(walk: Walk, before: string): void {
    const isWaiting = walks.some((open) => open.walk.name === walk.name && !open.walk.hasBegun)
    if (!isWaiting) walks.push({ walk, since: before })
  }

  /** Reads and sends a page of records, if it is time to. */
  async function* followRecords(): AsyncGenerator<WatchAccessResponse> {
    if (walks.length >= maxWalks) return
    let page: RecordPage
    const before = since
    const open = window
    if (open && before !== undefined) {
      const more = await persist(() =>
        changes.readOn(serviceName, { since: before, until: open.until }, open.next),
      )
      if (!more) return
      page = more
    } else {
      if (performance.now() < nextPoll) return
      const opened = await persist(() => changes.openWindow(serviceName, before))
      if (!opened) return
      nextPoll = performance.now() + times.poll
      const { identity, snapshot, isComplete } = opened
      if (identity === null) {
        await persist(changes.startIdentity)
        nextPoll = 0
        return
      }
      if (before === undefined || historyOf(identity) !== history || !isComplete) {
        yield* begin(identity, snapshot)
        return
      }
      page = opened
      window = { until: snapshot, next: { transaction: '0', id: '0' } }
      if (page.changes.some(({ scope }) => scope === 'all')) {
        yield* begin(identity, snapshot)
        return
      }
    }
    hasChanges ||= page.changes.length > 0
    yield* sendChanges(page.changes, before as string)
    if (signal.aborted || !window) return
    if (page.next) window.next = page.next
    else {
      since = window.until
      window = undefined
      isBookmarkDue ||= hasChanges
      hasChanges = false
    }
  }

  /** Sends a page of the first walk, or of the first copy. */
  async function* walkOn(): AsyncGenerator<WatchAccessResponse> {
    const walk = walks[0]?.walk ?? fill
    if (!walk) return
    const page = await persist(() => walk.read())
    if (!page) return
    yield* send(page.keys)
    if (signal.aborted || !page.isLast) return
    if (walk === fill) fill = undefined
    else walks.shift()
    isBookmarkDue = true
  }

  function readPosition(): string {
    const snapshot = walks[0]?.since ?? since ?? ''
    return snapshot.slice(0, snapshot.indexOf(':'))
  }

  function bookmark(): WatchAccessResponse {
    const number = readPosition()
    lastBookmark = performance.now()
    lastPosition = number
    isBookmarkDue = false
    const cursor = {
      history: history ?? '',
      since: number,
      generation,
      fill: fill?.place(),
    }
    return {
      bookmark: {
        cursor: formatAccessCursor(cursor, digest),
        position: formatPosition({ history: cursor.history, number: Number(number) }),
        complete: fill === undefined,
      },
    }
  }

  function wantsBookmark(): boolean {
    if (since === undefined) return false
    if (isBookmarkDue && !window) return true
    const age = performance.now() - lastBookmark
    const hasAdvanced = fill !== undefined || readPosition() !== lastPosition
    return age >= times.bookmark || (hasAdvanced && age >= times.progress)
  }

  const { fill: after } = start ?? {}
  if (after) fill = await persist(() => openFill(after))
  while (!signal.aborted) {
    yield* followRecords()
    if (signal.aborted) return
    yield* walkOn()
    if (signal.aborted) return
    if (wantsBookmark()) yield bookmark()
    if (!window && walks.length === 0 && !fill)
      await sleeper.wait(Math.max(0, nextPoll - performance.now()), signal)
  }
}

function nameOf({ kindId, resourceId }: ResourceKey): string {
  return `${kindId} ${resourceId}`
}
