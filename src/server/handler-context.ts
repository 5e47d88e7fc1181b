import type { SecretBox } from '../core/secret-box.ts'
import type { Database } from '../database/database.ts'
import type { IdentityDependencies } from '../identity/identity-dependencies.ts'
import type { Config } from './config.ts'
import type { Services } from './services.ts'

/** What features create their handlers with. */
export type HandlerDependencies = {
  database: Pick<Database, 'reads'>
  settings: Config
  now: () => Date
  secretBox: SecretBox
  services: Services
}

export type HandlerContext = ReturnType<typeof createHandlerContext>

/** Returns what handlers find in their context, in addition to the call. */
export function createHandlerContext({ settings, secretBox, services }: HandlerDependencies) {
  const { accountUrl, connectionProviders, externalClients } = services
  const brought = { accountUrl, connectionProviders, externalClients }
  const identity: IdentityDependencies = { ...services.identity, ...brought }
  return {
    ...services,
    identity,
    settings,
    baseUrl: settings.BASE_URL,
    debug: settings.DEBUG,
    keysRequired: settings.SERVICE_KEYS_REQUIRED,
    quotas: settings,
    secretBox,
  }
}
