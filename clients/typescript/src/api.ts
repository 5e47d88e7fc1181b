import type { UnaryMethod } from './unary-method.ts'
import type { WatchMessage, WatchOptions } from './watch.ts'

/**
 * Whom to check: the user of an access token, a user by ID, e-mail address or `external_id`, or a
 * group, which may do what each of its members may do at least.
 */
export type Subject =
  | { token: string }
  | { userId: string }
  | { email: string }
  | { externalId: string }
  | { groupId: string }

/** A resource of your service. The ID is a UUID or any other string of at most 255 characters. */
export type Resource = { type: string; id: string }

/** The user or group that a resource is shared with. */
export type Grantee = { userId: string } | { groupId: string }

/**
 * `private`: only the owner, the people it is shared with, and owners and admins of the workspace
 * have access. `workspace`: every member of the workspace may view it. A resource also inherits the
 * grants of its parent.
 */
export type Visibility = 'private' | 'workspace' | 'public'

/** The permission that a share grants. */
export type Permission = 'view' | 'edit'

/** What to grant with a share: a permission, or a role that your service declared for the type. */
export type Grant = Permission | { role: string }

/** One check in `checkMany`. */
export type Check = { subject: Subject; action: string; resource: Resource }

export type CallOptions = {
  /** Cancels the operation, which then fails with a `CancelledError`. */
  signal?: AbortSignal | undefined
  /** The time limit of the operation in milliseconds; overrides `deadlineMs` of the client. */
  deadlineMs?: number | undefined
}

export type ChangeOptions = CallOptions & {
  /**
   * The access token of the user who makes the change. That user must have the permission to
   * `manage` the resource.
   */
  as?: string | undefined
}

export type ShareOptions = ChangeOptions & {
  /** When the share expires. */
  expiresAt?: Date | undefined
}

export type AccessibleOptions = CallOptions & {
  /**
   * Restricts the list to the resources of this workspace. By default, it includes every workspace
   * of the subject.
   */
  workspaceId?: string | undefined
}

/** A resource to register. */
export type Registration = Resource & {
  workspaceId: string
  /** The user who owns the resource. Must be a member of the workspace. */
  ownerId: string
  /** Defaults to `private`. */
  visibility?: Visibility | undefined
  /** The resource in the same workspace whose grants this one inherits. */
  parent?: Resource | undefined
}

/** A resource that is registered with daikon. */
export type RegisteredResource = Resource & {
  /** The UUID that identifies the resource in daikon. It equals `id` if that is a UUID. */
  resourceId: string
  workspaceId: string
  ownerId: string
  visibility: Visibility
  /** The parent, identified by its `resourceId`. */
  parent: { type: string; resourceId: string } | undefined
  /** Whether the resource inherits the grants of its parent. */
  inherits: boolean
  createdAt: Date
  shares: Share[]
}

/** A permission or a role on a resource, granted to a user or a group. */
export type Share = {
  id: string
  grantee: Grantee
  /** Undefined if the share has a role. */
  permission: Permission | undefined
  /** The role of the resource type; undefined if the share has a permission. */
  role: string | undefined
  /** The ID of the user who shared the resource. */
  grantedBy: string
  grantedAt: Date
  /** When the share expires; undefined if it does not. */
  expiresAt: Date | undefined
}

/**
 * A grant that allows an action, or the reason why the action is denied. Properties that do not
 * apply are absent.
 */
export type Reason = {
  rule:
    | 'owner'
    | 'workspace_role'
    | 'workspace_visibility'
    | 'public'
    | 'share'
    | 'group_share'
    | 'custom_role'
    | 'user_unknown'
    | 'user_inactive'
    | 'not_a_member'
    | 'resource_unknown'
    | 'action_unknown'
    | 'no_grant'
  /** The permission of a share. */
  permission?: Permission
  /** The role in the workspace, the role of a share, or the name of a custom role. */
  role?: string
  groupId?: string
  shareId?: string
  expiresAt?: Date
  /** The ancestor that the grant is inherited from. */
  inheritedFrom?: { type: string; resourceId: string }
}

export type Explanation = { allowed: boolean; reasons: Reason[] }

/** The claims of a verified access token (RFC 7519). */
export type AccessTokenClaims = {
  /** The ID of the user. */
  sub: string
  /** The ID of the token. */
  jti: string
  email: string
  name: string
  /** The ID of the workspace. */
  wid: string
  /** The slug of the workspace. */
  wslug: string
  /**
   * The user's role in the workspace when the token was issued. Use `check` for decisions, not the
   * role.
   */
  wrole: 'viewer' | 'editor' | 'admin' | 'owner'
  /** The IDs of the user's groups when the token was issued; absent if there are more than 100. */
  groups?: string[]
  groups_overage?: true
  iss: string
  aud: string
  /**
   * `api_key` for the API key of a service account, of which only `sub`, `wid`, `wslug`, `wrole` and
   * `exp` are known.
   */
  type: 'access' | 'api_key'
  /** Seconds since the epoch. */
  iat: number
  /** Seconds since the epoch; `Infinity` for an API key that does not expire. */
  exp: number
}

