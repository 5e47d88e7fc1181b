import type { Ancestor, RegisteredResource, Share } from '../results.ts'
import type { FakeResource, FakeShare, FakeState } from './state.ts'

/** Returns a resource without its links and expired shares. */
export function viewResource(resource: FakeResource): RegisteredResource {
  const { parent, shares, links: _, ...facts } = resource
  const isCurrent = ({ expiresAt }: FakeShare) => !expiresAt || expiresAt.getTime() > Date.now()
  return {
    ...facts,
    ownerName: undefined,
    ownerEmail: undefined,
    parent: parent && { type: parent.type, resourceId: parent.resourceId },
    shares: shares.filter(isCurrent).map(viewShare),
    ancestors: [],
  }
}

export function viewShare({ userId, groupId, ...share }: FakeShare): Share {
  const grantee = userId === undefined ? { groupId: groupId ?? '' } : { userId }
  return { ...share, grantee, granteeName: undefined, granteeEmail: undefined }
}

/** Returns a resource with the names of its owner and grantees, and with what it inherits. */
export function viewComplete(state: FakeState, resource: FakeResource): RegisteredResource {
  const ancestors: Ancestor[] = []
  for (let current = resource; current.parent && current.inherits; ) {
    current = current.parent
    const {
      workspaceId,
      parent,
      inherits,
      attributes,
      createdAt,
      ancestors: _,
      ...ancestor
    } = viewNamed(state, current)
    ancestors.push(ancestor)
  }
  return { ...viewNamed(state, resource), ancestors }
}

export function viewNamed(state: FakeState, resource: FakeResource): RegisteredResource {
  const viewed = viewResource(resource)
  const owner = state.users.get(resource.ownerId)
  return {
    ...viewed,
    ownerName: owner?.name || undefined,
    ownerEmail: owner?.email || undefined,
    shares: viewed.shares.map((share) => {
      const { grantee } = share
      const user = 'userId' in grantee ? state.users.get(grantee.userId) : undefined
      const named = 'userId' in grantee ? user : state.groups.get(grantee.groupId)
      return {
        ...share,
        granteeName: named?.name || undefined,
        granteeEmail: user?.email || undefined,
      }
    }),
  }
}
