import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import pg from 'pg'
import { createKeyFiles } from '../../src/identity/keys.ts'
import { runCliWith } from '../support/cli.ts'
import { cloneDatabase } from '../support/database.ts'
import { findInstalledPostgres, startInstalledPostgres } from '../support/installed-postgres.ts'

const folder = await mkdtemp(join(tmpdir(), 'daikon-backup-'))
test.after.always(() => rm(folder, { recursive: true, force: true }))

const keys = {
  JWT_PRIVATE_KEY_PATH: join(folder, 'private.pem'),
  JWT_PUBLIC_KEY_PATH: join(folder, 'public.pem'),
}
createKeyFiles({ privatePath: keys.JWT_PRIVATE_KEY_PATH, publicPath: keys.JWT_PUBLIC_KEY_PATH })

const programs = findInstalledPostgres()
const withPostgres = programs ? test.serial : test.serial.skip

withPostgres('a backup restores the database and the keys into an empty database', async (t) => {
  t.timeout(600_000)
  const postgres = await startInstalledPostgres(programs as string)
  t.teardown(postgres.stop)
  await query(postgres.url('postgres'), 'create database original')
  await query(postgres.url('postgres'), 'create database restored')
  const original = { ...keys, DATABASE_URL: postgres.url('original') }
  t.like(await runCliWith(original, 'migrate'), { status: 0 })
  await query(
    original.DATABASE_URL,
    "insert into users (id, email, name) values (gen_random_uuid(), 'kept@example.com', 'Kept')",
  )

  const backup = join(folder, 'backup')
  t.like(await runCliWith(original, 'backup', backup), { status: 0, err: '' })
  const names = ['backup.json', 'database.dump', 'private.pem', 'public.pem']
  t.deepEqual((await readdir(backup)).sort(), names)
  for (const name of names) t.is((await stat(join(backup, name))).mode & 0o777, 0o600, name)
  t.like(await runCliWith(original, 'backup', backup), {
    status: 2,
    err: `${backup} is not empty\n`,
  })
  t.like(await runCliWith(original, 'restore', backup), {
    status: 2,
    err: 'The database is not empty: restore into an empty one\n',
  })

  const missing = join(folder, 'missing')
  const restored = {
    DATABASE_URL: postgres.url('restored'),
    JWT_PRIVATE_KEY_PATH: join(missing, 'private.pem'),
    JWT_PUBLIC_KEY_PATH: join(missing, 'public.pem'),
  }
  await writeFile(missing, 'a file instead of a folder')
  const blocked = await runCliWith(restored, 'restore', backup)
  t.is(blocked.status, 2)
  t.true(blocked.err.startsWith(`Cannot write ${restored.JWT_PRIVATE_KEY_PATH}`), blocked.err)
  await rm(missing)
  t.like(await runCliWith(restored, 'restore', backup), { status: 0, err: '' })
  t.deepEqual(
    await readFile(restored.JWT_PRIVATE_KEY_PATH),
    await readFile(keys.JWT_PRIVATE_KEY_PATH),
  )
  const found = await runCliWith(restored, 'user', 'find', 'kept@')
  t.regex(found.out, /Kept/)
})

test.serial('restore does not replace keys that differ from the backup', async (t) => {
  const backup = await mkdtemp(join(folder, 'foreign-'))
  createKeyFiles({
    privatePath: join(backup, 'private.pem'),
    publicPath: join(backup, 'public.pem'),
  })
  await writeFile(join(backup, 'backup.json'), '{}')
  const { status, err } = await runCliWith(keys, 'restore', backup)
  t.is(status, 2)
  t.regex(err, /private\.pem differs from the backup/)
})

test.serial('without pg_dump, the error of backup names what to install', async (t) => {
  const settings = { ...keys, DATABASE_URL: 'postgresql://127.0.0.1:1/x', PATH: '/nonexistent' }
  const { status, err } = await runCliWith(settings, 'backup', join(folder, 'another'))
  t.is(status, 2)
  t.is(err, 'pg_dump is not installed: install the client programs of PostgreSQL\n')
})

test.serial('an older pg_dump is refused before anything is written', async (t) => {
  const database = await cloneDatabase()
  t.teardown(database.drop)
  const programs = await mkdtemp(join(folder, 'programs-'))
  const script = '#!/bin/sh\necho "pg_dump (PostgreSQL) 9.6.24"\n'
  await writeFile(join(programs, 'pg_dump'), script, { mode: 0o755 })
  const backup = join(folder, 'not-written')
  const settings = { ...keys, DATABASE_URL: database.url, PATH: `${programs}:${process.env.PATH}` }
  const { status, err } = await runCliWith(settings, 'backup', backup)
  t.is(status, 2)
  t.regex(
    err,
    /^pg_dump 9 is older than the server, PostgreSQL (\d+): install the client programs of PostgreSQL \1 or newer\n$/,
  )
  t.false(existsSync(backup))
})

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql)
  await client.end()
}
