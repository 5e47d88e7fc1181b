import test from 'ava'
import type { PoolClient } from 'pg'
import { changesSql } from '../../src/permissions/engine/memory/change-feed.ts'
import { factsSql } from '../../src/permissions/engine/statements/facts.ts'
import { listSql } from '../../src/permissions/engine/statements/list.ts'
import { listWithFoldersSql } from '../../src/permissions/engine/statements/list-with-folders.ts'
import { uncertainSql } from '../../src/permissions/engine/statements/uncertain.ts'
import {
  subjectKindNames,
  subjectKinds,
} from '../../src/permissions/engine/subjects/subject-kinds.ts'
import { cloneDatabase } from '../support/database.ts'

const { pool, drop } = await cloneDatabase()
const client = await pool.connect()
test.after.always(async () => {
  client.release(true)
  await drop()
})

/** The statements whose results are remembered (`engine.ts`). */
const remembered = [
  ...Object.values(factsSql).flatMap((statements) => Object.values(statements)),
  ...Object.values(uncertainSql),
  ...Object.values(listSql),
  ...Object.values(listWithFoldersSql),
].flatMap((statements) =>
  subjectKindNames.flatMap((name) => (subjectKinds[name].isRemembered ? statements[name] : [])),
)

/** Inserts that affect no remembered fact, because unknown callers and users are not remembered. */
const unrecordedInserts = ['users', 'service_keys']

type Column = { table: string; name: string; type: string; isRead: boolean }

/** Returns the columns that statements read, also through views, as "table.column". */
async function findReadColumns(statements: string[], prefix: string): Promise<Set<string>> {
  for (const [index, sql] of statements.entries()) {
    const name = `${prefix}_${index}`
    await client.query(`prepare ${name} as ${sql}`)
    const { rows } = await client.query(
      `select array_to_string(parameter_types, ', ') as types from pg_prepared_statements
       where name = $1`,
      [name],
    )
    // PostgreSQL notes the columns that such a function reads.
    await client.query(`create function ${name}(${rows[0].types}) returns setof record
      language sql begin atomic ${sql}; end`)
    await client.query(`deallocate ${name}`)
  }
  const { rows } = await client.query(
    `with recursive read as (
      select refclassid, refobjid, refobjsubid from pg_depend
      where classid = 'pg_proc'::regclass
        and objid in (select oid from pg_proc where starts_with(proname, $1))
      union
      select d.refclassid, d.refobjid, d.refobjsubid
      from read
      join pg_rewrite w on refclassid = 'pg_class'::regclass and w.ev_class = read.refobjid
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
    )
    select distinct attrelid::regclass || '.' || attname as "column"
    from read
    join pg_class c on refclassid = 'pg_class'::regclass and c.oid = refobjid and relkind = 'r'
    join pg_attribute on attrelid = c.oid and attnum = refobjsubid and attnum > 0`,
    [`${prefix}_`],
  )
  return new Set(rows.map(({ column }) => column))
}

/** Returns all columns of the tables. */
async function describeColumns(tables: string[], read: Set<string>): Promise<Column[]> {
  const { rows } = await client.query(
    `select attrelid::regclass::text as table, attname as name, format_type(atttypid, null) as type
     from pg_attribute where attrelid = any($1::regclass[])
       and attnum > 0 and not attisdropped and attgenerated = ''`,
    [tables],
  )
  return rows.map((row) => ({ ...row, isRead: read.has(`${row.table}.${row.name}`) }))
}

/** Two values of each type. Rows with the same values refer to each other. */
const valuesOf: Record<string, [string, string]> = {
  uuid: ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'],
  text: ['a', 'b'],
  'character varying': ['a', 'b'],
  boolean: ['true', 'false'],
  integer: ['1', '2'],
  bigint: ['1', '2'],
  json: ['{}', '[]'],
  jsonb: ['{}', '[]'],
  'text[]': ['{a}', '{b}'],
  'uuid[]': ['{00000000-0000-4000-8000-000000000001}', '{00000000-0000-4000-8000-000000000002}'],
  date: ['2100-01-01', '2100-01-02'],
  'timestamp with time zone': ['2100-01-01', '2100-01-02'],
}

function literalOf({ type }: Column, index: 0 | 1): string {
  const values = valuesOf[type]
  if (!values) throw new Error(`no values of type ${type}`)
  return `'${values[index]}'`
}

const insertRow = (table: string, columns: Column[]) =>
  `insert into ${table} (${columns.map(({ name }) => name).join(', ')})
   values (${columns.map((column) => literalOf(column, 0)).join(', ')})`

