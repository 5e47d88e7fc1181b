import { findFileMistakes } from '../config/production.ts'
import type { CentralSettings } from '../config/settings.ts'
import { isSecureUrl } from '../core/loopback.ts'
import { findProviderMistakes } from './providers/provider-settings.ts'
import { type IdentitySettings, identitySettings } from './settings.ts'

type Settings = IdentitySettings & CentralSettings

/** The minimum length of SESSION_SECRET_KEY, in bytes of UTF-8. */
const minSecretBytes = 32

/** Returns a sentence for each rule that the settings break, starting with a variable. */
export function findIdentityMistakes(settings: Settings): string[] {
  return [
    ...(settings.DEBUG ? [] : findSecretMistakes(settings)),
    ...findProviderMistakes(settings),
    ...findVaultMistakes(settings),
  ]
}

function findSecretMistakes(settings: Settings): string[] {
  const { JWT_PRIVATE_KEY_PATH, VAULT_TOKEN_PATH } = settings
  return [
    ...findSessionSecretMistakes(settings),
    ...findFileMistakes({ JWT_PRIVATE_KEY_PATH, VAULT_TOKEN_PATH }),
  ]
}

function findSessionSecretMistakes({ SESSION_SECRET_KEY: secret }: Settings): string[] {
  if (secret === identitySettings.SESSION_SECRET_KEY.fallback)
    return ['SESSION_SECRET_KEY must be set if DEBUG is false']
  return Buffer.byteLength(secret) < minSecretBytes
    ? [`SESSION_SECRET_KEY must be at least ${minSecretBytes} bytes long if DEBUG is false`]
    : []
}

function findVaultMistakes(config: Settings): string[] {
  if (config.VAULT_ADDR === '') return []
  const hasToken = (config.VAULT_TOKEN === '') !== (config.VAULT_TOKEN_PATH === '')
  return [
    ...(hasToken ? [] : ['VAULT_TOKEN or VAULT_TOKEN_PATH must be set if VAULT_ADDR is set']),
    ...(isSecureUrl(config.VAULT_ADDR) || config.DEBUG || config.INSECURE_HTTP
      ? []
      : ['VAULT_ADDR must be an https URL if DEBUG is false, unless INSECURE_HTTP is true']),
  ]
}
