import type {
  DaikonBrowser,
  DaikonBrowserOptions,
  DaikonEvent,
  SignInOptions,
  SignOutOptions,
  User,
} from './api.ts'
import { createApiFetch } from './api-fetch.ts'
import { createChanges } from './changes.ts'
import { createCheckBatcher } from './check-batcher.ts'
import {
  type Field,
  invalidArgument,
  SignInError,
  UnauthenticatedError,
  UnavailableError,
} from './errors.ts'
import { createHttp } from './http.ts'
import { requireKnownNames } from './option-names.ts'
import { createPermissionStore, permissionKey } from './permission-store.ts'
import { createSessionManager } from './session-manager.ts'
import { createSessionStore } from './session-store.ts'
import { createSignInFlow, silentFrameName } from './sign-in.ts'

/** Milliseconds that a new page waits for another tab to send its tokens. */
const restoreTimeout = 300

/** The events after which the connection for changes belongs to another session, or to none. */
const reconnecting = ['signedIn', 'workspaceSwitched', 'signedOut', 'sessionEnded']

/**
 * Creates the client of a page. Create one for each page, and call `start()`.
 *
 * @example
 * const daikon = createDaikonBrowser({
 *   issuer: 'https://auth.example.com',
 *   clientId: '0d000000-0000-7000-8000-000000000003',
 *   redirectUri: `${location.origin}/callback`,
 *   service: 'docs',
 * })
 * const user = await daikon.start()
 * if (!user) await daikon.signIn()
 *
 * @throws InvalidArgumentError when an option is missing or malformed
 */
