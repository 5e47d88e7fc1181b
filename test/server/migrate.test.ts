import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { explainFailure } from '../../src/cli/failure.ts'
import { isExternalId } from '../../src/core/external-id.ts'
import { migrate } from '../../src/database/migrate.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** Creates a database without tables. */
async function emptyDatabase(t: ExecutionContext): Promise<string> {
  const url = new URL(String(process.env.TEST_DATABASE_URL))
  const name = `empty_${randomBytes(6).toString('hex')}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(`create database ${name}`)
  t.teardown(async () => {
    await client.query(`drop database ${name} with (force)`)
    await client.end()
  })
  url.pathname = `/${name}`
  return url.href
}

function daikon(databaseUrl: string, ...args: string[]) {
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl }
  return run(process.execPath, ['src/daikon.ts', ...args], { cwd: root, env })
}

test('of two concurrent migrations, one applies everything and the other waits and applies nothing', async (t) => {
  const url = await emptyDatabase(t)
  const results = await Promise.all(
    Array.from({ length: 2 }, () => daikon(url, '--json', 'migrate')),
  )
  const applied = results.map(({ stdout }) => JSON.parse(stdout).applied as string[])
  t.deepEqual(applied.map(({ length }) => length > 0).sort(), [false, true])
  const { stdout } = await daikon(url, 'migrate')
  t.is(stdout, 'The database is up to date.\n')
})

test('the migration lists the users whose external ID has the form of an ID or an address', async (t) => {
  const url = await emptyDatabase(t)
  await daikon(url, 'migrate')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())
  const forgetMigration = () =>
    client.query(`delete from migrations where name = '025-external-id-forms'`)
  const addUser = async (external_id: string) => {
    const { rows } = await client.query<{ id: string }>(
      `insert into users (id, email, name, external_id)
       values (gen_random_uuid(), gen_random_uuid() || '@example.com', '', $1) returning id`,
      [external_id],
    )
    return rows[0]?.id as string
  }
  const accepted = ['hr-1', 'bob@', '@bob', 'a@b@c', 'a b@example.com', 'ü@example.com']
  for (const externalId of [...accepted, `{${randomUUID()}}`, 'bob@exa_mple', 'bob@a..b']) {
    t.true(isExternalId(externalId))
    await addUser(externalId)
  }
  await forgetMigration()
  t.is((await daikon(url, 'migrate')).stderr, '')

  const reserved = ['bob@example.com', ' Bob@Example.com ', 'root@localhost', "!`'{|}~-^@x.y"]
  const ids: string[] = []
  for (const externalId of [...reserved, randomUUID(), randomUUID().toUpperCase()]) {
    t.false(isExternalId(externalId))
    ids.push(await addUser(externalId))
  }
  await forgetMigration()
  const { stdout, stderr } = await daikon(url, 'migrate')
  t.is(stdout, 'Applied 025-external-id-forms.\n')
  t.is(
    stderr,
    `6 user(s) have an external_id in the form of a UUID or an e-mail address, which no longer identifies them. Give them another external_id: ${ids.toSorted().join(', ')}\n`,
  )
  const { rows } = await client.query('select external_id from users where id = $1', [ids[0]])
  t.deepEqual(rows, [{ external_id: 'bob@example.com' }])
})

test('a migration that fails leaves the ones before it applied', async (t) => {
  const url = await emptyDatabase(t)
  const client = new pg.Client({ connectionString: url, application_name: 'psql' })
  await client.connect()
  t.teardown(() => client.end())
  await client.query('create table resource_links (id int)')
  const nodeOfFirstRelease = new pg.Client({ connectionString: url, application_name: 'node' })
  await nodeOfFirstRelease.connect()
  const ended = new Promise((resolve) => nodeOfFirstRelease.on('error', resolve))
  const applied: string[] = []
  await t.throwsAsync(migrate(url, { onApplied: (name) => applied.push(name) }))
  const { rows } = await client.query<{ name: string }>('select name from migrations order by name')
  t.is(applied.at(-1), '037-share-conditions')
  t.like(await ended, { code: '57P01' })
  t.deepEqual(
    rows.map(({ name }) => name),
    applied,
  )
  await client.query('drop table resource_links')
  t.is((await migrate(url))[0], '038-resource-links')
})

test('a migration tries again while another transaction blocks it, and names that transaction', async (t) => {
  const url = await emptyDatabase(t)
  await migrate(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())
  await client.query("delete from migrations where name = '054-autovacuum'")
  const begin = async () => {
    await client.query('begin; lock table resources in share row exclusive mode')
    await client.query("select 1234 as number, 'Bob' as name, $1::text", ['Eve'])
  }
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const reason = `The migration 054-autovacuum waits for process ${rows[0]?.pid} of PostgreSQL (idle in transaction: select ? as number, …)`

  await begin()
  const warnings: string[] = []
  const waits: number[] = []
  const wait = async (milliseconds: number) => {
    waits.push(milliseconds)
    if (waits.length === 2) await client.query('rollback')
  }
  const applied = await migrate(url, { warn: (text) => warnings.push(text), wait })
  t.deepEqual(applied, ['054-autovacuum'])
  t.deepEqual(waits, [1000, 1000])
  t.deepEqual(warnings, [`${reason} (attempt 1 of 60)`, `${reason} (attempt 2 of 60)`])

  await client.query("delete from migrations where name = '054-autovacuum'")
  await begin()
  const error = await t.throwsAsync(migrate(url, { wait: async () => {}, attempts: 2 }))
  const explained = await explainFailure(error)
  t.like(explained, { exitCode: 1, isExpected: true })
  t.true(explained.message.startsWith(`${reason}. End it`), explained.message)
  await client.query('rollback')
})

test('a command on an unmigrated database explains how to migrate it', async (t) => {
  const url = await emptyDatabase(t)
  for (const args of [
    ['service-app', 'list'],
    ['admin', 'promote', 'somebody@example.com'],
  ]) {
    const error = await t.throwsAsync<Error & { code: number; stderr: string }>(
      daikon(url, ...args),
    )
    t.is(error.code, 2)
    t.is(error.stderr, 'The database has not been migrated. Run `daikon migrate` first.\n')
  }
})
