// Copied from clients/typescript/src/access/copy/sql/upkeep.ts. DO NOT EDIT.

import { type KeyType, resourceColumn, tableOf } from '../key-types.ts'

/** Whether something has ended. */
export const findEnded = `
  select exists (select from daikon_access.ends where until <= now())
    or exists (select from daikon_access.folder_grants where until <= now()) as found`

/** The resources of which something has ended. $1: how many. */
export const findEndedResources = `
  select resource_type, array_agg(distinct resource_id)::text[] as ids from (
    select resource_type, resource_id from daikon_access.ends
    where until <= now() order by until limit $1) e
  group by resource_type`

/** Removes the keys that have ended from rows. Returns the ids of these. $1: type, $2: UUIDs of resources. */
export const rewriteEnded = (type: string, keyType: KeyType) => {
  const remaining = (column: string, maybe: boolean) => `array(
    select k from unnest(t.${column}) k except
    select e.key from daikon_access.ends e
    where e.resource_id = t.${resourceColumn(keyType)} and e.resource_type = $1
      and e.maybe = ${maybe} and e.until <= now())`
  return `
    update ${tableOf(type)} t set
      accepts = ${remaining('accepts', false)},
      maybe = ${remaining('maybe', true)},
      until = (
        select min(e.until) from daikon_access.ends e
        where e.resource_id = t.${resourceColumn(keyType)} and e.resource_type = $1
          and not e.maybe and e.until > now())
    where t.${resourceColumn(keyType)} = any($2::uuid[])
    returning t.id::text as id`
}

/** $1: type, $2: UUIDs of resources. */
export const deleteEnded = `
  delete from daikon_access.ends
  where resource_type = $1 and resource_id = any($2::uuid[]) and until <= now()`

export const deleteEndedFolderGrants =
  'delete from daikon_access.folder_grants where until <= now()'

/**
 * Deletes rows of older generations among the next rows. Returns the last of the next rows, and those that were
 * deleted. $1: the last row of the step before or null, $2: number of rows, $3: generation.
 */
export const sweepRows = (type: string, keyType: KeyType) => `
  with step as materialized (
    select id, generation from ${tableOf(type)}
    where $1::${keyType} is null or id > $1::${keyType} order by id limit $2),
  deleted as (
    delete from ${tableOf(type)} t using step s
    where t.id = s.id and s.generation < $3::bigint returning t.id)
  select (select s.id::text from step s order by s.id desc limit 1) as last,
    array(select id::text from deleted) as deleted`

/** $1: generation, $2: number of rows. */
export const sweepFolderGrants = `
  delete from daikon_access.folder_grants where ctid = any(array(
    select ctid from daikon_access.folder_grants where generation < $1::bigint limit $2))`

/** $1: generation, $2: number of rows. */
export const sweepEnds = `
  delete from daikon_access.ends where ctid = any(array(
    select ctid from daikon_access.ends where generation < $1::bigint limit $2))`

/** Whether no list has read rows of a type, and their keys were not counted. $1: type. */
export const findUncounted = `
  select not $1 = any(filled_types)
    and not exists (select from daikon_access.occurrences where resource_type = $1) as found
  from daikon_access.state`

/** Counts in how many rows each key occurs. $1: type. */
export const countKeys = (type: string) => `
  with counted as materialized (
    select k as key, count(*) as resources
    from ${tableOf(type)} t, unnest(t.accepts || t.maybe) k group by k),
  deleted as (
    delete from daikon_access.occurrences o where o.resource_type = $1
      and not exists (select from counted c where c.key = o.key))
  insert into daikon_access.occurrences as o (resource_type, key, resources)
  select $1, key, resources from counted order by key
  on conflict (resource_type, key) do update set resources = excluded.resources
    where o.resources <> excluded.resources`

export const deleteUnusedKeys = `
  delete from daikon_access.keys k
  where not exists (select from daikon_access.occurrences o where o.key = k.id)
    and not exists (select from daikon_access.folder_grants f where f.key = k.id)
    and not exists (select from daikon_access.folder_grants f where f.inherit_key = k.id)`

export const analyzeTable = (name: string) => `analyze ${name}`
