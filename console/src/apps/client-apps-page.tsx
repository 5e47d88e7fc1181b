import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { ActiveBadge, ClientTypeBadge } from '../ui/badges.tsx'
import type { Column } from '../ui/data-table.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { Time } from '../ui/time.tsx'
import { AppList } from './app-list.tsx'
import { type ClientApp, clientAppsQuery, refreshApps } from './app-queries.ts'
import { ClientAppForm } from './client-app-form.tsx'
import { emptyClientApp, toClientAppBody } from './client-app-values.ts'
import { NewSecretModal } from './new-secret.tsx'

const columns: Column<ClientApp>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ id, name }) => (
      <RowLink to="/client-apps/$appId" params={{ appId: id }} className="strong-link">
        <bdi>{name}</bdi>
      </RowLink>
    ),
  },
  {
    id: 'type',
    header: 'Type',
    cell: ({ type }) => <ClientTypeBadge type={type} />,
  },
  {
    id: 'redirects',
    header: 'Redirect URIs',
    cell: ({ redirect_uris: [first, ...others] }) => (
      <>
        <span className="mono">{first}</span>
        {others.length > 0 && <span className="dimmed"> and {others.length} more</span>}
      </>
    ),
  },
  { id: 'created', header: 'Created', cell: ({ created_at }) => <Time value={created_at} /> },
  { id: 'status', header: 'Status', cell: ({ is_active }) => <ActiveBadge isActive={is_active} /> },
]

export function ClientAppsPage() {
  const apps = useQuery(clientAppsQuery)
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<string>()
  return (
    <AppList
      noun="client app"
      icon="window"
      description="Web applications that people sign in to."
      emptyText="An application must be registered before people can sign in to it."
      apps={apps}
      columns={columns}
      csvColumns={[
        'id',
        'name',
        'type',
        'redirect_uris',
        'workspace_id',
        'is_active',
        'created_at',
      ]}
      onCreate={() => setCreating(true)}
    >
      <ClientAppForm
        title="New client app"
        action="Create"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        initialValues={emptyClientApp}
        send={async (values) => {
          const body = toClientAppBody(values)
          const created = await unwrap(api.POST('/admin/client-apps', { body }))
          if (created.client_secret) setSecret(created.client_secret)
          await refreshApps()
        }}
      />
      <NewSecretModal secret={secret} onClose={() => setSecret(undefined)} />
    </AppList>
  )
}
