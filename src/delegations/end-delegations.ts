import type { Actor } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { delegationEvent } from './delegation-event.ts'
import type { DelegationFilter, DelegationStore } from './store/delegation-store.ts'

export type EndStores = { activity: ActivityStore; delegations: DelegationStore }

/** Ends delegations for good, and returns their number. Requires a transaction. */
export async function endDelegations(
  tx: EndStores,
  actor: Actor,
  filter: DelegationFilter,
): Promise<number> {
  const ended = await tx.delegations.end(filter)
  await tx.activity.record(actor, ...ended.map((one) => delegationEvent('delegation.ended', one)))
  return ended.length
}
