import type { FeatureServer } from '../core/feature-server.ts'
import type { Logger } from '../core/logger.ts'
import type { Transactional } from '../core/request-context.ts'
import type { Config } from './config.ts'
import type { FeatureParts } from './feature.ts'
import { features, listFeatureNames } from './features.ts'
import { parts } from './parts.ts'
import type { Stores } from './stores.ts'

type Dependencies = {
  settings: Config
  log: Logger
  openStores: () => Transactional<Stores>
  grpcPort: number
  isBeingBuilt: boolean
}

/** The servers on ports of their own that features have started, as one. */
export type FeatureServers = {
  /** The ports, by the names of the features. */
  ports: Record<string, number>
  stopListening(): Promise<unknown>
  drain(idleMilliseconds: number): Promise<unknown>
}

/** Milliseconds that their responses have to finish. */
const drainTimeout = 2000

/** Starts the servers of all features. */
export async function startFeatureServers(dependencies: Dependencies): Promise<FeatureServers> {
  const all = { ...dependencies, featureNames: listFeatureNames(dependencies.settings) }
  const servers = new Map<string, FeatureServer>()
  const allParts: readonly FeatureParts[] = parts
  for (const [index, { name }] of features.entries()) {
    const server = await allParts[index]?.startServer?.(all as never)
    if (server) servers.set(name, server)
  }
  const onEach = (work: (server: FeatureServer) => Promise<void>) =>
    Promise.all([...servers.values()].map(work))
  return {
    ports: Object.fromEntries([...servers].map(([name, { port }]) => [name, port])),
    stopListening: () => onEach((server) => server.stopListening()),
    drain: (idle) => onEach((server) => server.drain(drainTimeout, idle)),
  }
}