/** Removes constraints and triggers that have nothing to do with records. */
async function removeRules(client: PoolClient, tables: string[]): Promise<void> {
  const { rows } = await client.query(
    `select conrelid::regclass as table, conname as name from pg_constraint
     where contype in ('f', 'c') and conrelid = any($1::regclass[])`,
    [tables],
  )
  for (const { table, name } of rows)
    await client.query(`alter table ${table} drop constraint "${name}"`)
  const { rows: triggers } = await client.query(
    `select tgrelid::regclass as table, tgname as name from pg_trigger
     where not tgisinternal and tgname !~ '^record_(access_|resource_|truncation)'
       and tgrelid = any($1::regclass[])`,
    [tables],
  )
  for (const { table, name } of triggers)
    await client.query(`alter table ${table} disable trigger "${name}"`)
  await client.query('alter table resource_kinds alter id drop identity if exists')
}

/** The ways to run a statement. */
const ways: Record<string, (sql: string) => Promise<unknown>> = {
  directly: (sql) => client.query(sql),
  'in a trigger': async (sql) => {
    await client.query("select set_config('test.sql', $1, true)", [sql])
    await client.query('insert into operations default values')
  },
  'as a replica': async (sql) => {
    await client.query('set local session_replication_role = replica')
    await client.query(sql)
  },
}

/** Creates what runs a statement in a trigger. */
const createOperationsSql = `
    create table operations ();
    create function run_operation() returns trigger language plpgsql as $$
      begin execute current_setting('test.sql'); return null; end $$;
    create trigger run_operation after insert on operations
      for each statement execute function run_operation()`

/** Whether a statement adds a record, in each of the ways. The changes are undone. */
async function findMissing(
  name: string,
  sql: string,
  prepare?: string,
  records = 'access_changes',
): Promise<string[]> {
  const missing: string[] = []
  for (const [way, run] of Object.entries(ways)) {
    await client.query('savepoint operation')
    if (prepare) await client.query(prepare)
    await client.query(`delete from ${records}`)
    await run(sql)
    const { rows } = await client.query(`select exists (select from ${records}) as exists`)
    if (!rows[0].exists) missing.push(`${name} ${way}`)
    await client.query('rollback to operation')
  }
  return missing
}

test.serial('every change to what the engine reads is recorded, whoever makes it', async (t) => {
  await client.query('begin')
  const read = await findReadColumns(remembered, 'remembered')
  const tables = [...new Set([...read].map((column) => column.split('.')[0] as string))].sort()
  t.true(tables.length >= 19)
  // The name of a condition's digest is generated.
  read.delete('resource_conditions.digest')
  for (const column of ['expression', 'parameters']) read.add(`resource_conditions.${column}`)
  const columns = await describeColumns([...tables, 'groups'], read)
  const of = (table: string) => columns.filter((column) => column.table === table)
  await removeRules(client, [...tables, 'groups'])
  await client.query(createOperationsSql)
  for (const table of [...tables, 'groups']) await client.query(insertRow(table, of(table)))

  const missing: string[] = []
  for (const table of tables) {
    const remove = `delete from ${table}`
    missing.push(...(await findMissing(`delete ${table}`, remove)))
    missing.push(...(await findMissing(`truncate ${table}`, `truncate ${table} cascade`)))
    if (!unrecordedInserts.includes(table)) {
      const insert = insertRow(table, of(table))
      missing.push(...(await findMissing(`insert ${table}`, insert, remove)))
    }
    for (const column of of(table).filter(({ isRead }) => isRead)) {
      const update = `update ${table} set ${column.name} = ${literalOf(column, 1)}`
      missing.push(...(await findMissing(`update ${table}.${column.name}`, update)))
    }
  }
  missing.push(...(await findMissing('truncate access_changes', 'truncate access_changes')))
  await client.query('rollback')
  t.deepEqual(missing, [])
})

/** The columns that decide what resources accept, by table. */
const accepted = {
  resources: [
    'kind_id',
    'resource_id',
    'external_id',
    'workspace_id',
    'owner_id',
    'visibility',
    'parent_id',
    'inherits',
    'is_parent',
  ],
  shares: ['kind_id', 'resource_id', 'user_id', 'group_id', 'permission', 'expires_at'],
  resource_links: ['kind_id', 'resource_id', 'workspace_id', 'permission', 'expires_at'],
  deleted_trees: ['id'],
  deleted_workspaces: ['id'],
}

