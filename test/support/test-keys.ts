import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyFiles, type KeyPaths } from '../../src/identity/keys.ts'

/** Returns the paths of the keys that `npm test` creates for all environments, or creates separate keys. */
export async function findTestKeys(): Promise<KeyPaths> {
  const folder = process.env.TEST_KEYS ?? (await mkdtemp(join(tmpdir(), 'daikon-keys-')))
  const paths = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
  if (!process.env.TEST_KEYS) createKeyFiles(paths)
  return paths
}
