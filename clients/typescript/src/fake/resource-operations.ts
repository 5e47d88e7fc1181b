import type { Daikon, NewShare, Registration, Resource } from '../api.ts'
import {
  nameGrant,
  nameGrantee,
  nameOwner,
  readObject,
  readTerms,
  requireResource,
} from '../arguments.ts'
import {
  createError,
  type Field,
  InvalidArgumentError,
  invalidArgument,
  NotFoundError,
} from '../errors.ts'
import { resourceId } from '../resource-id.ts'
import type { RegisteredResource, Share } from '../results.ts'
import { requireFreeType } from './declarations.ts'
import { type FakeGrantee, findGrantee, findOwner, isInWorkspace, requireOwner } from './names.ts'
import type { FakeRights } from './rights.ts'
import type { Run } from './run.ts'
import { readGranted } from './terms.ts'
import {
  type FakeResource,
  type FakeShare,
  type FakeState,
  requireUuid,
  requireVisibility,
  resourceKey,
} from './world.ts'

type ResourceOperations = Pick<
  Daikon,
  | 'get'
  | 'register'
  | 'registerMany'
  | 'revoke'
  | 'setAttributes'
  | 'setDisplayName'
  | 'setParent'
  | 'setVisibility'
  | 'share'
  | 'shareMany'
  | 'shares'
  | 'transfer'
  | 'unregister'
>

const maxChainLength = 32

