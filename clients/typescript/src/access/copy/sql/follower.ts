import { type KeyType, resourceColumn, tableOf } from '../key-types.ts'

/** The advisory lock that one follower holds. */
export const tryLock = `select pg_try_advisory_lock(hashtextextended('daikon_access', 0)) as locked`

export const unlock = `select pg_advisory_unlock(hashtextextended('daikon_access', 0))`

export const takeOver = `
  update daikon_access.state set follower = $1
  returning cursor, position, generation::text, complete, swept::text`

/**
 * Finds no row once another follower has taken over, which needs no lock of the session. Statements of the
 * transaction fail where row-level security would hide rows of the service.
 */
export const requireFollower = `
  select set_config('row_security', 'off', true) from daikon_access.state where follower = $1 for update`

export const beginGeneration = `
  update daikon_access.state set generation = generation + 1, complete = false, cursor = null
  returning generation::text`

/** $1: cursor, $2: position or null. */
export const saveBookmark = `
  update daikon_access.state set cursor = $1,
    past_histories = case
      when split_part(position, '-', 1) <> split_part($2, '-', 1)
      then (array[split_part(position, '-', 1)]
        || array_remove(past_histories, split_part($2, '-', 1)))[:20]
      else past_histories end,
    position = coalesce($2, position)`

/** $1: the types that are followed. */
export const saveComplete = `
  update daikon_access.state set complete = true, filled_types = array(
    select distinct type from unnest(filled_types || $1::text[]) type)`

export const saveSwept = 'update daikon_access.state set swept = generation'

/** $1, $2: holders and levels. Creates the keys that are new. */
export const internKeys = `
  with wanted as (select distinct holder, level from unnest($1::text[], $2::text[]) w (holder, level)),
  created as (
    insert into daikon_access.keys (holder, level)
    select holder, level from wanted w
    where not exists (
      select from daikon_access.keys k where k.holder = w.holder and k.level = w.level)
    on conflict do nothing
    returning id, holder, level)
  select id::text, holder, level from created
  union all
  select k.id::text, k.holder, k.level from wanted join daikon_access.keys k using (holder, level)`

/** Deletes rows of the same resources under other keys. $1: ids, $2: UUIDs. */
export const deleteRenamed = (type: string, keyType: KeyType) => `
  delete from ${tableOf(type)} t using unnest($1::${keyType}[], $2::uuid[]) x (id, resource_id)
  where t.resource_id = x.resource_id and t.id <> x.id
  returning t.id::text as id`

/** $1: ids, $2: UUIDs, $3: workspaces, $4, $5: arrays as text, $6: ends, $7: generation. */
export const upsertRows = (type: string, keyType: KeyType) => {
  const own = resourceColumn(keyType) === 'id' ? '' : ', resource_id'
  const change = (own ? ['resource_id'] : []).concat(
    'workspace_id',
    'accepts',
    'maybe',
    'until',
    'generation',
  )
  return `
    insert into ${tableOf(type)} (id${own}, workspace_id, accepts, maybe, until, generation)
    select id${own}, workspace_id, accepts::bigint[], maybe::bigint[], until, $7::bigint
    from unnest($1::${keyType}[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[])
      x (id, resource_id, workspace_id, accepts, maybe, until)
    on conflict (id) do update set ${change.map((name) => `${name} = excluded.${name}`).join(', ')}`
}

/** $1: UUIDs of resources. */
export const deleteRows = (type: string, keyType: KeyType) =>
  `delete from ${tableOf(type)} where ${resourceColumn(keyType)} = any($1::uuid[]) returning id::text as id`

/** How often keys occur in rows. $1: UUIDs of resources. */
export const countKeysOf = (type: string, keyType: KeyType) => `
  select k::text as key, count(*)::text as resources
  from ${tableOf(type)} t, unnest(t.accepts || t.maybe) k
  where t.${resourceColumn(keyType)} = any($1::uuid[]) group by k`

/**
 * $1: type, $2: keys, $3: by how much their numbers of resources change. The sums are estimates, and may be
 * negative.
 */
export const addOccurrences = `
  insert into daikon_access.occurrences as o (resource_type, key, resources)
  select $1, key, change from unnest($2::bigint[], $3::bigint[]) x (key, change)
  on conflict (resource_type, key) do update set resources = o.resources + excluded.resources`

/** `addOccurrences` during a fill, which counts at its end. $1: type, $2: keys. */
export const nameOccurrences = `
  insert into daikon_access.occurrences (resource_type, key, resources)
  select $1, key, 0 from unnest($2::bigint[]) key
  on conflict do nothing`

/** $1: types, $2: UUIDs of resources. */
export const deleteFolderGrants = `
  delete from daikon_access.folder_grants f using unnest($1::text[], $2::uuid[]) x (type, id)
  where f.resource_id = x.id and f.resource_type = x.type`

/** $1: types, $2: UUIDs, $3: keys, $4: keys of what inherits, $5: maybe, $6: ends, $7: generation. */
export const insertFolderGrants = `
  insert into daikon_access.folder_grants
    (resource_type, resource_id, key, inherit_key, maybe, until, generation)
  select x.*, $7::bigint
  from unnest($1::text[], $2::uuid[], $3::bigint[], $4::bigint[], $5::boolean[], $6::timestamptz[]) x`

/** $1: types, $2: UUIDs of resources. */
export const deleteEnds = `
  delete from daikon_access.ends e using unnest($1::text[], $2::uuid[]) x (type, id)
  where e.resource_id = x.id and e.resource_type = x.type`

/** $1: types, $2: UUIDs, $3: keys, $4: maybe, $5: ends, $6: generation. */
export const insertEnds = `
  insert into daikon_access.ends (resource_type, resource_id, key, maybe, until, generation)
  select x.*, $6::bigint
  from unnest($1::text[], $2::uuid[], $3::bigint[], $4::boolean[], $5::timestamptz[]) x`