test.serial('every change to what resources accept is recorded, whoever makes it', async (t) => {
  await client.query('begin')
  const read = Object.entries(accepted).flatMap(([table, names]) =>
    names.map((name) => `${table}.${name}`),
  )
  const tables = Object.keys(accepted)
  const columns = await describeColumns(tables, new Set(read))
  const of = (table: string) => columns.filter((column) => column.table === table)
  await removeRules(client, tables)
  await client.query(createOperationsSql)
  for (const table of tables) await client.query(insertRow(table, of(table)))

  const records = 'resource_changes'
  const missing: string[] = []
  for (const table of tables) {
    const remove = `delete from ${table}`
    const truncate = `truncate ${table} cascade`
    const insert = insertRow(table, of(table))
    missing.push(...(await findMissing(`delete ${table}`, remove, undefined, records)))
    missing.push(...(await findMissing(`truncate ${table}`, truncate, undefined, records)))
    missing.push(...(await findMissing(`insert ${table}`, insert, remove, records)))
    for (const column of of(table).filter(({ isRead }) => isRead)) {
      const update = `update ${table} set ${column.name} = ${literalOf(column, 1)}`
      missing.push(...(await findMissing(`update ${column.name}`, update, undefined, records)))
    }
  }
  await client.query('rollback')
  t.deepEqual(missing, [])
})

test.serial('an update records the row before and after it', async (t) => {
  await client.query('begin')
  const tables = ['resources', 'shares', 'members', 'group_members', 'custom_role_members']
  const columns = await describeColumns(tables, new Set())
  await removeRules(client, tables)
  for (const table of tables) {
    const rows = columns.filter((column) => column.table === table)
    await client.query(insertRow(table, rows))
    await client.query(`
      update ${table} set workspace_id = '${valuesOf.uuid?.[0]}';
      delete from access_changes;
      update ${table} set workspace_id = '${valuesOf.uuid?.[1]}'`)
    const { rows: recorded } = await client.query(
      'select distinct workspace_id from access_changes order by 1',
    )
    t.deepEqual(
      recorded.map(({ workspace_id }) => workspace_id),
      valuesOf.uuid,
      table,
    )
  }
  await client.query('rollback')
})

test.serial('the confirming statement reads every time at which a row expires', async (t) => {
  await client.query('begin')
  const read = await findReadColumns(remembered, 'remembered')
  const confirmed = await findReadColumns([changesSql], 'confirming')
  await client.query('rollback')
  const expiries = [...read].filter((column) => column.endsWith('.expires_at'))
  t.deepEqual(expiries.sort(), [
    'delegations.expires_at',
    'members.expires_at',
    'service_keys.expires_at',
    'shares.expires_at',
  ])
  for (const column of expiries) t.true(confirmed.has(column), column)
})

test.serial('shares that are deleted with their resource or member are not recorded', async (t) => {
  await client.query('begin')
  const { rows } = await client.query(
    "insert into resource_kinds (service_name, resource_type) values ('docs', 'document') returning id",
  )
  const id = 'gen_random_uuid()'
  await client.query(`
    insert into workspaces (id, name, slug) values ('${valuesOf.uuid?.[0]}', 'w', 'w');
    insert into users (id, name, email) values ('${valuesOf.uuid?.[0]}', 'a', 'a@example.com');
    insert into members (workspace_id, user_id, role, joined_at)
      values ('${valuesOf.uuid?.[0]}', '${valuesOf.uuid?.[0]}', 'viewer', now());
    insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
      select ${id}, ${rows[0].id}, ${id}, '${valuesOf.uuid?.[0]}', '${valuesOf.uuid?.[0]}', 'private'
      from generate_series(1, 20);
    insert into shares (id, kind_id, resource_id, workspace_id, user_id, permission)
      select ${id}, kind_id, resource_id, workspace_id, owner_id, 'view' from resources;
    delete from access_changes;
    delete from resources`)
  const { rows: recorded } = await client.query('select count(*)::int from access_changes')
  t.is(recorded[0].count, 20)
  await client.query('rollback')
})

test.serial('a subscriber gives replicated records the IDs of its own transactions', async (t) => {
  await client.query('begin')
  await client.query('delete from access_changes')
  const sql = `insert into access_changes (transaction) values ('5')
    returning transaction = pg_current_xact_id() as "isOwn"`
  t.false((await client.query(sql)).rows[0].isOwn)
  // Logical replication applies changes with this setting.
  await client.query('set local session_replication_role = replica')
  t.true((await client.query(sql)).rows[0].isOwn)
  await client.query('rollback')
})
