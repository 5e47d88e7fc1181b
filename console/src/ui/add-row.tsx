import { Button, Group } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import classes from './add-row.module.css'
import { notifyFailure } from './notify.ts'

type PickerValue = { value: string | null; onChange: (id: string | null) => void }

type Props = {
  /** Adds the chosen object. */
  onAdd: (id: string) => Promise<unknown>
  /** Renders the picker. */
  children: (picker: PickerValue) => ReactNode
}

/** A picker with a button that adds the chosen object to a list. */
export function AddRow({ onAdd, children }: Props) {
  const [id, setId] = useState<string | null>(null)
  const [isAdding, setAdding] = useState(false)
  async function add() {
    if (!id) return
    setAdding(true)
    try {
      await onAdd(id)
      setId(null)
    } catch (error) {
      notifyFailure(error)
    } finally {
      setAdding(false)
    }
  }
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <div className={classes.picker}>{children({ value: id, onChange: setId })}</div>
      <Button
        variant="default"
        className={classes.button}
        disabled={!id}
        loading={isAdding}
        onClick={add}
      >
        Add
      </Button>
    </Group>
  )
}
