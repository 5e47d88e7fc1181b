import type { Daikon } from '../api.ts'
import type { ChangeOptions, NewShare, ShareOptions } from '../argument-types.ts'
import { nameGrant, nameGrantee, readTerms, requireResource } from '../arguments.ts'
import { invalidArgument, NotFoundError } from '../errors.ts'
import { readAll } from './batches.ts'
import { type FakeGrantee, findGrantee, isInWorkspace } from './names.ts'
import type { FakeRights } from './rights.ts'
import type { Run } from './run.ts'
import { readGranted } from './terms.ts'
import { viewNamed, viewShare } from './views.ts'
import { type FakeResource, type FakeShare, type FakeState, resourceKey } from './world.ts'

type ShareOperations = Pick<Daikon, 'revoke' | 'share' | 'shareMany' | 'shares'>

export function createFakeShareOperations(
  state: FakeState,
  rights: FakeRights,
  run: Run,
): ShareOperations {
  const { requireManageable } = rights

  function grant(
    resource: FakeResource,
    { grantee, grant: given, ...terms }: Omit<NewShare, 'resource'>,
    options: ChangeOptions,
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
    share: (resource, grantee, given, options = {} as ShareOptions) =>
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
        const granted = readAll(
          'shares',
          shares,
          ({ resource, ...share }) => {
            requireResource(resource)
            rights.requireOwnService()
            const found = state.resources.get(resourceKey(state, resource))
            if (!found)
              throw invalidArgument({
                field: 'resource.id',
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
      run(options, () => viewNamed(state, rights.requireResource(resource)).shares),

    revoke: (resource, grantee, options = {}) =>
      run(options, () => {
        nameGrantee(grantee)
        const found = requireManageable(resource, options)
        const share = findShare(found, findGrantee(state, found, grantee))
        if (!share) throw new NotFoundError('SHARE_NOT_FOUND', 'Share not found')
        found.shares = found.shares.filter((other) => other !== share)
      }),
  }
}

function findShare(
  { shares }: FakeResource,
  { userId, groupId }: FakeGrantee,
): FakeShare | undefined {
  return shares.find((share) => share.userId === userId && share.groupId === groupId)
}
