import { Select as MantineSelect, type SelectProps } from '@mantine/core'
import { startTransition, useState } from 'react'

/**
 * A select whose options are rendered while it has the focus, which the arrow keys need. Mantine would
 * render those of every select on the page, hidden, and compute where they would be.
 */
export function Select({ onFocus, onBlur, ...props }: SelectProps<string>) {
  const [hasFocus, setFocus] = useState(false)
  return (
    <MantineSelect
      // The scroll bar of Mantine costs more than the options of a short list, which needs none.
      withScrollArea={(props.data?.length ?? 0) > 6}
      {...props}
      comboboxProps={{ keepMounted: hasFocus }}
      onFocus={(event) => {
        startTransition(() => setFocus(true))
        onFocus?.(event)
      }}
      onBlur={(event) => {
        startTransition(() => setFocus(false))
        onBlur?.(event)
      }}
    />
  )
}
