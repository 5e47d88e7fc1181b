import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KeyPaths, makeKeys } from '../src/identity/keys.ts'
import { startEmbedded } from '../src/storage/embedded.ts'
import { ensureDataSet, fullSize, quickSize, type Size } from './data-set.ts'

/** Where measuring happens: the data set in its database, and the keys. */
export type Place = {
  folder: string
  url: string
  size: Size
  keyPaths: KeyPaths
  close(): Promise<void>
}

/**
 * Opens the data set, making it where it is not there yet: in an embedded PostgreSQL under the
 * folder of temporary files, or at BENCH_DATABASE_URL, where it replaces everything.
 */
export async function openPlace(quick: boolean): Promise<Place> {
  const size = quick ? quickSize : fullSize
  const folder = join(tmpdir(), quick ? 'daikon-bench-quick' : 'daikon-bench')
  mkdirSync(folder, { recursive: true })
  const keyPaths = {
    privatePath: join(folder, 'private.pem'),
    publicPath: join(folder, 'public.pem'),
  }
  if (!existsSync(keyPaths.privatePath)) makeKeys(keyPaths)
  const given = process.env.BENCH_DATABASE_URL
  const embedded = given ? undefined : await startEmbedded({ dataDir: folder })
  const url = given ?? embedded?.url ?? ''
  const close = async () => embedded?.stop()
  try {
    await ensureDataSet(url, size)
    return { folder, url, size, keyPaths, close }
  } catch (error) {
    await close()
    throw error
  }
}
