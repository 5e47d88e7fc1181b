import type { CentralSettings } from '../config/settings.ts'
import type { CollectUses } from '../core/collect-uses.ts'
import type { Database } from '../database/database.ts'
import { createEngine, type EngineOptions } from './engine/engine.ts'
import type { PermissionSettings } from './settings.ts'
import { recordLinkUsageSql } from './store/link-store.ts'

export type PermissionServiceDependencies = Pick<
  EngineOptions,
  'listBudgetsOf' | 'onFactsBatch' | 'onCachedQuery'
> & {
  database: Pick<Database, 'reads' | 'statements' | 'replicas'>
  settings: PermissionSettings & CentralSettings
  now: () => Date
  collectUses: CollectUses
}

/** Creates what answers questions about permissions. */
export function createPermissionServices(dependencies: PermissionServiceDependencies) {
  const { database, settings, now, collectUses } = dependencies
  const { listBudgetsOf, onFactsBatch, onCachedQuery } = dependencies
  const noteLinkUse = collectUses('link usage', recordLinkUsageSql)
  return {
    engine: createEngine(database, {
      keysRequired: settings.SERVICE_KEYS_REQUIRED,
      maxFactsCacheBytes: settings.MAX_FACTS_CACHE_BYTES,
      listBudgetsOf,
      onFactsBatch,
      onCachedQuery,
    }),
    /** Called with the ID of each link that a request names as its subject. */
    onLinkUsed: (id: string) => noteLinkUse(id, now()),
  }
}
