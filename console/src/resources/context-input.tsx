import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { CodeInput } from '../ui/code-input.tsx'
import { parseJsonObject } from '../ui/json-object.ts'

type Props = {
  /** The context as compact JSON; undefined without one. */
  value: string | undefined
  onChange: (value: string | undefined) => void
}

/** Milliseconds without a keystroke after which the decision is asked for. */
const pause = 400

/** The field for the context of a request. Only a JSON object becomes the value. */
export function ContextInput({ value, onChange }: Props) {
  const [text, setText] = useState(value ?? '')
  const sent = useRef(value)
  const send = useDebouncedCallback((next: string | undefined) => {
    sent.current = next
    onChange(next)
  }, pause)
  useEffect(() => {
    // The address has changed by another way than this field, such as going back.
    if (value === sent.current) return
    sent.current = value
    setText(value ?? '')
  }, [value])
  return (
    <CodeInput
      label="Context"
      description="What the request brings for conditions, as a JSON object."
      placeholder='{"amount": 5}'
      minRows={1}
      mt="sm"
      value={text}
      error={parseJsonObject(text).error}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        const { value, error } = parseJsonObject(currentTarget.value)
        if (!error) send(value && JSON.stringify(value))
      }}
    />
  )
}
