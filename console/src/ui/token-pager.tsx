import { Button, Group } from '@mantine/core'

type Props = {
  /**
   * The tokens up to the current page. They are kept because the API returns only the next one.
   */
  tokens: string[]
  nextToken: string | null | undefined
  onChange: (tokens: string[]) => void
}

/** The buttons to the previous and the next page of a list whose pages have tokens. */
export function TokenPager({ tokens, nextToken, onChange }: Props) {
  if (!nextToken && tokens.length === 0) return null
  return (
    <Group justify="flex-end" gap="xs" mt="md">
      <Button
        size="xs"
        variant="default"
        disabled={tokens.length === 0}
        onClick={() => onChange(tokens.slice(0, -1))}
      >
        Previous
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={!nextToken}
        onClick={() => nextToken && onChange([...tokens, nextToken])}
      >
        Next
      </Button>
    </Group>
  )
}
