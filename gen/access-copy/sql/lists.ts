// Copied from clients/typescript/src/access/copy/sql/lists.ts. DO NOT EDIT.

import { tableOf } from '../key-types.ts'

/** The position that the copy covers, and histories of earlier ones. */
export const findPosition = 'select position, past_histories from daikon_access.state'

/**
 * The number of grants on folders that are read. Beyond, a list looks for the folders of each row.
 */
export const maxFolderGrants = 5000

/**
 * Turns holders and levels into the IDs of keys.
 *
 * | parameter | |
 * |---|---|
 * | $1, $2 | int[], text[]: the entry of each holder, and the holder |
 * | $3, $4 | int[], text[]: the entry of each level, and the level |
 * | $5 | int: the number of entries that suffice; the others are maybe |
 * | $6 | text: the resource type |
 * | $7 | text: the table of the resource type |
 * | $8 | int: the maximum number of grants on folders that are read |
 *
 * `certain` and `maybe` have the keys that occur in the table, with those of folders. `own_certain` and
 * `own_maybe` have the keys that are held, whether or not they occur. The `offset 0` prevents scans of all
 * folders and occurrences where a few keys hold most of the folders, and in generic plans.
 */
export const resolveKeys = `
  with own as materialized (
    select k.id, bool_or(h.entry < $5) as certain
    from unnest($1::int[], $2::text[]) h (entry, holder)
    join unnest($3::int[], $4::text[]) l (entry, level) on l.entry = h.entry
    join daikon_access.keys k on k.holder = h.holder and k.level = l.level
    group by k.id),
  granted as materialized (
    select f.inherit_key as id, o.certain and not f.maybe as certain
    from own o cross join lateral (
      select f.inherit_key, f.maybe from daikon_access.folder_grants f
      where f.key = o.id and (f.until is null or f.until > now()) offset 0) f
    limit $8),
  folders as (select id, bool_or(certain) as certain from granted group by id),
  occurring as (
    select k.id, k.certain, greatest(o.resources, 0) as resources
    from (select * from own union all select * from folders) k
    cross join lateral (
      select o.resources from daikon_access.occurrences o
      where o.resource_type = $6 and o.key = k.id offset 0) o)
  select
    array(select id::text from occurring where certain) as certain,
    array(select id::text from occurring where not certain) as maybe,
    array(select id::text from own where certain) as own_certain,
    array(select id::text from own where not certain) as own_maybe,
    (select count(*)::int from folders) as folders,
    (select count(*)::int from granted) as granted,
    (select coalesce(sum(resources), 0)::float8 from occurring where certain) as certain_estimate,
    (select coalesce(sum(resources), 0)::float8 from occurring) as estimate,
    (select reltuples::float8 from pg_class where oid = to_regclass($7)) as total,
    (select $6 = any(filled_types) from daikon_access.state) as filled`

/**
 * `resolveKeys`, and whether a column repeats what rows accept. It does not once a follower without it has
 * taken over. $9: the table of the column, with quoted names, $10: the column.
 */
export const resolveKeysAndColumn = `
  select keys.*, exists (
    select from daikon_access.columns c join daikon_access.state s on s.follower = c.follower
    where c.resource_type = $6 and to_regclass(c.table_name) = to_regclass($9) and c.column_name = $10
  ) as has_column
  from (${resolveKeys}) keys`

/** How rows are compared with keys. */
export type ListShape = {
  type: string
  /** Whether rows that only a check can decide are included. */
  includesMaybe: boolean
  /** A validated UUID. */
  workspaceId: string | undefined
}

/** The keys of a parameter. */
const keys = (placeholder: string) => `${placeholder}::bigint[]`

/** Of `a`, beside its keys: the end of its certain keys, and the workspace. */
const also = ({ includesMaybe, workspaceId }: ListShape) =>
  [
    ...(includesMaybe ? [] : ['(a.until is null or a.until > now())']),
    ...(workspaceId === undefined ? [] : [`a.workspace_id = '${workspaceId}'::uuid`]),
  ]
    .map((condition) => ` and ${condition}`)
    .join('')

