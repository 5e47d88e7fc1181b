import type { UnaryMethod } from './unary-method.ts'

/** Who acts: the user of an access token, or a user by ID, e-mail address or `external_id`. */
export type Subject =
  | { token: string }
  | { userId: string }
  | { email: string }
  | { externalId: string }

/** A resource of your service. The ID is a UUID or any other text of at most 255 characters. */
export type Resource = { type: string; id: string }

/** With whom a resource is shared: a user or a group of its workspace. */
export type Grantee = { userId: string } | { groupId: string }

/** `private`: only through shares. `workspace`: every member of the workspace may view it. */
export type Visibility = 'private' | 'workspace'

/** What a share allows. */
export type Permission = 'view' | 'edit'

/** One check of `checkMany`. */
export type Check = { subject: Subject; action: string; resource: Resource }

export type CallOptions = {
  /** Stops waiting for the result. The operation fails with a `CancelledError`. */
  signal?: AbortSignal | undefined
  /** Milliseconds after which the operation fails; replaces `deadlineMs` of the client. */
  deadlineMs?: number | undefined
}

export type ChangeOptions = CallOptions & {
  /** The access token of the user who makes the change, and must be allowed to `manage` the resource. */
  as?: string | undefined
}

export type ShareOptions = ChangeOptions & {
  /** When the share ends. */
  expiresAt?: Date | undefined
}

export type AccessibleOptions = CallOptions & {
  /** Lists the resources of this workspace only. By default, of every workspace of the subject. */
  workspaceId?: string | undefined
}

/** A resource to register. */
export type Registration = Resource & {
  workspaceId: string
  /** The user who owns the resource, a member of the workspace. */
  ownerId: string
  /** `private` by default. */
  visibility?: Visibility | undefined
  /** The resource whose grants it inherits, in the same workspace. */
  parent?: Resource | undefined
}

/** A resource as daikon has registered it. */
export type RegisteredResource = Resource & {
  /** The UUID by which daikon knows the resource. It equals `id` if that is a UUID. */
  resourceId: string
  workspaceId: string
  ownerId: string
  visibility: Visibility
  /** The parent, by its `resourceId`. */
  parent: { type: string; resourceId: string } | undefined
  /** Whether grants of the parent apply. */
  inherits: boolean
  createdAt: Date
  shares: Share[]
}

/** A permission on a resource that a user or a group has. */
export type Share = {
  id: string
  grantee: Grantee
  permission: Permission
  /** The ID of the user who shared the resource. */
  grantedBy: string
  grantedAt: Date
  /** When the share ends; undefined if it does not. */
  expiresAt: Date | undefined
}

/** A grant that allows an action, or why it is denied. Absent members do not apply. */
export type Reason = {
  rule:
    | 'owner'
    | 'workspace_role'
    | 'workspace_visibility'
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
  /** The role in the workspace, or the name of a custom role. */
  role?: string
  groupId?: string
  shareId?: string
  expiresAt?: Date
  /** The ancestor that has the grant. */
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
  /** The role in the workspace when the token was issued. Decide with `check`, not with the role. */
  wrole: 'viewer' | 'editor' | 'admin' | 'owner'
  /** The IDs of the user's groups when the token was issued; absent if there are more than 100. */
  groups?: string[]
  groups_overage?: true
  iss: string
  aud: string
  type: 'access'
  /** Seconds since the epoch. */
  iat: number
  /** Seconds since the epoch. */
  exp: number
}

/**
 * A client of daikon. Every operation rejects with a `DaikonError` when it fails; a denied check is
 * not a failure.
 */
export type Daikon = {
  /**
   * Whether the subject may take the action on the resource. Unknown users, resources and actions
   * are denied. Checks that are started in the same turn of the event loop travel in one call.
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
  /** The results of many checks, in order. */
  checkMany(checks: readonly Check[], options?: CallOptions): Promise<boolean[]>
  /**
   * The IDs of all resources of a type on which the subject may take the action. Reads pages of 1,000
   * as you iterate; `deadlineMs` applies to each page.
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
  /** Whether an action is allowed, and every grant that allows it or the reason why it is denied. */
  explain(
    subject: Subject,
    action: string,
    resource: Resource,
    options?: CallOptions,
  ): Promise<Explanation>
  /**
   * Registers a resource. Call it when the resource is created; repeating the call with the same
   * workspace and owner returns the registered resource.
   */
  register(registration: Registration, options?: CallOptions): Promise<RegisteredResource>
  /** Removes a resource and its shares. Call it when the resource is deleted. */
  unregister(resource: Resource, options?: ChangeOptions): Promise<void>
  /** Shares a resource, or replaces the permission of a share. `as` is required. */
  share(
    resource: Resource,
    grantee: Grantee,
    permission: Permission,
    options?: ShareOptions,
  ): Promise<Share>
  /** Ends the share of a user or group. */
  revoke(resource: Resource, grantee: Grantee, options?: ChangeOptions): Promise<void>
  /** Makes a resource visible to its whole workspace, or private again. */
  setVisibility(
    resource: Resource,
    visibility: Visibility,
    options?: ChangeOptions,
  ): Promise<RegisteredResource>
  /** Makes another member of the workspace the owner of a resource. */
  transfer(resource: Resource, userId: string, options?: ChangeOptions): Promise<RegisteredResource>
  /**
   * Verifies an access token with the public keys of daikon and returns its claims. The keys are
   * cached, so that most calls send nothing; a token that was revoked is therefore valid here until
   * it expires. `check` knows about revocations.
   *
   * @throws InvalidTokenError
   */
  verifyAccessToken(token: string): Promise<AccessTokenClaims>
  /** The UUID by which daikon knows a resource (`resource_id` of the API). */
  resourceId(resource: Resource): string
  /** Closes the connection. Running operations fail with a `CancelledError`. */
  close(): void
}

/** A client of a server. The fake of `@daikon-auth/client/testing` has everything but `call`. */
export type DaikonClient = Daikon & {
  /**
   * Calls any method of `@daikon-auth/client/grpc` with the connection, service key, deadline and
   * errors of this client.
   *
   * @example
   * const request = { service_name: 'docs', resource_type: 'document', action: 'view', workspace_id, limit: 1 }
   * const { has_full_access } = await daikon.call(PermissionServiceService.accessible, request, { as: token })
   */
  call<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    options?: ChangeOptions & {
      /** Repeats the call after `UNAVAILABLE`. Only for calls that may run twice. */
      retry?: boolean
    },
  ): Promise<Response>
}
