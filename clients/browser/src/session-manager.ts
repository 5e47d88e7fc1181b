import type { DaikonEvent } from './api.ts'
import {
  type DaikonError,
  notSignedIn,
  SessionEndedError,
  toDaikonError,
  UnavailableError,
} from './errors.ts'
import { type Http, isTemporary } from './http.ts'
import {
  createSession,
  isFresh,
  isNewer,
  isSameUser,
  isValid,
  parseTokenResponse,
  type Session,
} from './session.ts'
import type { SessionStore } from './session-store.ts'
import { connectTabs, type TabMessage } from './tabs.ts'

/** Milliseconds to wait for newer tokens of another tab. */
const replyTimeout = 5000

/**
 * Milliseconds before the first retry of a refresh. The delay doubles with each retry, up to the
 * maximum.
 */
const firstRetryDelay = 1000
const maxRetryDelay = 30_000

/** Holds the current session of the page and shares it with other tabs. */
export type SessionManager = ReturnType<typeof createSessionManager>

export function createSessionManager({
  key,
  clientId,
  http,
  store,
  emit,
}: {
  key: string
  clientId: string
  http: Http
  store: SessionStore
  emit: (event: DaikonEvent) => void
}) {
  /** `undefined` until it is known whether a session exists. */
  let current: Session | null | undefined
  let refreshing: Promise<Session> | undefined
  /** The IDs of ended sessions, so that a late message from another tab does not restore one. */
  const ended = new Set<string>()
  const waiting = new Set<() => void>()
  let failures = 0
  let retry: { timer: ReturnType<typeof setTimeout>; dueAt: number; error: DaikonError } | undefined
  const tabs = connectTabs(key, onMessage)
  const retryNow = () => void (retry && current && refresh(current, true).catch(() => {}))
  addEventListener('online', retryNow)

  function onMessage(message: TabMessage): void {
    if (message.type === 'ask') {
      if (current) tabs.post({ type: 'session', session: current })
    } else if (message.type === 'session') {
      if (ended.has(message.session.id)) return
      if (!current || isNewer(message.session, current)) adopt(message.session)
    } else {
      ended.add(message.id)
      const { isSignOut, reason, message: text } = message
      if (current?.id === message.id)
        forget(isSignOut ? undefined : new SessionEndedError(reason, text))
    }
  }

  /** Makes a session the current one in this tab. */
  function adopt(session: Session): void {
    const previous = current
    if (previous && isSameUser(previous.user, session.user))
      current = { ...session, user: previous.user }
    else current = session
    stopRetrying()
    store.copy(current)
    for (const wake of waiting) wake()
    const { user } = current
    if (previous?.id !== session.id) emit({ type: 'signedIn', user })
    else if (previous.user.workspace.id !== user.workspace.id)
      emit({ type: 'workspaceSwitched', user })
    else emit({ type: 'refreshed', user })
  }

  /** Makes a session of this tab the current one in all tabs. */
  function publish(session: Session): void {
    store.write(session)
    adopt(session)
    tabs.post({ type: 'session', session })
  }

  /** Removes the session from this tab. `error` is undefined if the user signed out. */
  function forget(error: DaikonError | undefined): void {
    current = null
    stopRetrying()
    store.clear()
    for (const wake of waiting) wake()
    emit(error ? { type: 'sessionEnded', error } : { type: 'signedOut' })
  }

  /** Removes the session from all tabs. */
  function end(session: Session, error: DaikonError | undefined): void {
    const { reason, message } = error ?? { reason: 'SIGNED_OUT', message: 'The user signed out' }
    ended.add(session.id)
    tabs.post({ type: 'ended', id: session.id, isSignOut: !error, reason, message })
    if (current?.id === session.id) forget(error)
  }

  /** Requests a session from the other tabs and waits until the condition is satisfied. */
  async function requestFromTabs(isEnough: () => boolean, timeoutMs: number): Promise<void> {
    if (!tabs.isConnected || isEnough()) return
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        waiting.delete(wake)
        resolve()
      }
      const wake = () => isEnough() && finish()
      const timer = setTimeout(finish, timeoutMs)
      waiting.add(wake)
      tabs.post({ type: 'ask' })
    })
  }

  /**
   * Refreshes a session, unless this tab or another one has already done so. `force` ignores the
   * delay after a failure.
   */
  function refresh(session: Session, force = false): Promise<Session> {
    if (current && !isSameTokens(current, session) && isFresh(current))
      return Promise.resolve(current)
    if (refreshing) return refreshing
    const pause = retry ? retry.dueAt - performance.now() : 0
    if (retry && pause > 0 && !force) return Promise.reject(pausedError(retry.error, pause))
    const promise = tabs
      .exclusively(() => refreshExclusively(session))
      .catch((thrown) => {
        const error = toDaikonError(thrown)
        if (current && isTemporary(error)) retryLater(error)
        throw error
      })
      .finally(() => {
        refreshing = undefined
      })
    refreshing = promise
    return promise
  }

  async function refreshExclusively(session: Session): Promise<Session> {
    const latest = await findLatest()
    if (!isSameTokens(latest, session) && isFresh(latest)) return latest
    const form = {
      grant_type: 'refresh_token',
      refresh_token: latest.refreshToken,
      client_id: clientId,
    }
    return exchange(latest, () => http('/oauth/token', { form }))
  }

  /** Moves the session to another workspace, in all tabs. */
  async function switchWorkspace(workspaceId: string): Promise<Session> {
    await require()
    return tabs.exclusively(async () => {
      const latest = await findLatest()
      const json = { refresh_token: latest.refreshToken, workspace_id: workspaceId }
      return exchange(latest, () => http('/auth/switch', { json }))
    })
  }

  /**
   * Returns the latest tokens of all tabs. Requires the lock, because a refresh token can be used
   * only once.
   */
  async function findLatest(): Promise<Session> {
    const stored = store.read()
    if (stored && current && isNewer(stored, current)) adopt(stored)
    const markers = [store.readMarker(), ...(await tabs.findAnnounced())]
    const isLatest = () =>
      !markers.some((one) => current && one?.id === current.id && one.sequence > current.sequence)
    await requestFromTabs(isLatest, replyTimeout)
    if (!current) throw notSignedIn()
    if (!isLatest()) {
      // A tab that has since been closed used the refresh token. The server would treat a second
      // use as theft.
      const message = 'Another tab had the tokens of the session and was closed: sign in again'
      throw endWith(current, new SessionEndedError('TOKENS_LOST', message))
    }
    return current
  }

  /** Exchanges the refresh token of a session. Ends the session if the server rejects the token. */
  async function exchange(session: Session, send: () => Promise<unknown>): Promise<Session> {
    let tokens: Session
    try {
      tokens = createSession(parseTokenResponse(await send()), session)
    } catch (thrown) {
      const error = toDaikonError(thrown)
      const isFinal =
        error.code === 'unauthenticated' ||
        (error.code === 'failed_precondition' && error.reason.startsWith('INVALID_'))
      if (!isFinal) throw error
      const message = `The session has ended: ${error.message}`
      throw endWith(session, new SessionEndedError(error.reason, message, { cause: error }))
    }
    await tabs.announce(tokens)
    // The user may have signed out in the meantime.
    if (current?.id !== session.id) throw notSignedIn()
    if (tokens.user.id !== session.user.id) {
      const message = 'The tokens belong to another user: sign in again'
      throw endWith(session, new SessionEndedError('ID_TOKEN_INVALID', message))
    }
    publish(tokens)
    return tokens
  }

  function endWith(session: Session, error: SessionEndedError): SessionEndedError {
    end(session, error)
    return error
  }

  /**
   * Schedules a retry. The delay grows, and is random so that tabs do not retry at the same time.
   */
  function retryLater(error: DaikonError): void {
    clearTimeout(retry?.timer)
    const delay = Math.min(firstRetryDelay * 2 ** failures, maxRetryDelay)
    const retryInMs = Math.max(delay * (0.5 + Math.random() / 2), error.retryAfterMs ?? 0)
    failures += 1
    const dueAt = performance.now() + retryInMs
    const timer = setTimeout(() => current && refresh(current, true).catch(() => {}), retryInMs)
    retry = { timer, dueAt, error }
    emit({ type: 'unavailable', error, retryInMs })
  }

  function stopRetrying(): void {
    clearTimeout(retry?.timer)
    retry = undefined
    failures = 0
  }

  /** Returns the session with a valid access token. */
  async function require(forceRefresh = false): Promise<Session> {
    if (!current) throw notSignedIn()
    if (isFresh(current) && !forceRefresh) return current
    try {
      return await refresh(current)
    } catch (error) {
      // An access token that expires soon can still be used if daikon is unavailable.
      if (!forceRefresh && current && isValid(current) && isTemporary(toDaikonError(error)))
        return current
      throw error
    }
  }

  return {
    get current() {
      return current
    },
    tabs,
    adopt,
    publish,
    end,
    require,
    refresh,
    switchWorkspace,
    readMarker: store.readMarker,
    readStored: store.read,
    /** Requests a session from the other tabs. */
    requestSession: (timeoutMs: number) => requestFromTabs(() => Boolean(current), timeoutMs),
    /** Marks the user as signed out if no session was found. */
    settle() {
      if (current !== undefined) return
      current = null
      emit({ type: 'signedOut' })
    },
    close() {
      stopRetrying()
      removeEventListener('online', retryNow)
      tabs.close()
    },
  }
}

function isSameTokens(session: Session | null | undefined, other: Session): boolean {
  return session?.id === other.id && session.sequence === other.sequence
}

/** Creates the error for calls made between attempts to refresh. */
function pausedError(error: DaikonError, pause: number): UnavailableError {
  const { reason, message, requestId } = error
  const details = { requestId, retryAfterMs: Math.ceil(pause), cause: error }
  return new UnavailableError(reason, message, details)
}
