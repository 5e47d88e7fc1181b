import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { ActiveBadge } from '../ui/badges.tsx'
import type { Column } from '../ui/data-table.tsx'
import { FormModal } from '../ui/form.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { Time } from '../ui/time.tsx'
import { AppList } from './app-list.tsx'
import { type ManagementApp, managementAppsQuery, refreshApps } from './app-queries.ts'
import { type ManagementAppFields, ManagementAppForm } from './management-app-form.tsx'
import { NewSecretModal } from './new-secret.tsx'

const columns: Column<ManagementApp>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ id, name }) => (
      <RowLink to="/management-apps/$appId" params={{ appId: id }} className="strong-link">
        <bdi>{name}</bdi>
      </RowLink>
    ),
  },
  { id: 'scopes', header: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
  {
    id: 'used',
    header: 'Last used',
    cell: ({ last_used_at }) => <Time value={last_used_at} relative />,
  },
  { id: 'status', header: 'Status', cell: ({ is_active }) => <ActiveBadge isActive={is_active} /> },
]

const emptyApp: ManagementAppFields = { name: '', scopes: [] }

export function ManagementAppsPage() {
  const apps = useQuery(managementAppsQuery)
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<string>()
  return (
    <AppList
      noun="management app"
      icon="terminal"
      description="Programs that administer daikon within their scopes."
      emptyText="Until there is one, only people can administer daikon."
      apps={apps}
      columns={columns}
      csvColumns={[
        'id',
        'name',
        ['scopes', ({ scopes }) => scopes.join(' ')],
        'secret_prefix',
        'is_active',
        'last_used_at',
        'created_at',
      ]}
      onCreate={() => setCreating(true)}
    >
      <FormModal
        title="New management app"
        action="Create"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        initialValues={emptyApp}
        send={async (body) => {
          const { client_secret } = await unwrap(api.POST('/admin/management-apps', { body }))
          setSecret(client_secret ?? undefined)
          await refreshApps()
        }}
      >
        {(form) => <ManagementAppForm form={form} />}
      </FormModal>
      <NewSecretModal secret={secret} onClose={() => setSecret(undefined)} />
    </AppList>
  )
}
