import type { CheckOptions, DaikonBrowser, DaikonEvent, Resource } from './api.ts'
import { toDaikonError } from './errors.ts'
import { isTemporary } from './http.ts'
import { requireKnownNames } from './option-names.ts'

/** The permissions that a page shows, updated while they have listeners. */
export type PermissionStore = {
  /** Returns the last result, or undefined if there is none yet. */
  read(key: string): boolean | undefined
  subscribe(key: string, listener: () => void): () => void
}

type Entry = {
  action: string
  resource: Resource
  options: CheckOptions
  isAllowed: boolean | undefined
  /** The number of checks so far. Only the result of the last one is used. */
  checks: number
  failures: number
  timer?: ReturnType<typeof setTimeout>
  listeners: Set<() => void>
}

const firstRetryDelay = 1000
const maxRetryDelay = 30_000

/** Returns the key of a check in the store. */
export function permissionKey(
  action: string,
  { service, type, id }: Resource,
  options: CheckOptions = {},
): string {
  requireKnownNames('a check', options)
  const { context } = options
  return JSON.stringify([action, { service, type, id }, { context }])
}

/**
 * Creates a store that checks each key with listeners: initially, after a change of user or
 * workspace, when permissions may have changed, when the page becomes visible again, and on
 * `recheckPermissions()`. Removing the last
 * listener of a key discards its result.
 */
export function createPermissionStore(daikon: DaikonBrowser): PermissionStore {
  const entries = new Map<string, Entry>()

  function set(entry: Entry, isAllowed: boolean | undefined): void {
    if (entry.isAllowed === isAllowed) return
    entry.isAllowed = isAllowed
    for (const listener of entry.listeners) listener()
  }

  async function check(entry: Entry): Promise<void> {
    clearTimeout(entry.timer)
    entry.checks += 1
    const { checks, action, resource, options } = entry
    const { user } = daikon
    if (!user) return set(entry, user === null ? false : undefined)
    try {
      const isAllowed = await daikon.can(action, resource, options)
      if (entry.checks !== checks) return
      entry.failures = 0
      set(entry, isAllowed)
    } catch (thrown) {
      if (entry.checks !== checks || entry.listeners.size === 0) return
      const error = toDaikonError(thrown)
      set(entry, daikon.user === null ? false : undefined)
      if (error.code === 'invalid_argument') console.error(error)
      if (!isTemporary(error)) return
      const delay = Math.min(firstRetryDelay * 2 ** entry.failures, maxRetryDelay)
      entry.failures += 1
      const pause = Math.max(delay * (0.5 + Math.random() / 2), error.retryAfterMs ?? 0)
      entry.timer = setTimeout(() => void check(entry), pause)
    }
  }

  function checkAll(isAffected: (entry: Entry) => boolean = () => true): void {
    for (const entry of entries.values()) if (isAffected(entry)) void check(entry)
  }

  function onEvent({ type }: DaikonEvent): void {
    if (type === 'unavailable') return
    if (type === 'recheckPermissions') {
      checkAll()
    } else if (type === 'refreshed') {
      // Checks that failed during an outage have no result.
      checkAll(({ isAllowed }) => isAllowed === undefined)
    } else {
      // Results for another user or workspace must not remain visible while the checks run.
      for (const entry of entries.values()) set(entry, undefined)
      checkAll()
    }
  }

  const onVisible = () => document.visibilityState === 'visible' && checkAll()

  let unsubscribe: (() => void) | undefined
  let unwatch: (() => void) | undefined

  function listen(): void {
    unsubscribe = daikon.subscribe(onEvent)
    unwatch = daikon.watchPermissions(() => checkAll())
    document.addEventListener('visibilitychange', onVisible)
  }

  function stopListening(): void {
    unsubscribe?.()
    unwatch?.()
    document.removeEventListener('visibilitychange', onVisible)
  }

  return {
    read: (key) => entries.get(key)?.isAllowed,
    subscribe(key, listener) {
      if (entries.size === 0) listen()
      const [action, resource, options] = JSON.parse(key) as [string, Resource, CheckOptions]
      const state = {
        isAllowed: undefined,
        checks: 0,
        failures: 0,
        listeners: new Set<() => void>(),
      }
      const entry: Entry = entries.get(key) ?? { action, resource, options, ...state }
      entry.listeners.add(listener)
      if (!entries.has(key)) {
        entries.set(key, entry)
        void check(entry)
      }
      return () => {
        entry.listeners.delete(listener)
        if (entry.listeners.size > 0) return
        clearTimeout(entry.timer)
        entries.delete(key)
        if (entries.size === 0) stopListening()
      }
    },
  }
}
