import { Alert, Button, Checkbox, Text, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { FormModal } from '../ui/form.tsx'
import { notifyDone } from '../ui/notify.ts'
import {
  type Declaration,
  declareResourceType,
  type ResourceRole,
  type ResourceType,
  usesQuery,
} from './resource-type-queries.ts'
import { RoleFields } from './role-fields.tsx'
import { ShareCounts } from './share-counts.tsx'

const emptyRole = { name: '', description: '', actions: [] as string[] }

type Props = {
  service: string
  /** The declaration that is edited; undefined if the form is closed. */
  edited: ResourceType | 'new' | undefined
  onClose: () => void
}

/** Declares a resource type, or changes its declaration. */
export function ResourceTypeForm({ service, edited, onClose }: Props) {
  const current = edited === 'new' ? undefined : edited
  const initialValues: Declaration = {
    resource_type: current?.resource_type ?? '',
    description: current?.description ?? '',
    allow_public: current?.allow_public ?? false,
    roles: current?.roles ?? [emptyRole],
  }
  return (
    <FormModal
      title={current ? `Edit ${current.resource_type}` : 'Declare a resource type'}
      action={current ? 'Save' : 'Declare'}
      isOpen={edited !== undefined}
      onClose={onClose}
      initialValues={initialValues}
      send={async (values) => {
        await declareResourceType(service, values, current)
        notifyDone(`The roles of ${values.resource_type} are declared.`)
      }}
    >
      {(form) => (
        <>
          {!current && (
            <TextInput
              label="Resource type"
              description="As the service registers it, such as document."
              data-autofocus
              mb="md"
              {...form.getInputProps('resource_type')}
            />
          )}
          <Textarea label="Description" autosize {...form.getInputProps('description')} />
          <Checkbox
            label="Resources may be public"
            description="Everybody may view a public resource, signed in or not."
            mt="md"
            {...form.getInputProps('allow_public', { type: 'checkbox' })}
          />
          <Roles service={service} current={current} form={form} />
        </>
      )}
    </FormModal>
  )
}

function Roles({
  service,
  current,
  form,
}: {
  service: string
  current: ResourceType | undefined
  form: UseFormReturnType<Declaration>
}) {
  const addButton = useRef<HTMLButtonElement>(null)
  return (
    <>
      {form.values.roles.map((_, index) => (
        <RoleFields
          key={index}
          service={service}
          form={form}
          index={index}
          onRemove={() => {
            form.removeListItem('roles', index)
            addButton.current?.focus()
          }}
        />
      ))}
      {form.errors.roles && (
        <Text size="sm" c="var(--mantine-color-error)" mt="md">
          {form.errors.roles}
        </Text>
      )}
      <Button
        ref={addButton}
        size="xs"
        variant="default"
        mt="md"
        onClick={() => form.insertListItem('roles', emptyRole)}
      >
        Add a role
      </Button>
      {current && <RemovedRoles current={current} roles={form.values.roles} />}
    </>
  )
}

/** Shows how many shares use the roles that saving would remove. A new name removes a role, too. */
function RemovedRoles({ current, roles }: { current: ResourceType; roles: ResourceRole[] }) {
  const { data } = useQuery(usesQuery(current))
  const removed = current.roles.filter(({ name }) => !roles.some((role) => role.name === name))
  if (!data || removed.length === 0) return null
  return (
    <Alert color="yellow" variant="light" mt="md" title="Saving removes roles">
      <ShareCounts roles={removed} shares={data.shares} />A role that shares use cannot be removed.
    </Alert>
  )
}
