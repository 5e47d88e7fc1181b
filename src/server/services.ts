import type { CollectUses } from '../core/collect-uses.ts'
import type { LogFailure } from '../core/log-failure.ts'
import type { Transactional } from '../core/request-context.ts'
import type { SecretBox } from '../core/secret-box.ts'
import type { Database } from '../database/database.ts'
import type { IdentityServiceDependencies } from '../identity/services.ts'
import type { SendMail } from '../outbound/mail-client.ts'
import type { EngineOptions } from '../permissions/engine/engine.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import type { Config } from './config.ts'
import { joinTables } from './feature.ts'
import type { activityEvents } from './features.ts'
import { parts } from './parts.ts'
import type { Stores } from './stores.ts'

/** What features create their services with. */
export type ServiceDependencies = Pick<
  IdentityServiceDependencies,
  'currentKeys' | 'providers' | 'onSignIn' | 'onReplay' | 'ownMethods'
> &
  Pick<EngineOptions, 'listBudgetsOf' | 'onFactsBatch' | 'onCachedQuery'> & {
    database: Database
    openStores: () => Transactional<Stores>
    settings: Config
    activityEvents: typeof activityEvents
    secretBox: SecretBox
    /** Undefined if no mail server is configured. */
    sendMail: SendMail | undefined
    rateLimiter: RateLimiter
    /** Milliseconds that the identity provider of a connection has for one step of a sign-in. */
    connectionTimeout: number | undefined
    now: () => Date
    collectUses: CollectUses
    logFailure: LogFailure
    /** Logs a warning for the operator. */
    warn: (text: string) => void
  }

/** What lives as long as the node, of all features. */
export type Services = ReturnType<typeof createServices>

/** Creates the services of all features. */
export function createServices(dependencies: ServiceDependencies) {
  const defaults = parts.flatMap((part) =>
    'defaultServices' in part ? [part.defaultServices] : [],
  )
  const services = parts.flatMap((part) =>
    'createServices' in part ? [part.createServices(dependencies)] : [],
  )
  return { ...joinTables(defaults), ...joinTables(services) }
}

/** Ends the work of all features in the background. */
export async function stopServices(services: Services): Promise<void> {
  await Promise.all(parts.map((part) => ('stop' in part ? part.stop(services) : undefined)))
}
