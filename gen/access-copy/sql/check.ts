// Copied from clients/typescript/src/access/copy/sql/check.ts. DO NOT EDIT.

import { type KeyType, resourceColumn, tableOf } from '../key-types.ts'

/** An end in milliseconds since 1970, or nothing. */
const end = (column: string) => `round(extract(epoch from ${column}) * 1000)`

/** What rows of the copy contain, as lines. $1: type, $2: UUIDs of resources. */
export const readRows = (type: string, keyType: KeyType) => `
  select t.${resourceColumn(keyType)}::text as resource_id,
    array[concat('row ', t.id, ' ', t.workspace_id, ' ', ${end('t.until')})] || array(
      select concat('key ', k.holder, ' ', k.level, ' ', a.maybe::text, ' ', ${end('e.until')})
      from (
        select unnest(t.accepts) as key, false as maybe
        union all select unnest(t.maybe), true) a
      join daikon_access.keys k on k.id = a.key
      left join daikon_access.ends e on e.resource_id = t.${resourceColumn(keyType)}
        and e.resource_type = $1 and e.key = a.key and e.maybe = a.maybe) as lines
  from ${tableOf(type)} t where t.${resourceColumn(keyType)} = any($2::uuid[])`

/** What folders grant in the copy, as lines. $1, $2: types and UUIDs of resources. */
export const readFolderGrants = `
  select f.resource_type, f.resource_id::text as resource_id, array_agg(
    concat('folder ', i.holder, ' ', k.holder, ' ', k.level, ' ', f.maybe::text, ' ', ${end('f.until')})
  ) as lines
  from unnest($1::text[], $2::uuid[]) x (type, id)
  join daikon_access.folder_grants f on f.resource_id = x.id and f.resource_type = x.type
  join daikon_access.keys k on k.id = f.key
  join daikon_access.keys i on i.id = f.inherit_key
  group by f.resource_type, f.resource_id`

/** The next rows. $1: the id of the last one before or null, $2: number of rows. */
export const findNextRows = (type: string, keyType: KeyType) => `
  select id::text as id, ${resourceColumn(keyType)}::text as resource_id from ${tableOf(type)} t
  where $1::${keyType} is null or t.id > $1::${keyType} order by t.id limit $2`

/** The next folders. $1, $2: UUID and type of the last one before or null, $3: number of folders. */
export const findNextFolders = `
  select f.resource_type, f.resource_id::text as resource_id from daikon_access.folder_grants f
  where $1::uuid is null or (f.resource_id, f.resource_type) > ($1::uuid, $2::text)
  group by f.resource_id, f.resource_type order by f.resource_id, f.resource_type limit $3`
