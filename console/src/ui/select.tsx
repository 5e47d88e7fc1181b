import { Select as MantineSelect, type SelectProps } from '@mantine/core'
import { startTransition, useState } from 'react'

export type Option<Value extends string = string> = { value: Value; label: string }

type Props<Value extends string> = Pick<
  SelectProps,
  'description' | 'error' | 'placeholder' | 'onFocus' | 'onBlur' | 'w' | 'mt'
> & {
  label: string
  /** Whether only assistive technology reads the label. */
  isLabelHidden?: boolean | undefined
  options: Option<Value>[]
  value?: Value | null
  /** The label of a value that is not one of the options. */
  valueLabel?: string | undefined
  onChange: (value: Value | null) => void
  isClearable?: boolean
  /** Whether typing reduces the options to those that contain the text. */
  isSearchable?: boolean
  /** Searches on the server for the text that is typed. The options are then its results. */
  onSearch?: (text: string) => void
  /** Shown if no option contains the text. */
  nothingFound?: string
}

/**
 * A select that keeps its options rendered while it has the focus, which the arrow keys need. Mantine would
 * render those of every select on the page, hidden, and compute where they would be.
 */
export function Select<Value extends string = string>({
  label,
  isLabelHidden = false,
  options,
  value = null,
  valueLabel,
  onChange,
  isClearable = false,
  isSearchable = false,
  onSearch,
  nothingFound = 'Nothing found',
  onFocus,
  onBlur,
  ...field
}: Props<Value>) {
  const [isKept, setKept] = useState(false)
  const keepLater = (isKept: boolean) => startTransition(() => setKept(isKept))
  const isOption = value === null || options.some((option) => option.value === value)
  return (
    <MantineSelect
      {...field}
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
      // A value that is not an option would disappear from the field.
      data={isOption ? options : [{ value, label: valueLabel ?? value }, ...options]}
      value={value}
      onChange={(chosen) => onChange(chosen as Value | null)}
      allowDeselect={isClearable}
      clearable={isClearable}
      clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
      searchable={isSearchable}
      {...(onSearch && {
        onSearchChange: onSearch,
        // The server has filtered already.
        filter: ({ options }) => options,
      })}
      nothingFoundMessage={nothingFound}
      maxDropdownHeight={260}
      // The scroll bar of Mantine costs more than the options of a short list, which needs none.
      withScrollArea={options.length > 6}
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
