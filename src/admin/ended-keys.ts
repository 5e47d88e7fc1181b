import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { Transactional } from '../core/request-context.ts'
import { type RequestSource, requestScope } from '../core/request-scope.ts'
import type { ServiceAppStore } from './store/service-app-store.ts'

type EndedKeyStores = { activity: ActivityStore; serviceApps: ServiceAppStore }

/**
 * Collects uses of rejected service keys in memory, so that rejected calls do not write to the
 * database.
 */
export type EndedKeyUses = {
  /** Adds a call with a rejected key. */
  record(keyHash: string, source: RequestSource): void
  /**
   * Writes the uses of keys that were once valid to the activity log, at most once an hour for each
   * key. Unknown keys are not recorded, so an attacker without a key cannot fill the log.
   */
  write(stores: Transactional<EndedKeyStores>): Promise<void>
}

/** Limits the memory used for unknown keys between writes. */
const maxUses = 10_000

export function createEndedKeyUses(): EndedKeyUses {
  let sources = new Map<string, RequestSource>()
  return {
    record(keyHash, source) {
      if (sources.size < maxUses && !sources.has(keyHash)) sources.set(keyHash, source)
    },
    async write(stores) {
      if (sources.size === 0) return
      const written = sources
      sources = new Map()
      try {
        await stores.transaction((tx) => recordUses(tx, written))
      } catch (error) {
        // The next `write` call includes them.
        sources = new Map([...sources, ...written])
        throw error
      }
    },
  }
}

async function recordUses(
  { activity, serviceApps }: EndedKeyStores,
  sources: Map<string, RequestSource>,
): Promise<void> {
  // The lock prevents other nodes from recording the same keys concurrently.
  const keys = await serviceApps.lockEndedKeys([...sources.keys()])
  if (keys.length === 0) return
  const recorded = await activity.findEndedKeyUses(keys.map(({ appId }) => appId))
  for (const { hash, prefix, appId, name, serviceName, isActive } of keys) {
    if (recorded.has(`${appId} ${prefix}`)) continue
    const { signal } = new AbortController()
    const cause = isActive ? 'expired' : 'deactivated'
    await requestScope.run({ signal, source: sources.get(hash) as RequestSource }, () =>
      activity.record(
        { actorId: undefined },
        {
          action: 'service_app.ended_key_used',
          targetId: appId,
          detail: { name, service_name: serviceName, key_prefix: prefix, cause },
        },
      ),
    )
  }
}
