import { ConfigError } from '../config/config.ts'
import { requireFile } from '../config/require-file.ts'
import { createFileSource, type Source } from '../core/source.ts'
import { type KeyPaths, type Keys, parseKeys } from './keys.ts'
import type { IdentitySettings } from './settings.ts'
import { createVaultSource } from './vault-keys.ts'

/**
 * Opens the keys that the settings configure: in Vault if `VAULT_ADDR` is set, otherwise in files.
 */
export function openKeys(settings: IdentitySettings, now = () => new Date()): Source<Keys> {
  return settings.VAULT_ADDR ? openVault(settings, now) : openFiles(settings)
}

/** Reads the keys once. */
export async function loadKeys(settings: IdentitySettings): Promise<Keys> {
  return (await openKeys(settings).read()).parse()
}

/** Returns the paths of the key files. */
export function keyPathsOf(settings: IdentitySettings): KeyPaths {
  return { privatePath: settings.JWT_PRIVATE_KEY_PATH, publicPath: settings.JWT_PUBLIC_KEY_PATH }
}

function openVault(settings: IdentitySettings, now: () => Date): Source<Keys> {
  const { VAULT_ADDR: address, VAULT_TRANSIT_KEY: key, VAULT_TRANSIT_MOUNT: mount } = settings
  const source = createVaultSource(
    {
      address,
      key,
      mount,
      namespace: settings.VAULT_NAMESPACE,
      token: settings.VAULT_TOKEN || { path: settings.VAULT_TOKEN_PATH },
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

function openFiles(settings: IdentitySettings): Source<Keys> {
  const paths = keyPathsOf(settings)
  const source = createFileSource(
    [paths.privatePath, paths.publicPath],
    ([privatePem = Buffer.of(), publicPem = Buffer.of()]) =>
      parseKeys(privatePem, publicPem, paths),
  )
  return {
    async read() {
      for (const name of ['JWT_PRIVATE_KEY_PATH', 'JWT_PUBLIC_KEY_PATH'] as const) {
        requireFile(name, settings[name], '. Run `daikon keys make` to create the keys.')
      }
      return source.read()
    },
  }
}
