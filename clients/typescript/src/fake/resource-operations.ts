import type { Daikon } from '../api.ts'
import type { Registration, Resource } from '../argument-types.ts'
import { nameOwner, readObject, requireResource } from '../arguments.ts'
import { createError, invalidArgument, NotFoundError } from '../errors.ts'
import { mergeObject } from '../gen/core/merge-patch.ts'
import { resourceId } from '../resource-id.ts'
import { readAll } from './batches.ts'
import { requireFreeType, requireVisibility } from './declarations.ts'
import { findOwner, requireId, requireOwner } from './names.ts'
import type { FakeRights } from './rights.ts'
import type { Run } from './run.ts'
import { type FakeResource, type FakeState, resourceKey } from './state.ts'
import { viewComplete, viewResource } from './views.ts'

type ResourceOperations = Pick<
  Daikon,
  | 'get'
  | 'register'
  | 'registerMany'
  | 'setAttributes'
  | 'setDisplayName'
  | 'setParent'
  | 'setVisibility'
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
    requireId(state, 'workspaceId', workspaceId)
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
      const message = 'A resource cannot be its own ancestor'
      throw createError('already_exists', 'PARENT_CYCLE', message)
    }
    const below = Math.max(
      ...[...state.resources.values()].map((other) => depthBelow(other, resource)),
    )
    if (chain.length + 1 + below > maxChainLength) {
      const message = `must not be nested more than ${maxChainLength} levels deep`
      throw invalidArgument({ field: 'parent', message })
    }
    resource.parent = parent
  }

  return {
    register: (registration, options = {}) =>
      run(options, () => viewResource(register(registration))),

    registerMany: (registrations, options = {}) =>
      run(options, () => {
        const before = new Map(state.resources)
        return readAll('registrations', registrations, register, () => {
          state.resources = before
        }).map(viewResource)
      }),

    get: (resource, options = {}) =>
      run(options, () => viewComplete(state, rights.requireResource(resource))),

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
        found.attributes = mergeObject(found.attributes, patch)
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

    transfer: (resource, ownerId, options = {}) =>
      run(options, () => {
        requireId(state, 'ownerId', ownerId)
        const found = requireManageable(resource, options)
        rights.requireOwnership(found, options)
        requireOwner(state, found.workspaceId, { owner_id: ownerId }, ownerId)
        found.ownerId = ownerId
        return viewResource(found)
      }),
  }
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
