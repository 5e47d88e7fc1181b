import { toDaikonError } from './errors.ts'
import { isTemporary, toResponseError } from './http.ts'
import type { SessionManager } from './session-manager.ts'

/**
 * Milliseconds without a message after which the connection is considered lost. The server sends a
 * heartbeat every 15 seconds.
 */
const silenceTimeout = 45_000

/** Milliseconds for which the connection stays open without listeners, for example between two pages. */
const lingerTime = 5000

const firstRetryDelay = 1000
const maxRetryDelay = 30_000

/** Reports when the permissions of the user may have changed. */
export type Changes = ReturnType<typeof createChanges>

/**
 * Follows the changes of the user's permissions while there are listeners. Of all tabs with
 * listeners, the one that holds a Web Lock has a connection and tells the others through
 * BroadcastChannel. Without these, each tab has its own connection.
 */
export function createChanges({
  key,
  issuer,
  manager,
}: {
  key: string
  issuer: string
  manager: SessionManager
}) {
  const name = `${key}:changes`
  const listeners = new Set<() => void>()
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(name) : undefined
  /** Set while this tab follows the changes or waits for its turn. */
  let following: AbortController | undefined
  let connection: AbortController | undefined
  let linger: ReturnType<typeof setTimeout> | undefined
  let wake = () => {}

  function notify(): void {
    for (const listener of [...listeners]) listener()
  }

  function publish(): void {
    channel?.postMessage('changed')
    notify()
  }

  if (channel) channel.onmessage = notify

  function sleep(milliseconds: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Connects again and again. Waits while no user is signed in. */
  async function follow(signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      if (!manager.current) {
        await sleep(undefined)
        continue
      }
      connection = new AbortController()
      let retryAfterMs = 0
      try {
        const isConnected = await readChanges(connection)
        failures = isConnected ? 0 : failures + 1
      } catch (thrown) {
        const error = toDaikonError(thrown)
        failures += 1
        retryAfterMs = error.retryAfterMs ?? 0
        const isFinal = !connection.signal.aborted && !isTemporary(error)
        // Nothing but another session can help.
        if (isFinal && error.code !== 'unauthenticated') await sleep(undefined)
      }
      // Random, so that the clients of a server that restarts do not connect at the same time.
      const delay = Math.min(firstRetryDelay * 2 ** failures, maxRetryDelay)
      if (!signal.aborted) await sleep(Math.max(delay * Math.random(), retryAfterMs))
    }
  }

  /** Reads one connection to its end. Returns whether it was established. */
  async function readChanges(own: AbortController): Promise<boolean> {
    const { signal } = own
    const session = await manager.require()
    let timer: ReturnType<typeof setTimeout> | undefined
    const watchSilence = () => {
      clearTimeout(timer)
      timer = setTimeout(() => own.abort(), silenceTimeout)
    }
    let isConnected = false
    watchSilence()
    try {
      const response = await fetch(`${issuer}/users/me/changes`, {
        headers: { accept: 'text/event-stream', authorization: `Bearer ${session.accessToken}` },
        signal,
        credentials: 'omit',
        cache: 'no-store',
      })
      if (!response.ok || !response.body) {
        const content: unknown = await response.json().catch(() => undefined)
        if (response.status !== 401) throw toResponseError(response, content)
        await manager.refresh(session)
        return false
      }
      await readEventTypes(response.body, (type) => {
        watchSilence()
        isConnected = true
        // Changes before `ready` were not reported.
        if (type === 'ready' || type === 'changed') publish()
        // The refresh fails if the session is over, which ends it in all tabs.
        if (type === 'ended') void manager.refresh(session, true).catch(() => {})
      })
    } catch (error) {
      if (!isConnected && !signal.aborted) throw error
    } finally {
      clearTimeout(timer)
    }
    return isConnected
  }

  async function start({ signal }: AbortController): Promise<void> {
    const { locks } = navigator
    if (!locks || !channel) return follow(signal)
    try {
      await locks.request(name, { signal }, () => follow(signal))
    } catch {
      // Storage, and with it the lock, may be blocked.
      if (!signal.aborted) await follow(signal)
    }
  }

  function stop(): void {
    following?.abort()
    following = undefined
    reconnect()
  }

  /** Ends the connection and any pause, because the session has changed. */
  function reconnect(): void {
    connection?.abort()
    wake()
  }

  addEventListener('online', reconnect)

  return {
    reconnect,
    subscribe(listener: () => void): () => void {
      const own = () => listener()
      listeners.add(own)
      clearTimeout(linger)
      if (!following) {
        following = new AbortController()
        void start(following)
      }
      return () => {
        listeners.delete(own)
        clearTimeout(linger)
        if (listeners.size === 0) linger = setTimeout(stop, lingerTime)
      }
    },
    close() {
      removeEventListener('online', reconnect)
      clearTimeout(linger)
      listeners.clear()
      stop()
      channel?.close()
    },
  }
}

/** Calls back with the type of each server-sent event. */
async function readEventTypes(
  body: ReadableStream<Uint8Array>,
  onType: (type: string) => void,
): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const events = (text + decoder.decode(value, { stream: true })).split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const [, type] = /^event: (.*)$/m.exec(event) ?? []
      if (type) onType(type)
    }
  }
}
