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

/** Shows who caused an event: a person, a service or the system. */
export function Actor({ entry: { actor_id, service_app_id } }: { entry: ActivityEntry }) {
  const id = actor_id ?? service_app_id
  return id ? <Name id={id} /> : <span className="dimmed">System</span>
}
