import { isInLiveWorkspace } from '../../../database/deleted-rows.ts'
/**
 * Returns the statement that asks about groups instead of users. `ids` is SQL for an array with the
 * IDs of groups, which the statement accepts in place of user IDs.
 *
 * A group may do what each of its members may do at least. It therefore counts as an active user who
 * is a viewer of its workspace and a member of itself and of the groups that contain it, and who owns
 * nothing and has neither shares nor custom roles of their own. Common table expressions with the
 * names of the tables say so: the statement reads them instead, so that no grant needs a second form.
 */
export function askAboutGroups(sql: string, ids: string): string {
  const [, rest] = /^\s*with (?:recursive )?(.*)$/s.exec(sql) ?? []
  if (rest === undefined) throw new Error('The statement must begin with a common table expression')
  return `with recursive subject_group as materialized (
  select id, workspace_id, name from groups
  where id = any(${ids}) and ${isInLiveWorkspace('groups.workspace_id')}
), containing (subject_id, group_id) as (
  select id, id from subject_group
  union
  select c.subject_id, p.parent_id from containing c join group_parents p on p.child_id = c.group_id
), users as materialized (
  select id, null::text as email, null::text as external_id, 'Group ' || name as name,
    true as is_active, false as is_admin, null::uuid as workspace_id
  from subject_group
), live_members as materialized (
  select id as user_id, workspace_id, 'viewer' as role from subject_group
), group_members as materialized (
  select c.group_id, c.subject_id as user_id, g.workspace_id, c.group_id = c.subject_id as is_direct
  from containing c join subject_group g on g.id = c.subject_id
), ${rest}`
}
