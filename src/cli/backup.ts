import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { tellSchemaVersion } from '../database/schema-version.ts'
import { type Config, readConfig } from '../server/config.ts'
import { UsageError } from './failure.ts'
import { print } from './output.ts'
import { findProgram } from './postgres-programs.ts'
import { openPostgres } from './session.ts'
import type { DeploymentStore } from './store/deployment-store.ts'
import { readVersion } from './version.ts'

const dumpName = 'database.dump'
const manifestName = 'backup.json'
const keyNames = { JWT_PRIVATE_KEY_PATH: 'private.pem', JWT_PUBLIC_KEY_PATH: 'public.pem' } as const
const keySettings = Object.keys(keyNames) as (keyof typeof keyNames)[]

/** A backup does not contain keys that are stored in Vault. */
function keySettingsOf(config: Config): typeof keySettings {
  return config.VAULT_ADDR === '' ? keySettings : []
}

export function backupCommand(): Command {
  return new Command('backup')
    .description('write the database and the signing keys to a new folder; requires pg_dump')
    .argument('<folder>', 'folder that does not exist or is empty')
    .action(async (folder: string, _options, command) => {
      const config = readConfig(process.env)
      await withPostgres(config, async (url) => {
        const pgDump = await findProgram('pg_dump', () =>
          readDeployment(url, (deployment) => deployment.readServerVersion()),
        )
        await mkdir(folder, { recursive: true, mode: 0o700 })
        if ((await readdir(folder)).length > 0) throw new UsageError(`${folder} is not empty`)
        // pg_dump keeps the mode of an existing file.
        await writeFile(join(folder, dumpName), '', { mode: 0o600 })
        await run(pgDump, ['--format=custom', `--file=${join(folder, dumpName)}`], url)
      })
      for (const name of keySettingsOf(config))
        await writeFile(join(folder, keyNames[name]), await readFile(config[name]), { mode: 0o600 })
      const manifest = { version: readVersion(), created_at: new Date().toISOString() }
      await writeFile(join(folder, manifestName), `${JSON.stringify(manifest)}\n`, { mode: 0o600 })
      print(command, { folder, ...manifest }, [
        `Wrote the database and the signing keys to ${folder}. Keep it secret.`,
      ])
    })
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('restore a backup into an empty database; requires pg_restore')
    .argument('<folder>', 'folder that `daikon backup` wrote')
    .action(async (folder: string, _options, command) => {
      const config = readConfig(process.env)
      const manifest = JSON.parse(await readFile(join(folder, manifestName), 'utf8'))
      await requireSameKeys(config, folder)
      await withPostgres(config, async (url) => {
        await requireEmpty(url)
        // Before the database, so that the command can be repeated if it fails.
        await restoreKeys(config, folder)
        const options = ['--exit-on-error', '--single-transaction', '--no-owner']
        await run('pg_restore', [...options, '--dbname=', join(folder, dumpName)], url)
        await readDeployment(url, (deployment) => deployment.analyze())
      })
      print(command, { folder, ...manifest }, [
        `Restored the backup of ${manifest.created_at}.`,
        'Tokens and keys that were revoked since then are valid again: see docs/operations.md.',
      ])
    })
}

async function withPostgres(config: Config, work: (url: string) => Promise<void>): Promise<void> {
  const { url, stop } = await openPostgres(config)
  try {
    await work(url)
  } finally {
    await stop()
  }
}

/** Existing key files are not replaced, because another server may have issued tokens with them. */
async function requireSameKeys(config: Config, folder: string): Promise<void> {
  for (const name of keySettingsOf(config)) {
    const path = config[name]
    if (!existsSync(path)) continue
    const [existing, backup] = [await readFile(path), await readFile(join(folder, keyNames[name]))]
    if (!existing.equals(backup)) {
      throw new UsageError(`${path} differs from the backup: move it away, or correct ${name}`)
    }
  }
}

/** Writes the key files that do not exist, and their folders. */
async function restoreKeys(config: Config, folder: string): Promise<void> {
  for (const name of keySettingsOf(config)) {
    const path = config[name]
    if (existsSync(path)) continue
    const key = await readFile(join(folder, keyNames[name]))
    const mode = name === 'JWT_PRIVATE_KEY_PATH' ? 0o600 : 0o644
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeFile(path, key, { mode, flag: 'wx' })
    } catch (error) {
      throw new UsageError(`Cannot write ${path} (${name}): ${(error as Error).message}`)
    }
  }
}

async function requireEmpty(url: string): Promise<void> {
  if (await readDeployment(url, (deployment) => deployment.isEmpty())) return
  throw new UsageError('The database is not empty: restore into an empty one')
}

async function readDeployment<Result>(
  url: string,
  read: (deployment: DeploymentStore) => Promise<Result>,
): Promise<Result> {
  const { Client } = (await import('pg')).default
  const { DeploymentStore } = await import('./store/deployment-store.ts')
  const VersionedClient = tellSchemaVersion(Client)
  const client = new VersionedClient({ connectionString: url })
  await client.connect()
  try {
    return await read(new DeploymentStore(client))
  } finally {
    await client.end()
  }
}

/**
 * Runs a PostgreSQL program. Passes the password in the environment, because other users can see a
 * program's arguments.
 */
async function run(program: string, args: string[], databaseUrl: string): Promise<void> {
  const child = spawn(program, args, {
    env: { ...process.env, ...connectionEnvironment(databaseUrl) },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const [errors, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]).catch(
    (error) => {
      throw error.code === 'ENOENT'
        ? new UsageError(`${program} is not installed: install the client programs of PostgreSQL`)
        : error
    },
  )
  if (status !== 0) throw new UsageError(`${program} failed: ${errors.trim()}`)
}

/** Returns the libpq environment variables for a database URL. */
function connectionEnvironment(databaseUrl: string): Record<string, string> {
  const url = new URL(databaseUrl)
  const sslMode = url.searchParams.get('sslmode')
  return {
    PGHOST: decodeURIComponent(url.hostname),
    PGPORT: url.port || '5432',
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: decodeURIComponent(url.pathname.slice(1)),
    ...(sslMode && { PGSSLMODE: sslMode }),
  }
}
