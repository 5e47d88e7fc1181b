import { Button, Group, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { NewSecretModal } from '../apps/new-secret.tsx'
import { actionColumn, type Column, DataTable } from '../ui/data-table.tsx'
import { FormModal } from '../ui/form.tsx'
import { notifyDone } from '../ui/notify.ts'
import { RowAction } from '../ui/row-action.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { EndInput, fromLocalInput } from '../workspaces/member-end.tsx'
import {
  type ApiKey,
  apiKeysQuery,
  createApiKey,
  revokeApiKey,
  type ServiceAccount,
} from './service-account-queries.ts'
import classes from './service-accounts.module.css'

/** Shows the API keys of a service account. A new key is shown once. */
export function ApiKeys({ account }: { account: ServiceAccount }) {
  const keys = useQuery(apiKeysQuery(account))
  const [isCreating, setCreating] = useState(false)
  const [key, setKey] = useState<string>()

  const columns: Column<ApiKey>[] = [
    {
      id: 'name',
      header: 'Name',
      cell: ({ name, prefix }) => (
        <>
          <bdi>{name}</bdi> <span className="mono dimmed">{prefix}…</span>
        </>
      ),
    },
    {
      id: 'used',
      header: 'Last used',
      cell: ({ last_used_at }) => <Time value={last_used_at} relative />,
    },
    { id: 'expires', header: 'Expires', cell: ({ expires_at }) => <Time value={expires_at} /> },
    actionColumn((key) => (
      <RowAction
        label="Revoke"
        name={`Revoke the key ${key.name}`}
        confirmation={{
          title: `Revoke the key ${key.name}?`,
          children: 'Every node rejects it immediately.',
          action: 'Revoke',
          run: async () => {
            await revokeApiKey(account, key)
            notifyDone(`The key ${key.name} was revoked.`)
          },
        }}
      />
    )),
  ]
  return (
    <>
      <Group justify="space-between" align="baseline">
        <h3 className={classes.title}>API keys</h3>
        <Button
          size="xs"
          variant="default"
          disabled={!account.is_active}
          onClick={() => setCreating(true)}
        >
          New key
        </Button>
      </Group>
      <DataTable
        label="API keys"
        columns={columns}
        rows={keys.data}
        rowId="id"
        error={keys.error}
        onRetry={() => keys.refetch()}
        empty={<EmptyState icon="key" title="No keys" />}
      />
      <FormModal
        title={`New key for ${account.name}`}
        action="Create"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        initialValues={{ name: '', expires_at: '' }}
        send={async ({ name, expires_at }) => {
          const end = fromLocalInput(expires_at)
          setKey(await createApiKey(account, { name, ...(end && { expires_at: end }) }))
        }}
      >
        {(form) => (
          <>
            <TextInput
              label="Name"
              description="Where it is used, such as CI."
              data-autofocus
              {...form.getInputProps('name')}
            />
            <EndInput
              label="Expires"
              description="In your time zone, within two years. Leave empty for a key that does not expire."
              mt="md"
              {...form.getInputProps('expires_at')}
            />
          </>
        )}
      </FormModal>
      <NewSecretModal name="API key" secret={key} onClose={() => setKey(undefined)} />
    </>
  )
}