/**
 * A client of daikon. If an operation fails, its promise rejects with a `DaikonError`; a denied
 * check is not a failure.
 */
export type Daikon = {
  /**
   * Whether the subject may perform the action on the resource. Unknown users, resources and actions
   * are denied. Checks made in the same turn of the event loop share one call.
   *
   * @example
   * if (!(await daikon.check({ token }, 'edit', { type: 'document', id }))) throw new Error('denied')
   */
  check(
    subject: Subject,
    action: string,
    resource: Resource,
    options?: CallOptions,
  ): Promise<boolean>
  /** Returns the results of several checks, in order. */
  checkMany(checks: readonly Check[], options?: CallOptions): Promise<boolean[]>
  /**
   * Returns the IDs of all resources of a type on which the subject may perform the action. Reads
   * pages of 1,000 as you iterate; `deadlineMs` applies to each page.
   *
   * @example
   * for await (const id of daikon.accessible({ token }, 'view', 'document')) console.log(id)
   */
  accessible(
    subject: Subject,
    action: string,
    type: string,
    options?: AccessibleOptions,
  ): AsyncIterable<string>
  /**
   * Returns whether an action is allowed, with every grant that allows it or the reason why it is
   * denied.
   */
  explain(
    subject: Subject,
    action: string,
    resource: Resource,
    options?: CallOptions,
  ): Promise<Explanation>
  /**
   * Registers a resource. Call it when the resource is created. Repeating the call with the same
   * workspace and owner returns the registered resource.
   */
  register(registration: Registration, options?: CallOptions): Promise<RegisteredResource>
  /** Removes a resource and its shares. Call it when the resource is deleted. */
  unregister(resource: Resource, options?: ChangeOptions): Promise<void>
  /**
   * Shares a resource, or replaces the permission or role of an existing share. `as` is required. To
   * grant a role that contains `manage`, its user must own the resource or an ancestor that it
   * inherits from, or be an owner or admin of the workspace.
   *
   * @example
   * await daikon.share(issue, { userId }, 'view', { as: token })
   * await daikon.share(issue, { userId }, { role: 'triage' }, { as: token })
   */
  share(resource: Resource, grantee: Grantee, grant: Grant, options?: ShareOptions): Promise<Share>
  /** Removes the share of a user or group. */
  revoke(resource: Resource, grantee: Grantee, options?: ChangeOptions): Promise<void>
  /** Makes a resource visible to its whole workspace, or private again. */
  setVisibility(
    resource: Resource,
    visibility: Visibility,
    options?: ChangeOptions,
  ): Promise<RegisteredResource>
  /**
   * Makes another member of the workspace the owner of a resource. The user of `as` must own the
   * resource or an ancestor that it inherits from, or be an owner or admin of the workspace.
   */
  transfer(resource: Resource, userId: string, options?: ChangeOptions): Promise<RegisteredResource>
  /**
   * Verifies an access token with daikon's public keys and returns its claims. The keys are cached,
   * so most calls make no request. A revoked token is therefore accepted until it expires;
   * `check` takes revocations into account.
   *
   * @throws InvalidTokenError
   */
  verifyAccessToken(token: string): Promise<AccessTokenClaims>
  /** Returns the UUID that identifies a resource in daikon (`resource_id` in the API). */
  resourceId(resource: Resource): string
  /** Closes the connection. Pending operations fail with a `CancelledError`. */
  close(): void
}

/**
 * A client that is connected to a server. The fake in `@daikon-auth/client/testing` implements
 * everything except `call` and `watch`.
 */
export type DaikonClient = Daikon & {
  /**
   * Calls any method of `@daikon-auth/client/grpc`, using the connection, service key, deadline and
   * error classes of this client.
   *
   * @example
   * const request = { service_name: 'docs', resource_type: 'document', action: 'view', workspace_id, limit: 1 }
   * const { has_full_access } = await daikon.call(PermissionServiceService.accessible, request, { as: token })
   */
  call<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    options?: ChangeOptions & {
      /** Whether to retry the call after `UNAVAILABLE`. Set it only for idempotent calls. */
      retry?: boolean
    },
  ): Promise<Response>
  /**
   * Follows the activity log. Without a cursor, it begins with new events. It reconnects after the last
   * message that you have received, so that no event is missed. Store the cursor of a message once you have
   * processed it, and begin there next time.
   *
   * The iteration ends when you leave the loop, abort `signal` or close the client. It fails with a
   * `CursorGoneError` if events after the cursor are no longer retained, and for arguments and credentials
   * that are not valid.
   *
   * @example
   * for await (const { cursor, event } of daikon.watch({ cursor: stored, actions: ['permission.*'] })) {
   *   if (event) await apply(event)
   *   await store(cursor)
   * }
   */
  watch(options?: WatchOptions): AsyncIterable<WatchMessage>
}
