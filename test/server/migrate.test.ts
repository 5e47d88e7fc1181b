import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'

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
