import type { LinkOperations } from './links.ts'
import type { TypeOperations } from './resource-types.ts'
import type { AccessTokenClaims, Explanation, RegisteredResource, Share } from './results.ts'
import type { UnaryMethod } from './unary-method.ts'
import type { WatchMessage, WatchOptions } from './watch.ts'

/**
 * Whom to check: the user of an access token, the service account of an API key (also accepted as
 * `token`), a user by ID, e-mail address or `external_id`, a group, which may do what each of its
 * members may do at least, the holder of a link, or anyone at all.
 */
export type Subject =
  | { token: string }
  | { apiKey: string }
  | { userId: string }
  | { email: string }
  | { externalId: string }
  | { groupId: string }
  | { link: string }
  | { anonymous: true }

/**
 * A resource of your service. The ID is a UUID or any other string of at most 255 characters. The
 * type `workspace` stands for a workspace of daikon, by its ID or slug.
 */
export type Resource = { type: string; id: string }

/** The user or group that a resource is shared with; `group` is the name of a group. */
export type Grantee =
  | { userId: string }
  | { email: string }
  | { externalId: string }
  | { groupId: string }
  | { group: string }

/** What conditions read as `context`: an object of JSON values, at most 16 KiB. */
export type Context = Record<string, unknown>

/** A condition that your service declared for the type, with values of its parameters. */
export type Condition = { name: string; params?: Record<string, unknown> | undefined }

/**
 * `private`: only the owner, the people it is shared with, and owners and admins of the workspace
 * have access. `workspace`: every member of the workspace may view it. `public`: everybody may view
 * it, signed in or not; the declaration of its type must allow it. A resource also inherits the grants
 * of its parent.
 */
export type Visibility = 'private' | 'workspace' | 'public'

/** The permission that a share grants. */
export type Permission = 'view' | 'edit'

/** What to grant with a share: a permission, or a role that your service declared for the type. */
export type Grant = Permission | { role: string }

/** One check in `checkMany`. */
export type Check = {
  subject: Subject
  action: string
  resource: Resource
  /** Overrides the `context` of the options. */
  context?: Context | undefined
}

export type CallOptions = {
  /** Cancels the operation, which then fails with a `CancelledError`. */
  signal?: AbortSignal | undefined
  /** The time limit of the operation in milliseconds; overrides `deadlineMs` of the client. */
  deadlineMs?: number | undefined
}

export type CheckOptions = CallOptions & {
  /** What conditions read as `context`. */
  context?: Context | undefined
}

export type ChangeOptions = CallOptions & {
  /**
   * The access token of the user who makes the change. That user must have the permission to
   * `manage` the resource.
   */
  as?: string | undefined
  /** What the conditions that `manage` requires read as `context`. */
  context?: Context | undefined
}

/** The terms of a share or link. */
export type GrantTerms = {
  /** When it expires. */
  expiresAt?: Date | undefined
  /** The condition under which it counts. By default, it always does. */
  condition?: Condition | undefined
}

export type ShareOptions = ChangeOptions & GrantTerms

/** One share in `shareMany`. */
export type NewShare = GrantTerms & { resource: Resource; grantee: Grantee; grant: Grant }

export type UnregisterOptions = ChangeOptions & {
  /** Whether to unregister everything below the resource, too. */
  cascade?: boolean | undefined
}

export type ParentOptions = ChangeOptions & {
  /** Whether the resource inherits the grants of its parent. By default, this does not change. */
  inherits?: boolean | undefined
}

export type SubjectsOptions = CheckOptions & {
  /** Whom to list: `user` by default. */
  type?: 'user' | 'group' | undefined
}

export type AccessibleOptions = CheckOptions & {
  /**
   * Restricts the list to the resources of this workspace. By default, it includes every workspace
   * of the subject.
   */
  workspaceId?: string | undefined
}

/** A resource to register. Its owner must be a member of the workspace. */
export type Registration = Resource & {
  workspaceId: string
  /** Defaults to `private`. */
  visibility?: Visibility | undefined
  /** The resource in the same workspace whose grants this one inherits. */
  parent?: Resource | undefined
  /** What conditions read as `resource.attributes`: an object of JSON values, at most 4 KiB. */
  attributes?: Record<string, unknown> | undefined
  /** The name for people, at most 255 characters. */
  displayName?: string | undefined
} & ({ ownerId: string } | { ownerEmail: string } | { ownerExternalId: string })

/**
 * A client of daikon. If an operation fails, its promise rejects with a `DaikonError`; a denied
 * check is not a failure.
 */
export interface Daikon extends LinkOperations, TypeOperations {
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
    options?: CheckOptions,
  ): Promise<boolean>
  /** Returns the results of several checks, in order. */
  checkMany(checks: readonly Check[], options?: CheckOptions): Promise<boolean[]>
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
   * Returns who may perform an action on a resource now: for each user or group, the `external_id` if
   * there is one, otherwise the ID. Lists members of the workspace only, also of a public resource.
   * Reads pages of 1,000 as you iterate; `deadlineMs` applies to each page.
   *
   * @example
   * for await (const id of daikon.subjects('view', { type: 'document', id: 'roadmap' })) console.log(id)
   */
  subjects(action: string, resource: Resource, options?: SubjectsOptions): AsyncIterable<string>
  /**
   * Returns whether an action is allowed, with every grant that allows it or the reason why it is
   * denied.
   */
  explain(
    subject: Subject,
    action: string,
    resource: Resource,
    options?: CheckOptions,
  ): Promise<Explanation>
  /**
   * Registers a resource. Call it when the resource is created. Repeating the call with the same
   * workspace and owner returns the registered resource.
   */
  register(registration: Registration, options?: CallOptions): Promise<RegisteredResource>
  /** Registers up to 1,000 resources, or none. Items may name each other as parents. */
  registerMany(
    registrations: readonly Registration[],
    options?: CallOptions,
  ): Promise<RegisteredResource[]>
  /** Returns a registered resource. */
  get(resource: Resource, options?: CallOptions): Promise<RegisteredResource>
  /** Removes a resource and its shares. Call it when the resource is deleted. */
  unregister(resource: Resource, options?: UnregisterOptions): Promise<void>
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
  /**
   * Grants up to 1,000 shares, or none. With `as`, its user must be allowed to manage every resource;
   * without it, your service decides.
   */
  shareMany(shares: readonly NewShare[], options?: ChangeOptions): Promise<Share[]>
  /** Returns the shares of a resource, without expired ones. */
  shares(resource: Resource, options?: CallOptions): Promise<Share[]>
  /** Removes the share of a user or group. */
  revoke(resource: Resource, grantee: Grantee, options?: ChangeOptions): Promise<void>
  /** Makes a resource visible to its whole workspace or to everybody, or private again. */
  setVisibility(
    resource: Resource,
    visibility: Visibility,
    options?: ChangeOptions,
  ): Promise<RegisteredResource>
  /**
   * Changes attributes, which conditions read, by a merge patch (RFC 7396): members of `attributes`
   * are merged, and null removes a member.
   */
  setAttributes(
    resource: Resource,
    attributes: Record<string, unknown>,
    options?: ChangeOptions,
  ): Promise<RegisteredResource>
  /** Sets the name of a resource for people, or removes it. */
  setDisplayName(
    resource: Resource,
    displayName: string | null,
    options?: ChangeOptions,
  ): Promise<RegisteredResource>
  /**
   * Moves a resource, with everything below it, to another parent of the same workspace, or to none.
   * The user of `as` must also be allowed to edit the new parent.
   */
  setParent(
    resource: Resource,
    parent: Resource | null,
    options?: ParentOptions,
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
