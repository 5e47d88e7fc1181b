import type {
  ActionsByType,
  Condition,
  Grant,
  GrantTerms,
  Permission,
  Resource,
  TypeOf,
  UserChangeOptions,
} from './argument-types.ts'
import { nameGrant, readContext, readTerms } from './arguments.ts'
import type { Caller } from './caller.ts'
import type { DaikonError } from './errors.ts'
import type { ResourceLink } from './gen/daikon/v1/links.ts'
import { permissionService } from './gen/methods.ts'
import { readPosition } from './records.ts'
import { requireList, requireText } from './responses.ts'

/** A link to a resource. Anyone who has its token may do what the link grants. */
export type Link = {
  id: string
  /** Undefined if the link has a role. */
  permission: Permission | undefined
  /** The role of the resource type; undefined if the link has a permission. */
  role: string | undefined
  /** Undefined if there is none. */
  name: string | undefined
  /** The ID of the user who created the link; undefined if that user has been deleted. */
  createdBy: string | undefined
  createdAt: Date
  /** Undefined if the link does not expire. */
  expiresAt: Date | undefined
  /** The day of the last use in UTC, as in `2026-01-31`; undefined if it has not been used. */
  lastUsedOn: string | undefined
  /** The condition under which the link counts; undefined if it always counts. */
  condition: Condition | undefined
}

/** A link with its token (`dl_…`), for checks with `{ link: token }`. */
export type NewLink = Link & {
  token: string
  /** The position of the change, which a copy that has reached it contains. */
  position?: string | undefined
}

export type LinkOptions = UserChangeOptions &
  GrantTerms & {
    /** A name by which people tell links apart. */
    name?: string | undefined
  }

/** The operations on links. The user of `as` must be allowed to manage the resource. */
export type LinkOperations<Actions extends ActionsByType = ActionsByType> = {
  /**
   * Creates a link. Its token is returned only here. The role of a link must not contain `manage`.
   *
   * @example
   * const { token: link } = await daikon.createLink(document, 'view', { as: token })
   * await daikon.check({ link }, 'view', document)
   */
  createLink<Type extends TypeOf<Actions>>(
    resource: Resource<Type>,
    grant: Grant<Actions[Type]>,
    options: LinkOptions,
  ): Promise<NewLink>
  /** Returns the links to a resource, oldest first, without their tokens. */
  links(resource: Resource<TypeOf<Actions>>, options: UserChangeOptions): Promise<Link[]>
  /** Revokes a link by its ID. */
  revokeLink(
    resource: Resource<TypeOf<Actions>>,
    linkId: string,
    options: UserChangeOptions,
  ): Promise<void>
}

export function createLinkOperations({ keyOf, send, trySend }: Caller): LinkOperations {
  return {
    async createLink(
      resource,
      grant,
      { as: token, context, name, ...options } = {} as LinkOptions,
    ) {
      const { expiresAt, condition, ...call } = options
      const request = {
        ...keyOf(resource),
        permission: '',
        ...nameGrant(grant),
        ...readTerms({ expiresAt, condition }),
        ...(name !== undefined && { name }),
        ...readContext(context),
      }
      const created = await send(permissionService.createLink, request, {
        ...call,
        token,
        // A repeated call would create another link.
        retry: false,
      })
      return { ...readLink(created), token: created.token, ...readPosition(created) }
    },

    async links(resource, { as: token, context, ...options } = {} as UserChangeOptions) {
      const request = { ...keyOf(resource), ...readContext(context) }
      const { links } = await send(permissionService.listLinks, request, {
        ...options,
        token,
        retry: true,
      })
      return requireList('links', links).map(readLink)
    },

    async revokeLink(
      resource,
      linkId,
      { as: token, context, ...options } = {} as UserChangeOptions,
    ) {
      const request = { ...keyOf(resource), link_id: linkId, ...readContext(context) }
      await trySend(permissionService.deleteLink, request, {
        ...options,
        token,
        retry: true,
        onRepeated: ({ reason }: DaikonError) => reason === 'LINK_NOT_FOUND',
      })
    },
  }
}

function readLink(link: ResourceLink): Link {
  const { id, permission, role, name, created_by, created_at, expires_at, last_used_on } = link
  return {
    id: requireText('id', id),
    permission: permission as Permission | undefined,
    role,
    name,
    createdBy: created_by,
    createdAt: new Date(created_at ?? 0),
    expiresAt: expires_at === undefined ? undefined : new Date(expires_at),
    lastUsedOn: last_used_on,
    condition: link.condition,
  }
}
