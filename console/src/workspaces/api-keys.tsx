import { Alert, Button, Group, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { CopyableCode } from '../ui/copy.tsx'
import { actionColumn, type Column, DataTable } from '../ui/data-table.tsx'
import { PersistentDialog } from '../ui/dialog.tsx'
import { FormModal } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { notifyDone } from '../ui/notify.ts'
import { RowAction } from '../ui/row-action.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { EndInput, fromLocalInput } from './member-end.tsx'
import classes from './member-list.module.css'
import {
  type ApiKey,
  apiKeysQuery,
  refreshServiceAccounts,
  type ServiceAccount,
} from './service-account-queries.ts'

const keysRoute = '/admin/workspaces/{workspace_id}/service-accounts/{service_account_id}/keys'

/** Shows the API keys of a service account. A new key is shown once. */
export function ApiKeys({ account }: { account: ServiceAccount }) {
  const keys = useQuery(apiKeysQuery(account))
  const [isCreating, setCreating] = useState(false)
  const [newKey, setNewKey] = useState<string>()
  const path = { workspace_id: account.workspace_id, service_account_id: account.id }

  async function remove({ id, name }: ApiKey) {
    const params = { path: { ...path, key_id: id } }
    await unwrap(api.DELETE(`${keysRoute}/{key_id}`, { params }))
    await refreshServiceAccounts()
    notifyDone(`The key ${name} was deleted.`)
  }

  return (
    <>
      <Group justify="space-between" mb="xs">
        <h3 className={classes.title}>API keys</h3>
        <Button
          size="xs"
          aria-label={`New API key for ${account.name}`}
          disabled={!account.is_active}
          onClick={() => setCreating(true)}
        >
          New API key
        </Button>
      </Group>
      <DataTable
        label={`API keys of ${account.name}`}
        columns={createColumns(remove)}
        rows={keys.data}
        rowId="id"
        error={keys.error}
        onRetry={() => keys.refetch()}
        empty={<EmptyState icon="key" title="No API keys yet" />}
      />
      <FormModal
        title={`New API key for ${account.name}`}
        action="Create"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        initialValues={{ name: '', expires_at: '' }}
        send={async ({ name, expires_at }) => {
          const end = fromLocalInput(expires_at)
          const body = { name, ...(end && { expires_at: end }) }
          const { key } = await unwrap(api.POST(keysRoute, { params: { path }, body }))
          await refreshServiceAccounts()
          setNewKey(key ?? undefined)
        }}
      >
        {(form) => (
          <>
            <TextInput
              label="Name"
              description="Such as where the key is used."
              data-autofocus
              {...form.getInputProps('name')}
            />
            <EndInput
              mt="md"
              description="In your time zone, at most in two years. Leave empty for a key that does not expire."
              {...form.getInputProps('expires_at')}
            />
          </>
        )}
      </FormModal>
      <PersistentDialog opened={newKey !== undefined} title="Copy the API key">
        <Alert color="yellow" variant="light" icon={<Icon name="alert" />} mb="md">
          This is the only time that the key is shown: the server keeps its hash.
        </Alert>
        {newKey && <CopyableCode code={newKey} label="API key" />}
        <Group justify="flex-end" mt="lg">
          <Button onClick={() => setNewKey(undefined)}>I have stored it</Button>
        </Group>
      </PersistentDialog>
    </>
  )
}

function createColumns(remove: (key: ApiKey) => Promise<void>): Column<ApiKey>[] {
  return [
    { id: 'name', header: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
    { id: 'prefix', header: 'Begins with', cell: ({ prefix }) => <code>{prefix}…</code> },
    { id: 'used', header: 'Last used', cell: (key) => <Time value={key.last_used_at} /> },
    { id: 'ends', header: 'Ends', cell: (key) => <Time value={key.expires_at} /> },
    actionColumn((key) => (
      <RowAction
        label="Delete"
        name={`Delete the key ${key.name}`}
        confirmation={{
          title: `Delete the key ${key.name}?`,
          children: 'Programs that use it are rejected immediately.',
          action: 'Delete key',
          run: () => remove(key),
        }}
      />
    )),
  ]
}
