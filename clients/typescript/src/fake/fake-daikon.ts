import type { Daikon } from '../api.ts'
import type { ActionsByType, Resource, Subject } from '../argument-types.ts'
import { readObject, requireAction, requireResource, requireType } from '../arguments.ts'
import type { DaikonError } from '../errors.ts'
import { withKnownNames } from '../option-names.ts'
import { isUuid, resourceId } from '../resource-id.ts'
import { provideIssuer } from '../token-issuer.ts'
import { decide, isMember, type Question } from './decide.ts'
import { declareType, deleteType } from './declarations.ts'
import { createFakeLinkOperations } from './link-operations.ts'
import { requireId } from './names.ts'
import { createFakeResourceOperations } from './resource-operations.ts'
import { createRights } from './rights.ts'
import { createFakeConnection } from './run.ts'
import { createFakeShareOperations } from './share-operations.ts'
import { type FakeDelegation, type FakeState, findMember, resourceKey } from './state.ts'
import { type FakeSubject, findSubject, groupSubject, userSubject } from './subjects.ts'
import { createFakeToken, type FakeResourceAccess, issuer, verifyFakeToken } from './tokens.ts'
import { decideWorkspace, findWorkspace, isWorkspace } from './workspaces.ts'
import { createState, type FakeWorld } from './world.ts'

