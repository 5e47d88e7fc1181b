import { Button } from '@mantine/core'
import { useState } from 'react'
import { RoleBadge } from '../ui/badges.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { FormModal } from '../ui/form.tsx'
import { Name } from '../ui/name.tsx'
import { Facts, Section } from '../ui/page.tsx'
import { EmptyState } from '../ui/states.tsx'
import { sendFields, toConnectionFields, toMappingBody } from './connection-form.ts'
import { type Connection, updateConnection } from './connection-queries.ts'
import classes from './connections.module.css'
import { MappingFields } from './mapping-fields.tsx'

type Row = { id: string; claim: string; value: string; role?: string; groupId?: string }

const columns: Column<Row>[] = [
  { id: 'claim', header: 'Claim', cell: ({ claim }) => <span className="mono">{claim}</span> },
  { id: 'value', header: 'Value', cell: ({ value }) => <span className="mono">{value}</span> },
  {
    id: 'gives',
    header: 'Gives',
    cell: ({ role, groupId }) =>
      groupId ? (
        <>
          Group <Name id={groupId} fallback="Deleted group" />
        </>
      ) : (
        <>
          Role <RoleBadge role={role ?? ''} />
        </>
      ),
  },
]

/** What the claims of the provider give to members at each sign-in. */
export function Mapping({ connection }: { connection: Connection }) {
  const [isEditing, setEditing] = useState(false)
  const { name, default_role } = connection
  return (
    <Section
      title="Roles and groups"
      description="What the claims of the provider give at each sign-in. The values that a directory sends by SCIM go through the same rows."
      actions={
        <Button size="xs" variant="default" onClick={() => setEditing(true)}>
          Edit mapping
        </Button>
      }
    >
      <div className={classes.facts}>
        <Facts items={[['Default role', <RoleBadge key="role" role={default_role} />]]} />
      </div>
      <DataTable
        label="Mapping"
        columns={columns}
        rows={toRows(connection)}
        rowId="id"
        empty={
          <EmptyState icon="users" title="No values yet">
            Members get the default role, and the groups that they are put into here.
          </EmptyState>
        }
      />
      <FormModal
        title={`Roles and groups of ${name}`}
        action="Save"
        size="lg"
        isOpen={isEditing}
        onClose={() => setEditing(false)}
        initialValues={toConnectionFields(connection)}
        send={(fields) =>
          sendFields(fields, () => updateConnection(connection, toMappingBody(fields)))
        }
      >
        {(form) => <MappingFields workspaceId={connection.workspace_id} form={form} />}
      </FormModal>
    </Section>
  )
}

function toRows(connection: Connection): Row[] {
  const { role_claim, roles, groups_claim, groups } = toConnectionFields(connection)
  return [
    ...roles.map(({ value, role }) => ({ id: `role:${value}`, claim: role_claim, value, role })),
    ...groups.map(({ value, group_id }) => ({
      id: `group:${value}`,
      claim: groups_claim,
      value,
      groupId: group_id ?? '',
    })),
  ]
}
