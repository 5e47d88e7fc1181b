import { Select as MantineSelect, type SelectProps } from '@mantine/core'
import { startTransition, useState } from 'react'

/**
 * A select that keeps its options rendered while it has the focus, which the arrow keys need. Mantine would
 * render those of every select on the page, hidden, and compute where they would be.
 */
export function Select({ onFocus, onBlur, ...props }: SelectProps<string>) {
  const [isKept, setKept] = useState(false)
  const keepLater = (isKept: boolean) => startTransition(() => setKept(isKept))
  return (
    <MantineSelect
      // The scroll bar of Mantine costs more than the options of a short list, which needs none.
      withScrollArea={(props.data?.length ?? 0) > 6}
      {...props}
      comboboxProps={{ keepMounted: isKept }}
      onDropdownClose={() => {
        // The closed list would render all its options again before the choice is visible.
        setKept(false)
        keepLater(true)
      }}
      onFocus={(event) => {
        keepLater(true)
        onFocus?.(event)
      }}
      onBlur={(event) => {
        keepLater(false)
        onBlur?.(event)
      }}
    />
  )
}
