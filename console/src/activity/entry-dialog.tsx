import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isWorkspaceConsole } from '../console-kind.ts'
import { CopyableId } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Name } from '../ui/name.tsx'
import { Facts } from '../ui/page.tsx'
import { QueryState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { type ActivityEntry, entryQuery } from './activity-queries.ts'
import { describeAction } from './describe.ts'
import { readDetail } from './detail.ts'
import { Change, Values } from './entry-detail.tsx'
import classes from './entry-dialog.module.css'
import { Actor, Target } from './target.tsx'

type Props = {
  /** The ID of the entry; undefined if the dialog is closed. */
  entryId: string | undefined
  /** The entry, if the list behind the dialog contains it. */
  listed: ActivityEntry | undefined
  onClose: () => void
}

/** Shows everything that the log contains about one event, with links to the objects. */
export function EntryDialog({ entryId, listed, onClose }: Props) {
  const query = useQuery({ ...entryQuery(entryId ?? ''), enabled: !!entryId && !listed })
  const entry = listed ?? query.data
  return (
    <Dialog
      opened={entryId !== undefined}
      onClose={onClose}
      title={entry ? describeAction(entry.action) : 'Event'}
      size="lg"
    >
      {entry ? (
        <Entry entry={entry} />
      ) : (
        entryId && (
          <QueryState query={query}>
            {() => <p>This event does not exist, or has been removed from the log.</p>}
          </QueryState>
        )
      )}
    </Dialog>
  )
}

function Entry({ entry }: { entry: ActivityEntry }) {
  const { target_id, actor_id, service_app_id, workspace_id, ip, request_id } = entry
  const { key_prefix, api_key_prefix, delegation_id, agent_id } = entry
  const { change, fields } = readDetail(entry)
  const facts: [string, ReactNode][] = [
    ['Time', <Time key="time" value={entry.created_at} />],
    ['Target', <Target key="target" entry={entry} />],
    ['By', <Actor key="by" entry={entry} />],
  ]
  if (change) facts.push([change.label, <Change key="change" change={change} />])
  for (const field of fields) facts.push([field.label, <Values key={field.name} field={field} />])
  if (workspace_id) facts.push(['Workspace', <Name key="workspace" id={workspace_id} />])
  if (service_app_id && actor_id)
    facts.push(['Service app', <Name key="service-app" id={service_app_id} />])
  if (delegation_id)
    facts.push([
      'Delegation',
      <CopyableId key="delegation" id={delegation_id} label="Copy ID of the delegation" />,
    ])
  if (key_prefix) facts.push(['Service key', <code key="key">{key_prefix}…</code>])
  if (api_key_prefix) facts.push(['API key', <code key="api-key">{api_key_prefix}…</code>])
  if (ip) facts.push(['IP address', <CopyableId key="ip" id={ip} label="Copy IP address" />])
  if (request_id)
    facts.push([
      'Request',
      <CopyableId key="request" id={request_id} label="Copy ID of the request" />,
    ])
  facts.push(['Action', <code key="action">{entry.action}</code>])
  facts.push(['Event ID', <CopyableId key="id" id={entry.id} label="Copy ID of the event" />])
  return (
    <>
      <Facts items={facts} />
      {!isWorkspaceConsole && (
        <p className={classes.links}>
          {target_id && (
            <Link to="/activity" search={{ target_id }} className="link">
              All events of the target
            </Link>
          )}
          {actor_id && (
            <Link to="/activity" search={{ actor_id }} className="link">
              All events by the same actor
            </Link>
          )}
          {agent_id && (
            <Link to="/activity" search={{ agent_id }} className="link">
              All events through the same agent
            </Link>
          )}
        </p>
      )}
    </>
  )
}
