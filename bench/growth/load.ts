import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../../src/database/embedded/embedded-postgres.ts'
import { migrate } from '../../src/database/migrate.ts'
import { hashServiceKey } from '../../src/identity/service-keys.ts'
import { serviceKey } from '../data-set.ts'
import { copyRows } from './copy.ts'
import { countersSql, smallTablesSql, tablesOf } from './rows.ts'
import type { GrowthSize } from './shape.ts'

/** Increased when the rows change, so that they are loaded again. */
const version = 4

/** The server writes no log for loads, and counts the pages of each statement. */
const settings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
  fsync: 'off',
  autovacuum: 'off',
  max_parallel_maintenance_workers: '2',
}

export type GrowthDatabase = { url: string; size: GrowthSize; stop(): Promise<void> }

/** Opens a PostgreSQL server with the data of a size in `folder`, and loads it if it is missing. */
export async function openGrowthDatabase(
  folder: string,
  size: GrowthSize,
  log: (text: string) => void,
): Promise<GrowthDatabase> {
  const dataDir = join(folder, `growth-${size.resources}`)
  mkdirSync(dataDir, { recursive: true })
  const server = await startConfigured(dataDir)
  const client = new pg.Client({ connectionString: server.url })
  try {
    await client.connect()
    const recipe = `growth ${JSON.stringify({ version, ...size })}`
    const { rows } = await client.query(
      `select obj_description('public'::regnamespace, 'pg_namespace') as recipe`,
    )
    if (rows[0].recipe !== recipe) {
      await load(client, server.url, size, log)
      await client.query(`comment on schema public is '${recipe}'`)
      await client.query('checkpoint')
    } else {
      await migrate(server.url)
    }
    await client.end()
    return { url: server.url, size, stop: () => server.stop() }
  } catch (error) {
    await client.end()
    await server.stop()
    throw error
  }
}

/**
 * Leaves the planner with what it knows after a dump has been restored, and with generic plans for
 * every statement.
 */
export async function deleteStatistics(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `delete from pg_statistic where starelid in (
      select oid from pg_class where relnamespace = 'public'::regnamespace)`,
  )
  await client.query(
    `update pg_class set reltuples = -1, relpages = 0, relallvisible = 0
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
  )
  await client.query('alter database daikon set plan_cache_mode = force_generic_plan')
  await client.end()
}

async function startConfigured(dataDir: string) {
  const server = await startEmbedded({ dataDir })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query('show shared_preload_libraries')
  const isConfigured = rows[0].shared_preload_libraries === settings.shared_preload_libraries
  if (!isConfigured) {
    for (const [name, value] of Object.entries(settings)) {
      await client.query(`alter system set ${name} = '${value}'`)
    }
  }
  await client.end()
  if (isConfigured) return server
  await server.stop()
  return startEmbedded({ dataDir })
}

/** Loads the tables without triggers and indexes, then builds the indexes. */
async function load(
  client: pg.Client,
  url: string,
  size: GrowthSize,
  log: (text: string) => void,
): Promise<void> {
  const timed = async <T>(label: string, work: () => Promise<T>) => {
    const start = performance.now()
    const result = await work()
    const seconds = (performance.now() - start) / 1000
    if (seconds > 5) log(`${label}: ${seconds.toFixed(0)} s`)
    return result
  }
  const run = (sql: string) => timed(sql, () => client.query(sql))
  log(`Loading ${size.resources} resources …`)
  await client.query('drop schema public cascade')
  await client.query('drop schema if exists pgboss cascade')
  await client.query('create schema public')
  await migrate(url)
  await client.query('create extension pg_stat_statements')
  await client.query(`set session_replication_role = replica`)
  await client.query(`set maintenance_work_mem = '1GB'`)
  const tables = tablesOf(size)
  for (const sql of smallTablesSql(size)) await run(sql)
  await client.query(
    'insert into service_keys (key_hash, key_prefix, app_id) select $1, $2, id from service_apps',
    [hashServiceKey(serviceKey), serviceKey],
  )
  const { drops, creates } = await findIndexes(
    client,
    tables.map(({ table }) => table),
  )
  for (const sql of drops) await client.query(sql)
  for (const { table, columns, write } of tables) {
    await timed(`copy ${table}`, () => copyRows(client, table, columns, write))
  }
  for (const sql of [...creates, ...countersSql(size)]) await run(sql)
  const large = new Set(tables.map(({ table }) => table))
  const { rows } = await client.query(
    `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  // Reads every row of small tables, so that no plan depends on a random sample.
  if (size.resources < 100_000) await client.query('set default_statistics_target = 1000')
  // The rows of COPY are frozen.
  for (const { relname } of rows) {
    await run(large.has(relname) ? `analyze ${relname}` : `vacuum (analyze) ${relname}`)
  }
}

/**
 * Returns statements that drop the indexes, triggers and constraints of tables, with the foreign
 * keys that refer to them, and statements that create them again. Foreign keys are not validated: the rows
 * are valid by construction.
 */
async function findIndexes(client: pg.Client, tables: string[]) {
  const oids = '($1::text[]::regclass[]::oid[])'
  const { rows: constraints } = await client.query(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, contype as type,
       pg_get_constraintdef(oid) as definition
     from pg_constraint
     where contype = 'f' and (conrelid = any(${oids}) or confrelid = any(${oids}))
       or contype in ('p', 'u') and conrelid = any(${oids})
     order by contype = 'f' desc, contype = 'p'`,
    [tables],
  )
  const { rows: indexes } = await client.query(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index i
     where indrelid = any(${oids})
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
     order by indrelid, indexrelid`,
    [tables],
  )
  // COPY inserts rows one by one into a table with a trigger for each row, even a disabled one.
  const { rows: triggers } = await client.query(
    `select tgrelid::regclass::text as table, quote_ident(tgname) as name,
       pg_get_triggerdef(oid) as definition
     from pg_trigger where tgrelid = any(${oids}) and not tgisinternal`,
    [tables],
  )
  const add = ({ table, name, type, definition }: Record<string, string>) => {
    const isValidated = type === 'f' && !definition?.endsWith('NOT VALID')
    return `alter table ${table} add constraint ${name} ${definition}${isValidated ? ' not valid' : ''}`
  }
  return {
    drops: [
      ...constraints.map(({ table, name }) => `alter table ${table} drop constraint ${name}`),
      ...indexes.map(({ name }) => `drop index ${name}`),
      ...triggers.map(({ table, name }) => `drop trigger ${name} on ${table}`),
    ],
    creates: [
      ...constraints
        .toReversed()
        .filter(({ type }) => type !== 'f')
        .map(add),
      ...indexes.map(({ definition }) => definition as string),
      ...constraints.filter(({ type }) => type === 'f').map(add),
      ...triggers.map(({ definition }) => definition as string),
    ],
  }
}
