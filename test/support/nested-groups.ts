import type { Pool } from 'pg'

/**
 * Compares `group_members` with the direct members of each group and its descendants, which are
 * computed separately. Returns a description of every difference.
 */
export async function findNestedGroupErrors(pool: Pool, workspaceId: string): Promise<string[]> {
  const { rows } = await pool.query(
    `select
       (select coalesce(json_agg(id), '[]') from groups where workspace_id = $1) as groups,
       (select coalesce(json_agg(p), '[]') from group_parents p where workspace_id = $1) as links,
       (select coalesce(json_agg(m), '[]') from group_members m where workspace_id = $1) as members`,
    [workspaceId],
  )
  const { groups, links, members } = rows[0] as {
    groups: string[]
    links: { parent_id: string; child_id: string }[]
    members: { group_id: string; user_id: string; is_direct: boolean }[]
  }
  const directMembersOf = (group: string) =>
    members.flatMap((row) => (row.group_id === group && row.is_direct ? row.user_id : []))
  const membersBelow = (group: string): string[] =>
    links
      .filter(({ parent_id }) => parent_id === group)
      .flatMap(({ child_id }) => [...directMembersOf(child_id), ...membersBelow(child_id)])

  return groups.flatMap((group) => {
    const direct = new Set(directMembersOf(group))
    const expected = new Set(membersBelow(group).filter((user) => !direct.has(user)))
    const stored = new Set(
      members.flatMap((row) => (row.group_id === group && !row.is_direct ? row.user_id : [])),
    )
    const missing = [...expected].filter((user) => !stored.has(user))
    const superfluous = [...stored].filter((user) => !expected.has(user))
    return [
      ...missing.map((user) => `${user} is missing in ${group}`),
      ...superfluous.map((user) => `${user} remains in ${group}`),
    ]
  })
}
