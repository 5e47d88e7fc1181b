import { Button } from '@mantine/core'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { CsvButton } from '../ui/csv-button.tsx'
import { actionColumn, type Column, DataTable } from '../ui/data-table.tsx'
import { Name } from '../ui/name.tsx'
import { notifyDone } from '../ui/notify.ts'
import { Section } from '../ui/page.tsx'
import { RowAction } from '../ui/row-action.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { type Person, refreshPeople } from './people-queries.ts'

type Session = Schemas['Session']

/** Shows the sessions of a person in client apps. */
export function PersonSessions({ person }: { person: Person }) {
  const confirm = useConfirm()
  const name = person.name || person.email

  async function endAll() {
    const params = { path: { user_id: person.id } }
    await unwrap(api.DELETE('/admin/users/{user_id}/sessions', { params }))
    await refreshPeople()
    notifyDone(`All sessions of ${name} have ended.`)
  }

  async function end({ id }: Session) {
    const params = { path: { user_id: person.id, session_id: id } }
    await unwrap(api.DELETE('/admin/users/{user_id}/sessions/{session_id}', { params }))
    await refreshPeople()
    notifyDone('The session has ended.')
  }

  const columns: Column<Session>[] = [
    {
      id: 'device',
      header: 'Device',
      cell: ({ user_agent }) => describeDevice(user_agent),
    },
    {
      id: 'workspace',
      header: 'Workspace',
      cell: ({ workspace_id }) => <Name id={workspace_id} />,
    },
    { id: 'started', header: 'Signed in', cell: ({ created_at }) => <Time value={created_at} /> },
    {
      id: 'used',
      header: 'Last used',
      cell: ({ last_used_at }) => <Time value={last_used_at} relative />,
    },
    { id: 'expires', header: 'Expires', cell: ({ expires_at }) => <Time value={expires_at} /> },
    actionColumn((session) => (
      <RowAction
        label="End"
        name={`End the session on ${describeDevice(session.user_agent)}`}
        confirmation={{
          title: `End the session on ${describeDevice(session.user_agent)}?`,
          children: `${name} is signed out on ${describeDevice(session.user_agent)} immediately.`,
          action: 'End session',
          run: () => end(session),
        }}
      />
    )),
  ]

  return (
    <Section
      title="Sessions"
      count={person.sessions.length}
      actions={
        person.sessions.length > 0 && (
          <>
            <CsvButton
              name="sessions"
              columns={[
                'id',
                'workspace_id',
                'user_agent',
                'created_at',
                'last_used_at',
                'expires_at',
              ]}
              rows={person.sessions}
              isSmall
            />
            <Button
              variant="default"
              size="xs"
              onClick={() =>
                confirm({
                  title: `End all sessions of ${name}?`,
                  children: `${name} is signed out everywhere immediately and can sign in again.`,
                  action: 'End all sessions',
                  run: endAll,
                })
              }
            >
              End all sessions
            </Button>
          </>
        )
      }
    >
      <DataTable
        label="Sessions"
        columns={columns}
        rows={person.sessions}
        rowId="id"
        empty={
          <EmptyState icon="desktop" title="No sessions">
            {name} is not signed in to any client app.
          </EmptyState>
        }
      />
    </Section>
  )
}

/** Returns the browser and operating system that a User-Agent header names, if recognized. */
function describeDevice(userAgent: string): string {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(userAgent)?.[1]
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent)?.[1]
  const title = browser && (browserTitles[browser] ?? browser)
  if (title && system) return `${title} on ${system === 'Mac OS X' ? 'macOS' : system}`
  return title ?? (userAgent.slice(0, 40) || 'Unknown device')
}

const browserTitles: Record<string, string> = { Edg: 'Edge', OPR: 'Opera' }
