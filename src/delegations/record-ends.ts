import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { Transactional } from '../core/request-context.ts'
import { delegationEvent } from './delegation-event.ts'
import type { DelegationStore } from './store/delegation-store.ts'

/** The maximum number of ends that one call to `recordEnds` records. */
export const maxRecordedEnds = 1000

/**
 * Records that up to `maxRecordedEnds` delegations have expired, or have ended with what they depend on,
 * and returns their number. Several nodes can do this concurrently. Decisions and lists ignore a
 * delegation from the instant of its end.
 */
export async function recordEnds(
  stores: Transactional<{ activity: ActivityStore; delegations: DelegationStore }>,
): Promise<number> {
  return stores.transaction(async (tx) => {
    const ended = await tx.delegations.markRecorded(maxRecordedEnds)
    const events = ended.map(({ isExpired, ...delegation }) =>
      delegationEvent(isExpired ? 'delegation.expired' : 'delegation.ended', delegation),
    )
    await tx.activity.record({ actorId: undefined }, ...events)
    return ended.length
  })
}
