import { Select as MantineSelect, type SelectProps } from '@mantine/core'
import { startTransition, useRef, useState } from 'react'

export type Option<Value extends string = string> = { value: Value; label: string }

type Props<Value extends string> = Pick<
  SelectProps,
  | 'description'
  | 'disabled'
  | 'error'
  | 'placeholder'
  | 'onFocus'
  | 'onBlur'
  | 'onKeyDownCapture'
  | 'aria-busy'
  | 'w'
  | 'mt'
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
  /** Whether typing filters the options. */
  isSearchable?: boolean
  /**
   * Searches on the server for the text that was typed; it is empty if the field shows its value. The
   * options are then the results.
   */
  onSearch?: (text: string) => void
  /** Shown if no option matches the text. */
  nothingFound?: string
}

/**
 * A select that keeps its options mounted while it has the focus, as the arrow keys require.
 * Mantine would mount the hidden options of every select on the page and compute their position.
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
  const input = useRef<HTMLInputElement>(null)
  const [isMounted, setMounted] = useState(false)
  const setMountedLater = (isMounted: boolean) => startTransition(() => setMounted(isMounted))
  const isOption = value === null || options.some((option) => option.value === value)
  // A value without an option would not be shown in the field.
  const data = isOption ? options : [{ value, label: valueLabel ?? value }, ...options]
  const shown = data.find((option) => option.value === value)?.label
  return (
    <MantineSelect
      {...field}
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
      ref={input}
      data={data}
      value={value}
      onChange={(chosen) => onChange(chosen as Value | null)}
      allowDeselect={isClearable}
      clearable={isClearable}
      clearButtonProps={{
        'aria-label': `Clear ${label.toLowerCase()}`,
        // Not `false`, with which Mantine's dialogs would skip it as well.
        'aria-hidden': undefined,
        tabIndex: 0,
        // The button disappears. A click with the mouse has not moved the focus to it.
        onClick: ({ currentTarget }) => {
          if (document.activeElement === currentTarget) input.current?.focus()
        },
      }}
      searchable={isSearchable}
      {...(onSearch && {
        onSearchChange: (text: string) => onSearch(text === shown ? '' : text),
        // The server has already filtered the options.
        filter: () => options,
      })}
      nothingFoundMessage={nothingFound}
      // The list would cover an error below the field that gets the focus because of it.
      openOnFocus={false}
      maxDropdownHeight={260}
      // Mantine's scroll bar costs more than the options of a short list, which does not need one.
      withScrollArea={options.length > 6}
      comboboxProps={{ keepMounted: isMounted }}
      onDropdownClose={() => {
        // If the options stayed mounted, all of them would render again before the selection is
        // visible.
        setMounted(false)
        setMountedLater(true)
      }}
      onFocus={(event) => {
        setMountedLater(true)
        onFocus?.(event)
      }}
      onBlur={(event) => {
        setMountedLater(false)
        onBlur?.(event)
      }}
    />
  )
}
