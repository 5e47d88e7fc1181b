import { createEndedKeyUses } from '../admin/ended-keys.ts'
import { createKeyUsage, type KeyUsage } from '../admin/key-usage.ts'
import { recordKeyUsageSql } from '../admin/store/service-app-store.ts'
import type { CollectUses } from '../core/collect-uses.ts'
import type { Transactional } from '../core/request-context.ts'
import type { Database } from '../database/database.ts'
import type { ServiceKeyDependencies } from '../identity/credentials/service-key.ts'
import type { Stores } from './stores.ts'

type ServiceKeyUses = Pick<ServiceKeyDependencies, 'onServiceKeyUsed' | 'onServiceKeyRejected'>

/** The uses of keys, in memory until they are written. */
export type KeyUses = ServiceKeyUses & {
  collectUses: CollectUses
  /** Writes when keys were last used, and the uses of service keys that are no longer valid. */
  write(): Promise<void>
}

/** `recordIp` is whether the log contains the addresses of clients. */
export function createKeyUses(
  { statements }: Pick<Database, 'statements'>,
  openStores: () => Transactional<Stores>,
  recordIp: boolean,
): KeyUses {
  const usages: KeyUsage[] = []
  const collectUses: CollectUses = (name, sql) => {
    const usage = createKeyUsage(name, sql)
    usages.push(usage)
    return usage.record
  }
  const endedKeyUses = createEndedKeyUses()
  return {
    collectUses,
    onServiceKeyUsed: collectUses('key usage', recordKeyUsageSql),
    onServiceKeyRejected: (keyHash, { requestId, ip }) =>
      endedKeyUses.record(keyHash, { requestId, ip: recordIp ? ip : undefined, keyHash }),
    async write() {
      for (const usage of usages) await usage.write(statements)
      await endedKeyUses.write(openStores())
    },
  }
}
