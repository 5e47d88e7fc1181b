import { isInLiveWorkspace } from '../../../database/deleted-rows.ts'
import { statusBit } from '../bits.ts'
import type { Ctes } from '../statement.ts'
import type { SubjectKind } from './subject-kind.ts'

/**
 * A group may do what every one of its members may do. It therefore counts as an active user who
 * is a viewer of its workspace and a member of itself and of the groups that contain it, and who owns
 * nothing and has neither shares nor custom roles of their own. It is a guest while a member is one.
 */
export const group: SubjectKind = {
  idMember: 'groupId',
  tables,
  // A group that does not exist may not even view what is public, unlike an unknown user.
  ignoredBits: statusBit.anonymous,
  ignoredInSearches: 0,
  rules: null,
  coverage: null,
  hasRole: true,
  isPlural: true,
  // Changes to the groups that contain a group have no record.
  isRemembered: false,
}

function tables(ids: string): Ctes {
  return {
    subject_group: `
  select id, workspace_id, name from groups
  where id = any(${ids}) and ${isInLiveWorkspace('groups.workspace_id')}`,
    containing: `
  select id as subject_id, id as group_id from subject_group
  union
  select c.subject_id, p.parent_id from containing c join group_parents p on p.child_id = c.group_id`,
    users: `
  select id, null::text as email, null::text as external_id, 'Group ' || name as name,
    true as is_active, false as is_admin, null::uuid as workspace_id
  from subject_group`,
    live_members: `
  select id as user_id, workspace_id, 'viewer' as role, null::timestamptz as expires_at,
    exists (select from groups_with_guests w where w.group_id = subject_group.id offset 0) as is_guest
  from subject_group`,
    group_members: `
  select c.group_id, c.subject_id as user_id, g.workspace_id, c.group_id = c.subject_id as is_direct
  from containing c join subject_group g on g.id = c.subject_id`,
  }
}