/** A client for tests, which needs no server. */
export interface FakeDaikon<Actions extends ActionsByType = ActionsByType> extends Daikon<Actions> {
  /**
   * Creates an access token that this fake accepts. `seconds` is its lifetime and may be negative. The
   * user signed in at `signedInAt`, by default now. With `resource`, the token is limited to that API. With
   * the ID of a `delegation` of the world, its agent acts for the user.
   */
  token(
    userId: string,
    workspaceId: string,
    options?: {
      seconds?: number
      signedInAt?: Date
      resource?: FakeResourceAccess
      delegation?: string
    },
  ): string
  /** Makes the fake treat a token as revoked. */
  revokeToken(token: string): void
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
export function createFakeDaikon<Actions extends ActionsByType = ActionsByType>(
  world: FakeWorld = {},
): FakeDaikon<Actions> {
  const state = createState(world)
  const revoked = new Set<string>()
  const isRevoked = (token: string) => revoked.has(token)
  const rights = createRights(state, isRevoked)
  const { run, ...connection } = createFakeConnection()

  /** Decides about a resource or a workspace. */
  function decideFor(
    subject: FakeSubject,
    resource: Resource,
    { action, context }: Pick<Question, 'action' | 'context'>,
  ) {
    if (isWorkspace(resource))
      return decideWorkspace(state, subject, action, findWorkspace(state, resource.id))
    const found = state.resources.get(resourceKey(state, resource))
    return decide(state, { subject, action, type: resource.type, resource: found, context })
  }

  function explain(
    subject: Subject,
    action: string,
    resource: Resource,
    context: Question['context'],
  ) {
    requireAction(action)
    requireResource(resource)
    rights.requireOwnService()
    const input = context && readObject('context', context)
    const found = findSubject(state, subject, isRevoked)
    return decideFor(found, resource, { action, context: input })
  }

  /** Returns the resources of a type that a search for a subject covers. */
  function listResources(subject: FakeSubject, type: string) {
    if (isWorkspace({ type }))
      return [...state.workspaces.keys()].map((id) => ({ type, id, workspaceId: id }))
    const isListed =
      subject.kind === 'anonymous'
        ? () => true
        : (resource: Parameters<typeof isMember>[2]) => isMember(state, subject, resource)
    return [...state.resources.values()].filter(
      (resource) => resource.type === type && isListed(resource),
    )
  }

  /** Returns the users or groups of the workspace of a resource. */
  function listSubjects(resource: Resource, type: 'user' | 'group'): FakeSubject[] {
    const workspaceId = isWorkspace(resource)
      ? findWorkspace(state, resource.id)
      : state.resources.get(resourceKey(state, resource))?.workspaceId
    if (workspaceId === undefined) return []
    if (type === 'user') return [...state.users.keys()].map((id) => userSubject(state, id))
    return [...state.groups].flatMap(([id, group]) =>
      group.workspaceId === workspaceId ? [groupSubject(state, id)] : [],
    )
  }

  const fake = withKnownNames<FakeDaikon<Actions>>({
    check: (subject, action, resource, { context, ...options } = {}) =>
      run(options, () => explain(subject, action, resource, context).allowed),

    checkMany: (checks, options = {}) =>
      run(options, () =>
        checks.map(
          ({ subject, action, resource, context = options.context }) =>
            explain(subject, action, resource, context).allowed,
        ),
      ),

    accessible(subject, action, type, { workspaceId, context, ...options } = {}) {
      const list = () => {
        if (workspaceId !== undefined) requireId(state, 'workspaceId', workspaceId)
        const found = findSubject(state, subject, isRevoked)
        requireAction(action)
        requireType(type)
        rights.requireOwnService()
        const input = context && readObject('context', context)
        const isListed = (resource: Resource & { workspaceId: string }) =>
          (workspaceId === undefined || resource.workspaceId === workspaceId) &&
          opens(found, decideFor(found, resource, { action, context: input }))
        return listResources(found, type).filter(isListed)
      }
      return iterate(async () => (await run(options, list)).map(({ id }) => id))
    },

    subjects(action, resource, { type = 'user', context, ...options } = {}) {
      const list = () => {
        requireAction(action)
        requireResource(resource)
        rights.requireOwnService()
        const input = context && readObject('context', context)
        const found = state.resources.get(resourceKey(state, resource))
        const isListed = (subject: FakeSubject) =>
          (!found || isMember(state, subject, found)) &&
          decideFor(subject, resource, { action, context: input }).allowed
        return listSubjects(resource, type).filter(isListed)
      }
      return iterate(async () => {
        const found = await run(options, list)
        return found.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(listedName)
      })
    },

    explain: (subject, action, resource, { context, ...options } = {}) =>
      run(options, () => explain(subject, action, resource, context)),

    ...createFakeResourceOperations(state, rights, run),
    ...createFakeShareOperations(state, rights, run),
    ...createFakeLinkOperations(state, rights, run),

    registerActions: (actions, options = {}) =>
      run(options, () => {
        rights.requireOwnService()
        for (const action of actions)
          state.actions.add(typeof action === 'string' ? action : action.name)
      }),

    declareType: (type, declaration, { dryRun, ...options } = {}) =>
      run(options, () => {
        requireType(type)
        rights.requireOwnService()
        return declareType(state, type, declaration, { dryRun })
      }),

    resourceTypes: (options = {}) =>
      run(options, () => {
        rights.requireOwnService()
        return [...state.resourceTypes].map(([type, declared]) => ({
          type,
          ...declared,
          uses: undefined,
        }))
      }),

    deleteType: (type, options = {}) =>
      run(options, () => {
        rights.requireOwnService()
        deleteType(state, type)
      }),

    verifyAccessToken: (token, accepted = {}) => run({}, () => verifyFakeToken(token, accepted)),

    resourceId(resource) {
      requireResource(resource)
      return resourceId(state.service, resource.type, resource.id)
    },

    token: (
      userId,
      workspaceId,
      { seconds = 900, signedInAt = new Date(), resource, delegation } = {},
    ) =>
      createFakeToken(userId, workspaceId, {
        seconds,
        signedInAt,
        resource,
        delegation: delegation === undefined ? undefined : findDelegation(state, delegation),
        isGuest: findMember(state, workspaceId, userId)?.isGuest ?? false,
      }),
    revokeToken: (token) => void revoked.add(token),
    ...connection,
  })
  return provideIssuer(fake, async () => issuer)
}

function findDelegation({ delegations }: FakeState, id: string): FakeDelegation {
  const found = delegations.get(id)
  if (found) return found
  throw new Error(`token: ${id} is not in delegations`)
}

/** Whether a search for a subject lists a resource. What is only public is listed for anyone alone. */
function opens({ kind }: FakeSubject, { allowed, reasons }: ReturnType<typeof decide>): boolean {
  if (!allowed) return false
  return kind !== 'link' || reasons.some(({ rule }) => rule === 'link')
}

/** Returns how a search names a user or group: by its `external_id`, if that cannot be another name. */
function listedName({ id, externalId }: FakeSubject): string {
  const isExternalId = externalId !== '' && !isUuid(externalId) && !externalId.includes('@')
  return isExternalId ? externalId : id
}

function iterate(list: () => Promise<string[]>): AsyncIterable<string> {
  return {
    async *[Symbol.asyncIterator]() {
      yield* await list()
    },
  }
}
