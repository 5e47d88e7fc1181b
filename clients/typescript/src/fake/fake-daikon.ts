import type {
  AccessTokenClaims,
  CallOptions,
  ChangeOptions,
  Daikon,
  Grantee,
  Permission,
  RegisteredResource,
  Resource,
  Share,
  Subject,
} from '../api.ts'
import {
  nameGrant,
  nameGrantee,
  nameSubject,
  requireAction,
  requireResource,
} from '../arguments.ts'
import { closedError } from '../connection.ts'
import {
  abortError,
  createError,
  type DaikonError,
  DeadlineExceededError,
  invalidArgument,
  NotFoundError,
  PermissionDeniedError,
  UnauthenticatedError,
} from '../errors.ts'
import { isUuid, resourceId } from '../resource-id.ts'
import { withAdvice } from '../server-errors.ts'
import { decide, type FakeSubject, isMember, isOwner } from './decide.ts'
import { createFakeToken, readFakeToken } from './tokens.ts'
import {
  createState,
  declareType,
  type FakeResource,
  type FakeResourceRole,
  type FakeShare,
  type FakeState,
  type FakeWorld,
  findResourceRole,
  findRole,
  findUser,
  requireVisibility,
  resourceKey,
} from './world.ts'

/** A client for tests, which needs no server. */
export type FakeDaikon = Daikon & {
  /**
   * Creates an access token that this fake accepts. `seconds` is its lifetime and may be negative.
   */
  token(userId: string, workspaceId: string, options?: { seconds?: number }): string
  /** Makes the fake treat a token as revoked. */
  revokeToken(token: string): void
  /**
   * Replaces the roles of a resource type, as `PutResourceType` does. Existing shares then give what
   * their role contains now.
   *
   * @throws DaikonError if a role contains an action that is not registered, or if shares use a role
   * that `roles` lacks
   */
  declareType(type: string, roles: FakeResourceRole[], options?: { allowPublic?: boolean }): void
  /** Makes every operation fail with the error until `recover` is called. */
  failWith(error: DaikonError): void
  /**
   * Delays every operation by `ms` milliseconds until `recover` is called. Deadlines and signals
   * still apply.
   */
  delay(ms: number): void
  /** Undoes `failWith` and `delay`. */
  recover(): void
}

const defaultDeadlineMs = 2000

/**
 * Creates a fake that decides in memory by the same rules as the server. The fake keeps what tests
 * register, share and revoke.
 *
 * @example
 * const fake = createFakeDaikon({
 *   members: [{ workspaceId, userId: alice, role: 'viewer' }],
 *   resources: [{ type: 'document', id: 'roadmap', workspaceId, ownerId: alice }],
 * })
 * const app = createApp({ daikon: fake })
 * const token = fake.token(alice, workspaceId)
 */
