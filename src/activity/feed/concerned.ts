import type { ActivityEntry } from '../../../gen/daikon/v1/admin_records.ts'
import type { ActivityEventName } from '../events.ts'

/** Users of a workspace whose permissions an event may have changed. */
export type Concerned =
  | { kind: 'everyone' }
  /** The owners and admins of the workspace. */
  | { kind: 'managers' }
  | { kind: 'user' | 'group' | 'role'; id: string }
  /** Everyone, if conditions may read the attributes of the resource type. */
  | { kind: 'conditions'; id: string }

type Detail = Record<string, string>

const everyone: Concerned[] = [{ kind: 'everyone' }]

const target = ({ target_id }: ActivityEntry): Concerned[] => users(target_id)

const users = (...ids: (string | undefined)[]): Concerned[] =>
  ids.flatMap((id) => (id ? [{ kind: 'user', id }] : []))

const group = (id: string | undefined): Concerned[] => (id ? [{ kind: 'group', id }] : [])

const grantee = ({ grantee_type, grantee_id }: Detail): Concerned[] =>
  grantee_type === 'group' ? group(grantee_id) : users(grantee_id)

const roleHolders = ({ target_id: id }: ActivityEntry): Concerned[] =>
  id ? [{ kind: 'role', id }] : []

/** The users with grants on a resource that is registered or unregistered. */
function resourceUsers({ owner_id, visibility, parent, shares = '0' }: Detail): Concerned[] {
  const isPrivate = visibility === 'private' && parent === 'none' && shares === '0'
  return isPrivate ? [...users(owner_id), { kind: 'managers' }] : everyone
}

/** The users whom each event concerns. Other events change no permissions. */
const concernedBy: {
  [Name in ActivityEventName]?: (entry: ActivityEntry, detail: Detail) => Concerned[]
} = {
  'member.invited': target,
  'member.role_changed': target,
  'member.expiry_changed': target,
  'member.expired': target,
  'member.removed': target,
  'member.support_began': target,
  'member.support_ended': target,
  'group.deleted': () => everyone,
  'group.member_added': (_, { user_id }) => users(user_id),
  'group.members_added': (_, { user_ids = '' }) => users(...user_ids.split(' ')),
  'group.member_removed': (_, { user_id }) => users(user_id),
  'group.child_added': (_, { child_id }) => group(child_id),
  'group.child_removed': (_, { child_id }) => group(child_id),
  'role.deleted': () => everyone,
  'role.member_added': (_, { user_id }) => users(user_id),
  'role.member_removed': (_, { user_id }) => users(user_id),
  'role.group_added': (_, { group_id }) => group(group_id),
  'role.group_removed': (_, { group_id }) => group(group_id),
  'role.action_added': roleHolders,
  'role.action_removed': roleHolders,
  'service_action.registered': () => everyone,
  'resource_type.declared': () => everyone,
  'permission.registered': (_, detail) => resourceUsers(detail),
  'permission.visibility_changed': () => everyone,
  'permission.owner_changed': (_, { from, to }) => users(from, to),
  'permission.shared': (_, detail) => grantee(detail),
  'permission.share_expired': (_, detail) => grantee(detail),
  'permission.share_revoked': (_, detail) => grantee(detail),
  'permission.parent_changed': () => everyone,
  'permission.attributes_changed': (_, { service_name, resource_type }) => [
    { kind: 'conditions', id: `${service_name}/${resource_type}` },
  ],
  'permission.unregistered': (_, detail) => resourceUsers(detail),
  'permission.tree_unregistered': () => everyone,
}

/**
 * Returns the users whose permissions an event may have changed: users of its workspace, or of any
 * workspace if the event belongs to none.
 */
export function findConcerned(entry: ActivityEntry): Concerned[] {
  const find = concernedBy[entry.action as ActivityEventName]
  return find?.(entry, (entry.detail ?? {}) as Detail) ?? []
}
