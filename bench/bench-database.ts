import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { createKeyFiles, type KeyPaths } from '../src/identity/keys.ts'
import { ensureDataSet } from './data-set.ts'
import { fullSize, type Size, smallSize } from './data-set-size.ts'

/** The database with the data set, another one with a small data set, and the signing keys. */
export type BenchDatabase = {
  folder: string
  url: string
  size: Size
  /** The small data set in its own database. With `--quick` it is the only data set. */
  small: { url: string; size: Size }
  keyPaths: KeyPaths
  close(): Promise<void>
}

/**
 * Opens the data sets and creates them if they are missing. They are stored in an embedded
 * PostgreSQL in BENCH_FOLDER or a temporary folder, or at BENCH_DATABASE_URL, where they replace
 * existing data.
 */
export async function openBenchDatabase(quick: boolean): Promise<BenchDatabase> {
  const size = quick ? smallSize : fullSize
  const { url, close, ...files } = await openBenchPostgres(
    quick ? 'daikon-bench-quick' : 'daikon-bench',
  )
  try {
    await ensureDataSet(url, size)
    const small = { url: quick ? url : await ensureDatabase(url, 'small'), size: smallSize }
    if (!quick) await ensureDataSet(small.url, smallSize)
    return { ...files, url, size, small, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Opens PostgreSQL without data sets. `name` is the name of the folder, unless BENCH_FOLDER is set.
 */
export async function openBenchPostgres(
  name: string,
): Promise<Omit<BenchDatabase, 'size' | 'small'>> {
  // Migrations must not take connections of benchmarks for a node of the first release.
  process.env.PGAPPNAME ??= 'pg_bench'
  const folder = process.env.BENCH_FOLDER ?? join(tmpdir(), name)
  mkdirSync(folder, { recursive: true })
  const keyPaths = {
    privatePath: join(folder, 'private.pem'),
    publicPath: join(folder, 'public.pem'),
  }
  if (!existsSync(keyPaths.privatePath)) createKeyFiles(keyPaths)
  const configuredUrl = process.env.BENCH_DATABASE_URL
  const embedded = configuredUrl ? undefined : await startEmbedded({ dataDir: folder })
  const url = configuredUrl ?? embedded?.url ?? ''
  return { folder, url, keyPaths, close: async () => embedded?.stop() }
}

/**
 * Opens a database with the small data set and additional data, and creates it if it is missing.
 */
export async function openExtraDatabase(
  { url }: Pick<BenchDatabase, 'url'>,
  suffix: string,
  statements: string[],
): Promise<string> {
  const extra = await ensureDatabase(url, suffix)
  await ensureDataSet(extra, smallSize, statements)
  return extra
}

/** Creates another database on the same server if it is missing. Returns its URL. */
export async function ensureDatabase(url: string, suffix: string): Promise<string> {
  const other = new URL(url)
  const name = `${other.pathname.slice(1)}_${suffix}`
  other.pathname = `/${name}`
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
  return other.href
}