export function createFakeResourceOperations(
  state: FakeState,
  rights: FakeRights,
  run: Run,
): ResourceOperations {
  const { requireManageable } = rights

  function register(registration: Registration): FakeResource {
    const { type, id, workspaceId, visibility = 'private', parent } = registration
    const resource = { type, id }
    requireResource(resource)
    rights.requireOwnService()
    requireFreeType(type)
    requireUuid('workspace_id', workspaceId)
    const name = nameOwner(registration)
    const ownerId = findOwner(state, name)
    const known = state.resources.get(resourceKey(state, resource))
    if (known) {
      if (known.workspaceId === workspaceId && known.ownerId === ownerId) return known
      const message = 'The resource is registered with another workspace or owner'
      throw createError('already_exists', 'RESOURCE_REGISTERED', message)
    }
    if (!state.workspaces.has(workspaceId))
      throw new NotFoundError('WORKSPACE_NOT_FOUND', 'Workspace not found')
    requireOwner(state, workspaceId, name, ownerId)
    requireVisibility(state, type, visibility)
    const created: FakeResource = {
      type,
      id,
      resourceId: resourceId(state.service, type, id),
      workspaceId,
      ownerId,
      visibility,
      parent: parent && requireParent(workspaceId, parent),
      inherits: true,
      attributes: readObject('attributes', registration.attributes ?? {}),
      displayName: registration.displayName,
      createdAt: new Date(),
      shares: [],
      links: [],
    }
    state.resources.set(resourceKey(state, resource), created)
    return created
  }

  function requireParent(workspaceId: string, parent: Resource): FakeResource {
    const found = state.resources.get(resourceKey(state, parent))
    if (found?.workspaceId === workspaceId) return found
    const message = 'must be a resource of the same service and workspace'
    throw invalidArgument({ field: 'parent', message })
  }

  function move(resource: FakeResource, parent: FakeResource): void {
    const chain = [parent]
    for (let above = parent.parent; above; above = above.parent) chain.push(above)
    if (chain.includes(resource)) {
      const message = 'A resource must not be its own parent or below itself'
      throw createError('already_exists', 'PARENT_CYCLE', message)
    }
    const below = Math.max(
      ...[...state.resources.values()].map((other) => depthBelow(other, resource)),
    )
    if (chain.length + 1 + below > maxChainLength) {
      const message = `must not make a chain of more than ${maxChainLength} resources`
      throw invalidArgument({ field: 'parent', message })
    }
    resource.parent = parent
  }

  function grant(
    resource: FakeResource,
    { grantee, grant: given, ...terms }: Omit<NewShare, 'resource'>,
    options: Parameters<Daikon['shareMany']>[1] & object,
  ): FakeShare {
    const granted = readGranted(state, resource.type, nameGrant(given), terms)
    if (granted.isManaging) rights.requireOwnership(resource, options)
    const { field: _, ...found } = findGrantee(state, resource, grantee)
    if (!isInWorkspace(state, resource, found)) {
      const kind = found.userId === undefined ? 'group' : 'user'
      throw new NotFoundError('GRANTEE_NOT_FOUND', `No such ${kind} in the workspace`)
    }
    const known = findShare(resource, found)
    const { as } = options
    const share: FakeShare = {
      id: known?.id ?? crypto.randomUUID(),
      ...found,
      ...granted.terms,
      // A service that shares without a user does so for the owner.
      grantedBy: as === undefined ? resource.ownerId : rights.requireUser(as).sub,
      grantedAt: new Date(),
    }
    resource.shares = [...resource.shares.filter((other) => other !== known), share]
    return share
  }

  return {
    register: (registration, options = {}) =>
      run(options, () => viewResource(register(registration))),

    registerMany: (registrations, options = {}) =>
      run(options, () => {
        const before = new Map(state.resources)
        return withFields('resources', registrations, register, () => {
          state.resources = before
        }).map(viewResource)
      }),

    get: (resource, options = {}) =>
      run(options, () => viewResource(rights.requireResource(resource))),

    unregister: (resource, { cascade = false, ...options } = {}) =>
      run(options, () => {
        const found = requireManageable(resource, options)
        for (const [key, other] of [...state.resources]) {
          if (other === found || (cascade && depthBelow(other, found) > 0))
            state.resources.delete(key)
        }
        for (const child of state.resources.values())
          if (child.parent === found) child.parent = undefined
      }),

    share: (resource, grantee, given, options = {}) =>
      run(options, () => {
        const { as, context, expiresAt, condition } = options
        readTerms({ expiresAt, condition })
        nameGrant(given)
        nameGrantee(grantee)
        rights.requireUser(as)
        const found = requireManageable(resource, { as, context })
        const terms = { expiresAt, condition }
        return viewShare(grant(found, { grantee, grant: given, ...terms }, { as, context }))
      }),

    shareMany: (shares, options = {}) =>
      run(options, () => {
        const before = shares.flatMap(({ resource }) => {
          const found = state.resources.get(resourceKey(state, resource))
          return found ? [{ found, shares: found.shares }] : []
        })
        const named = new Set<string>()
        const granted = withFields(
          'shares',
          shares,
          ({ resource, ...share }) => {
            requireResource(resource)
            rights.requireOwnService()
            const found = state.resources.get(resourceKey(state, resource))
            if (!found)
              throw invalidArgument({
                field: 'resource_id',
                message: 'is not a registered resource',
              })
            requireManageable(resource, options)
            const { field, ...name } = findGrantee(state, found, share.grantee)
            if (!isInWorkspace(state, found, name)) {
              const message = 'is not in the workspace of the resource'
              throw invalidArgument({ field, message })
            }
            const key = `${found.resourceId} ${name.userId} ${name.groupId}`
            if (named.has(key)) throw invalidArgument({ field, message: 'is duplicated' })
            named.add(key)
            return grant(found, share, options)
          },
          () => {
            for (const { found, shares } of before) found.shares = shares
          },
        )
        return granted.map(viewShare)
      }),

    shares: (resource, options = {}) =>
      run(options, () => viewResource(rights.requireResource(resource)).shares),

    revoke: (resource, grantee, options = {}) =>
      run(options, () => {
        nameGrantee(grantee)
        const found = requireManageable(resource, options)
        const share = findShare(found, findGrantee(state, found, grantee))
        if (!share) throw new NotFoundError('SHARE_NOT_FOUND', 'Share not found')
        found.shares = found.shares.filter((other) => other !== share)
      }),

    setVisibility: (resource, visibility, options = {}) =>
      run(options, () => {
        const found = requireManageable(resource, options)
        requireVisibility(state, resource.type, visibility)
        found.visibility = visibility
        return viewResource(found)
      }),

    setAttributes: (resource, attributes, options = {}) =>
      run(options, () => {
        const patch = readObject('attributes', attributes)
        const found = requireManageable(resource, options)
        found.attributes = mergePatch(found.attributes, patch)
        return viewResource(found)
      }),

    setDisplayName: (resource, displayName, options = {}) =>
      run(options, () => {
        const found = requireManageable(resource, options)
        found.displayName = displayName ?? undefined
        return viewResource(found)
      }),

    setParent: (resource, parent, { inherits, ...options } = {}) =>
      run(options, () => {
        const found = requireManageable(resource, options)
        const above = parent ? requireParent(found.workspaceId, parent) : undefined
        if (above && above !== found.parent) {
          rights.requireEditableParent(above, options)
          move(found, above)
        }
        if (!above) found.parent = undefined
        found.inherits = inherits ?? found.inherits
        return viewResource(found)
      }),

    transfer: (resource, userId, options = {}) =>
      run(options, () => {
        requireUuid('owner_id', userId)
        const found = requireManageable(resource, options)
        rights.requireOwnership(found, options)
        requireOwner(state, found.workspaceId, { owner_id: userId }, userId)
        found.ownerId = userId
        return viewResource(found)
      }),
  }
}

