import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { migrate } from '../src/database/migrate.ts'
import { hashServiceKey } from '../src/identity/service-keys.ts'
import type { Size } from './data-set-size.ts'
import { dataSetSql } from './data-set-sql.ts'

/** The key that encrypts secrets in the benchmark. */
export const benchEncryptionKey = Buffer.alloc(32, 7)

export const serviceKey = 'dk_bench'
export const kind = { service_name: 'docs', resource_type: 'document' }

/** Returns the ID of the nth object of a kind, equal to `md5(prefix || n)::uuid` in SQL. */
export function idOf(prefix: 'u' | 'w' | 'g' | 'r', n: number): string {
  const hex = createHash('md5').update(`${prefix}${n}`).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/**
 * Returns three members of workspace 0 with their number of direct shares. They are not in any
 * group.
 */
export function readers({ users, resources }: Size): { id: string; shares: number }[] {
  return [2000, 20, 2].map((part, index) => ({
    id: idOf('u', users + index),
    shares: resources / 5 / part,
  }))
}

/**
 * Creates the data set and runs the statements in `more`, unless the database already contains the
 * data set with the current schema.
 */
export async function ensureDataSet(url: string, size: Size, more: string[] = []): Promise<void> {
  const statements = [...dataSetSql(size), ...more]
  const recipe = `bench ${digest([...migrations(), ...statements])}`
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(
      `select obj_description('public'::regnamespace, 'pg_namespace') as recipe`,
    )
    if (rows[0]?.recipe === recipe) return
    const startedAt = performance.now()
    process.stderr.write(`Creating ${size.resources} resources and their shares …\n`)
    await client.query('drop schema public cascade')
    await client.query('drop schema if exists pgboss cascade')
    await client.query('create schema public')
    await migrate(url)
    // References are valid by construction, and checking foreign keys row by row would take
    // minutes.
    await client.query('set session_replication_role = replica').catch(() => {})
    for (const statement of statements) await client.query(statement)
    await client.query(
      'insert into service_keys (key_hash, key_prefix, app_id) select $1, $2, id from service_apps',
      [hashServiceKey(serviceKey), serviceKey],
    )
    await client.query('vacuum (analyze)')
    await client.query('checkpoint').catch(() => {})
    await client.query(`comment on schema public is '${recipe}'`)
    process.stderr.write(`Created in ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`)
  } finally {
    await client.end()
  }
}

/** Deletes a resource type with its resources and shares, if it exists. */
export async function deleteResourceType(client: pg.Client, type: string): Promise<void> {
  const { rows } = await client.query('select id from resource_kinds where resource_type = $1', [
    type,
  ])
  for (const { id } of rows) {
    await client.query('delete from shares where kind_id = $1', [id])
    await client.query('delete from resources where kind_id = $1', [id])
    await client.query('delete from resource_kinds where id = $1', [id])
  }
}

export function migrations(): string[] {
  const folder = new URL('../src/database/migrations/', import.meta.url)
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
}

export function digest(texts: string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16)
}
