import type { Client } from 'pg'
import { layout } from './data.ts'
import { uuid } from './facts.ts'

const big = uuid.resource(layout.big)
const leaf = uuid.resource(layout.big + 50_000)
const elsewhere = uuid.resource(layout.firstTree + 200)
const tree = uuid.resource(layout.firstTree + layout.treeSize)
const target = uuid.resource(layout.firstTree + 2 * layout.treeSize + 31)

const below = (id: string) =>
  `select kind_id, resource_id from resources where id = '${id}'
   union all select kind_id, resource_id from resource_ancestors where ancestor_id = '${id}'`

const share = (id: string) =>
  `insert into shares (id, kind_id, resource_id, workspace_id, user_id, permission)
   select gen_random_uuid(), kind_id, resource_id, workspace_id, '${uuid.user(9998)}', 'view'
   from resources where id = '${id}'`

const register = (parent: string) =>
  `select lock_chain('${parent}');
   insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility, parent_id)
   select gen_random_uuid(), kind_id, gen_random_uuid(), workspace_id, owner_id, 'private', id
   from resources where id = '${parent}'`

const moveArrays = (id: string, newParent: string) =>
  `update resources set parent_id = '${newParent}' where id = '${id}';
   update resources r set ancestor_ids = moved.ids
   from (
     select d.id, array(select inherited_from(d.id)) ids
     from resources d where d.id = '${id}' or d.ancestor_ids @> array['${id}'::uuid]
   ) moved where r.id = moved.id`

const deleteParent = (id: string) =>
  `select lock_chain('${id}');
   delete from resource_ancestors a using (${below(id)}) below
   where (a.ancestor_id = '${id}' or a.ancestor_id in (select inherited_from('${id}')))
     and a.kind_id = below.kind_id and a.resource_id = below.resource_id;
   delete from resources where id = '${id}'`

const deleteTree = (id: string) =>
  `select lock_chain('${id}');
   create temporary table gone on commit drop as
     select r.id, r.kind_id, r.resource_id from (${below(id)}) b join resources r using (kind_id, resource_id);
   delete from resource_ancestors a using gone
   where a.ancestor_id in (select inherited_from('${id}') union all select id from gone)
     and a.kind_id = gone.kind_id and a.resource_id = gone.resource_id;
   delete from resources r using gone where r.id = gone.id`

const addGroup = `select add_group('${uuid.group(1)}', '${uuid.group(layout.flatGroups + 1)}', '${uuid.workspace(1)}')`

const addGroupMembers = `
  insert into group_members (group_id, user_id, workspace_id)
    select '${uuid.group(layout.flatGroups + 16)}', user_id, workspace_id from members
    where workspace_id = '${uuid.workspace(1)}' limit 1000 on conflict do nothing`

const writes: Record<string, string> = {
  'register a child at depth 5': `${register(elsewhere)}`,
  'share a folder of 100,000': share(big),
  'move a folder of 100,000: parent pointer only': `select lock_chain('${target}');
    update resources set parent_id = '${target}' where id = '${big}'`,
  'move a folder of 100,000: closure': `select move_resource('${big}', '${target}', true)`,
  'move a folder of 100,000: arrays': moveArrays(big, target),
  'inherits: false on a folder of 100,000: closure': `select move_resource('${big}', '${uuid.resource(layout.bigParent)}', false)`,
  'move a folder of 100: closure': `select move_resource('${uuid.resource(layout.big + 2000)}', '${target}', true)`,
  'delete a parent of 100,000: closure': deleteParent(big),
  'delete a tree of 12,656 with its shares: closure': deleteTree(tree),
  'add a 16-deep group chain to a group: closure': addGroup,
  'add a 16-deep group chain with 1,000 members: materialised members': `${addGroup};
    insert into inherited_members select distinct ancestor_id, user_id, workspace_id
    from group_members join group_ancestors using (group_id)
    where ancestor_id = '${uuid.group(1)}' on conflict do nothing`,
}

const probes: Record<string, string> = {
  'check below': `select from resources r join shares s using (kind_id, resource_id) where r.id = '${leaf}'`,
  'share of the folder': share(big),
  'share of a descendant': share(leaf),
  'visibility of a descendant': `update resources set visibility = 'workspace' where id = '${leaf}'`,
  'register below': register(leaf),
  'register elsewhere': register(elsewhere),
  'move elsewhere': `select move_resource('${elsewhere}', '${uuid.resource(layout.firstTree + 3 * layout.treeSize + 40)}', true)`,
  'add a group': addGroup,
}

/**
 * Returns a Markdown table with the milliseconds of each write, and the other requests that wait
 * until it commits.
 */
export async function measureWrites(client: Client, other: Client): Promise<string[]> {
  const lines = ['| write | ms | waits for it |', '|---|--:|---|']
  await other.query(`set lock_timeout = '100ms'`)
  for (const [name, sql] of Object.entries(writes)) {
    await client.query('begin')
    if (name.includes('group')) await client.query(addGroupMembers)
    const start = performance.now()
    await client.query(sql)
    const elapsed = performance.now() - start
    const waiting: string[] = []
    for (const [probe, statement] of Object.entries(probes)) {
      await other.query('begin')
      await other.query(statement).catch((error: { code?: string }) => {
        const lockNotAvailable = '55P03'
        if (error.code !== lockNotAvailable) throw error
        waiting.push(probe)
      })
      await other.query('rollback')
    }
    await client.query('rollback')
    lines.push(`| ${name} | ${elapsed.toFixed(1)} | ${waiting.join(', ') || 'nothing'} |`)
  }
  const sizes = await client.query<{ name: string; size: string; rows: string }>(`
    select relname name, pg_size_pretty(pg_relation_size(oid)) size, reltuples::bigint as rows
    from pg_class where relnamespace = 'public'::regnamespace and (
      relname ~ '^(resource_ancestors|ancestors_of|resources_of_parent|parents_of|open_parents|resources_by_ancestor|group_ancestors|inherited_members)'
      or relname in ('resources', 'shares', 'group_parents')) order by pg_relation_size(oid) desc`)
  lines.push('', '| table or index | size | rows |', '|---|--:|--:|')
  for (const { name, size, rows } of sizes.rows) lines.push(`| ${name} | ${size} | ${rows} |`)
  return lines
}
