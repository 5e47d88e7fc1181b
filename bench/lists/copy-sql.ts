import { nameSql, viewerGroups, viewersOf } from './viewers.ts'

/**
 * Returns the statements that create a table of documents with a column of what they accept, and fill the
 * copy as a follower does. As in the data set of daikon, each document has a workspace, an owner, and three
 * shares with two users and a group; one in ten is visible to the workspace. The documents have the IDs of
 * that data set. The shares of `viewersOf` are added.
 */
export function copySql(documents: number): string[] {
  const workspaces = Math.ceil(documents / 5000)
  const users = documents / 10
  const groups = documents / 50
  const viewers = viewersOf(documents)
  const counts = {
    admin: workspaces,
    visible: workspaces,
    owner: users,
    user: users,
    group: groups,
    viewer: viewers.length * viewerGroups,
  }
  let next = 1
  const first = Object.fromEntries(
    Object.entries(counts).map(([kind, count]) => {
      next += count
      return [kind, next - count]
    }),
  ) as Record<keyof typeof counts, number>

  const keys = (kind: keyof typeof counts, holder: string, level: string) => `
    insert into daikon_access.keys (id, holder, level) overriding system value
    select ${first[kind]} + n, ${nameSql(holder)}, ${nameSql(`'${level}'`)}
    from generate_series(0, ${counts[kind] - 1}) n`
  const ofViewers = viewers.map(
    ({ step }, index) => `case when n % ${step} = 0
      then ${first.viewer + index * viewerGroups} + n / ${step} % ${viewerGroups} end`,
  )
  const accepts = `array_remove(array[
      ${first.admin} + n % ${workspaces},
      case when n % 10 = 0 then ${first.visible} + n % ${workspaces} end,
      ${first.owner} + n * 7919 % ${users},
      ${first.user} + (n * 7919 + 1) % ${users},
      ${first.user} + (n * 7919 + 2) % ${users},
      ${first.group} + n * 31 % ${groups},
      ${ofViewers.join(',\n      ')}], null)`

  return [
    `create table documents (
       id uuid primary key,
       number int not null,
       title text not null,
       created_at timestamptz not null,
       daikon_accepts bigint[]
     )`,
    `insert into documents
     select md5('r' || n)::uuid, n, md5('title' || n), timestamptz '2026-01-01' + n * interval '1 s', ${accepts}
     from generate_series(0::bigint, ${documents - 1}) n`,
    'create index on documents (title, id)',
    'create index on documents (created_at desc, id)',
    keys('admin', `'workspace' || n`, 'admin'),
    keys('visible', `'workspace' || n`, 'visible'),
    keys('owner', `'user' || n`, 'owner'),
    keys('user', `'user' || n`, 'view'),
    keys('group', `'group' || n`, 'view'),
    keys('viewer', `'viewer' || n / ${viewerGroups} || ' ' || n % ${viewerGroups}`, 'view'),
    `insert into daikon_access.resources_document (id, workspace_id, accepts, maybe, generation)
     select id, md5('w' || number % ${workspaces})::uuid, daikon_accepts, null, 1 from documents order by id`,
    `insert into daikon_access.occurrences
     select 'document', key, count(*) from daikon_access.resources_document, unnest(accepts) key group by key`,
    `update daikon_access.state set generation = 1, complete = true, swept = 1, position = '000000000000-1',
       filled_types = '{document}', follower = gen_random_uuid()`,
    `insert into daikon_access.columns
     select 'document', 'public.documents', '"daikon_accepts"', follower from daikon_access.state`,
  ]
}
