import type { AcceptsColumn } from '../column-names.ts'
import { type KeyType, tableOf } from '../key-types.ts'

/**
 * Finds a column and the primary key of its table. Its trigger runs before rows are inserted, and before keys
 * or the column change. $1: the table, with quoted names, $2: the column.
 */
export const findColumn = `
  select format('%I.%I', n.nspname, c.relname) as table,
    c.relkind in ('r', 'p') as is_table,
    quote_ident(current_user) as role,
    row_security_active(c.oid) as hides_rows,
    -- null without the column or the key
    has_column_privilege(c.oid, a.attnum, 'update') and has_column_privilege(c.oid, a.attnum, 'select')
      and has_column_privilege(c.oid, k.attnum, 'select') as is_writable,
    format_type(a.atttypid, null) as type,
    a.attnotnull as is_required,
    k.attname as key,
    replace(format_type(k.atttypid, null), 'character varying', 'text') as key_type,
    exists (
      select from pg_trigger t join pg_proc p on p.oid = t.tgfoid
      where t.tgrelid = c.oid and t.tgenabled in ('O', 'A') and t.tgqual is null
        -- of rows, before, insert, update
        and t.tgtype & 23 = 23
        and (t.tgattr::text = '' or t.tgattr::int2[] @> array[a.attnum, k.attnum])
        and strpos(p.prosrc, 'daikon_access.follower') > 0 and strpos(p.prosrc, replace($2, '"', '""')) > 0
    ) as is_protected
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  left join pg_attribute a on a.attrelid = c.oid and a.attname = $2 and not a.attisdropped
  left join pg_index i on i.indrelid = c.oid and i.indisprimary and i.indnkeyatts = 1
  left join pg_attribute k on k.attrelid = c.oid and k.attnum = i.indkey[0]
  where c.oid = to_regclass($1)`

/**
 * Lets a transaction write columns. It fails sooner than PostgreSQL looks for deadlocks, by default after
 * 1 s, so that none ends a transaction of the service.
 */
export const allowWrites = `
  select set_config('daikon_access.follower', 'on', true), set_config('lock_timeout', '500ms', true)`

/**
 * What the column contains beside the row `a` of the copy. Null stands for rows that lists look up in the copy:
 * those without a row there, with keys that end, and with keys that only a check can decide.
 */
const repeated = `case when a.until is null and (a.maybe <> '{}') is not true then a.accepts end`

/** $1: ids. */
export const writeColumn = (
  { table, id, column }: AcceptsColumn,
  type: string,
  keyType: KeyType,
) => `
  update ${table} t set ${column} = r.accepts
  from (
    select x.id, ${repeated} as accepts
    from unnest($1::${keyType}[]) x (id) left join ${tableOf(type)} a on a.id = x.id) r
  where t.${id} = r.id and t.${column} is distinct from r.accepts`

/**
 * Finds the rows whose column differs, among the next rows. Returns the last of these. $1: the last row of the
 * step before or null, $2: number of rows.
 */
export const findUnequal = (
  { table, id, column }: AcceptsColumn,
  type: string,
  keyType: KeyType,
) => `
  with step as materialized (
    select t.${id} as id, t.${column} as accepts from ${table} t
    where $1::${keyType} is null or t.${id} > $1::${keyType} order by t.${id} limit $2)
  select (select s.id::text from step s order by s.id desc limit 1) as last, array(
    select s.id::text from step s left join ${tableOf(type)} a on a.id = s.id
    where s.accepts is distinct from ${repeated}) as ids`

/** The rows with a column that differs from the copy. */
export const findStale = ({ table, id, column }: AcceptsColumn, type: string) => `
  select t.${id}::text as id from ${table} t left join ${tableOf(type)} a on a.id = t.${id}
  where t.${column} is not null and t.${column} is distinct from ${repeated}
  order by t.${id}`

/** Lists may read the column while this follower is at work. $1: type, $2: table, $3: column. */
export const saveColumn = `
  insert into daikon_access.columns as c (resource_type, table_name, column_name, follower)
  select $1, $2, $3, follower from daikon_access.state
  on conflict (resource_type) do update set
    table_name = excluded.table_name, column_name = excluded.column_name, follower = excluded.follower`
