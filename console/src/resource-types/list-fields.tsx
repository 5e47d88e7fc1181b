import { Button, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ReactNode, useRef } from 'react'
import type { DeclarationFields } from './declaration-form.ts'

type Props = {
  form: UseFormReturnType<DeclarationFields>
  list: 'roles' | 'conditions' | 'requirements'
  /** The item that the button adds. */
  emptyItem: DeclarationFields[Props['list']][number]
  addLabel: string
  /** Renders the fields of an item. */
  children: (index: number, onRemove: () => void) => ReactNode
}

/** The items of a list in a declaration, and a button that adds one. */
export function ListFields({ form, list, emptyItem, addLabel, children }: Props) {
  const addButton = useRef<HTMLButtonElement>(null)
  return (
    <>
      {form.values[list].map((_, index) => (
        <div key={index}>
          {children(index, () => {
            form.removeListItem(list, index)
            addButton.current?.focus()
          })}
        </div>
      ))}
      {form.errors[list] && (
        <Text size="sm" c="var(--mantine-color-error)" mt="md">
          {form.errors[list]}
        </Text>
      )}
      <Button
        ref={addButton}
        size="xs"
        variant="default"
        mt="md"
        onClick={() => form.insertListItem(list, emptyItem)}
      >
        {addLabel}
      </Button>
    </>
  )
}
