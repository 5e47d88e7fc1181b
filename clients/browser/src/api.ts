import type { DaikonError } from './errors.ts'

/** Where tokens are stored; see {@link DaikonBrowserOptions.storage}. */
export type TokenStorage = 'memory' | 'sessionStorage' | 'localStorage'

export type DaikonBrowserOptions = {
  /** The URL of daikon's REST API, identical to the server's setting `BASE_URL`. */
  issuer: string
  /** The ID of a client app of type `public`. */
  clientId: string
  /**
   * A redirect URI that is registered for the client app. It must have the same origin as the page.
   */
  redirectUri: string
  /**
   * The URL to which {@link DaikonBrowser.signOut} returns. It must be registered for the client
   * app.
   */
  postLogoutRedirectUri?: string | undefined
  /** The service of resources that do not specify one. */
  service?: string | undefined
  /** Space-separated scopes, including `openid`. Defaults to `openid profile email`. */
  scope?: string | undefined
  /**
   * Where tokens are stored. `memory` (the default) keeps them out of reach of scripts that read
   * the browser's storage. After a reload, the page gets them from another open tab or with {@link
   * silentSignIn}.
   */
  storage?: TokenStorage | undefined
  /**
   * Whether a page without tokens signs in again in a hidden frame, using daikon's session cookie.
   * Browsers send that cookie only if daikon and the page are on the same site. Defaults to `true`.
   */
  silentSignIn?: boolean | undefined
  /**
   * The redirect URI of the hidden frame, for example an empty page. Defaults to
   * `redirectUri`. It must be registered for the client app and have the same origin as the page.
   */
  silentRedirectUri?: string | undefined
  /** The time limit of a request in milliseconds. Defaults to 10,000. */
  timeoutMs?: number | undefined
  /**
   * The origins to which {@link DaikonBrowser.fetch} sends access tokens, such as
   * `https://api.example.com`. Defaults to the origin of the page.
   */
  apiOrigins?: string[] | undefined
  /**
   * Called by {@link DaikonBrowser.fetch} when your API asks for another sign-in, for example to explain
   * it first. By default, the client calls {@link DaikonBrowser.signIn} with the same options.
   */
  onStepUp?: ((stepUp: StepUp) => void | Promise<void>) | undefined
}

/** The sign-in that an API asks for (RFC 9470). */
export type StepUp = Pick<SignInOptions, 'maxAge' | 'acrValues'>

/** The signed-in user. The same object is returned until one of its properties changes. */
export type User = {
  id: string
  email: string
  name: string
  /** The URL of the avatar; empty if there is none. */
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
  /** The user's role in the workspace. */
  role: string
}

/** A resource of a service. The ID is a UUID or any other string of at most 255 characters. */
export type Resource = {
  type: string
  id: string
  /** The service that the resource belongs to; overrides the option `service`. */
  service?: string | undefined
}

export type CheckOptions = {
  /** What conditions read as `context`: an object of JSON values, at most 16 KiB. */
  context?: Record<string, unknown> | undefined
}

/** One check in {@link DaikonBrowser.canMany}. */
export type Check = CheckOptions & { action: string; resource: Resource }

export type SignInOptions = {
  /** The URL in the application to return to. Defaults to the current URL. */
  returnTo?: string | undefined
  /**
   * `none`: never shows a page; the sign-in fails with `LOGIN_REQUIRED` instead. `login`: the user
   * signs in even if a session exists. `select_account`: the user chooses an account.
   */
  prompt?: 'none' | 'login' | 'select_account' | undefined
  /** The ID or slug of a workspace. Skips the page for choosing one. */
  workspace?: string | undefined
  /** `google`, `microsoft`, `github` or `oidc`. Skips the page for choosing one. */
  provider?: string | undefined
  /** The e-mail address to suggest to the identity provider. */
  loginHint?: string | undefined
  /**
   * The user signs in again if more seconds have passed since the last sign-in. Fails with
   * `UNMET_AUTHENTICATION_REQUIREMENTS` if the identity provider does not confirm a recent sign-in.
   */
  maxAge?: number | undefined
  /** Space-separated classes of sign-ins, which are passed on to the identity provider. */
  acrValues?: string | undefined
}

export type SignOutOptions = {
  /** The URL to return to; overrides the option `postLogoutRedirectUri`. */
  returnTo?: string | undefined
  /**
   * `false` ends only the session of this application and stays on the page; the next sign-in does
   * not show a page. By default, the browser is redirected to daikon, which ends the sessions of
   * all applications in this browser.
   */
  redirect?: boolean | undefined
}

