import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { createKeyFiles, type KeyPaths } from '../src/identity/keys.ts'
import { ensureDataSet, fullSize, type Size, smallSize } from './data-set.ts'

/** Where measuring happens: the data set in its database, a small one beside it, and the keys. */
export type Place = {
  folder: string
  url: string
  size: Size
  /** The same in small, in a database of its own; with `--quick` it is the only one. */
  small: { url: string; size: Size }
  keyPaths: KeyPaths
  close(): Promise<void>
}

/**
 * Opens the data sets, making them where they are not there yet: in an embedded PostgreSQL under
 * BENCH_FOLDER, else under the folder of temporary files; or at BENCH_DATABASE_URL, where they
 * replace everything.
 */
export async function openPlace(quick: boolean): Promise<Place> {
  const size = quick ? smallSize : fullSize
  const name = quick ? 'daikon-bench-quick' : 'daikon-bench'
  const folder = process.env.BENCH_FOLDER ?? join(tmpdir(), name)
  mkdirSync(folder, { recursive: true })
  const keyPaths = {
    privatePath: join(folder, 'private.pem'),
    publicPath: join(folder, 'public.pem'),
  }
  if (!existsSync(keyPaths.privatePath)) createKeyFiles(keyPaths)
  const given = process.env.BENCH_DATABASE_URL
  const embedded = given ? undefined : await startEmbedded({ dataDir: folder })
  const url = given ?? embedded?.url ?? ''
  const close = async () => embedded?.stop()
  try {
    await ensureDataSet(url, size)
    const small = { url: quick ? url : await ensureDatabase(url, 'small'), size: smallSize }
    if (!quick) await ensureDataSet(small.url, smallSize)
    return { folder, url, size, small, keyPaths, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The URL of another database of the same PostgreSQL, made if need be. */
async function ensureDatabase(url: string, suffix: string): Promise<string> {
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
