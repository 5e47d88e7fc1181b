import type { ResourceRole } from './declaration-form.ts'

/** Returns what a role is for and which actions it allows. */
export function describeResourceRole({ description, actions }: ResourceRole): string {
  const list = actions.join(', ')
  return description ? `${description}: ${list}` : list
}
