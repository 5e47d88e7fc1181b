import { List } from '@mantine/core'
import type { ResourceRole } from './resource-type-queries.ts'

type Props = {
  roles: ResourceRole[]
  /** The number of shares by the name of the role. */
  shares: Record<string, number>
}

/** Lists roles with the number of shares that use each. */
export function ShareCounts({ roles, shares }: Props) {
  return (
    <List size="sm" my="xs">
      {roles.map(({ name }) => (
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
