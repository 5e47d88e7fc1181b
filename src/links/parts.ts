import type { CollectUses } from '../core/collect-uses.ts'
import type { Database } from '../database/database.ts'
import { createFindLink } from './find-link.ts'
import { linkHandlers } from './handlers.ts'
import { createLinkJobs } from './jobs.ts'
import { recordLinkUsageSql } from './store/link-store.ts'
import { linkStores } from './store/stores.ts'

type Dependencies = {
  database: Pick<Database, 'reads'>
  now: () => Date
  collectUses: CollectUses
}

/** What links run. */
export const parts = {
  stores: linkStores,
  createServices({ database, now, collectUses }: Dependencies) {
    const noteUse = collectUses('link usage', recordLinkUsageSql)
    return { findLink: createFindLink(database.reads, (id) => noteUse(id, now())) }
  },
  createHandlers: () => linkHandlers,
  createJobs: createLinkJobs,
}
