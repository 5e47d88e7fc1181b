import type { ResourceRole } from './resource-type-queries.ts'

/** Returns what a role is for and which actions it allows. */
export function describeResourceRole({ description, actions }: ResourceRole): string {
  const list = actions.join(', ')
  return description ? `${description}: ${list}` : list
}
