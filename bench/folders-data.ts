import { idOf } from './data-set.ts'

/*
 * Resources in folders, in workspace 1 of a small data set. Resource n has the ID `idOf('r', n)`,
 * and its number determines which of these groups it belongs to.
 */

/** Resources of a type without folders, with three shares each. */
export const flat = { type: 'note', first: 1_000_000_000, count: 1000 }
/** The same resources with a type that has folders. */
export const besideFolders = { type: 'file', first: 1_100_000_000, count: 1000 }
/** Chains of six resources, the first of which has three shares. */
export const chains = { type: 'file', first: 1_200_000_000, count: 1000, length: 6 }
/** A folder with descendants, a hundred in each folder, that is shared with `reader`. */
export const bigFolder = { type: 'file', first: 1_300_000_000, fanOut: 100 }
/** A second folder of the same shape, which is deleted. */
export const doomedFolder = { type: 'file', first: 1_400_000_000, fanOut: 100 }

export const workspace = 1
/** An admin of the workspace. */
export const admin = 11
/** A viewer of the workspace without groups, whose only share is on the big folder. */
export const reader = 1_000_000
/** Returns the nth of 40 viewers who have a share on the resources with the same remainder. */
export const viewer = (n: number) => 201 + 10 * (n % 40)

const id = (n: string) => `md5('r' || (${n}))::uuid`
const user = (n: string) => `md5('u' || (${n}))::uuid`

/**
 * Returns the statements that create the resources. `size` is the number of descendants of the
 * folders.
 */
export function folderSql(size: number): string[] {
  const insert = (type: string, rows: string, parent: string) => `
    insert into resources
      (id, kind_id, resource_id, workspace_id, owner_id, visibility, parent_id, is_parent)
    select ${id('n')}, k.id, ${id('n')}, '${idOf('w', workspace)}', '${idOf('u', admin)}',
      'private', case when parent is not null then ${id('parent')} end, ${parent}
    from (${rows}) r, resource_kinds k where k.resource_type = '${type}'`
  const numbers = (first: number, count: number) =>
    `generate_series(${first}, ${first + count - 1}) n`
  const roots = ({ type, first, count }: typeof flat) =>
    insert(type, `select n, null::int as parent from ${numbers(first, count)}`, 'false')
  const share = (column: string, grantee: string, type: string, rows: string) => `
    insert into shares (id, kind_id, resource_id, workspace_id, ${column}, permission)
    select gen_random_uuid(), k.id, ${id('n')}, '${idOf('w', workspace)}', ${grantee}, 'view'
    from (${rows}) r, resource_kinds k where k.resource_type = '${type}'`
  const shares = (type: string, rows: string) => [
    share('user_id', user(`${viewer(0)} + 10 * (place % 40)`), type, rows),
    share('user_id', user(`${viewer(0)} + 10 * ((place + 1) % 40)`), type, rows),
    share('group_id', `md5('g' || (10 * (place % 100) + ${workspace}))::uuid`, type, rows),
  ]
  const places = ({ first, count }: typeof flat, step = 1) =>
    `select ${first} + place * ${step} as n, place from generate_series(0, ${count - 1}) place`
  const { first, count, length } = chains
  return [
    `insert into users (id, email) values ('${idOf('u', reader)}', 'folders@example.com')`,
    `insert into members (user_id, workspace_id, role, joined_at)
     values ('${idOf('u', reader)}', '${idOf('w', workspace)}', 'viewer', now())`,
    `insert into resource_kinds (service_name, resource_type) values ('docs', 'note'), ('docs', 'file')`,
    roots(flat),
    roots(besideFolders),
    insert(
      chains.type,
      `select n, case when (n - ${first}) % ${length} > 0 then n - 1 end as parent
       from ${numbers(first, count * length)}`,
      `(n - ${first}) % ${length} < ${length - 1}`,
    ),
    treeSql(bigFolder, size),
    ...shares(flat.type, places(flat)),
    ...shares(besideFolders.type, places(besideFolders)),
    ...shares(chains.type, places(chains, length)),
    share('user_id', user(String(reader)), 'file', `select ${bigFolder.first} as n`),
    `update shares s set on_parent = true from resources r
     where r.is_parent and r.kind_id = s.kind_id and r.resource_id = s.resource_id`,
  ]
}

const fileKind =
  "(select id from resource_kinds where service_name = 'docs' and resource_type = 'file')"

/** The statements that require something of whatever is in a file. Every file meets it. */
export const inheritedRequirementSql = [
  `insert into resource_types (kind_id, id, description) values (${fileKind}, gen_random_uuid(), '')`,
  `insert into resource_conditions (kind_id, name, description, expression, parameters, position)
   values (${fileKind}, 'unblocked', '', '!has(resource.attributes.blocked)', '{}', 0)`,
  `insert into resource_requirements (kind_id, action, condition, inherited_in, position)
   values (${fileKind}, 'view', 'unblocked', 'docs', 0)`,
]

/** Returns the statement that creates a folder with `size` descendants. */
export function treeSql({ type, first, fanOut }: typeof bigFolder, size: number): string {
  return `
    insert into resources
      (id, kind_id, resource_id, workspace_id, owner_id, visibility, parent_id, is_parent)
    select ${id(`${first} + n`)}, k.id, ${id(`${first} + n`)}, '${idOf('w', workspace)}',
      '${idOf('u', admin)}', 'private',
      case when n > 0 then ${id(`${first} + (n - 1) / ${fanOut}`)} end, n * ${fanOut} < ${size}
    from generate_series(0::bigint, ${size}) n, resource_kinds k where k.resource_type = '${type}'
    on conflict do nothing`
}
