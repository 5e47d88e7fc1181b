import type { TokenStorage } from './api.ts'
import type { Session } from './session.ts'

/** Which tokens are the latest of all tabs. Not a secret. */
export type Marker = { id: string; sequence: number }

/** Where sessions outlive the page, if they do. */
export type SessionStore = {
  read(): Session | undefined
  /** Writes the latest tokens of all tabs. */
  write(session: Session): void
  /** Writes tokens that another tab has written, if this tab has storage of its own. */
  copy(session: Session): void
  clear(): void
  /** The latest tokens of any tab; `null` if there are none, `undefined` if that cannot be known. */
  readMarker(): Marker | null | undefined
}

/**
 * Keeps the session in the storage of the options, and a marker without secrets in localStorage. Storage
 * that is blocked or full counts as empty.
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
      // Otherwise this could overwrite later tokens.
      if (storage === 'sessionStorage') writeJson(persistent, key, session)
    },
    clear() {
      remove(persistent, key)
      remove(shared, markerKey)
    },
    readMarker: () => readJson<Marker>(shared, markerKey),
  }
}

/** Access to storage throws where the user has blocked it. */
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
    // Blocked storage is empty.
  }
}
