import type { TokenStorage } from './api.ts'
import type { Session } from './session.ts'

/** Identifies the latest tokens of all tabs. Contains no secrets. */
export type Marker = { id: string; sequence: number }

/** Storage for sessions, which may outlive the page. */
export type SessionStore = {
  read(): Session | undefined
  /** Stores the latest tokens of all tabs. */
  write(session: Session): void
  /** Stores tokens that another tab has already stored, if this tab has its own storage. */
  copy(session: Session): void
  clear(): void
  /**
   * Identifies the latest tokens of any tab; `null` if there are none, `undefined` if that is
   * unknown.
   */
  readMarker(): Marker | null | undefined
}

/**
 * Stores the session in the configured storage, and a marker without secrets in localStorage.
 * Storage that is blocked or full is treated as empty.
 */
export function createSessionStore(storage: TokenStorage, key: string): SessionStore {
  const markerKey = `${key}:latest`
  const shared = openStorage('localStorage')
  const persistent = storage === 'memory' ? undefined : openStorage(storage)

  return {
    read: () => readJson(persistent, key) ?? undefined,
    write(session) {
      writeJson(persistent, key, session)
      const { id, sequence } = session
      writeJson(shared, markerKey, { id, sequence })
    },
    copy(session) {
      // In storage that tabs share, this could overwrite later tokens.
      if (storage === 'sessionStorage') writeJson(persistent, key, session)
    },
    clear() {
      remove(persistent, key)
      remove(shared, markerKey)
    },
    readMarker: () => readJson<Marker>(shared, markerKey),
  }
}

/** Opens storage. Returns undefined if the user has blocked it, in which case access throws. */
export function openStorage(name: 'localStorage' | 'sessionStorage'): Storage | undefined {
  try {
    return globalThis[name]
  } catch {
    return undefined
  }
}

function readJson<Value>(storage: Storage | undefined, key: string): Value | null | undefined {
  try {
    return storage && JSON.parse(storage.getItem(key) ?? 'null')
  } catch {
    return undefined
  }
}

function writeJson(storage: Storage | undefined, key: string, value: unknown): void {
  try {
    storage?.setItem(key, JSON.stringify(value))
  } catch {
    // The session remains in memory.
  }
}

function remove(storage: Storage | undefined, key: string): void {
  try {
    storage?.removeItem(key)
  } catch {
    // Blocked storage has no items to remove.
  }
}
