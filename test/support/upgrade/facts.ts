import type { Pool } from 'pg'

/** Acknowledged facts of each kind, as the statement of the kind returns them. */
export type Facts = ReturnType<typeof createFacts>

/** What tables say, in one text a fact. */
const statements = {
  'user signed in': 'select email as fact from users',
  workspace: "select concat_ws(' ', id, name) as fact from workspaces",
  member: "select concat_ws(' ', workspace_id, user_id, role) as fact from members",
  'inactive user': 'select id::text as fact from users where not is_active',
  'active user': 'select id::text as fact from users where is_active',
  'role action': `select concat_ws(' ', ra.role_id, a.name) as fact
    from custom_role_actions ra join service_actions a on a.id = ra.service_action_id`,
  'role member': "select concat_ws(' ', role_id, user_id) as fact from custom_role_members",
  type: `select concat_ws(' ', k.service_name, k.resource_type, t.description) as fact
    from resource_types t join resource_kinds k on k.id = t.kind_id`,
  // A person of a directory is a member exactly while the directory lets them be.
  'person of a directory': `
    select concat_ws(' ', p.user_id, p.user_name, p.attributes->>'displayName', p.is_active,
      m.user_id is not null) as fact
    from scim_users p left join members m using (workspace_id, user_id) where p.deleted_at is null`,
  'member of a group': "select concat_ws(' ', group_id, user_id) as fact from group_members",
} as const

type Kind = keyof typeof statements

/** Creates a record of what calls have acknowledged. */
export function createFacts() {
  const present = new Map<Kind, Set<string>>()
  const absent = new Map<Kind, Set<string>>()
  const setOf = (facts: typeof present, kind: Kind) => {
    const known = facts.get(kind) ?? new Set<string>()
    facts.set(kind, known)
    return known
  }
  const nameOf = (parts: (string | boolean)[]) =>
    parts.map((part) => (typeof part === 'string' ? part : part ? 't' : 'f')).join(' ')
  return {
    /** Records that a fact is in the database. */
    expect(kind: Kind, ...parts: (string | boolean)[]): void {
      setOf(present, kind).add(nameOf(parts))
      setOf(absent, kind).delete(nameOf(parts))
    },
    /** Records that a fact is no longer in the database. */
    expectNone(kind: Kind, ...parts: (string | boolean)[]): void {
      setOf(absent, kind).add(nameOf(parts))
      setOf(present, kind).delete(nameOf(parts))
    },
    /** Forgets a fact before it changes, because the change may fail without a response. */
    forget(kind: Kind, ...parts: (string | boolean)[]): void {
      setOf(present, kind).delete(nameOf(parts))
      setOf(absent, kind).delete(nameOf(parts))
    },
    counts: () =>
      Object.fromEntries(
        (Object.keys(statements) as Kind[]).map((kind) => [
          kind,
          setOf(present, kind).size + setOf(absent, kind).size,
        ]),
      ),
    /** Returns the facts that are missing and those that remain. */
    async findDifferences(pool: Pool): Promise<string[]> {
      const differences: string[] = []
      for (const [kind, sql] of Object.entries(statements) as [Kind, string][]) {
        const { rows } = await pool.query<{ fact: string }>(sql)
        const stored = new Set(rows.map(({ fact }) => fact))
        for (const fact of setOf(present, kind))
          if (!stored.has(fact)) differences.push(`${kind} ${fact} is lost`)
        for (const fact of setOf(absent, kind))
          if (stored.has(fact)) differences.push(`${kind} ${fact} remains`)
      }
      return differences
    },
  }
}
