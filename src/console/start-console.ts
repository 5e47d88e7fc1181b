import type { CentralSettings } from '../config/settings.ts'
import type { FeatureServer } from '../core/feature-server.ts'
import type { Logger } from '../core/logger.ts'
import type { Transactional } from '../core/request-context.ts'
import { isAdminMethod, listSignInMethods, titleOf } from '../identity/providers/sign-in-methods.ts'
import type { IdentitySettings } from '../identity/settings.ts'
import { type ClientStore, consoleClientId } from '../identity/store/client-store.ts'
import { registerConsoleClient } from './console-client.ts'
import { createConsoleServer } from './console-server.ts'
import type { ConsoleSettings } from './settings.ts'

type Dependencies = {
  settings: ConsoleSettings & IdentitySettings & CentralSettings
  log: Logger
  openStores: () => Transactional<{ clients: ClientStore }>
  grpcPort: number
  /** The names of the features that are on. */
  featureNames: string[]
  isBeingBuilt: boolean
}

/**
 * Starts the admin console. Without a build, it starts only if one may follow: in debug mode, or
 * while the console is being built.
 */
export async function startConsole({
  settings,
  log,
  openStores,
  grpcPort,
  featureNames,
  isBeingBuilt,
}: Dependencies): Promise<FeatureServer | undefined> {
  if (!settings.CONSOLE_ENABLED) return undefined
  const methods = listSignInMethods(settings)
  const server = createConsoleServer({
    baseUrl: settings.BASE_URL,
    adminUrl: settings.ADMIN_URL,
    grpcAddress: settings.GRPC_ADDRESS || `${new URL(settings.BASE_URL).hostname}:${grpcPort}`,
    isGrpcEncrypted: settings.GRPC_TLS_CERT_PATH !== '',
    allowedHosts: settings.ALLOWED_HOSTS,
    secureCookies: settings.COOKIE_SECURE,
    debug: settings.DEBUG,
    workspaceClientId: consoleClientId,
    providers: methods
      .filter((name) => isAdminMethod(settings, name))
      .map((name) => ({ name, title: titleOf(settings, name) })),
    hasCodes: methods.includes('email'),
    features: featureNames,
  })
  if (!server.hasBuild && !isBeingBuilt) {
    log.warn('The admin console has not been built: run `npm run console:build`')
    if (!settings.DEBUG) return undefined
  }
  const port = await server.listen(settings.HTTP_HOST, settings.CONSOLE_PORT)
  await registerConsoleClient(openStores(), settings.ADMIN_URL)
  return { port, stopListening: server.stopListening, drain: server.drain }
}
