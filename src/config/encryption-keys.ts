import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigError } from './config.ts'
import { encryptionKey, list } from './parsers.ts'
import { isReadableByOthers } from './production.ts'
import type { CentralSettings } from './settings.ts'

type KeySettings = Pick<CentralSettings, 'SECRETS_ENCRYPTION_KEY' | 'DATA_DIR' | 'DEBUG'>

/** Returns the path of the file that contains the keys if the setting is empty. */
function pathOf({ DATA_DIR }: KeySettings): string {
  return join(DATA_DIR, 'secrets-key')
}

/**
 * Returns the keys that encrypt secrets in the database, the one that encrypts first. There are none
 * if the setting is empty and the file does not exist.
 *
 * @throws {ConfigError} if the file cannot be used
 */
export function readEncryptionKeys(config: KeySettings): Buffer[] {
  if (config.SECRETS_ENCRYPTION_KEY.length > 0) return config.SECRETS_ENCRYPTION_KEY
  const path = pathOf(config)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw new ConfigError(`${path} must be a file that this user can read (${code})`)
  }
  if (!config.DEBUG && isReadableByOthers(path)) {
    throw new ConfigError(`${path} must be readable by its owner only: run chmod 600 ${path}`)
  }
  try {
    return list(encryptionKey)(text)
  } catch (error) {
    throw new ConfigError(`${path} ${(error as Error).message}`)
  }
}

/**
 * Creates the file with a new key unless there is a key. Returns its path if it was created.
 *
 * @throws an error of the file system
 */
export function createEncryptionKeyFile(config: KeySettings, key: Buffer): string | undefined {
  if (readEncryptionKeys(config).length > 0) return undefined
  const path = pathOf(config)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  return path
}
