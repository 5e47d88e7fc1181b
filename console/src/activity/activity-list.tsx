import type { Schemas } from '../api/client.ts'
import { Name } from '../ui/name.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import classes from './activity-list.module.css'
import { describeAction } from './describe.ts'
import { Agent, Target } from './target.tsx'

/** Shows a few entries of the activity log on a page about something else. */
export function ActivityList({ entries }: { entries: Schemas['ActivityEntry'][] }) {
  if (entries.length === 0) return <EmptyState icon="activity" title="No activity yet" />
  return (
    <ol className={classes.list}>
      {entries.map((entry) => (
        <li key={entry.id}>
          <div className={classes.line}>
            <span className={classes.action}>{describeAction(entry.action)}</span>
            <span className={classes.time}>
              <Time value={entry.created_at} relative />
            </span>
          </div>
          <div className={classes.who}>
            <Target entry={entry} />
            {entry.actor_id && (entry.actor_id !== entry.target_id || entry.agent_id) && (
              <>
                {' by '}
                <Name id={entry.actor_id} />
                <Agent entry={entry} />
              </>
            )}
          </div>
        </li>
      ))}
    </ol>
  )
}
