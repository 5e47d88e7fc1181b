import { Name } from '../ui/name.tsx'
import type { ActivityEntry } from './activity-queries.ts'
import { describeType } from './describe.ts'

/** Shows the target of an entry: its name with a link or, if it was deleted, its last name. */
export function Target({ entry: { target_id, target_type, detail } }: { entry: ActivityEntry }) {
  const type = describeType(target_type)
  const former = detail?.name
  const fallback = typeof former === 'string' && former ? former : type
  return target_id ? (
    <Name id={target_id} fallback={fallback} />
  ) : (
    <span className="dimmed">{fallback}</span>
  )
}

/** Shows who caused an event: a person, and the agent that acted for them, a service or the system. */
export function Actor({ entry: { actor_id, service_app_id, ...entry } }: { entry: ActivityEntry }) {
  const id = actor_id ?? service_app_id
  if (!id) return <span className="dimmed">System</span>
  return (
    <>
      <Name id={id} />
      <Agent entry={entry} />
    </>
  )
}

/** Shows the agent that acted for the actor, if one did: `, through report-bot`. */
export function Agent({ entry: { agent_id } }: { entry: Pick<ActivityEntry, 'agent_id'> }) {
  if (!agent_id) return null
  return (
    <>
      {', through '}
      <Name id={agent_id} />
    </>
  )
}
