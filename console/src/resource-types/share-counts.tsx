import { List } from '@mantine/core'

type Props = {
  /** The names of roles or conditions. */
  names: string[]
  /** The number of shares by the name. */
  shares: Record<string, number>
}

/** Lists roles or conditions with the number of shares that use each. */
export function ShareCounts({ names, shares }: Props) {
  return (
    <List size="sm" my="xs">
      {names.map((name) => (
        <List.Item key={name}>
          {name}: {describeCount(shares[name] ?? 0)}
        </List.Item>
      ))}
    </List>
  )
}

function describeCount(count: number): string {
  if (count === 0) return 'no shares'
  return count === 1 ? '1 share' : `${count.toLocaleString()} shares`
}