export function createDaikonBrowser(options: DaikonBrowserOptions): DaikonBrowser {
  requireOptions(options)
  const issuer = options.issuer.replace(/\/+$/, '')
  const { clientId, redirectUri, storage = 'memory', timeoutMs = 10_000 } = options
  const { scope = 'openid profile email', silentRedirectUri = redirectUri } = options
  const key = `daikon:${issuer}:${clientId}`
  const listeners = new Set<(event: DaikonEvent) => void>()
  const http = createHttp(issuer, timeoutMs)
  const store = createSessionStore(storage, key)
  const manager = createSessionManager({ key, clientId, http, store, emit })
  const changes = createChanges({ key, issuer, manager })
  const flowOptions = { issuer, clientId, redirectUri, silentRedirectUri, scope, timeoutMs }
  const flow = createSignInFlow(http, flowOptions)
  const add = createCheckBatcher(options.service, async (checks, context) => {
    const response = await callWithToken('/users/me/permissions/check', {
      json: { checks, context },
    })
    const { results } = (response ?? {}) as { results?: ({ allowed?: unknown } | null)[] }
    return Array.isArray(results) ? results.map((result) => result?.allowed) : []
  })
  const { apiOrigins = [location.origin], onStepUp = flow.redirect } = options
  const callApi = createApiFetch({ manager, origins: apiOrigins, onStepUp })
  let started: Promise<User | null> | undefined

  /** Calls every listener, even if one throws. */
  function emit(event: DaikonEvent): void {
    if (reconnecting.includes(event.type)) changes.reconnect()
    for (const listener of [...listeners]) {
      try {
        listener(event)
      } catch (error) {
        console.error(error)
      }
    }
  }

  /** Calls the API for the user. After a 401, retries once with a new access token. */
  async function callWithToken(
    path: string,
    request: { method?: 'GET' | 'POST'; json?: object },
  ): Promise<unknown> {
    await started?.catch(() => {})
    const session = await manager.require()
    try {
      return await http(path, { ...request, accessToken: session.accessToken })
    } catch (error) {
      if (!(error instanceof UnauthenticatedError)) throw error
      const { accessToken } = await manager.refresh(session)
      return await http(path, { ...request, accessToken })
    }
  }

  async function findUser(): Promise<User | null> {
    const url = location.href
    // This page is in the hidden frame of another page, which reads the address and removes the
    // frame.
    if (window.name === silentFrameName && window !== window.parent) return new Promise(() => {})
    if (!flow.isCallback(url)) return restore()
    const returnTo = flow.findReturnTo(url)
    try {
      const { user } = await handleCallback(url)
      goTo(returnTo)
      return user
    } catch (error) {
      const restored = await restore()
      goTo(returnTo)
      const isExpected =
        error instanceof SignInError &&
        (error.reason === 'LOGIN_REQUIRED' || error.reason === 'INTERACTION_REQUIRED')
      // Two failures are harmless: a silent sign-in without a session, and the Back button returning
      // to a used callback.
      const isRepeated =
        error instanceof SignInError && error.reason === 'STATE_MISMATCH' && restored
      if (isExpected || isRepeated) return restored
      throw error
    }
  }

  /** Replaces the callback's address and notifies routers. */
  function goTo(address: string | undefined): void {
    if (!address) return
    history.replaceState(history.state, '', address)
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
  }

  async function handleCallback(url = location.href): Promise<{ user: User; returnTo: string }> {
    // Runs before the first `await`, so that the code appears neither in a reload nor in a Referer
    // header.
    if (url === location.href) history.replaceState(history.state, '', new URL(url).pathname)
    const { session, returnTo } = await flow.complete(url)
    manager.publish(session)
    return { user: session.user, returnTo }
  }

  async function restore(): Promise<User | null> {
    const stored = manager.current ? undefined : manager.readStored()
    if (stored) manager.adopt(stored)
    // Without a marker, no user has signed in in this browser, or the user has signed out.
    if (!manager.current && manager.readMarker() !== null) {
      await manager.requestSession(restoreTimeout)
      if (!manager.current && options.silentSignIn !== false) await restoreSilently()
    }
    manager.settle()
    return manager.current?.user ?? null
  }

  async function restoreSilently(): Promise<void> {
    await manager.tabs
      .exclusively(async (hasWaited) => {
        // Another tab may have signed in while this one waited.
        if (hasWaited) await manager.requestSession(restoreTimeout)
        if (manager.current) return
        const session = await flow.silently()
        if (session) manager.publish(session)
      })
      // The user can still sign in on a page, which reports the error.
      .catch(() => {})
  }

  async function signOut(signOutOptions: SignOutOptions = {}): Promise<void> {
    requireKnownNames('signOut', signOutOptions)
    const { returnTo = options.postLogoutRedirectUri, redirect = true } = signOutOptions
    const session = manager.current
    if (session) manager.end(session, undefined)
    if (!redirect) {
      if (!session) return
      const form = { token: session.refreshToken, client_id: clientId }
      await http('/oauth/revoke', { form, keepalive: true })
      return
    }
    const query = new URLSearchParams({ client_id: clientId })
    if (session) query.set('id_token_hint', session.idToken)
    if (returnTo) query.set('post_logout_redirect_uri', returnTo)
    location.assign(`${issuer}/oauth/logout?${query}`)
  }

  const daikon: DaikonBrowser = {
    get user() {
      const { current } = manager
      return current ? current.user : current
    },
    start() {
      started ??= findUser().finally(manager.settle)
      return started
    },
    async signIn(signInOptions: SignInOptions = {}) {
      requireKnownNames('signIn', signInOptions)
      await flow.redirect(signInOptions)
    },
    handleCallback,
    restore,
    async getAccessToken(tokenOptions = {}) {
      requireKnownNames('getAccessToken', tokenOptions)
      const { forceRefresh = false } = tokenOptions
      await started?.catch(() => {})
      return (await manager.require(forceRefresh)).accessToken
    },
    async fetch(input, init) {
      await started?.catch(() => {})
      return callApi(input, init)
    },
    can: async (action, resource, checkOptions) => add(action, resource, checkOptions),
    async canMany(checks) {
      for (const [index, check] of checks.entries())
        requireKnownNames('canMany', check, `checks[${index}].`)
      return Promise.all(
        checks.map(({ action, resource, context }) => add(action, resource, { context })),
      )
    },
    watchCan(action, resource, listener, checkOptions) {
      const checked = permissionKey(action, resource, checkOptions)
      return permissions.subscribe(checked, () => listener(permissions.read(checked)))
    },
    watchPermissions: changes.subscribe,
    recheckPermissions: () => emit({ type: 'recheckPermissions' }),
    async workspaces() {
      const found = await callWithToken('/workspaces', { method: 'GET' })
      if (Array.isArray(found)) return found
      const message = 'The response is not a list. Check the issuer and the proxies in front of it'
      throw new UnavailableError('UNEXPECTED_RESPONSE', message)
    },
    async switchWorkspace(workspaceId) {
      await started?.catch(() => {})
      return (await manager.switchWorkspace(workspaceId)).user
    },
    signOut,
    subscribe(listener) {
      // Wrapped, so that a function that is subscribed twice is called twice.
      const own = (event: DaikonEvent) => listener(event)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    close() {
      listeners.clear()
      changes.close()
      manager.close()
    },
  }
  const permissions = createPermissionStore(daikon)
  return daikon
}

function requireOptions(options: DaikonBrowserOptions): void {
  requireKnownNames('createDaikonBrowser', options)
  const fields: Field[] = []
  const isUrl = (text: unknown): text is string =>
    typeof text === 'string' && URL.canParse(text) && /^https?:/.test(text)
  if (!isUrl(options.issuer))
    fields.push({
      field: 'issuer',
      message: 'must be the URL of daikon, such as https://auth.example.com',
    })
  if (!options.clientId)
    fields.push({ field: 'clientId', message: 'must be the ID of a client app' })
  for (const field of ['redirectUri', 'silentRedirectUri'] as const) {
    const uri = options[field]
    if (field === 'silentRedirectUri' && uri === undefined) continue
    if (!isUrl(uri) || new URL(uri).origin !== location.origin)
      fields.push({ field, message: `must be a URL at the origin of the page, ${location.origin}` })
  }
  if (options.scope !== undefined && !options.scope.split(' ').includes('openid'))
    fields.push({ field: 'scope', message: 'must contain openid' })
  const storages = ['memory', 'sessionStorage', 'localStorage', undefined]
  if (!storages.includes(options.storage))
    fields.push({ field: 'storage', message: 'must be memory, sessionStorage or localStorage' })
  for (const [index, origin] of (options.apiOrigins ?? []).entries()) {
    if (!isUrl(origin) || new URL(origin).origin !== origin)
      fields.push({
        field: `apiOrigins[${index}]`,
        message: 'must be an origin, such as https://api.example.com',
      })
  }
  if (fields.length > 0) throw invalidArgument(...fields)
}
