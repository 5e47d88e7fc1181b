import type { EntityManager } from '@mikro-orm/postgresql'
import { recordActivity } from '../activity/record-activity.ts'
import { createCancellation } from '../core/cancellation.ts'
import { type RequestSource, requestScope } from '../core/request-scope.ts'
import { inTransaction } from '../database/transaction.ts'
import { findRecordedEndedKeys, lockEndedKeys } from './queries.ts'

/**
 * Collects uses of rejected service keys in memory, so that rejected calls do not write to the
 * database.
 */
export type EndedKeyUses = {
  /** Adds a call with a rejected key. */
  note(keyHash: string, source: RequestSource): void
  /**
   * Writes the uses of keys that were once valid to the activity log, at most once an hour for each
   * key. Unknown keys are not recorded, so an attacker without a key cannot fill the log.
   */
  record(em: EntityManager): Promise<void>
}

/** Limits the memory used for unknown keys between two writes. */
const maxNotes = 10_000

export function createEndedKeyUses(): EndedKeyUses {
  let sources = new Map<string, RequestSource>()
  return {
    note(keyHash, source) {
      if (sources.size < maxNotes && !sources.has(keyHash)) sources.set(keyHash, source)
    },
    async record(em) {
      if (sources.size === 0) return
      const noted = sources
      sources = new Map()
      try {
        await inTransaction(em, (em) => recordUses(em, noted))
      } catch (error) {
        // The next `record` call includes them.
        sources = new Map([...sources, ...noted])
        throw error
      }
    },
  }
}

async function recordUses(em: EntityManager, sources: Map<string, RequestSource>): Promise<void> {
  // The lock prevents other nodes from recording the same keys concurrently.
  const keys = await lockEndedKeys(em, [...sources.keys()])
  if (keys.length === 0) return
  const recorded = await findRecordedEndedKeys(
    em,
    keys.map(({ app_id }) => app_id),
  )
  for (const { key_hash, key_prefix, app_id, name, service_name, is_active } of keys) {
    if (recorded.has(`${app_id} ${key_prefix}`)) continue
    const { signal } = createCancellation()
    await requestScope.run({ signal, source: sources.get(key_hash) as RequestSource }, () =>
      recordActivity(
        em,
        { actorId: undefined },
        {
          action: 'service_app.ended_key_used',
          targetId: app_id,
          detail: { name, service_name, key_prefix, cause: is_active ? 'expired' : 'deactivated' },
        },
      ),
    )
  }
}
