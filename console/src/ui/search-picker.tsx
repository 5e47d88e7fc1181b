import { useDebouncedValue } from '@mantine/hooks'
import type { UseQueryResult } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useName } from '../api/names.ts'
import { type Option, Select } from './select.tsx'

export type PickerProps = {
  label: string
  value?: string | null
  onChange: (id: string | null) => void
  error?: ReactNode
  description?: string
  placeholder?: string
  /** Shows the label inside the field, for filters above a table. */
  isFilter?: boolean
}

type Props = PickerProps & {
  /** Searches for a text, or without one for what is offered first. Previous results may stand in for the next. */
  useChoices: (q: string | undefined) => UseQueryResult<Option[]>
  nothingFound: string
}

/** Selects one of many objects with a search on the server. */
export function SearchPicker({
  label,
  value = null,
  useChoices,
  nothingFound,
  isFilter,
  ...props
}: Props) {
  const [text, setText] = useState('')
  const chosen = useName(value)
  const [q] = useDebouncedValue(text, 200)
  const choices = useChoices(q || undefined)
  const isAnswered = choices.isSuccess && !choices.isPlaceholderData
  const isSearching = text !== q || (choices.isFetching && !isAnswered)
  return (
    <Select
      {...props}
      {...useKeysAfter(isSearching)}
      {...(isFilter && { placeholder: label })}
      label={label}
      isLabelHidden={isFilter}
      isSearchable
      isClearable
      value={value}
      valueLabel={chosen.data?.name ?? (chosen.isPending ? 'Loading…' : 'Deleted')}
      options={choices.data ?? []}
      onSearch={setText}
      nothingFound={isSearching ? 'Searching…' : nothingFound}
    />
  )
}

const choosingKeys = ['ArrowDown', 'ArrowUp', 'Enter']

/**
 * Props of a field that keep the keys that choose in its list until a search is done. They would otherwise choose
 * among the results of an earlier text, which the list still shows.
 */
function useKeysAfter(isSearching: boolean) {
  const kept = useRef<{ input: HTMLInputElement; key: string; code: string }[]>([])
  useEffect(() => {
    if (isSearching) return
    for (const { input, ...key } of kept.current.splice(0))
      input.dispatchEvent(new KeyboardEvent('keydown', { ...key, bubbles: true, cancelable: true }))
  }, [isSearching])
  return {
    'aria-busy': isSearching,
    onKeyDownCapture(event: KeyboardEvent<HTMLInputElement>) {
      const { key, code, currentTarget: input } = event
      const isOpen = input.getAttribute('aria-expanded') === 'true'
      if (!isSearching || !isOpen || !choosingKeys.includes(key)) return
      event.preventDefault()
      event.stopPropagation()
      kept.current.push({ input, key, code })
    },
    onBlur() {
      kept.current = []
    },
  }
}
