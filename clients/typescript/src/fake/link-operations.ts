import type { UserChangeOptions } from '../argument-types.ts'
import { nameGrant } from '../arguments.ts'
import { invalidArgument, NotFoundError } from '../errors.ts'
import type { LinkOperations, LinkOptions, NewLink } from '../links.ts'
import type { FakeRights } from './rights.ts'
import type { Run } from './run.ts'
import { readGranted } from './terms.ts'
import { type FakeState, requireId } from './world.ts'

export function createFakeLinkOperations(
  state: FakeState,
  { requireUser, requireManageable }: FakeRights,
  run: Run,
): LinkOperations {
  return {
    createLink: (resource, grant, options = {} as LinkOptions) =>
      run(options, () => {
        const { as, context, name, ...terms } = options
        const { sub } = requireUser(as)
        const found = requireManageable(resource, { as, context })
        const granted = readGranted(state, found.type, nameGrant(grant), terms)
        if (granted.isManaging)
          throw invalidArgument({ field: 'grant.role', message: 'must not contain manage' })
        const link: NewLink = {
          id: crypto.randomUUID(),
          ...granted.terms,
          name,
          createdBy: sub,
          createdAt: new Date(),
          lastUsedOn: undefined,
          token: `dl_${crypto.randomUUID()}`,
        }
        found.links.push(link)
        return { ...link }
      }),

    links: (resource, options = {} as UserChangeOptions) =>
      run(options, () => {
        requireUser(options.as)
        const { links } = requireManageable(resource, options)
        const current = links.filter(
          ({ expiresAt }) => !expiresAt || expiresAt.getTime() > Date.now(),
        )
        return current.map(({ token: _, ...link }) => link)
      }),

    revokeLink: (resource, linkId, options = {} as UserChangeOptions) =>
      run(options, () => {
        requireId(state, 'linkId', linkId)
        requireUser(options.as)
        const found = requireManageable(resource, options)
        const kept = found.links.filter(({ id }) => id !== linkId)
        if (kept.length === found.links.length)
          throw new NotFoundError('LINK_NOT_FOUND', 'Link not found')
        found.links = kept
      }),
  }
}
