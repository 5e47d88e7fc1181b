import { createHash } from 'node:crypto'
import pg from 'pg'
import { migrate } from '../src/database/migrate.ts'
import { hashServiceKey } from '../src/identity/service-keys.ts'

/** The size of an organization. Every user is a member of workspace 0. */
export type Organization = { users: number; workspaces: number; groups: number }

export const large: Organization = { users: 100_000, workspaces: 2_000, groups: 20_000 }
export const small: Organization = { users: 1_000, workspaces: 20, groups: 200 }

export const serviceKey = 'dk_people'
export const kind = { service_name: 'docs', resource_type: 'document' }

/** Returns the ID of the nth object of a kind, equal to `md5(prefix || n)::uuid` in SQL. */
export function idOf(prefix: 'u' | 'w' | 'g' | 'r', n: number): string {
  const hex = createHash('md5').update(`${prefix}${n}`).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Returns the team of a user, which is one of the other workspaces. */
export function teamOf(person: number, { workspaces }: Organization): number {
  return 1 + (person % (workspaces - 1))
}

/** Creates the organization with SQL, unless it already exists. */
export async function ensureOrganization(url: string, size: Organization): Promise<void> {
  await migrate(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query('select count(*)::int from users')
    // Earlier measurements may have left invited users behind.
    if (rows[0].count >= size.users) return
    process.stderr.write(`Creating ${size.users} users …\n`)
    await client.query('truncate users, workspaces, resource_kinds, service_apps cascade')
    for (const statement of statements(size)) await client.query(statement)
    await client.query(
      'insert into service_keys (key_hash, key_prefix, app_id) select $1, $2, id from service_apps',
      [hashServiceKey(serviceKey), serviceKey.slice(0, 10)],
    )
    await client.query('vacuum (analyze)')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

const firstNames = [
  'Maria',
  'Mariam',
  'Anna',
  'Hannah',
  'Jo',
  'Joanna',
  'Li',
  'Olivia',
  'Noah',
  'Liam',
  'Zoë',
  'Søren',
  'Ivan',
  'Ada',
  'Grace',
  'Alan',
  'Edsger',
  'Barbara',
  'Ken',
  'Dennis',
]
const lastNames = [
  'Smith',
  'Müller',
  'García',
  'Nguyen',
  'Kim',
  'Ivanova',
  'Rossi',
  'Silva',
  'Dubois',
  'Novak',
  'Lovelace',
  'Hopper',
  'Turing',
  'Dijkstra',
  'Liskov',
  'Thompson',
  'Ritchie',
  'Wirth',
  'Hoare',
]

/**
 * Returns the statements that create users named `First Last n`, one workspace of all users, teams
 * of about 50, and ten groups of up to 100 users per workspace. Each user owns a document in their
 * team that is shared with one user and one group.
 */
function statements({ users, workspaces, groups }: Organization): string[] {
  const id = (prefix: string, n: string) => `md5('${prefix}' || (${n}))::uuid`
  const pick = (names: string[], n: string) =>
    `(array['${names.join("','")}'])[1 + (${n}) % ${names.length}]`
  const name = `${pick(firstNames, 'n * 7')} || ' ' || ${pick(lastNames, 'n / 20')} || ' ' || n`
  const team = (n: string) => `(1 + (${n}) % ${workspaces - 1})`
  const role = `case when n < 3 then 'owner' when n % 50 = 0 then 'admin' when n % 5 = 0 then 'editor'
    else 'viewer' end`
  return [
    `insert into users (id, email, name)
     select ${id('u', 'n')}, 'person' || n || '@' || ${pick(['sales', 'lab', 'shop'], 'n')} || '.example.com',
       ${name}
     from generate_series(0, ${users - 1}) n`,
    `insert into workspaces (id, name, slug)
     select ${id('w', 'n')}, 'Workspace ' || n, 'workspace-' || n
     from generate_series(0, ${workspaces - 1}) n`,
    `insert into members (user_id, workspace_id, role, joined_at)
     select ${id('u', 'n')}, ${id('w', '0')}, ${role}, now()
     from generate_series(0, ${users - 1}) n`,
    `insert into members (user_id, workspace_id, role, joined_at)
     select ${id('u', 'n')}, ${id('w', team('n'))},
       case when n < ${workspaces} then 'owner' else ${role} end, now()
     from generate_series(0, ${users - 1}) n`,
    `insert into groups (id, workspace_id, name)
     select ${id('g', 'n')}, ${id('w', `n % ${workspaces}`)}, 'Group ' || n
     from generate_series(0, ${groups - 1}) n`,
    `insert into group_members (group_id, user_id, workspace_id)
     select ${id('g', `(n / 100) * ${workspaces}`)}, ${id('u', 'n')}, ${id('w', '0')}
     from generate_series(0, 999) n`,
    `insert into group_members (group_id, user_id, workspace_id)
     select ${id('g', `((n / ${workspaces} + i * 3) % 10) * ${workspaces} + ${team('n')}`)},
       ${id('u', 'n')}, ${id('w', team('n'))}
     from generate_series(0, ${users - 1}) n, generate_series(0, 1) i`,
    `insert into resource_kinds (service_name, resource_type) values ('docs', 'document')`,
    `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
     select gen_random_uuid(), k.id, ${id('r', 'n')}, ${id('w', team('n'))}, ${id('u', 'n')}, 'private'
     from generate_series(0, ${users - 1}) n, resource_kinds k`,
    `insert into shares (id, kind_id, resource_id, workspace_id, user_id, permission)
     select gen_random_uuid(), k.id, ${id('r', 'n')}, ${id('w', team('n'))},
       ${id('u', `(n + ${workspaces - 1}) % ${users - (users % (workspaces - 1))}`)}, 'view'
     from generate_series(0, ${users - (users % (workspaces - 1)) - 1}) n, resource_kinds k`,
    `insert into shares (id, kind_id, resource_id, workspace_id, group_id, permission)
     select gen_random_uuid(), k.id, ${id('r', 'n')}, ${id('w', team('n'))},
       ${id('g', `(n % 10) * ${workspaces} + ${team('n')}`)}, 'edit'
     from generate_series(0, ${users - 1}) n, resource_kinds k`,
    `insert into service_apps (id, name, service_name) values (gen_random_uuid(), 'people', 'docs')`,
  ]
}
