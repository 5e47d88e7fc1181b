import type { RegisteredResource, Share } from '../results.ts'
import type { FakeResource, FakeShare } from './state.ts'

/** Returns a resource without its links and expired shares. */
export function viewResource(resource: FakeResource): RegisteredResource {
  const { parent, shares, links: _, ...facts } = resource
  const isCurrent = ({ expiresAt }: FakeShare) => !expiresAt || expiresAt.getTime() > Date.now()
  return {
    ...facts,
    parent: parent && { type: parent.type, resourceId: parent.resourceId },
    shares: shares.filter(isCurrent).map(viewShare),
  }
}

export function viewShare({ userId, groupId, ...share }: FakeShare): Share {
  return { ...share, grantee: userId === undefined ? { groupId: groupId ?? '' } : { userId } }
}
