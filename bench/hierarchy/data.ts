import type { Client } from 'pg'

/**
 * Resources are numbered, and IDs are derived from the numbers, so that sampling needs no query.
 */
export const layout = {
  users: 10_000,
  flatGroups: 16_000,
  chains: 250,
  chainLength: 16,
  /** The number of the folder with 100,000 descendants, which is the child of `bigParent`. */
  bigParent: 1,
  big: 2,
  bigSize: 100_000,
  trees: 39,
  treeSize: 12_656,
  firstTree: 200_001,
  flat: 1_000_001,
  flatSize: 400_000,
  deepest: 900_032,
  chainStart: 900_001,
  quietFlat: 2_000_001,
  quietSize: 30_000,
}

const l = layout
const id = (kind: string, n: string) => `lpad(to_hex(${n}), 8, '0') || '-${kind}'`
export const sqlId = {
  resource: (n: string) => `(${id('0000-7000-8000-00000000000a', n)})::uuid`,
  external: (n: string) => `md5('r' || ${n})::uuid`,
  user: (n: string) => `(${id('0000-7000-8000-00000000000b', n)})::uuid`,
  group: (n: string) => `(${id('0000-7000-8000-00000000000c', n)})::uuid`,
  workspace: (n: string) => `(${id('0000-7000-8000-00000000000d', n)})::uuid`,
}

/**
 * Five levels: trees of four levels with a fan-out of 5, whose lowest folders have 100 leaves each.
 */
const parents = `
  select n, null::int parent from generate_series(${l.flat}, ${l.flat + l.flatSize - 1}) n
  union all select n, null from generate_series(${l.quietFlat}, ${l.quietFlat + l.quietSize - 1}) n
  union all select ${l.bigParent}, null union all select ${l.big}, ${l.bigParent}
  union all select ${l.big} + k, ${l.big} + (k - 1) / 100 from generate_series(1, ${l.bigSize}) k
  union all
  select base + k, base + case when k = 1 then null when k <= 156 then (k - 2) / 5 + 1
    else 32 + (k - 157) / 100 end
  from generate_series(0, ${l.trees - 1}) t, generate_series(1, ${l.treeSize}) k,
    lateral (select ${l.firstTree - 1} + t * ${l.treeSize} base) b
  union all
  select ${l.chainStart} + k, case when k > 0 then ${l.chainStart} + k - 1 end
  from generate_series(0, 31) k`

