import { type Config, ConfigError } from '../config/config.ts'
import { requireFile } from '../config/require-file.ts'
import { createFileSource, type Source } from '../core/source.ts'
import { type KeyPaths, type Keys, parseKeys } from './keys.ts'
import { createVaultSource } from './vault-keys.ts'

/**
 * Opens the keys that the settings configure: in Vault if `VAULT_ADDR` is set, otherwise in files.
 */
export function openKeys(config: Config, now = () => new Date()): Source<Keys> {
  return config.VAULT_ADDR ? openVault(config, now) : openFiles(config)
}

/** Reads the keys once. */
export async function loadKeys(config: Config): Promise<Keys> {
  return (await openKeys(config).read()).parse()
}

/** Returns the paths of the key files. */
export function keyPathsOf(config: Config): KeyPaths {
  return { privatePath: config.JWT_PRIVATE_KEY_PATH, publicPath: config.JWT_PUBLIC_KEY_PATH }
}

function openVault(config: Config, now: () => Date): Source<Keys> {
  const { VAULT_ADDR: address, VAULT_TRANSIT_KEY: key, VAULT_TRANSIT_MOUNT: mount } = config
  const source = createVaultSource(
    {
      address,
      key,
      mount,
      namespace: config.VAULT_NAMESPACE,
      token: config.VAULT_TOKEN || { path: config.VAULT_TOKEN_PATH },
    },
    now,
  )
  return {
    async read() {
      try {
        return await source.read()
      } catch (error) {
        const { message, cause } = error as Error
        const reason = cause instanceof Error ? `${message}: ${cause.message}` : message
        throw new ConfigError(`VAULT_ADDR: the key ${mount}/${key} cannot be read: ${reason}`)
      }
    },
  }
}

function openFiles(config: Config): Source<Keys> {
  const paths = keyPathsOf(config)
  const source = createFileSource(
    [paths.privatePath, paths.publicPath],
    ([privatePem = Buffer.of(), publicPem = Buffer.of()]) =>
      parseKeys(privatePem, publicPem, paths),
  )
  return {
    async read() {
      for (const name of ['JWT_PRIVATE_KEY_PATH', 'JWT_PUBLIC_KEY_PATH'] as const) {
        requireFile(name, config[name], '. Run `daikon keys make` to create the keys.')
      }
      return source.read()
    },
  }
}
