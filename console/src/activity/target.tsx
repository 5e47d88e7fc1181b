import { Name } from '../ui/name.tsx'
import type { ActivityEntry } from './activity-queries.ts'

/** Shows the target of an entry: its name with a link or, if it was deleted, its last name. */
export function Target({ entry: { target_id, target_type, detail } }: { entry: ActivityEntry }) {
  const type = target_type.replaceAll('_', ' ')
  const former = detail?.name
  const fallback = typeof former === 'string' && former ? former : type
  return target_id ? (
    <Name id={target_id} fallback={fallback} />
  ) : (
    <span className="dimmed">{fallback}</span>
  )
}
