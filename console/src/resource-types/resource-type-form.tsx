import { Alert, Checkbox, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { FormModal } from '../ui/form.tsx'
import { ListFields } from '../ui/list-fields.tsx'
import { notifyDone } from '../ui/notify.ts'
import { ConditionFields } from './condition-fields.tsx'
import {
  type DeclarationFields,
  emptyCondition,
  emptyRole,
  type ResourceType,
  toFields,
} from './declaration-form.ts'
import { RequirementFields } from './requirement-fields.tsx'
import { declareResourceType, usesQuery } from './resource-type-queries.ts'
import { ResourcesBelow } from './resources-below.tsx'
import { RoleFields } from './role-fields.tsx'
import { ShareCounts } from './share-counts.tsx'

type Props = {
  service: string
  /** The declaration that is edited; undefined if the form is closed. */
  edited: ResourceType | 'new' | undefined
  onClose: () => void
}

/** Declares a resource type, or changes its declaration. */
export function ResourceTypeForm({ service, edited, onClose }: Props) {
  const current = edited === 'new' ? undefined : edited
  return (
    <FormModal
      title={current ? `Edit ${current.resource_type}` : 'Declare a resource type'}
      action={current ? 'Save' : 'Declare'}
      size="lg"
      isOpen={edited !== undefined}
      onClose={onClose}
      initialValues={toFields(current)}
      send={async (values) => {
        await declareResourceType(service, values, current)
        notifyDone(`The declaration of ${values.resource_type} is saved.`)
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
          <ListFields form={form} list="roles" emptyItem={emptyRole} addLabel="Add a role">
            {(index, onRemove) => (
              <RoleFields service={service} form={form} index={index} onRemove={onRemove} />
            )}
          </ListFields>
          <ListFields
            form={form}
            list="conditions"
            emptyItem={emptyCondition}
            addLabel="Add a condition"
          >
            {(index, onRemove) => <ConditionFields form={form} index={index} onRemove={onRemove} />}
          </ListFields>
          <ListFields
            form={form}
            list="requirements"
            emptyItem={{ action: '', condition: '', inherited: false }}
            addLabel="Add a requirement"
          >
            {(index, onRemove) => (
              <RequirementFields service={service} form={form} index={index} onRemove={onRemove} />
            )}
          </ListFields>
          <ResourcesBelow service={service} values={form.values} />
          {current && <Removed current={current} values={form.values} />}
        </>
      )}
    </FormModal>
  )
}

/**
 * Shows how many shares use the roles and conditions that saving would remove. A new name removes
 * one, too.
 */
function Removed({ current, values }: { current: ResourceType; values: DeclarationFields }) {
  const { data } = useQuery(usesQuery(current))
  return (['roles', 'conditions'] as const).map((list) => {
    const names = current[list].map(({ name }) => name)
    const removed = names.filter((name) => !values[list].some((item) => item.name === name))
    if (!data || removed.length === 0) return null
    return (
      <Alert key={list} color="yellow" variant="light" mt="md" title={`Saving removes ${list}`}>
        <ShareCounts names={removed} shares={data[list]} />
        Those that shares use cannot be removed.
      </Alert>
    )
  })
}
