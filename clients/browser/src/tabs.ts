import { UnavailableError } from './errors.ts'
import type { Session } from './session.ts'

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
  close(): void
}

/** Milliseconds to wait for another tab, longer than its requests can take. */
const lockTimeout = 60_000

export function connectTabs(key: string, onMessage: (message: TabMessage) => void): Tabs {
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(key) : undefined
  if (channel) channel.onmessage = ({ data }) => onMessage(data)
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
    close() {
      if (channel) channel.onmessage = null
      channel?.close()
    },
  }
}
