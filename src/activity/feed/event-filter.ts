import { type FieldViolation, invalidArgument } from '../../core/errors.ts'
import { nearestNames } from '../../core/nearest-names.ts'
import type { EventTable } from '../events.ts'

/** Whether an entry's action is selected. */
export type ActionFilter = (action: string) => boolean

/**
 * Reads names of actions, or prefixes as in `member.*`. An empty list selects all.
 *
 * @throws ServiceError `invalid_argument` for names and prefixes without an action
 */
export function readActionFilter(events: EventTable, field: string, names: string[]): ActionFilter {
  const actions = Object.keys(events)
  const violations = names.flatMap((name, index): FieldViolation[] =>
    actions.some((action) => isSelected(action, name))
      ? []
      : [{ field: `${field}[${index}]`, message: describeUnknown(name, actions) }],
  )
  if (violations.length > 0) throw invalidArgument(...violations)
  return createActionFilter(events, names)
}

/** Like `readActionFilter`, but a name or prefix without an action selects nothing. */
export function createActionFilter(events: EventTable, names: string[]): ActionFilter {
  if (names.length === 0) return () => true
  const selected = new Set(
    Object.keys(events).filter((action) => names.some((name) => isSelected(action, name))),
  )
  return (action) => selected.has(action)
}

function isSelected(action: string, name: string): boolean {
  return name.endsWith('.*') ? action.startsWith(name.slice(0, -1)) : action === name
}

function describeUnknown(name: string, actions: string[]): string {
  const [nearest] = nearestNames(name, actions, 1)
  const hint = nearest ? `; did you mean ${nearest}?` : ''
  return `must be an action or a prefix such as member.*${hint}`
}
