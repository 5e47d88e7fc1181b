import type { DaikonError } from './errors.ts'

/** Where the tokens are kept; see {@link DaikonBrowserOptions.storage}. */
export type TokenStorage = 'memory' | 'sessionStorage' | 'localStorage'

export type DaikonBrowserOptions = {
  /** The URL of daikon's REST API, exactly as its setting `BASE_URL`. */
  issuer: string
  /** The ID of a client app of type `public`. */
  clientId: string
  /** A redirect URI that is registered for the client app, at the origin of the page. */
  redirectUri: string
  /** Where {@link DaikonBrowser.signOut} returns to. It must be registered for the client app. */
  postLogoutRedirectUri?: string | undefined
  /** The service of resources that do not name one. */
  service?: string | undefined
  /** Scopes separated by spaces, with `openid`. `openid profile email` by default. */
  scope?: string | undefined
  /**
   * Where the tokens are kept. `memory` (the default) keeps them out of reach of everything that reads
   * storage. A reloaded page then gets them from another open tab, or by {@link silentSignIn}.
   */
  storage?: TokenStorage | undefined
  /**
   * Whether a page without tokens signs in again in a hidden frame, by the session cookie of daikon.
   * Browsers send that cookie only if daikon and the page are on the same site. `true` by default.
   */
  silentSignIn?: boolean | undefined
  /**
   * The redirect URI of the hidden frame, for example that of an empty page. `redirectUri` by default. It
   * must be registered for the client app, and at the origin of the page.
   */
  silentRedirectUri?: string | undefined
  /** Milliseconds after which a request fails. 10,000 by default. */
  timeoutMs?: number | undefined
}

/** The signed-in user. The object stays the same until something in it changes. */
export type User = {
  id: string
  email: string
  name: string
  /** The URL of the avatar; empty when there is none. */
  picture: string
  /** The workspace of the session. */
  workspace: { id: string; slug: string }
}

/** A workspace of the user. */
export type Workspace = {
  id: string
  name: string
  slug: string
  description: string
  /** The user's role in it. */
  role: string
}

/** A resource of a service. The ID is a UUID or any other text of at most 255 characters. */
export type Resource = {
  type: string
  id: string
  /** The service that the resource belongs to; replaces the option `service`. */
  service?: string | undefined
}

/** One check of {@link DaikonBrowser.canMany}. */
export type Check = { action: string; resource: Resource }

export type SignInOptions = {
  /** An address of the application to return to. The current one by default. */
  returnTo?: string | undefined
  /**
   * `none`: never show a page; the sign-in fails with `LOGIN_REQUIRED` instead. `login`: the user signs in
   * even with an open session. `select_account`: the user chooses an account.
   */
  prompt?: 'none' | 'login' | 'select_account' | undefined
  /** The ID or slug of a workspace. Skips the page to choose one. */
  workspace?: string | undefined
  /** `google`, `microsoft` or `github`. Skips the page to choose one. */
  provider?: string | undefined
  /** The e-mail address to suggest to the identity provider. */
  loginHint?: string | undefined
}

export type SignOutOptions = {
  /** Where to return to; replaces the option `postLogoutRedirectUri`. */
  returnTo?: string | undefined
  /**
   * `false` ends only the session of this application and stays on the page: a later sign-in shows no page.
   * By default the browser is redirected to daikon, which ends the sessions of all applications in this
   * browser.
   */
  redirect?: boolean | undefined
}

/** What {@link DaikonBrowser.subscribe} reports. Events of other tabs are reported, too. */
export type DaikonEvent =
  /** A user signed in, or the session was restored. */
  | { type: 'signedIn'; user: User }
  /** There is a new access token. */
  | { type: 'refreshed'; user: User }
  | { type: 'workspaceSwitched'; user: User }
  /** The user signed out, or `start()` found no session. */
  | { type: 'signedOut' }
  /** The session ended at the server, for example because the user was deactivated. */
  | { type: 'sessionEnded'; error: DaikonError }
  /** The access token could not be refreshed. The next attempt follows after `retryInMs`. */
  | { type: 'unavailable'; error: DaikonError; retryInMs: number }
  /** {@link DaikonBrowser.recheckPermissions} was called. */
  | { type: 'recheckPermissions' }

/** A client of daikon for one page. */
export interface DaikonBrowser {
  /** The signed-in user, `null` without one, `undefined` until {@link start} has finished. */
  readonly user: User | null | undefined

  /**
   * Completes a sign-in if the page is its callback, and otherwise restores the session. Call it once when
   * the page loads; further calls return the same promise. After a callback, the address is that of
   * `returnTo`, and `popstate` is dispatched for routers.
   *
   * @returns the signed-in user, or `null`
   * @throws SignInError when the sign-in of the callback failed
   */
  start(): Promise<User | null>

  /**
   * Redirects to daikon to sign in: authorization code flow with PKCE, `state` and `nonce`.
   *
   * @throws SignInError `INSECURE_CONTEXT` or `STORAGE_BLOCKED`
   */
  signIn(options?: SignInOptions): Promise<void>

  /**
   * Completes the sign-in of a callback URL, the current address by default, and removes its parameters
   * from the address. {@link start} does this by itself.
   *
   * @throws SignInError when the sign-in failed, or was not started in this tab (`STATE_MISMATCH`)
   */
  handleCallback(url?: string): Promise<{ user: User; returnTo: string }>

  /**
   * Restores the session from storage, from another tab, or in a hidden frame. {@link start} does this by
   * itself.
   */
  restore(): Promise<User | null>

  /**
   * Returns a valid access token, and refreshes it first if it expires within 30 seconds. Tabs share one
   * refresh. `forceRefresh` refreshes it in any case, for example after a 401 of your own backend.
   *
   * @throws UnauthenticatedError `NOT_SIGNED_IN`
   * @throws SessionEndedError when the user must sign in again
   * @throws UnavailableError when daikon cannot be reached. Attempts continue in the background
   */
  getAccessToken(options?: { forceRefresh?: boolean | undefined }): Promise<string>

  /**
   * Whether the user may take the action now. Checks of the same turn of the event loop share one request.
   * Nothing is cached: every call sees the current permissions.
   */
  can(action: string, resource: Resource): Promise<boolean>

  /** The same for a list, in order. */
  canMany(checks: Check[]): Promise<boolean[]>

  /** Lets the hooks of React check again, for example after a share was changed. */
  recheckPermissions(): void

  /** The workspaces of the user. */
  workspaces(): Promise<Workspace[]>

  /**
   * Moves the session to another workspace of the user, in all tabs.
   *
   * @throws PermissionDeniedError when the user is not a member of it. The session remains as it is
   */
  switchWorkspace(workspaceId: string): Promise<User>

  /** Signs the user out, in all tabs (OpenID Connect RP-Initiated Logout). */
  signOut(options?: SignOutOptions): Promise<void>

  /** Calls the listener for every event. Returns a function that removes it. */
  subscribe(listener: (event: DaikonEvent) => void): () => void

  /** Stops timers and the connection to other tabs. The session remains. */
  close(): void
}
