import pg from 'pg'

const workspaceSize = 1000
const members = 100
const groups = 20

/**
 * Inserts resources in workspaces of 1,000, with 100 members and 20 groups each. Two members and a
 * group have a share of every resource, and every resource has an entry in the activity log. Fills
 * the tables of the release, before any later migration.
 */
export async function insertLargeDatabase(url: string, resources: number): Promise<void> {
  const workspaces = Math.ceil(resources / workspaceSize)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const run = (sql: string) => client.query(sql)
  try {
    // Without triggers and checks of foreign keys, and on disk only at the end.
    await run('set session_replication_role = replica')
    await run('set synchronous_commit = off')
    await run(`create function pg_temp.id(kind int, n bigint) returns uuid language sql immutable return
      (lpad(to_hex(n), 12, '0') || '70008000' || lpad(to_hex(kind), 12, '0'))::uuid`)
    const each = (count: number, name: string) => `generate_series(0, ${count} - 1) ${name}`
    const workspaceOf = `pg_temp.id(1, n / ${workspaceSize})`
    const memberOf = (step: number) =>
      `pg_temp.id(2, n / ${workspaceSize} * ${members} + (n * 7 + ${step}) % ${members})`

    await run(`insert into workspaces (id, name, slug)
      select pg_temp.id(1, w), 'Workspace ' || w, 'workspace-' || w from ${each(workspaces, 'w')}`)
    const people = `${each(workspaces * members, 'n')}`
    await run(`insert into users (id, email, name)
      select pg_temp.id(2, n), 'person-' || n || '@example.com', 'Person ' || n from ${people}`)
    await run(`insert into members (workspace_id, user_id, role, joined_at)
      select pg_temp.id(1, n / ${members}), pg_temp.id(2, n),
        case n % ${members} when 0 then 'owner' else 'viewer' end, now() from ${people}`)
    await run(`insert into groups (id, workspace_id, name)
      select pg_temp.id(3, n), pg_temp.id(1, n / ${groups}), 'Group ' || n
      from ${each(workspaces * groups, 'n')}`)
    await run(`insert into group_members (group_id, user_id, workspace_id)
      select pg_temp.id(3, n), pg_temp.id(2, n / ${groups} * ${members} + (n * 5 + m) % ${members}),
        pg_temp.id(1, n / ${groups})
      from ${each(workspaces * groups, 'n')}, ${each(15, 'm')}`)
    const { rows } = await client.query<{ id: number }>(`
      insert into resource_kinds (service_name, resource_type) values ('large', 'document')
      returning id`)
    const kind = rows[0]?.id
    // Every tenth resource is the parent of the nine that follow.
    await run(`
      insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility, parent_id,
        is_parent, external_id)
      select pg_temp.id(4, n), ${kind}, pg_temp.id(5, n), ${workspaceOf}, ${memberOf(0)},
        case n % 20 when 1 then 'workspace' else 'private' end,
        case when n % 10 > 0 then pg_temp.id(4, n / 10 * 10) end, n % 10 = 0,
        case when n % 10 = 9 then 'document-' || n end
      from ${each(resources, 'n')}`)
    await run(`
      insert into shares (id, kind_id, resource_id, workspace_id, user_id, permission, on_parent)
      select pg_temp.id(6, n), ${kind}, pg_temp.id(5, n), ${workspaceOf}, ${memberOf(1)},
        'view', n % 10 = 0 from ${each(resources, 'n')}
      union all
      select pg_temp.id(7, n), ${kind}, pg_temp.id(5, n), ${workspaceOf}, ${memberOf(2)},
        'edit', n % 10 = 0 from ${each(resources, 'n')}`)
    await run(`
      insert into shares (id, kind_id, resource_id, workspace_id, group_id, permission, on_parent)
      select pg_temp.id(8, n), ${kind}, pg_temp.id(5, n), ${workspaceOf},
        pg_temp.id(3, n / ${workspaceSize} * ${groups} + n % ${groups}), 'view', n % 10 = 0
      from ${each(resources, 'n')}`)
    await run(`
      insert into activity (id, action, target_type, target_id, actor_id, workspace_id, detail,
        seal_seq, seal_hash)
      select pg_temp.id(9, n), 'permission.registered', 'permission', pg_temp.id(4, n), ${memberOf(0)},
        ${workspaceOf}, '{"service_name": "large"}', n + 1, repeat('5d', 32)
      from ${each(resources, 'n')}`)
    await run(`update activity_chain
      set last_seq = ${resources}, last_hash = repeat('5d', 32)`)
    for (const [table, count] of [
      ['members', members],
      ['groups', groups],
      ['resources', workspaceSize],
    ])
      await run(`insert into workspace_counts (workspace_id, counted, count)
        select pg_temp.id(1, w), '${table}', ${count} from ${each(workspaces, 'w')}`)
    await run('vacuum analyze')
  } finally {
    await client.end()
  }
}
