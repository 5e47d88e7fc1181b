import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { ActivityLog } from '../activity/activity-log.tsx'
import { personDelegationTabs } from '../delegations/delegation-tabs.tsx'
import { personGrantTabs } from '../grants/grants-tab.tsx'
import { OwnedResources } from '../resources/owned-resources.tsx'
import { NotFoundPage } from '../shell/not-found-page.tsx'
import { AdministratorBadge, PersonBadge } from '../ui/badges.tsx'
import { CopyableId } from '../ui/copy.tsx'
import { Facts, Page, Section } from '../ui/page.tsx'
import { PageTabs } from '../ui/page-tabs.tsx'
import { QueryState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { type Person, personQuery } from './people-queries.ts'
import { PersonAccess } from './person-access.tsx'
import { PersonActions } from './person-actions.tsx'
import { PersonMemberships } from './person-memberships.tsx'
import { PersonSessions } from './person-sessions.tsx'

export function PersonPage() {
  const { userId } = useParams({ from: '/shell/people/$userId' })
  const person = useQuery(personQuery(userId))
  return (
    <QueryState query={person} notFound={<NotFoundPage title="This person does not exist" />}>
      {(data) => <PersonDetail person={data} />}
    </QueryState>
  )
}

function PersonDetail({ person }: { person: Person }) {
  const { tab } = useSearch({ from: '/shell/people/$userId' })
  return (
    <Page
      title={person.name || person.email}
      description={person.name ? person.email : undefined}
      breadcrumbs={
        <Link to="/people" className="link">
          People
        </Link>
      }
      badges={
        <>
          <PersonBadge person={person} />
          {person.is_admin && <AdministratorBadge />}
        </>
      }
      actions={<PersonActions person={person} />}
    >
      <PageTabs
        value={tab}
        tabs={[
          { value: 'profile', label: 'Profile', content: <Profile person={person} /> },
          {
            value: 'memberships',
            label: 'Memberships',
            content: <PersonMemberships person={person} />,
          },
          { value: 'access', label: 'Access', content: <PersonAccess person={person} /> },
          {
            value: 'resources',
            label: 'Resources',
            content: <OwnedResources ownerId={person.id} />,
          },
          { value: 'sessions', label: 'Sessions', content: <PersonSessions person={person} /> },
          ...personGrantTabs(person),
          ...personDelegationTabs(person),
          {
            value: 'activity',
            label: 'Activity',
            content: <PersonActivity person={person} />,
          },
        ]}
      />
    </Page>
  )
}

function Profile({ person }: { person: Person }) {
  return (
    <>
      <Section title="Profile">
        <Facts
          items={[
            ['Name', person.name || <span className="dimmed">None</span>],
            ['E-mail address', person.email],
            ['External ID', person.external_id ?? <span className="dimmed">None</span>],
            ['Created', <Time key="created" value={person.created_at} />],
            ['Last sign-in', <Time key="signed-in" value={person.last_sign_in_at} />],
            ['ID', <CopyableId key="id" id={person.id} />],
          ]}
        />
      </Section>
      <LinkedAccounts person={person} />
    </>
  )
}

function LinkedAccounts({ person: { linked_accounts: accounts } }: { person: Person }) {
  return (
    <Section title="Linked accounts" count={accounts.length}>
      {accounts.length === 0 ? (
        <p className="dimmed">This person has not signed in yet.</p>
      ) : (
        accounts.map(({ provider, subject, email, linked_at }) => (
          <Facts
            key={`${provider} ${subject}`}
            items={[
              ['Provider', providerTitles[provider] ?? provider],
              ['E-mail address', email],
              ['Linked', <Time key="linked" value={linked_at} />],
            ]}
          />
        ))
      )}
    </Section>
  )
}

const providerTitles: Record<string, string> = {
  google: 'Google',
  microsoft: 'Microsoft',
  github: 'GitHub',
  oidc: 'OpenID Connect',
}

function PersonActivity({ person }: { person: Person }) {
  return (
    <>
      <Section title="By this person">
        <ActivityLog filter={{ actor_id: person.id }} />
      </Section>
      <Section title="About this person">
        <ActivityLog filter={{ target_id: person.id }} />
      </Section>
    </>
  )
}
