import pg from 'pg'
import { migrate } from '../../src/database/migrate.ts'
import { administer } from './database.ts'

/**
 * Creates the migrated database that `cloneDatabase` copies, on the PostgreSQL server at
 * `adminUrl`.
 */
export async function createTemplateDatabase(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  // Tests kill processes but never the machine, so writes need not wait for the disk.
  await client.query('alter system set fsync = off')
  await client.query('alter system set full_page_writes = off')
  // Copies files within the kernel.
  await client.query('alter system set file_copy_method = clone')
  await client.query('select pg_reload_conf()')
  // Test files open thousands of connections, each of which would hash the password 4,096 times.
  await client.query('set scram_iterations = 1')
  const password = client.escapeLiteral(decodeURIComponent(new URL(adminUrl).password))
  await client.query(`alter role current_user password ${password}`)
  await client.end()
  await createMigratedDatabase(adminUrl, 'template_daikon')
}

/** Creates a migrated database, with options of `create database`. */
export async function createMigratedDatabase(
  adminUrl: string,
  name: string,
  options = '',
): Promise<void> {
  await administer(adminUrl, `create database ${name} ${options}`)
  await migrate(Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href)
}
