import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { Icon } from './icon.tsx'

type Props = {
  label: string
  value: string | undefined
  /** Called when the user pauses typing; undefined if the field is empty. */
  onChange: (value: string | undefined) => void
}

/** A field that searches while the user types. Pressing `/` moves the focus to it. */
export function SearchInput({ label, value = '', onChange }: Props) {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  const send = useDebouncedCallback((next: string) => {
    sent.current = next
    onChange(next || undefined)
  }, 250)

  // The address changed by other means, such as the back button.
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(value)
  }, [value])

  function change(next: string) {
    setText(next)
    send(next)
  }

  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      maxLength={100}
      data-search-input
      wrapperProps={{ 'data-wide': true }}
      leftSection={<Icon name="search" size={16} />}
      rightSection={
        text ? <CloseButton size="sm" aria-label="Clear search" onClick={() => change('')} /> : null
      }
      onChange={(event) => change(event.currentTarget.value)}
      style={{ flex: '1 1 14rem', maxWidth: '24rem' }}
    />
  )
}