/**
 * Returns what `read` returns for each item. If it fails for any, undoes all and throws the problems
 * with fields such as `shares[3].grantee_id`.
 */
function withFields<Item, Result>(
  list: string,
  items: readonly Item[],
  read: (item: Item) => Result,
  undo: () => void,
): Result[] {
  const fields: Field[] = []
  const results = items.flatMap((item, index) => {
    try {
      return [read(item)]
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) {
        undo()
        throw error
      }
      for (const { field, message } of error.fields)
        fields.push({ field: `${list}[${index}].${field}`, message })
      return []
    }
  })
  if (fields.length === 0) return results
  undo()
  throw invalidArgument(...fields)
}

/** Returns how far a resource is below another one; 0 if it is not. */
function depthBelow(resource: FakeResource, above: FakeResource): number {
  let depth = 1
  for (let parent = resource.parent; parent; parent = parent.parent) {
    if (parent === above) return depth
    depth += 1
  }
  return 0
}

/** Applies a merge patch (RFC 7396) to an object. */
function mergePatch(
  target: Record<string, unknown>,
  patch: Record<string, unknown>,
): Record<string, unknown> {
  const members = new Map(Object.entries(target))
  for (const [name, value] of Object.entries(patch)) {
    const before = members.get(name)
    if (value === null) members.delete(name)
    else
      members.set(name, isObject(value) ? mergePatch(isObject(before) ? before : {}, value) : value)
  }
  return Object.fromEntries(members)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function findShare(
  { shares }: FakeResource,
  { userId, groupId }: FakeGrantee,
): FakeShare | undefined {
  return shares.find((share) => share.userId === userId && share.groupId === groupId)
}

function viewResource(resource: FakeResource): RegisteredResource {
  const { parent, shares, links: _, ...facts } = resource
  const isCurrent = ({ expiresAt }: FakeShare) => !expiresAt || expiresAt.getTime() > Date.now()
  return {
    ...facts,
    parent: parent && { type: parent.type, resourceId: parent.resourceId },
    shares: shares.filter(isCurrent).map(viewShare),
  }
}

function viewShare({ userId, groupId, ...share }: FakeShare): Share {
  return { ...share, grantee: userId === undefined ? { groupId: groupId ?? '' } : { userId } }
}
