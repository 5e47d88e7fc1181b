import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createEncryptionKeyFile, readEncryptionKeys } from '../config/encryption-keys.ts'
import type { Logger } from '../core/logger.ts'
import { encryptionKeySize } from '../core/secret-box.ts'
import { startEmbedded } from '../database/embedded/embedded-postgres.ts'
import { migrate } from '../database/migrate.ts'
import { keyPathsOf, loadKeys } from '../identity/key-source.ts'
import { createKeyFiles } from '../identity/keys.ts'
import { hasAdminMethod } from '../identity/providers/sign-in-methods.ts'
import type { Config } from './config.ts'
import { checkGrpcTls } from './grpc-tls.ts'

/** The migrated database that all nodes of a server share. */
export type Bootstrap = { databaseUrl: string; stop(): Promise<void> }

const noAdminMethod =
  'Administrators cannot sign in: configure an identity provider for them, or list email in ADMIN_SIGN_IN_METHODS. A passkey counts as the method of the session that added it'

/**
 * Starts the embedded PostgreSQL if no other is configured, applies migrations, and creates signing
 * keys in debug mode if they are missing.
 *
 * @throws {ConfigError} if a key or certificate cannot be used
 */
export async function bootstrap(config: Config, log: Logger): Promise<Bootstrap> {
  if (!config.RATE_LIMIT_ENABLED) log.warn('RATE_LIMIT_ENABLED=false: rate limits are off')
  if (config.DEBUG) createMissingKeys(config, log)
  readEncryptionKeys(config)
  await loadKeys(config)
  await checkGrpcTls(config)
  if (!hasAdminMethod(config)) log.warn(noAdminMethod)
  const { url: databaseUrl, stop } = await findDatabase(config, log)
  try {
    const applied = await migrate(databaseUrl, {
      warn: (text) => log.warn(text),
      onApplied: (name) => log.debug(`Applied the migration ${name}`),
    })
    logMigrations(log, applied)
    return { databaseUrl, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function logMigrations(log: Logger, names: string[]): void {
  const [first] = names
  if (first === undefined) return
  log.info(
    names.length === 1
      ? `Applied the migration ${first}`
      : `Applied ${names.length} migrations, ${first} to ${names.at(-1)}`,
  )
}

async function findDatabase({ DATABASE_URL: url, DATA_DIR: dataDir }: Config, log: Logger) {
  if (url) return { url, stop: async () => {} }
  return startEmbedded({ dataDir, log: (text) => log.info(text) })
}

/**
 * Creates the signing keys unless one of their files exists or they are in Vault, and the key that
 * encrypts secrets unless there is one.
 */
export function createMissingKeys(config: Config, log: Logger): void {
  const secretsPath = createEncryptionKeyFile(config, randomBytes(encryptionKeySize))
  if (secretsPath) log.info(`Created a key for secrets in ${secretsPath}`)
  const paths = keyPathsOf(config)
  if (config.VAULT_ADDR !== '') return
  if (existsSync(paths.privatePath) || existsSync(paths.publicPath)) return
  createKeyFiles(paths)
  log.info(`Created signing keys in ${paths.privatePath} and ${paths.publicPath}`)
}