export function createFakeDaikon(world: FakeWorld = {}): FakeDaikon {
  const state = createState(world)
  const revoked = new Set<string>()
  let failure: DaikonError | undefined
  let delayMs = 0
  let isClosed = false

  /**
   * Runs an operation with the behavior of a remote call: asynchronously, and subject to `delay`,
   * `failWith` and deadlines.
   */
  async function run<Result>(
    { signal, deadlineMs = defaultDeadlineMs }: CallOptions,
    operation: () => Result,
  ): Promise<Result> {
    if (signal?.aborted) throw abortError(signal)
    await waitFor(Math.min(delayMs, deadlineMs), signal)
    if (isClosed) throw closedError()
    if (delayMs >= deadlineMs) throw new DeadlineExceededError()
    if (failure) throw failure
    return operation()
  }

  function findSubject(subject: Subject): FakeSubject {
    const { id } = nameSubject(subject)
    if ('token' in subject) {
      const { sub, wid } = readFakeToken(id)
      const user = revoked.has(id) ? undefined : state.users.get(sub)
      return { user, workspaceId: wid }
    }
    if ('groupId' in subject) {
      const user = { id, email: '', externalId: '', isActive: true }
      const isKnown = state.groups.has(id)
      return { user: isKnown ? user : undefined, workspaceId: undefined, isGroup: true }
    }
    const user = findUser(state, id)
    return { user, workspaceId: undefined, isUnknown: user === undefined }
  }

  function requireOwnService() {
    const { service, keyService } = state
    if (service === keyService) return
    const message = withAdvice('OTHER_SERVICE', `The service key is limited to ${keyService}`)
    throw new PermissionDeniedError('OTHER_SERVICE', message)
  }

  function explain(subject: Subject, action: string, resource: Resource) {
    requireAction(action)
    requireResource(resource)
    requireOwnService()
    const found = state.resources.get(resourceKey(state, resource))
    return decide(state, findSubject(subject), action, found)
  }

  /** Finds a resource. If `as` is set, its user must be allowed to manage the resource. */
  function requireManageable(resource: Resource, { as }: ChangeOptions): FakeResource {
    requireResource(resource)
    requireOwnService()
    const claims = as === undefined ? undefined : readChangeToken(as)
    const found = requireFound(state, resource)
    if (!claims) return found
    if (claims.wid !== found.workspaceId) throw resourceNotFound()
    const subject = { user: state.users.get(claims.sub), workspaceId: claims.wid }
    if (decide(state, subject, 'manage', found).allowed) return found
    throw new PermissionDeniedError(
      'NOT_THE_OWNER',
      'Requires the owner of the resource, an owner or admin of its workspace, or a role with manage',
    )
  }

  /** Requires that the user of `as` may do what a role with `manage` is not enough for. */
  function requireOwnership(resource: FakeResource, { as }: ChangeOptions): void {
    if (as === undefined) return
    const user = state.users.get(readFakeToken(as).sub)
    if (user && isOwner(state, user, resource)) return
    throw new PermissionDeniedError(
      'NOT_THE_OWNER',
      'Requires the owner of the resource, or an owner or admin of its workspace',
    )
  }

  function requireRole(resource: FakeResource, name: string, options: ChangeOptions): void {
    const role = findResourceRole(state, resource.type, name)
    if (!role)
      throw invalidArgument({
        field: 'role',
        message: `is not a role of ${resource.type}: ${name}`,
      })
    if (role.actions.includes('manage')) requireOwnership(resource, options)
  }

  function readChangeToken(token: string): AccessTokenClaims {
    const claims = readFakeToken(token)
    const isMember = findRole(state, claims.wid, claims.sub) !== undefined
    if (revoked.has(token) || !isMember) {
      const message = withAdvice('TOKEN_REVOKED', 'The token was revoked')
      throw new UnauthenticatedError('TOKEN_REVOKED', message)
    }
    return claims
  }

  return {
    check: (subject, action, resource, options = {}) =>
      run(options, () => explain(subject, action, resource).allowed),

    checkMany: (checks, options = {}) =>
      run(options, () =>
        checks.map(({ subject, action, resource }) => explain(subject, action, resource).allowed),
      ),

    accessible(subject, action, type, { workspaceId, ...options } = {}) {
      const list = () => {
        if (workspaceId !== undefined && !isUuid(workspaceId))
          throw invalidArgument({ field: 'context.workspace_id', message: 'must be a UUID' })
        const found = findSubject(subject)
        requireAction(action)
        requireOwnService()
        const resources = [...state.resources.values()].filter(
          (resource) =>
            resource.type === type &&
            (workspaceId === undefined || resource.workspaceId === workspaceId) &&
            isMember(state, found, resource) &&
            decide(state, found, action, resource).allowed,
        )
        return resources.map(({ id }) => id)
      }
      return {
        async *[Symbol.asyncIterator]() {
          yield* await run(options, list)
        },
      }
    },

    explain: (subject, action, resource, options = {}) =>
      run(options, () => explain(subject, action, resource)),

    register: (
      { workspaceId, ownerId, visibility = 'private', parent, ...resource },
      options = {},
    ) =>
      run(options, () => {
        requireResource(resource)
        requireUuid('workspace_id', workspaceId)
        requireUuid('owner_id', ownerId)
        requireOwnService()
        const known = state.resources.get(resourceKey(state, resource))
        if (known) {
          if (known.workspaceId === workspaceId && known.ownerId === ownerId) return view(known)
          const message = 'The resource is registered with another workspace or owner'
          throw createError('already_exists', 'RESOURCE_REGISTERED', message)
        }
        if (!state.workspaceIds.has(workspaceId))
          throw new NotFoundError('WORKSPACE_NOT_FOUND', 'Workspace not found')
        requireMember(state, workspaceId, ownerId)
        const parentResource = parent && state.resources.get(resourceKey(state, parent))
        if (parent && parentResource?.workspaceId !== workspaceId)
          throw invalidArgument({ field: 'parent', message: 'must be a resource of the workspace' })
        const { type, id } = resource
        requireVisibility(state, type, visibility)
        const created: FakeResource = {
          type,
          id,
          resourceId: resourceId(state.service, type, id),
          workspaceId,
          ownerId,
          visibility,
          parent: parentResource,
          inherits: true,
          createdAt: new Date(),
          shares: [],
        }
        state.resources.set(resourceKey(state, resource), created)
        return view(created)
      }),

    unregister: (resource, options = {}) =>
      run(options, () => {
        const found = requireManageable(resource, options)
        state.resources.delete(resourceKey(state, resource))
        for (const child of state.resources.values())
          if (child.parent === found) child.parent = undefined
      }),

    share: (resource, grantee, grant, options = {}) =>
      run(options, () => {
        const granted: { permission?: Permission; role?: string } = nameGrant(grant)
        const { permission, role } = granted
        if (permission !== undefined) requireOneOf('permission', permission, ['view', 'edit'])
        const { as, expiresAt } = options
        if (expiresAt && expiresAt.getTime() <= Date.now())
          throw invalidArgument({ field: 'expires_at', message: 'must be in the future' })
        if (as === undefined) {
          const message = withAdvice('TOKEN_MISSING', 'The access token is missing')
          throw new UnauthenticatedError('TOKEN_MISSING', message)
        }
        const { sub } = readChangeToken(as)
        const found = requireManageable(resource, options)
        if (role !== undefined) requireRole(found, role, options)
        requireGrantee(state, found, grantee)
        const known = findShare(found, grantee)
        const share: FakeShare = {
          id: known?.id ?? crypto.randomUUID(),
          userId: 'userId' in grantee ? grantee.userId : undefined,
          groupId: 'groupId' in grantee ? grantee.groupId : undefined,
          permission,
          role,
          grantedBy: sub,
          grantedAt: new Date(),
          expiresAt,
        }
        found.shares = [...found.shares.filter((other) => other !== known), share]
        return viewShare(share)
      }),

    revoke: (resource, grantee, options = {}) =>
      run(options, () => {
        nameGrantee(grantee)
        const found = requireManageable(resource, options)
        const share = findShare(found, grantee)
        if (!share) throw new NotFoundError('SHARE_NOT_FOUND', 'Share not found')
        found.shares = found.shares.filter((other) => other !== share)
      }),

    setVisibility: (resource, visibility, options = {}) =>
      run(options, () => {
        const found = requireManageable(resource, options)
        requireVisibility(state, resource.type, visibility)
        found.visibility = visibility
        return view(found)
      }),

    transfer: (resource, userId, options = {}) =>
      run(options, () => {
        requireUuid('owner_id', userId)
        const found = requireManageable(resource, options)
        requireOwnership(found, options)
        requireMember(state, found.workspaceId, userId)
        found.ownerId = userId
        return view(found)
      }),

    verifyAccessToken: (token) => run({}, () => readFakeToken(token)),

    resourceId(resource) {
      requireResource(resource)
      return resourceId(state.service, resource.type, resource.id)
    },

    token: (userId, workspaceId, { seconds = 900 } = {}) =>
      createFakeToken(userId, workspaceId, seconds),
    revokeToken: (token) => void revoked.add(token),
    declareType: (type, roles, options) => declareType(state, type, { roles, ...options }),
    failWith(error) {
      failure = error
    },
    delay(ms) {
      delayMs = ms
    },
    recover() {
      failure = undefined
      delayMs = 0
    },
    close() {
      isClosed = true
    },
  }
}

