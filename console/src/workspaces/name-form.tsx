import { Textarea, TextInput } from '@mantine/core'
import { FormModal } from '../ui/form.tsx'

type Named = { name: string; description: string }

type Props = {
  /** The kind of object that is created, such as `group`. */
  noun: string
  /** The object that is edited; undefined if the form is closed. */
  edited: Named | 'new' | undefined
  onClose: () => void
  send: (values: Named) => Promise<unknown>
}

/** Creates or edits an object with a name and a description. */
export function NameForm({ noun, edited, onClose, send }: Props) {
  const current = edited === 'new' ? undefined : edited
  return (
    <FormModal
      title={current ? `Edit ${current.name}` : `New ${noun}`}
      action={current ? 'Save' : 'Create'}
      isOpen={edited !== undefined}
      onClose={onClose}
      initialValues={{ name: current?.name ?? '', description: current?.description ?? '' }}
      send={send}
    >
      {(form) => (
        <>
          <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
          <Textarea label="Description" mt="md" {...form.getInputProps('description')} />
        </>
      )}
    </FormModal>
  )
}
