import { createHash } from 'node:crypto'
import pg from 'pg'
import { migrate } from '../src/database/migrate.ts'
import { hashServiceKey } from '../src/identity/service-keys.ts'

/** How many there are; workspace 0 is the house, which everybody belongs to. */
export type Organisation = { people: number; workspaces: number; groups: number }

export const large: Organisation = { people: 100_000, workspaces: 2_000, groups: 20_000 }
export const small: Organisation = { people: 1_000, workspaces: 20, groups: 200 }

export const serviceKey = 'dk_people'
export const kind = { service_name: 'docs', resource_type: 'document' }

/** The id of the nth thing of a sort, the same here and in SQL. */
export function idOf(sort: 'u' | 'w' | 'g' | 'r', n: number): string {
  const hex = createHash('md5').update(`${sort}${n}`).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The team of a person: one of the workspaces besides the house. */
export function teamOf(person: number, { workspaces }: Organisation): number {
  return 1 + (person % (workspaces - 1))
}

/** Makes the organisation in the database unless it is there; all of it inside the server. */
export async function ensureOrganisation(url: string, size: Organisation): Promise<void> {
  await migrate(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query('select count(*)::int from users')
    // The measurements leave some newcomers behind.
    if (rows[0].count >= size.people) return
    process.stderr.write(`Making ${size.people} people …\n`)
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

const first = [
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
const last = [
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
 * People `First Last n`; a house of all and teams of some 50; ten groups a workspace, of up to 100
 * people; each person owns a document of the team, shared with one person and one group there.
 */
function statements({ people, workspaces, groups }: Organisation): string[] {
  const id = (sort: string, n: string) => `md5('${sort}' || (${n}))::uuid`
  const pick = (names: string[], n: string) =>
    `(array['${names.join("','")}'])[1 + (${n}) % ${names.length}]`
  const name = `${pick(first, 'n * 7')} || ' ' || ${pick(last, 'n / 20')} || ' ' || n`
  const team = (n: string) => `(1 + (${n}) % ${workspaces - 1})`
  const role = `case when n < 3 then 'owner' when n % 50 = 0 then 'admin' when n % 5 = 0 then 'editor'
    else 'viewer' end`
  return [
    `insert into users (id, email, name)
     select ${id('u', 'n')}, 'person' || n || '@' || ${pick(['sales', 'lab', 'shop'], 'n')} || '.example.com',
       ${name}
     from generate_series(0, ${people - 1}) n`,
    `insert into workspaces (id, name, slug)
     select ${id('w', 'n')}, 'Workspace ' || n, 'workspace-' || n
     from generate_series(0, ${workspaces - 1}) n`,
    `insert into members (user_id, workspace_id, role, joined_at)
     select ${id('u', 'n')}, ${id('w', '0')}, ${role}, now()
     from generate_series(0, ${people - 1}) n`,
    `insert into members (user_id, workspace_id, role, joined_at)
     select ${id('u', 'n')}, ${id('w', team('n'))},
       case when n < ${workspaces} then 'owner' else ${role} end, now()
     from generate_series(0, ${people - 1}) n`,
    `insert into groups (id, workspace_id, name)
     select ${id('g', 'n')}, ${id('w', `n % ${workspaces}`)}, 'Group ' || n
     from generate_series(0, ${groups - 1}) n`,
    `insert into group_members (group_id, user_id, workspace_id)
     select ${id('g', `(n / 100) * ${workspaces}`)}, ${id('u', 'n')}, ${id('w', '0')}
     from generate_series(0, 999) n`,
    `insert into group_members (group_id, user_id, workspace_id)
     select ${id('g', `((n / ${workspaces} + i * 3) % 10) * ${workspaces} + ${team('n')}`)},
       ${id('u', 'n')}, ${id('w', team('n'))}
     from generate_series(0, ${people - 1}) n, generate_series(0, 1) i`,
    `insert into resource_kinds (service_name, resource_type) values ('docs', 'document')`,
    `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
     select gen_random_uuid(), k.id, ${id('r', 'n')}, ${id('w', team('n'))}, ${id('u', 'n')}, 'private'
     from generate_series(0, ${people - 1}) n, resource_kinds k`,
    `insert into shares (id, kind_id, resource_id, workspace_id, user_id, permission)
     select gen_random_uuid(), k.id, ${id('r', 'n')}, ${id('w', team('n'))},
       ${id('u', `(n + ${workspaces - 1}) % ${people - (people % (workspaces - 1))}`)}, 'view'
     from generate_series(0, ${people - (people % (workspaces - 1)) - 1}) n, resource_kinds k`,
    `insert into shares (id, kind_id, resource_id, workspace_id, group_id, permission)
     select gen_random_uuid(), k.id, ${id('r', 'n')}, ${id('w', team('n'))},
       ${id('g', `(n % 10) * ${workspaces} + ${team('n')}`)}, 'edit'
     from generate_series(0, ${people - 1}) n, resource_kinds k`,
    `insert into service_apps (id, name, service_name) values (gen_random_uuid(), 'people', 'docs')`,
  ]
}
