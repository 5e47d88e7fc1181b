import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ActivityList } from '../activity/activity-list.tsx'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { serverUnavailable, useSignal } from '../api/signals.ts'
import { settings } from '../settings.ts'
import { BarChart } from '../ui/bar-chart.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page, Section } from '../ui/page.tsx'
import { EmptyState, QueryState } from '../ui/states.tsx'
import classes from './overview-page.module.css'

type Stats = Schemas['Stats']

export function OverviewPage() {
  const stats = useQuery({
    queryKey: ['stats'],
    queryFn: () => unwrap(api.GET('/admin/stats')),
    refetchInterval: 60_000,
  })
  return (
    <Page title="Overview">
      <QueryState query={stats}>{(data) => <Overview stats={data} />}</QueryState>
    </Page>
  )
}

function Overview({ stats }: { stats: Stats }) {
  return (
    <div className={classes.grid}>
      {stats.development_mode && <DevelopmentMode />}
      <dl className={classes.figures}>
        <Figure name="People" value={stats.total_users} note={describeInactive(stats)} />
        <Figure name="Workspaces" value={stats.total_workspaces} />
        <Figure name="Groups" value={stats.total_groups} />
        <Figure name="Resources" value={stats.total_resources} />
        <Health />
      </dl>
      <div className={classes.charts}>
        <Section title="Sign-ins">
          <BarChart unit={['sign-in', 'sign-ins']} days={stats.sign_ins_by_day} />
        </Section>
        <Section title="New people">
          <BarChart unit={['new person', 'new people']} days={stats.signups_by_day} />
        </Section>
      </div>
      <div className={classes.lists}>
        <Section
          title="Recent activity"
          actions={
            <Button component={Link} to="/activity" variant="default" size="xs">
              Show all
            </Button>
          }
        >
          <ActivityList entries={stats.recent_activity} />
        </Section>
        <Section title="Largest workspaces">
          <LargestWorkspaces workspaces={stats.workspace_distribution} />
        </Section>
      </div>
    </div>
  )
}

function describeInactive({ total_users, active_users }: Stats): string | undefined {
  const inactive = total_users - active_users
  return inactive > 0 ? `${inactive.toLocaleString()} deactivated` : undefined
}

function Figure({ name, value, note }: { name: string; value: number; note?: string | undefined }) {
  return (
    <div className={classes.figure}>
      <dt>{name}</dt>
      <dd>
        {value.toLocaleString()}
        {note && <small>{note}</small>}
      </dd>
    </div>
  )
}

function Health() {
  const isUnavailable = useSignal(serverUnavailable)
  return (
    <div className={classes.figure}>
      <dt>Server</dt>
      <dd className={classes.health} data-unavailable={isUnavailable || undefined}>
        {isUnavailable ? 'Unavailable' : 'Running'}
        <small>{new URL(settings.base_url).host}</small>
      </dd>
    </div>
  )
}

function DevelopmentMode() {
  return (
    <Alert color="yellow" variant="light" icon={<Icon name="alert" />} title="Development mode">
      Requests are accepted with any service key, or none, because no service app is active.{' '}
      <Link to="/service-apps" className="link">
        Create a service app
      </Link>{' '}
      to require keys.
    </Alert>
  )
}

function LargestWorkspaces({ workspaces }: { workspaces: Stats['workspace_distribution'] }) {
  if (workspaces.length === 0) return <EmptyState icon="building" title="No workspaces yet" />
  const largest = Math.max(1, ...workspaces.map(({ members }) => members))
  return (
    <ul className={classes.workspaces}>
      {workspaces.slice(0, 10).map(({ workspace_id, name, members, resources }) => (
        <li key={workspace_id}>
          <div className={classes.workspaceLine}>
            <Link
              to="/workspaces/$workspaceId"
              params={{ workspaceId: workspace_id }}
              className="strong-link"
            >
              <bdi>{name}</bdi>
            </Link>
            <span className="dimmed">
              {count(members, 'member')} · {count(resources, 'resource')}
            </span>
          </div>
          <div className={classes.meter}>
            <span style={{ width: `${(members / largest) * 100}%` }} />
          </div>
        </li>
      ))}
    </ul>
  )
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString()} ${noun}${number === 1 ? '' : 's'}`
}
