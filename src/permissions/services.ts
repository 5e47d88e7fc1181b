import type { CentralSettings } from '../config/settings.ts'
import type { Database } from '../database/database.ts'
import { createEngine, type EngineOptions } from './engine/engine.ts'
import type { PermissionSettings } from './settings.ts'

export type PermissionServiceDependencies = Pick<
  EngineOptions,
  'listBudgetsOf' | 'onFactsBatch' | 'onCachedQuery'
> & {
  database: Pick<Database, 'reads' | 'statements' | 'replicas'>
  settings: PermissionSettings & CentralSettings
}

/** Creates what answers questions about permissions. */
export function createPermissionServices(dependencies: PermissionServiceDependencies) {
  const { database, settings } = dependencies
  const { listBudgetsOf, onFactsBatch, onCachedQuery } = dependencies
  return {
    engine: createEngine(database, {
      keysRequired: settings.SERVICE_KEYS_REQUIRED,
      maxFactsCacheBytes: settings.MAX_FACTS_CACHE_BYTES,
      listBudgetsOf,
      onFactsBatch,
      onCachedQuery,
    }),
  }
}
