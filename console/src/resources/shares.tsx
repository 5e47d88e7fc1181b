import { Button } from '@mantine/core'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { useName } from '../api/names.ts'
import type { CsvColumn } from '../ui/csv.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { actionColumn, type Column, DataTable } from '../ui/data-table.tsx'
import { Name, shortenId } from '../ui/name.tsx'
import { notifyDone } from '../ui/notify.ts'
import { Section } from '../ui/page.tsx'
import { RowAction } from '../ui/row-action.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { type Resource, refreshResources, type Share } from './resource-queries.ts'
import { ShareForm } from './share-form.tsx'

const csvColumns: CsvColumn<Share>[] = [
  'id',
  'grantee_type',
  'grantee_id',
  'permission',
  'role',
  ['condition', ({ condition }) => (condition ? JSON.stringify(condition) : '')],
  'expires_at',
  'granted_at',
  'granted_by',
]

/** Shows the shares of a resource with people and groups. */
export function Shares({ resource }: { resource: Resource }) {
  const [isSharing, setSharing] = useState(false)

  const columns: Column<Share>[] = [
    {
      id: 'grantee',
      header: 'Shared with',
      cell: ({ grantee_id, grantee_type }) => (
        <>
          <Name id={grantee_id} />
          {grantee_type === 'group' && <span className="dimmed"> (group)</span>}
        </>
      ),
    },
    {
      id: 'permission',
      header: 'Permission',
      cell: ({ permission, role }) =>
        permission ?? (
          <>
            {role}
            <span className="dimmed"> (role)</span>
          </>
        ),
    },
    {
      id: 'condition',
      header: 'Condition',
      cell: ({ condition }) =>
        condition ? (
          <>
            {condition.name}
            <span className="dimmed"> {describeParams(condition.params)}</span>
          </>
        ) : (
          <span className="dimmed">None</span>
        ),
    },
    {
      id: 'expires',
      header: 'Expires',
      cell: ({ expires_at }) => <Time value={expires_at} empty="Never" />,
    },
    {
      id: 'granted',
      header: 'Granted',
      cell: ({ granted_at, granted_by }) => (
        <>
          <Time value={granted_at} />
          {granted_by && (
            <>
              {' by '}
              <Name id={granted_by} />
            </>
          )}
        </>
      ),
    },
    actionColumn((share) => <RevokeShare resource={resource} share={share} />),
  ]

  const shareButton = (
    <Button size="xs" variant="default" onClick={() => setSharing(true)}>
      Share
    </Button>
  )
  return (
    <Section
      title="Shares"
      count={resource.shares.length}
      actions={
        <>
          <CsvButton name="shares" columns={csvColumns} rows={resource.shares} isSmall />
          {shareButton}
        </>
      }
    >
      <DataTable
        label="Shares"
        columns={columns}
        rows={resource.shares}
        rowId="id"
        empty={<EmptyState icon="share" title="Not shared yet" />}
      />
      <ShareForm resource={resource} isOpen={isSharing} onClose={() => setSharing(false)} />
    </Section>
  )
}

function describeParams(params: Record<string, unknown> | null): string {
  return Object.entries(params ?? {})
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join(', ')
}

function RevokeShare({ resource, share }: { resource: Resource; share: Share }) {
  const { grantee_type, grantee_id, permission, role } = share
  const { data } = useName(grantee_id)
  const name = data?.name ?? shortenId(grantee_id)

  async function revoke() {
    const params = { path: { permission_id: resource.id } }
    // A permission is required, but the share is found without it.
    const body = { grantee_type: grantee_type as 'user', grantee_id, permission: 'view' as const }
    await unwrap(api.DELETE('/admin/permissions/{permission_id}/share', { params, body }))
    await refreshResources()
    notifyDone('The share was revoked.')
  }

  return (
    <RowAction
      label="Revoke"
      name={`Revoke the share with ${name}`}
      confirmation={{
        title: `Revoke the share with ${name}?`,
        children: (
          <>
            <Name id={grantee_id} />{' '}
            {permission
              ? `may no longer ${permission} the resource, unless something else grants it.`
              : `loses the role ${role} on the resource.`}
          </>
        ),
        action: 'Revoke',
        run: revoke,
      }}
    />
  )
}
