import type { AccessOperations } from './access-operations.ts'
import type {
  AccessibleOptions,
  ActionsByType,
  CallOptions,
  ChangeOptions,
  Check,
  CheckOptions,
  Grant,
  Grantee,
  MethodOptions,
  NewShare,
  ParentOptions,
  Registration,
  Resource,
  ShareOptions,
  Subject,
  SubjectsOptions,
  TypeOf,
  UnregisterOptions,
  Visibility,
} from './argument-types.ts'
import type { LinkOperations } from './links.ts'
import type { TypeOperations } from './resource-types.ts'
import type { AccessTokenClaims, Explanation, RegisteredResource, Share } from './results.ts'
import type { DelegatedToken, ExchangeRequest } from './token-exchange.ts'
import type { UnaryMethod } from './unary-method.ts'
import type { WatchMessage, WatchOptions } from './watch.ts'

/**
 * A client of daikon. If an operation fails, its promise rejects with a `DaikonError`; a denied
 * check is not a failure.
 */
export interface Daikon<Actions extends ActionsByType = ActionsByType>
  extends LinkOperations<Actions>,
    TypeOperations<Actions> {
  /**
   * Whether the subject may perform the action on the resource. Unknown users, resources and actions
   * are denied. Checks made in the same turn of the event loop share one call.
   *
   * @example
   * if (!(await daikon.check({ token }, 'edit', { type: 'document', id }))) throw new Error('denied')
   */
  check<Type extends TypeOf<Actions>>(
    subject: Subject,
    action: Actions[Type],
    resource: Resource<Type>,
    options?: CheckOptions,
  ): Promise<boolean>
  /** Returns the results of several checks, in order. */
  checkMany(checks: readonly Check<Actions>[], options?: CheckOptions): Promise<boolean[]>
  /**
   * Returns the IDs of all resources of a type on which the subject may perform the action. Reads
   * pages of 1,000 as you iterate; `deadlineMs` applies to each page.
   *
   * @example
   * for await (const id of daikon.accessible({ token }, 'view', 'document')) console.log(id)
   */
  accessible<Type extends TypeOf<Actions>>(
    subject: Subject,
    action: Actions[Type],
    type: Type,
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
  subjects<Type extends TypeOf<Actions>>(
    action: Actions[Type],
    resource: Resource<Type>,
    options?: SubjectsOptions,
  ): AsyncIterable<string>
  /**
   * Returns whether an action is allowed, with every grant that allows it or the reason why it is
   * denied.
   */
  explain<Type extends TypeOf<Actions>>(
    subject: Subject,
    action: Actions[Type],
    resource: Resource<Type>,
    options?: CheckOptions,
  ): Promise<Explanation>
  /**
   * Registers a resource. Call it when the resource is created. Repeating the call with the same
   * workspace and owner returns the registered resource.
   */
  register(
    registration: Registration<TypeOf<Actions>>,
    options?: CallOptions,
  ): Promise<RegisteredResource<TypeOf<Actions>>>
  /** Registers up to 1,000 resources, all or none. Items may name each other as parents. */
  registerMany(
    registrations: readonly Registration<TypeOf<Actions>>[],
    options?: CallOptions,
  ): Promise<RegisteredResource<TypeOf<Actions>>[]>
  /** Returns a registered resource. */
  get(
    resource: Resource<TypeOf<Actions>>,
    options?: CallOptions,
  ): Promise<RegisteredResource<TypeOf<Actions>>>
  /** Removes a resource and its shares. Call it when the resource is deleted. */
  unregister(resource: Resource<TypeOf<Actions>>, options?: UnregisterOptions): Promise<void>
  /**
   * Shares a resource, or replaces the permission or role of an existing share. To grant a role that
   * contains `manage`, the user of `as` must own the resource or an ancestor that it inherits from, or
   * be an owner or admin of the workspace.
   *
   * @example
   * await daikon.share(issue, { userId }, 'view', { as: token })
   * await daikon.share(issue, { userId }, { role: 'triage' }, { as: token })
   */
  share<Type extends TypeOf<Actions>>(
    resource: Resource<Type>,
    grantee: Grantee,
    grant: Grant<Actions[Type]>,
    options: ShareOptions,
  ): Promise<Share>
  /**
   * Grants up to 1,000 shares, all or none. With `as`, its user must be allowed to manage every resource;
   * without it, your service decides.
   */
  shareMany(shares: readonly NewShare<Actions>[], options?: ChangeOptions): Promise<Share[]>
  /** Returns the shares of a resource, without expired ones. */
  shares(resource: Resource<TypeOf<Actions>>, options?: CallOptions): Promise<Share[]>
  /** Removes the share of a user or group. */
  revoke(
    resource: Resource<TypeOf<Actions>>,
    grantee: Grantee,
    options?: ChangeOptions,
  ): Promise<void>
  /** Makes a resource visible to its whole workspace or to everybody, or private again. */
  setVisibility(
    resource: Resource<TypeOf<Actions>>,
    visibility: Visibility,
    options?: ChangeOptions,
  ): Promise<RegisteredResource<TypeOf<Actions>>>
  /**
   * Changes attributes, which conditions read, by a merge patch (RFC 7396): members of `attributes`
   * are merged, and null removes a member.
   */
  setAttributes(
    resource: Resource<TypeOf<Actions>>,
    attributes: Record<string, unknown>,
    options?: ChangeOptions,
  ): Promise<RegisteredResource<TypeOf<Actions>>>
  /** Sets the name of a resource for people, or removes it. */
  setDisplayName(
    resource: Resource<TypeOf<Actions>>,
    displayName: string | null,
    options?: ChangeOptions,
  ): Promise<RegisteredResource<TypeOf<Actions>>>
  /**
   * Moves a resource, with everything below it, to another parent of the same workspace, or to none.
   * The user of `as` must also be allowed to edit the new parent.
   */
  setParent(
    resource: Resource<TypeOf<Actions>>,
    parent: Resource<TypeOf<Actions>> | null,
    options?: ParentOptions,
  ): Promise<RegisteredResource<TypeOf<Actions>>>
  /**
   * Makes another member of the workspace the owner of a resource. The user of `as` must own the
   * resource or an ancestor that it inherits from, or be an owner or admin of the workspace.
   */
  transfer(
    resource: Resource<TypeOf<Actions>>,
    ownerId: string,
    options?: ChangeOptions,
  ): Promise<RegisteredResource<TypeOf<Actions>>>
  /**
   * Verifies an access token with daikon's public keys and returns its claims. The keys are cached,
   * so most calls make no request. A revoked token is therefore accepted until it expires;
   * `check` takes revocations into account.
   *
   * With `audience`, the token must be limited to the API with this URI. It says nothing about the
   * person: `email`, `name` and `wslug` are then empty, and `wrole` is `viewer`.
   *
   * With `delegated`, tokens with which an agent acts for a user are accepted, too: `act` names the agent, and
   * `check({ token }, …)` decides for both.
   *
   * @throws InvalidTokenError
   */
  verifyAccessToken(
    token: string,
    options?: { audience?: string | undefined; delegated?: boolean | undefined },
  ): Promise<AccessTokenClaims>
  /** Returns the UUID that identifies a resource in daikon (`resource_id` in the API). */
  resourceId(resource: Resource<TypeOf<Actions>>): string
  /** Closes the connection. Pending operations fail with a `CancelledError`. */
  close(): void
}

/**
 * A client that is connected to a server. The fake in `@daikon-auth/client/testing` implements
 * everything except `watch` and what `@daikon-auth/client/access` needs.
 */
export interface RemoteDaikon<Actions extends ActionsByType = ActionsByType>
  extends Daikon<Actions>,
    AccessOperations<Actions> {
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
  /**
   * Returns a token with which the `agent` of the client acts for a user (RFC 8693), of a delegation that the
   * user has made. The token is kept until a minute before its end.
   *
   * @example
   * const { token } = await daikon.exchange({ delegationId })
   */
  exchange(request: ExchangeRequest): Promise<DelegatedToken>
}

/** A client that calls the server over gRPC. */
export interface DaikonClient<Actions extends ActionsByType = ActionsByType>
  extends RemoteDaikon<Actions> {
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
    options?: MethodOptions,
  ): Promise<Response>
}
