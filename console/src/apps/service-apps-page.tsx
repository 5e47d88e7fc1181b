import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { ActiveBadge } from '../ui/badges.tsx'
import type { Column } from '../ui/data-table.tsx'
import { FormModal } from '../ui/form.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { Time } from '../ui/time.tsx'
import { AppList } from './app-list.tsx'
import { refreshApps, type ServiceApp, serviceAppsQuery } from './app-queries.ts'
import { type NewKey, NewKeyModal } from './new-key.tsx'

const columns: Column<ServiceApp>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ id, name }) => (
      <RowLink to="/service-apps/$appId" params={{ appId: id }} className="strong-link">
        <bdi>{name}</bdi>
      </RowLink>
    ),
  },
  { id: 'service', header: 'Service', cell: ({ service_name }) => service_name },
  {
    id: 'key',
    header: 'Key',
    cell: ({ key_prefix }) => <span className="mono">{key_prefix}…</span>,
  },
  {
    id: 'used',
    header: 'Last used',
    cell: ({ last_used_at }) => <Time value={last_used_at} relative />,
  },
  { id: 'status', header: 'Status', cell: ({ is_active }) => <ActiveBadge isActive={is_active} /> },
]

export function ServiceAppsPage() {
  const apps = useQuery(serviceAppsQuery)
  const [isCreating, setCreating] = useState(false)
  const [newKey, setNewKey] = useState<NewKey>()
  return (
    <AppList
      noun="service app"
      icon="key"
      description="Backend services that call daikon with a service key."
      emptyText="Until there is one, requests are accepted with any service key, or none."
      apps={apps}
      columns={columns}
      csvColumns={[
        'id',
        'name',
        'service_name',
        'key_prefix',
        'is_active',
        'last_used_at',
        'created_at',
      ]}
      onCreate={() => setCreating(true)}
    >
      <FormModal
        title="New service app"
        action="Create"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        initialValues={{ name: '', service_name: '' }}
        send={async (body) => {
          const { key, service_name } = await unwrap(api.POST('/admin/service-apps', { body }))
          setNewKey({ key, serviceName: service_name })
          await refreshApps()
        }}
      >
        {(form) => (
          <>
            <TextInput
              label="Name"
              description="A label for administrators."
              data-autofocus
              {...form.getInputProps('name')}
            />
            <TextInput
              label="Service"
              description="The service whose resources the key gives access to, such as docs. It cannot be changed."
              mt="md"
              {...form.getInputProps('service_name')}
            />
          </>
        )}
      </FormModal>
      <NewKeyModal newKey={newKey} onClose={() => setNewKey(undefined)} />
    </AppList>
  )
}