const overlaps = (includesMaybe: boolean, set: string) =>
  includesMaybe
    ? `(a.accepts && ${set} or a.maybe && ${set} and a.maybe <> '{}')`
    : `a.accepts && ${set}`

const accepted = (includesMaybe: boolean) =>
  includesMaybe ? 'unnest(a.accepts || a.maybe)' : 'unnest(a.accepts)'

/**
 * Whether the subject holds the key `k`, or a key of the folder that `k` stands for. With `offset 0`, the
 * grants of this folder are read, never those of the subject on all folders.
 */
const isHeldByFolder = (includesMaybe: boolean, placeholder: string) => `(k = any(${keys(
  placeholder,
)}) or exists (
    select from (
      select f.key from daikon_access.folder_grants f
      where f.inherit_key = k and (f.until is null or f.until > now())${
        includesMaybe ? '' : ' and not f.maybe'
      } offset 0) f
    where f.key = any(${keys(placeholder)})))`

/** The keys that are held, and those of all folders on which one is held. */
const withFolders = (includesMaybe: boolean, placeholder: string) => `array(
    select k from unnest(${keys(placeholder)}) k
    union all
    select f.inherit_key from daikon_access.folder_grants f
    where f.key = any(${keys(placeholder)})
      and (f.until is null or f.until > now())${includesMaybe ? '' : ' and not f.maybe'})`

/** A condition on the `column` with the key. `placeholder` stands for the keys. */
export type ListCondition = (
  list: ListShape,
  column: string,
  placeholder: string,
  accepts?: string | undefined,
) => string

/** For subjects that see few rows: finds them by the index. */
export const fewCondition: ListCondition = (list, column, placeholder) =>
  `${column} = any(array(select a.id from ${tableOf(list.type)} a where ${overlaps(
    list.includesMaybe,
    keys(placeholder),
  )}${also(list)}))`

/** \`few\` for subjects that hold many folders. */
export const fewOfFoldersCondition: ListCondition = (list, column, placeholder) =>
  `${column} = any(array(select a.id from ${tableOf(list.type)} a where ${overlaps(
    list.includesMaybe,
    withFolders(list.includesMaybe, placeholder),
  )}${also(list)}))`

/**
 * For subjects that see many rows: looks up each row of the list. `accepts` is a column of the list that repeats
 * what a row accepts, or is null.
 */
export const manyCondition: ListCondition = (list, column, placeholder, accepts) => {
  const held = keys(placeholder)
  const isInCopy = lookUp(list, column, `k = any(${held})`)
  return accepts
    ? `case when ${accepts} is null then ${isInCopy} else ${accepts} && ${held} end`
    : isInCopy
}

/** `many`, which looks for folders per row. */
export const lazyCondition: ListCondition = (list, column, placeholder, accepts) => {
  const isHeld = isHeldByFolder(list.includesMaybe, placeholder)
  const isInCopy = lookUp(list, column, isHeld)
  return accepts
    ? `case when ${accepts} is null then ${isInCopy}
    else exists (select from unnest(${accepts}) k where ${isHeld} offset 0) end`
    : isInCopy
}

/** Whether a key `k` of the row of the copy is held. */
const lookUp = (list: ListShape, column: string, isHeld: string) =>
  `exists (select from ${tableOf(list.type)} a, ${accepted(list.includesMaybe)} k
    where a.id = ${column}${also(list)} and ${isHeld} offset 0)`

/** How many rows there are, at most $2. */
export const countFew = (list: ListShape) => `
  select count(*)::int as count from (
    select from ${tableOf(list.type)} a where ${overlaps(list.includesMaybe, keys('$1'))}${also(list)}
    limit $2) visible`

/** \`countFew\` for subjects that see many rows. */
export const countMany = (list: ListShape, isLazy: boolean) => `
  select count(*)::int as count from (
    select from ${tableOf(list.type)} a
    where exists (select from ${accepted(list.includesMaybe)} k
      where ${isLazy ? isHeldByFolder(list.includesMaybe, '$1') : `k = any(${keys('$1')})`} offset 0)${also(list)}
    limit $2) visible`
