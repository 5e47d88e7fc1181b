import type { Actor } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { ActivityEvent } from '../activity/store/entries-sql.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import type { IdentityPorts } from '../identity/ports.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import type { WorkspacePorts } from './ports.ts'
import type { MemberStore } from './store/member-store.ts'
import {
  type Switches,
  type SwitchName,
  type SwitchValues,
  switchColumns,
  switchNames,
} from './store/switch-columns.ts'
import { endSupportAccess } from './support-end.ts'

export type SwitchStores = Pick<IdentityPorts, 'signInConsents'> &
  Pick<WorkspacePorts, 'workspaceDelegations'> & {
    activity: ActivityStore
    members: MemberStore
    rollout: RolloutStore
    sessions: SessionStore
  }

type SwitchContext = { actor: Actor; now: Date }

/** What turning a switch off requires and ends. */
type Refusal = {
  /** The migration since which nodes know the switch, and what an older one would do nevertheless. */
  rollout?: { migration: number; what: string }
  end?: (tx: SwitchStores, context: SwitchContext, workspaceId: string) => Promise<void>
}

const refusals: Record<SwitchName, Refusal> = {
  supportAccess: {
    end: (tx, { actor, now }, id) => endSupportAccess(tx, actor, id, now),
  },
  emailSignIn: {
    rollout: { migration: 92, what: 'Refusing sign-ins by e-mail' },
  },
  thirdPartyClients: {
    rollout: { migration: 104, what: 'Refusing clients that nobody registered' },
    end: (tx, context, id) => tx.signInConsents.endExternal(context, id),
  },
  // An older node makes and accepts no delegations.
  delegations: {
    end: (tx, { actor }, id) => tx.workspaceDelegations.end(actor, id),
  },
}

/** Returns the switches of a message. */
export function readSwitches(values: SwitchValues): Partial<Switches> {
  const entries = switchNames.map((name) => [name, values[switchColumns[name]]] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** Returns the switches of a workspace without its other members. */
export function pickSwitches(workspace: Switches): Switches {
  return Object.fromEntries(switchNames.map((name) => [name, workspace[name]])) as Switches
}

/**
 * Records changes to switches, and ends what is refused from now on. Requires a transaction, which stores the
 * changes afterwards.
 *
 * @throws ServiceError `already_exists` while a node is connected that would not refuse it
 */
export async function applySwitches(
  tx: SwitchStores,
  context: SwitchContext,
  { id, slug }: { id: string; slug: string },
  changes: Partial<Switches>,
): Promise<void> {
  const changed = switchNames.filter((name) => changes[name] !== undefined)
  const refused = changed.filter((name) => changes[name] === false).map((name) => refusals[name])
  for (const { rollout } of refused)
    if (rollout) await tx.rollout.requireAllNodesKnow(rollout.migration, rollout.what)
  const events = changed.map((name): ActivityEvent<SwitchEvent> => {
    const detail = { slug, allowed: String(changes[name]) }
    return { action: eventOf(name), targetId: id, workspaceId: id, detail }
  })
  await tx.activity.record(context.actor, ...events)
  for (const { end } of refused) await end?.(tx, context, id)
}

type SwitchEvent = ReturnType<typeof eventOf>

function eventOf(name: SwitchName) {
  return `workspace.${switchColumns[name]}_changed` as const
}