export async function load(client: Client, log: (line: string) => void): Promise<void> {
  const steps: [string, string][] = [
    [
      'settings',
      `set session_replication_role = replica; set synchronous_commit = off;
      set work_mem = '256MB'; set maintenance_work_mem = '512MB'`,
    ],
    [
      'people',
      `
      insert into workspaces (id, name, slug)
        select ${sqlId.workspace('n')}, 'w' || n, 'w' || n from generate_series(1, 2) n;
      insert into users (id, email)
        select ${sqlId.user('n')}, n || '@example.com' from generate_series(1, ${l.users}) n;
      insert into members (workspace_id, user_id, role)
        select ${sqlId.workspace('w')}, ${sqlId.user('n')}, 'viewer'
        from generate_series(1, ${l.users}) n, generate_series(1, 2) w;
      insert into groups (id, workspace_id, name)
        select ${sqlId.group('n')}, ${sqlId.workspace('1')}, 'g' || n
        from generate_series(1, ${l.flatGroups + l.chains * l.chainLength}) n;
      insert into groups (id, workspace_id, name)
        select ${sqlId.group('n')}, ${sqlId.workspace('2')}, 'g' || n
        from generate_series(100001, 101000) n;
      insert into group_members (group_id, user_id, workspace_id)
        select distinct ${sqlId.group(`(n * 7 + k * 5003) % ${l.flatGroups} + 1`)},
          ${sqlId.user('n')}, ${sqlId.workspace('1')}
        from generate_series(1, 9000) n, generate_series(1, 3) k;
      insert into group_members (group_id, user_id, workspace_id)
        select distinct ${sqlId.group('100001 + (n * 7 + k * 331) % 1000')},
          ${sqlId.user('n')}, ${sqlId.workspace('2')}
        from generate_series(1, 9000) n, generate_series(1, 3) k;
      insert into group_members (group_id, user_id, workspace_id)
        select ${sqlId.group(`${l.flatGroups} + (n % ${l.chains}) * 16 + 16`)}, ${sqlId.user('n')},
          ${sqlId.workspace('1')}
        from generate_series(9001, ${l.users}) n`,
    ],
    [
      'groups in groups',
      `
      insert into group_parents (parent_id, child_id, workspace_id)
        select ${sqlId.group('base + k')}, ${sqlId.group('base + k + 1')}, ${sqlId.workspace('1')}
        from generate_series(0, ${l.chains - 1}) c, generate_series(1, 15) k,
          lateral (select ${l.flatGroups} + c * 16 base) b;
      insert into group_ancestors
        with recursive above(ancestor_id, group_id) as (
          select parent_id, child_id from group_parents
          union select p.parent_id, a.group_id from above a
            join group_parents p on p.child_id = a.ancestor_id)
        select * from above;
      update groups set ancestor_ids = array(select ancestor_id from group_ancestors
        where group_id = id) where id in (select group_id from group_ancestors);
      insert into inherited_members
        select distinct ancestor_id, user_id, workspace_id
        from group_members join group_ancestors using (group_id)`,
    ],
    [
      'resources',
      `
      insert into resource_kinds (service_name, resource_type) values ('bench', 'item');
      insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility, parent_id)
        select ${sqlId.resource('n')}, 1, ${sqlId.external('n')},
          ${sqlId.workspace(`case when n >= ${l.quietFlat} then 2 else 1 end`)},
          ${sqlId.user('n % 8000 + 1')}, 'private', ${sqlId.resource('parent')}
        from (${parents}) r`,
    ],
    [
      'shares',
      `
      insert into shares (id, kind_id, resource_id, workspace_id, user_id, permission)
        select uuidv7(), 1, ${sqlId.external('n')},
          ${sqlId.workspace(`case when n >= ${l.quietFlat} then 2 else 1 end`)},
          ${sqlId.user('n * 13 % 8000 + 1')}, 'view'
        from (${parents}) r;
      insert into shares (id, kind_id, resource_id, workspace_id, group_id, permission)
        select uuidv7(), 1, ${sqlId.external('n')},
          ${sqlId.workspace(`case when n >= ${l.quietFlat} then 2 else 1 end`)},
          ${sqlId.group(`case when n >= ${l.quietFlat} then 100001 + n % 1000
            else (n::bigint * 31 % ${l.flatGroups + 4000} + 1)::int end`)}, 'view'
        from (${parents}) r;
      insert into shares (id, kind_id, resource_id, workspace_id, user_id, permission)
        values (uuidv7(), 1, ${sqlId.external(`${l.big}`)}, ${sqlId.workspace('1')},
          ${sqlId.user('9999')}, 'view')`,
    ],
    [
      'closure and arrays',
      `
      update resources set is_parent = true
        where id in (select parent_id from resources where parent_id is not null);
      insert into resource_ancestors
        with recursive above(id, kind_id, resource_id) as (
          select parent_id, kind_id, resource_id from resources
            where parent_id is not null and inherits
          union all select r.parent_id, a.kind_id, a.resource_id from above a
            join resources r using (id) where r.parent_id is not null and r.inherits)
        select * from above;
      update resources r set ancestor_ids = a.ids
        from (select kind_id, resource_id, array_agg(ancestor_id) ids from resource_ancestors
          group by 1, 2) a
        where r.kind_id = a.kind_id and r.resource_id = a.resource_id;
      update shares s set on_parent = true from resources r
        where r.is_parent and r.kind_id = s.kind_id and r.resource_id = s.resource_id`,
    ],
    ['vacuum', 'set session_replication_role = origin'],
  ]
  for (const [name, sql] of steps) {
    const start = performance.now()
    await client.query(sql)
    if (name === 'vacuum') await client.query('vacuum analyze')
    log(`loaded ${name} in ${((performance.now() - start) / 1000).toFixed(1)} s`)
  }
}
