import type { ActivityEntry } from '../../../gen/daikon/v1/admin_records.ts'

/** Users of a workspace whose permissions an event may have changed. */
export type Concerned =
  | { kind: 'everyone' }
  /** The owners and admins of the workspace. */
  | { kind: 'managers' }
  | { kind: 'user' | 'group' | 'role'; id: string }
  /** Everyone, if conditions may read the attributes of the resource type. */
  | { kind: 'conditions'; id: string }

/** The detail of an entry. */
export type Detail = Record<string, string>

/** Returns the users whose permissions an event may have changed. */
export type Concerns = (entry: ActivityEntry, detail: Detail) => Concerned[]

export const everyone: Concerns = () => [{ kind: 'everyone' }]

/** The user who is the target of the event. */
export const target: Concerns = ({ target_id }) => users(target_id)

/** The holders of the role that is the target of the event. */
export const roleHolders: Concerns = ({ target_id: id }) => (id ? [{ kind: 'role', id }] : [])

export function users(...ids: (string | undefined)[]): Concerned[] {
  return ids.flatMap((id) => (id ? [{ kind: 'user', id }] : []))
}

export function group(id: string | undefined): Concerned[] {
  return id ? [{ kind: 'group', id }] : []
}
