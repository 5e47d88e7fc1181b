import { TextInput } from '@mantine/core'
import type { ComponentProps } from 'react'

/** The input for the end of a membership. */
export function EndInput(props: ComponentProps<typeof TextInput>) {
  return (
    <TextInput
      type="datetime-local"
      label="Ends"
      description="In your time zone. Leave empty for a membership that does not end."
      {...props}
    />
  )
}

/** Returns the time in the input as ISO 8601, or undefined if the input is empty. */
export function fromLocalInput(value: string): string | undefined {
  return value ? new Date(value).toISOString() : undefined
}

/** Returns a time as the value of an input: `2030-01-31T12:00` in the time zone of the browser. */
export function toLocalInput(value: string | null | undefined): string {
  if (!value) return ''
  const time = new Date(value)
  // As if the time zone were UTC. Local setters would be an hour off around changes of the clock.
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 16)
}
