import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { actionColumn, type Column, DataTable } from '../ui/data-table.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Section } from '../ui/page.tsx'
import { RowAction } from '../ui/row-action.tsx'
import { EmptyState } from '../ui/states.tsx'
import type { ResourceType } from './declaration-form.ts'
import { describeResourceRole } from './describe-role.ts'
import { ResourceTypeForm } from './resource-type-form.tsx'
import {
  readResourceType,
  removeResourceType,
  resourceTypesQuery,
  usesQuery,
} from './resource-type-queries.ts'
import classes from './resource-types.module.css'
import { ShareCounts } from './share-counts.tsx'

/** Shows the resource types that a service has declared, with the roles that shares can grant. */
export function ResourceTypes({ service }: { service: string }) {
  const types = useQuery(resourceTypesQuery)
  const [edited, setEdited] = useState<ResourceType | 'new'>()
  const rows = types.data?.filter(({ service_name }) => service_name === service)

  const columns: Column<ResourceType>[] = [
    {
      id: 'type',
      header: 'Resource type',
      cell: ({ resource_type, description }) => (
        <>
          {resource_type}
          {description && <small className={classes.description}>{description}</small>}
        </>
      ),
    },
    { id: 'roles', header: 'Roles', cell: ({ roles }) => <Roles roles={roles} /> },
    {
      id: 'conditions',
      header: 'Conditions',
      cell: (type) => <Conditions type={type} />,
    },
    actionColumn((type) => (
      <Group gap={4} wrap="nowrap" justify="flex-end">
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          c="dimmed"
          aria-label={`Edit ${type.resource_type}`}
          onClick={() => readResourceType(type).then(setEdited, notifyFailure)}
        >
          Edit
        </Button>
        <RemoveType type={type} />
      </Group>
    )),
  ]

  const declareButton = (
    <Button size="xs" variant="default" onClick={() => setEdited('new')}>
      Declare a type
    </Button>
  )
  return (
    <Section
      title="Resource types"
      count={rows?.length}
      description={`Roles that shares of resources of ${service} can grant, beside view and edit, and conditions of shares and actions.`}
      actions={declareButton}
    >
      <DataTable
        label="Resource types"
        columns={columns}
        rows={rows}
        rowId="resource_type"
        error={types.error}
        onRetry={() => types.refetch()}
        empty={
          <EmptyState icon="key" title="No resource type is declared">
            Resources need no declaration. Without one, shares grant view or edit.
          </EmptyState>
        }
      />
      <ResourceTypeForm service={service} edited={edited} onClose={() => setEdited(undefined)} />
    </Section>
  )
}

function Roles({ roles }: Pick<ResourceType, 'roles'>) {
  if (roles.length === 0) return <span className="dimmed">None</span>
  return (
    <ul className={classes.roles}>
      {roles.map((role) => (
        <li key={role.name}>
          <b>{role.name}</b> <span className="dimmed">{describeResourceRole(role)}</span>
        </li>
      ))}
    </ul>
  )
}

function Conditions({ type: { conditions, requirements } }: { type: ResourceType }) {
  if (conditions.length === 0) return <span className="dimmed">None</span>
  return (
    <ul className={classes.roles}>
      {conditions.map(({ name, description, expression }) => {
        const actions = requirements.filter(({ condition }) => condition === name)
        return (
          <li key={name}>
            <b>{name}</b> <span className="dimmed">{description || expression}</span>
            {actions.length > 0 &&
              ` · required to ${actions.map(({ action, inherited }) => (inherited ? `${action}, also below` : action)).join('; ')}`}
          </li>
        )
      })}
    </ul>
  )
}

function RemoveType({ type }: { type: ResourceType }) {
  const { resource_type } = type
  return (
    <RowAction
      label="Delete"
      name={`Delete the declaration of ${resource_type}`}
      confirmation={{
        title: `Delete the declaration of ${resource_type}?`,
        children: <Removal type={type} />,
        action: 'Delete declaration',
        run: async () => {
          await removeResourceType(type)
          notifyDone(`The declaration of ${resource_type} was deleted.`)
        },
      }}
    />
  )
}

/** Shows what a declaration is used for before it is removed. */
function Removal({ type }: { type: ResourceType }) {
  const { data } = useQuery(usesQuery(type))
  return (
    <>
      Its resources remain
      {data && ` (${data.resources.toLocaleString()})`}. A role or condition that shares use cannot
      be removed.
      {data &&
        (['roles', 'conditions'] as const).map(
          (list) =>
            type[list].length > 0 && (
              <ShareCounts
                key={list}
                names={type[list].map(({ name }) => name)}
                shares={data[list]}
              />
            ),
        )}
    </>
  )
}
