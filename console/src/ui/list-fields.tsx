import { Button, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ReactNode, useRef } from 'react'

type Props<Fields> = {
  form: UseFormReturnType<Fields>
  /** The name of the list in the form. */
  list: keyof Fields & string
  /** The item that the button adds. */
  emptyItem: unknown
  addLabel: string
  /** Renders the fields of an item. */
  children: (index: number, onRemove: () => void) => ReactNode
}

/** The items of a list in a form, and a button that adds one. */
export function ListFields<Fields extends Record<string, unknown>>({
  form,
  list,
  emptyItem,
  addLabel,
  children,
}: Props<Fields>) {
  const addButton = useRef<HTMLButtonElement>(null)
  const items = form.values[list] as unknown[]
  return (
    <>
      {items.map((_, index) => (
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
        onClick={() => form.insertListItem(list, emptyItem as never)}
      >
        {addLabel}
      </Button>
    </>
  )
}
