import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** A database for one test file, cloned from the migrated template. */
export type TestDatabase = { url: string; pool: pg.Pool; drop(): Promise<void> }

/** Clones a template, by default the one that `npm test` creates. */
export async function cloneDatabase(template = 'template_daikon'): Promise<TestDatabase> {
  const adminUrl = process.env.TEST_DATABASE_URL
  if (!adminUrl)
    throw new Error('TEST_DATABASE_URL is not set. Run the tests with: npm test -- <files>')
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(adminUrl, `create database ${name} template ${template} strategy file_copy`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  const pool = new pg.Pool({ connectionString: url.href, max: 5 })
  pool.on('error', () => {})
  return {
    url: url.href,
    pool,
    async drop() {
      await pool.end()
      await administer(adminUrl, `drop database ${name} with (force)`)
    },
  }
}

/** Runs one statement at a time, because PostgreSQL rejects copying a template that is in use. */
export async function administer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query("select pg_advisory_lock(hashtext('clone'))")
    await client.query(sql)
  } finally {
    await client.end()
  }
}
