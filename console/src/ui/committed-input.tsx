import { TextInput } from '@mantine/core'
import { useState } from 'react'

/** A filter for exact matches, applied when the field loses focus or Enter is pressed. */
export function CommittedInput({
  label,
  value = '',
  onCommit,
}: {
  label: string
  value: string | undefined
  onCommit: (value: string | undefined) => void
}) {
  const [text, setText] = useState(value)
  const [committed, setCommitted] = useState(value)
  if (committed !== value) {
    // The address changed by other means, such as the back button.
    setCommitted(value)
    setText(value)
  }
  function commit() {
    if (text.trim() !== value) onCommit(text.trim() || undefined)
  }
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
      w={150}
    />
  )
}