function requireFound(state: FakeState, resource: Resource): FakeResource {
  const found = state.resources.get(resourceKey(state, resource))
  if (!found) throw resourceNotFound()
  return found
}

function resourceNotFound(): NotFoundError {
  return new NotFoundError('RESOURCE_NOT_FOUND', 'Resource not found')
}

function requireMember(state: FakeState, workspaceId: string, userId: string): void {
  if (findRole(state, workspaceId, userId)) return
  throw invalidArgument({ field: 'owner_id', message: 'must be a member of the workspace' })
}

function requireGrantee(state: FakeState, { workspaceId }: FakeResource, grantee: Grantee): void {
  const { grantee_type, grantee_id } = nameGrantee(grantee)
  requireUuid('grantee_id', grantee_id)
  const isKnown =
    grantee_type === 'user'
      ? findRole(state, workspaceId, grantee_id) !== undefined
      : state.groups.get(grantee_id)?.workspaceId === workspaceId
  if (isKnown) return
  throw new NotFoundError('GRANTEE_NOT_FOUND', `No such ${grantee_type} in the workspace`)
}

function requireOneOf(field: string, value: string, values: string[]): void {
  if (values.includes(value)) return
  throw invalidArgument({ field, message: `must be one of ${values.join(', ')}` })
}

function requireUuid(field: string, value: string): void {
  if (isUuid(value)) return
  throw invalidArgument({ field, message: 'must be a UUID' })
}

function findShare({ shares }: FakeResource, grantee: Grantee): FakeShare | undefined {
  return shares.find((share) =>
    'userId' in grantee ? share.userId === grantee.userId : share.groupId === grantee.groupId,
  )
}

function view(resource: FakeResource): RegisteredResource {
  const { parent, shares, ...facts } = resource
  return {
    ...facts,
    parent: parent && { type: parent.type, resourceId: parent.resourceId },
    shares: shares.map(viewShare),
  }
}

function viewShare({ userId, groupId, ...share }: FakeShare): Share {
  return { ...share, grantee: userId === undefined ? { groupId: groupId ?? '' } : { userId } }
}

function waitFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timeout)
      if (signal) reject(abortError(signal))
    }
    const timeout = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