/** An event that {@link DaikonBrowser.subscribe} reports, in this tab or in another one. */
export type DaikonEvent =
  /** A user signed in, or the session was restored. */
  | { type: 'signedIn'; user: User }
  /** The access token was refreshed. */
  | { type: 'refreshed'; user: User }
  | { type: 'workspaceSwitched'; user: User }
  /** The user signed out, or `start()` found no session. */
  | { type: 'signedOut' }
  /** The server ended the session, for example because the user was deactivated. */
  | { type: 'sessionEnded'; error: DaikonError }
  /**
   * The access token could not be refreshed. The next attempt starts in `retryInMs` milliseconds.
   */
  | { type: 'unavailable'; error: DaikonError; retryInMs: number }
  /** {@link DaikonBrowser.recheckPermissions} was called. */
  | { type: 'recheckPermissions' }

/** A client of daikon for one page. */
export interface DaikonBrowser {
  /**
   * The signed-in user; `null` if no user is signed in, `undefined` until {@link start} has
   * finished.
   */
  readonly user: User | null | undefined

  /**
   * Completes a sign-in if the page is its callback, and restores the session otherwise. Call it
   * once when the page loads; further calls return the same promise. After a callback, the client
   * changes the address to `returnTo` and dispatches `popstate` for routers.
   *
   * @returns the signed-in user, or `null`
   * @throws SignInError if the sign-in failed
   */
  start(): Promise<User | null>

  /**
   * Redirects to daikon to sign in, using the authorization code flow with PKCE, `state` and
   * `nonce`.
   *
   * @throws SignInError `INSECURE_CONTEXT` or `STORAGE_BLOCKED`
   */
  signIn(options?: SignInOptions): Promise<void>

  /**
   * Completes the sign-in of a callback URL, by default the current URL, and removes its parameters
   * from the address. {@link start} does this automatically.
   *
   * @throws SignInError if the sign-in failed or was not started in this tab (`STATE_MISMATCH`)
   */
  handleCallback(url?: string): Promise<{ user: User; returnTo: string }>

  /**
   * Restores the session from storage, from another tab, or in a hidden frame. {@link start} does
   * this automatically.
   */
  restore(): Promise<User | null>

  /**
   * Returns a valid access token. Refreshes it first if it expires within 30 seconds. All tabs
   * share one refresh. `forceRefresh` always refreshes it, for example after your own backend
   * returned 401.
   *
   * @throws UnauthenticatedError `NOT_SIGNED_IN`
   * @throws SessionEndedError if the user must sign in again
   * @throws UnavailableError if daikon cannot be reached. The client keeps retrying in the
   *   background
   */
  getAccessToken(options?: { forceRefresh?: boolean | undefined }): Promise<string>

  /**
   * Calls your own API like `fetch`, with a valid access token. After a 401, retries once with a new
   * token. If the API asks for another sign-in, as the guard `requireRecent` of the client libraries does,
   * the client calls `onStepUp` and returns the response.
   *
   * @throws InvalidArgumentError for an origin that `apiOrigins` does not contain
   * @throws UnauthenticatedError, SessionEndedError or UnavailableError like {@link getAccessToken}
   */
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>

  /**
   * Whether the user may currently perform the action. Checks made in the same turn of the event
   * loop share one request. Results are not cached, so every call reflects the current permissions.
   */
  can(action: string, resource: Resource, options?: CheckOptions): Promise<boolean>

  /** Returns the results of several checks, in order. */
  canMany(checks: Check[]): Promise<boolean[]>

  /**
   * Checks the action, and again whenever the user's permissions may have changed. Calls the listener
   * with each new result; `undefined` until it is known. Returns a function that stops it.
   */
  watchCan(
    action: string,
    resource: Resource,
    listener: (isAllowed: boolean | undefined) => void,
    options?: CheckOptions,
  ): () => void

  /**
   * Calls the listener whenever the user's permissions may have changed, for example to load a list
   * again. While there are listeners, all tabs share one connection to daikon. Returns a function
   * that removes the listener.
   */
  watchPermissions(listener: () => void): () => void

  /** Makes `watchCan` and the React hooks check again. */
  recheckPermissions(): void

  /** Returns the workspaces of the user. */
  workspaces(): Promise<Workspace[]>

  /**
   * Moves the session to another workspace of the user, in all tabs.
   *
   * @throws PermissionDeniedError if the user is not a member of the workspace. The session does
   *   not change
   */
  switchWorkspace(workspaceId: string): Promise<User>

  /** Signs the user out in all tabs (OpenID Connect RP-Initiated Logout). */
  signOut(options?: SignOutOptions): Promise<void>

  /** Calls the listener for every event. Returns a function that removes it. */
  subscribe(listener: (event: DaikonEvent) => void): () => void

  /** Stops timers and disconnects from other tabs. The session remains valid. */
  close(): void
}
