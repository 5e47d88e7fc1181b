import { Textarea, type TextareaProps } from '@mantine/core'

/** A field for code or JSON. */
export function CodeInput(props: TextareaProps) {
  return (
    <Textarea
      autosize
      minRows={2}
      maxRows={16}
      spellCheck={false}
      autoCapitalize="off"
      styles={{
        input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' },
      }}
      {...props}
    />
  )
}
