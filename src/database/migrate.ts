import { readdirSync } from 'node:fs'
import pg, { type Client } from 'pg'
import { lacksMigrations } from './database-errors.ts'

/** Brings the schema up to date; answers what was run. Two at once wait for each other. */
export async function migrate(url: string): Promise<string[]> {
  const lock = new pg.Client({ connectionString: url })
  await lock.connect()
  try {
    if (await isMigrated(lock)) return []
    await lock.query("select pg_advisory_lock(hashtext('daikon migrate'))")
    const { openOrm } = await import('./orm.ts')
    const orm = await openOrm(url)
    try {
      const applied = await orm.migrator.up()
      return applied.map(({ name }) => name)
    } finally {
      await orm.close(true)
    }
  } finally {
    await lock.end()
  }
}

/** Whether nothing is left to do, which is so at nearly every start. */
async function isMigrated(client: Client): Promise<boolean> {
  try {
    const { rows } = await client.query<{ name: string }>('select name from migrations')
    const applied = new Set(rows.map(({ name }) => name))
    return migrationNames().every((name) => applied.has(name))
  } catch (error) {
    if (lacksMigrations(error)) return false
    throw error
  }
}

/** By their files: to read them is to read the ORM. */
function migrationNames(): string[] {
  const files = readdirSync(new URL('migrations', import.meta.url))
  return files.map((file) => file.replace(/\.[jt]s$/, ''))
}
