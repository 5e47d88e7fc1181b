import { createHash } from 'node:crypto'
import pg from 'pg'
import { hashServiceKey } from '../src/identity/service-keys.ts'
import { migrate } from '../src/storage/database.ts'

/** How much there is; everything else follows from the indices. */
export type Size = { users: number; workspaces: number; resources: number }

/** The measure of issue and goals: 1 M resources, 3 M shares, 100,000 users. */
export const fullSize: Size = { users: 100_000, workspaces: 200, resources: 1_000_000 }
export const quickSize: Size = { users: 1_000, workspaces: 10, resources: 10_000 }

export const serviceKey = 'dk_bench'
export const kind = { service_name: 'docs', resource_type: 'document' }

/** The id of the nth thing of a sort, the same here and in SQL: `md5(sort || n)::uuid`. */
export function idOf(sort: 'u' | 'w' | 'g' | 'r', n: number): string {
  const hex = createHash('md5').update(`${sort}${n}`).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Makes the data set unless it is there in this size; user n belongs to workspace n mod workspaces. */
export async function ensureDataSet(url: string, size: Size): Promise<void> {
  await migrate(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query('select count(*)::int from resources')
    if (rows[0].count === size.resources) return
    process.stderr.write(`Making ${size.resources} resources and ${size.resources * 3} shares …\n`)
    await client.query('truncate users, workspaces, resource_kinds, service_apps cascade')
    for (const statement of statements(size)) await client.query(statement)
    await client.query(
      'insert into service_keys (key_hash, key_prefix, app_id) select $1, $2, id from service_apps',
      [hashServiceKey(serviceKey), 'dk_bench'],
    )
    await client.query('vacuum (analyze)')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

/** Ten groups a user, one share to a group and two to users a resource, one resource in ten open. */
function statements({ users, workspaces, resources }: Size): string[] {
  const id = (sort: string, n: string) => `md5('${sort}' || (${n}))::uuid`
  const groups = workspaces * 100
  const home = `r.n % ${workspaces}`
  // A member of the resource's workspace, another one for each `salt`.
  const member = (salt: number) =>
    `((r.n::bigint * 7919 + ${salt}) % ${users / workspaces}) * ${workspaces} + ${home}`
  const share = (column: string, grantee: string, permission: string) => `
    insert into shares (id, kind_id, resource_id, workspace_id, ${column}, permission)
    select gen_random_uuid(), k.id, ${id('r', 'r.n')}, ${id('w', home)}, ${grantee}, ${permission}
    from generate_series(0, ${resources - 1}) r(n), resource_kinds k`
  const permission = `case when r.n % 3 = 0 then 'edit' else 'view' end`
  return [
    `insert into users (id, email, name) select ${id('u', 'n')}, 'user' || n || '@example.com', 'User ' || n
     from generate_series(0, ${users - 1}) n`,
    `insert into workspaces (id, name, slug) select ${id('w', 'n')}, 'Workspace ' || n, 'w' || n
     from generate_series(0, ${workspaces - 1}) n`,
    `insert into members (user_id, workspace_id, role, joined_at)
     select ${id('u', 'n')}, ${id('w', `n % ${workspaces}`)},
       case when n / ${workspaces} < 2 then 'admin' when n % 5 = 0 then 'editor' else 'viewer' end, now()
     from generate_series(0, ${users - 1}) n`,
    `insert into groups (id, workspace_id, name)
     select ${id('g', 'n')}, ${id('w', `n % ${workspaces}`)}, 'Group ' || n
     from generate_series(0, ${groups - 1}) n`,
    `insert into group_members (group_id, user_id, workspace_id)
     select ${id('g', `((u.n / ${workspaces} + i * 7) % 100) * ${workspaces} + u.n % ${workspaces}`)},
       ${id('u', 'u.n')}, ${id('w', `u.n % ${workspaces}`)}
     from generate_series(0, ${users - 1}) u(n), generate_series(0, 9) i on conflict do nothing`,
    `insert into resource_kinds (service_name, resource_type) values ('docs', 'document')`,
    `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
     select gen_random_uuid(), k.id, ${id('r', 'r.n')}, ${id('w', home)}, ${id('u', member(0))},
       case when r.n % 10 = 0 then 'workspace' else 'private' end
     from generate_series(0, ${resources - 1}) r(n), resource_kinds k`,
    share('user_id', id('u', member(1)), permission),
    share('user_id', id('u', member(2)), permission),
    share('group_id', id('g', `(r.n % 100) * ${workspaces} + ${home}`), permission),
    `insert into service_apps (id, name, service_name) values (gen_random_uuid(), 'bench', 'docs')`,
  ]
}
