import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Section } from '../ui/page.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { ConnectionBadge } from './connection-badge.tsx'
import { type Connection, connectionsQuery } from './connection-queries.ts'
import classes from './connections.module.css'
import { SetupWizard } from './setup-wizard.tsx'

const columns: Column<Connection>[] = [
  {
    id: 'name',
    header: 'Connection',
    cell: ({ id, name, issuer }) => (
      <>
        <RowLink to="." search={({ tab }) => ({ tab, connection: id })} className="strong-link">
          <bdi>{name}</bdi>
        </RowLink>
        <small className={classes.url}>{issuer}</small>
      </>
    ),
  },
  {
    id: 'domains',
    header: 'Domains',
    cell: ({ domains }) => domains.map(({ domain }) => domain).join(', '),
  },
  {
    id: 'status',
    header: 'Status',
    cell: (connection) => <ConnectionBadge connection={connection} />,
  },
  {
    id: 'used',
    header: 'Last sign-in',
    cell: ({ last_sign_in_at }) => <Time value={last_sign_in_at} relative />,
  },
]

/** Shows the connections of a workspace. */
export function Connections({ workspaceId }: { workspaceId: string }) {
  const connections = useQuery(connectionsQuery(workspaceId))
  const [isCreating, setCreating] = useState(false)
  return (
    <Section
      title="Connections"
      count={connections.data?.length}
      description="The members sign in by an OpenID Connect provider of their own, such as Okta, Entra ID or Keycloak."
      actions={
        <Button size="xs" onClick={() => setCreating(true)}>
          New connection
        </Button>
      }
    >
      <DataTable
        label="Connections"
        columns={columns}
        rows={connections.data}
        rowId="id"
        error={connections.error}
        onRetry={() => connections.refetch()}
        empty={
          <EmptyState icon="key" title="No connections yet">
            With a connection, people of a company sign in by its own identity provider.
          </EmptyState>
        }
      />
      <SetupWizard
        workspaceId={workspaceId}
        isOpen={isCreating}
        onClose={() => setCreating(false)}
      />
    </Section>
  )
}
