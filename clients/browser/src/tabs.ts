import { UnavailableError } from './errors.ts'
import type { Session } from './session.ts'
import type { Marker } from './session-store.ts'

/** A message between tabs of the same application. */
export type TabMessage =
  /** A tab requests the latest tokens. */
  | { type: 'ask' }
  | { type: 'session'; session: Session }
  | { type: 'ended'; id: string; isSignOut: boolean; reason: string; message: string }

/** The other tabs of the application, which have the same origin, issuer and client. */
export type Tabs = {
  /** Whether messages reach other tabs. */
  readonly isConnected: boolean
  post(message: TabMessage): void
  /**
   * Runs the work while no other tab runs any; `hasWaited` is whether another tab did. Without Web
   * Locks, only the work of this tab is serialized.
   */
  exclusively<Result>(work: (hasWaited: boolean) => Promise<Result>): Promise<Result>
  /**
   * Announces new tokens. Every tab that gets the lock from now on finds them, whereas messages and
   * localStorage reach other tabs some milliseconds later.
   */
  announce(tokens: Marker): Promise<void>
  /** Returns the tokens that this tab and others have announced. */
  findAnnounced(): Promise<Marker[]>
  close(): void
}

/** Milliseconds to wait for another tab, longer than its requests can take. */
const lockTimeout = 60_000

/** Milliseconds for which tokens are announced, after which messages and localStorage have arrived. */
const announcementTime = 10_000

export function connectTabs(key: string, onMessage: (message: TabMessage) => void): Tabs {
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(key) : undefined
  if (channel) channel.onmessage = ({ data }) => onMessage(data)
  const announced = `${key}:announced:`
  let last: Promise<unknown> = Promise.resolve()

  /**
   * Runs the work without a lock where Web Locks are unavailable (insecure contexts) or throw
   * (blocked storage).
   */
  async function withLock<Result>(work: (hasWaited: boolean) => Promise<Result>): Promise<Result> {
    const { locks } = navigator
    if (!locks) return work(false)
    let hasStarted = false
    const run = async (hasWaited: boolean) => {
      hasStarted = true
      return { result: await work(hasWaited) }
    }
    try {
      const options = { ifAvailable: true }
      const first = await locks.request(key, options, (lock) => (lock ? run(false) : undefined))
      if (first) return first.result
      const signal = AbortSignal.timeout(lockTimeout)
      return (await locks.request(key, { signal }, () => run(true))).result
    } catch (error) {
      if (hasStarted) throw error
      if (error instanceof Error && error.name === 'TimeoutError')
        throw new UnavailableError('LOCK_TIMEOUT', 'Another tab has not finished its refresh')
      return work(false)
    }
  }

  return {
    isConnected: channel !== undefined,
    post(message) {
      try {
        channel?.postMessage(message)
      } catch {
        // The client is closed.
      }
    },
    exclusively(work) {
      const result = last.then(() => withLock(work))
      last = result.catch(() => {})
      return result
    },
    // An announcement is a lock whose name contains the tokens' marker: only locks are seen by all
    // tabs in the same order.
    announce: ({ id, sequence }) =>
      new Promise((resolve) => {
        const name = announced + JSON.stringify({ id, sequence })
        const hold = () => {
          resolve()
          return new Promise((release) => setTimeout(release, announcementTime))
        }
        if (!navigator.locks) return resolve()
        navigator.locks.request(name, hold).catch(() => resolve())
      }),
    async findAnnounced() {
      const locks = await navigator.locks?.query().catch(() => undefined)
      const names = locks?.held?.map(({ name = '' }) => name) ?? []
      return names
        .filter((name) => name.startsWith(announced))
        .map((name) => JSON.parse(name.slice(announced.length)))
    },
    close() {
      if (channel) channel.onmessage = null
      channel?.close()
    },
  }
}
