import { type KeyType, resourceColumn, tableOf } from '../key-types.ts'

/** Creating needs rights that following does not, so that each table is looked up first. */
export const findTable = 'select to_regclass($1)::text as found'

export const findSchema = `select to_regnamespace('daikon_access')::text as found`

export const createSchema = 'create schema daikon_access'

/** The tables that all resource types share. */
export const sharedTables: Record<string, string> = {
  'daikon_access.state': `
    create table daikon_access.state (
      singleton boolean primary key default true check (singleton),
      cursor text,
      -- the position that the copy covers
      position text,
      -- histories of earlier positions
      past_histories text[] not null default '{}',
      -- counts the fills
      generation bigint not null default 0,
      -- whether all resources of this generation were received
      complete boolean not null default false,
      -- the last generation of which older rows were deleted
      swept bigint not null default 0,
      -- the resource types of which the copy has been complete
      filled_types text[] not null default '{}',
      -- the follower that may write
      follower uuid
    );
    insert into daikon_access.state default values`,
  'daikon_access.keys': `
    create table daikon_access.keys (
      id bigint generated always as identity primary key,
      holder text not null,
      level text not null,
      unique (holder, level)
    )`,
  // `resources` is an estimate; that a key has a row is not.
  'daikon_access.occurrences': `
    create table daikon_access.occurrences (
      resource_type text not null,
      key bigint not null,
      resources bigint not null,
      primary key (resource_type, key)
    )`,
  'daikon_access.folder_grants': `
    create table daikon_access.folder_grants (
      resource_type text not null,
      resource_id uuid not null,
      key bigint not null,
      inherit_key bigint not null,
      maybe boolean not null,
      until timestamptz,
      generation bigint not null
    );
    create index on daikon_access.folder_grants (key);
    create index on daikon_access.folder_grants (inherit_key, key);
    create index on daikon_access.folder_grants (resource_id)`,
  // The columns of the service's tables that repeat what rows accept, while `follower` is at work.
  'daikon_access.columns': `
    create table daikon_access.columns (
      resource_type text primary key,
      -- quoted names
      table_name text not null,
      column_name text not null,
      follower uuid not null
    )`,
  'daikon_access.ends': `
    create table daikon_access.ends (
      resource_type text not null,
      resource_id uuid not null,
      key bigint not null,
      maybe boolean not null,
      until timestamptz not null,
      generation bigint not null
    );
    create index on daikon_access.ends (until);
    create index on daikon_access.ends (resource_id)`,
}

/** The statements that create the table of a resource type. */
export const createTypeTable = (type: string, keyType: KeyType) => `
  create table ${tableOf(type)} (
    id ${keyType} primary key,
    ${resourceColumn(keyType) === 'id' ? '' : 'resource_id uuid not null,'}
    workspace_id uuid not null,
    accepts bigint[] not null,
    -- null in most rows, which is smaller than an empty array
    maybe bigint[],
    until timestamptz,
    generation bigint not null
  );
  ${resourceColumn(keyType) === 'id' ? '' : `create index on ${tableOf(type)} (resource_id);`}`

/** Whether a table has the indexes of its arrays. */
export const findArrayIndexes = `
  select exists (
    select from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am m on m.oid = c.relam
    where i.indrelid = to_regclass($1) and m.amname = 'gin') as found`

/**
 * The indexes of the arrays, which are created after the first fill, so that they are smaller. Few rows have
 * keys in `maybe`.
 */
export const createArrayIndexes = (type: string) => `
  create index on ${tableOf(type)} using gin (accepts);
  create index on ${tableOf(type)} using gin (maybe) where maybe <> '{}'`

/** Finds the type of the key of an existing table, and whether `maybe` may be null, as it could not at first. */
export const findTypeTable = `
  select format_type(k.atttypid, k.atttypmod) as found, not m.attnotnull as has_null
  from pg_attribute k join pg_attribute m on m.attrelid = k.attrelid and m.attname = 'maybe'
  where k.attrelid = to_regclass($1) and k.attname = 'id'`

export const allowNull = (type: string) =>
  `alter table ${tableOf(type)} alter column maybe drop not null`
