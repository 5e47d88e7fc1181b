import { roles } from '../core/roles.ts'
import { actionFact, builtInActions, sufficientGrants } from './access.ts'
import {
  actionFacts,
  keyStatusColumns,
  principalJoins,
  principalStatus,
  roleShift,
  statusBit,
} from './facts-query.ts'

/** The combinations of the bits of `actionFact`. */
const factCombinations = [0, 1, 2, 3].map((combination) => combination * actionFact.registered)

/** The name does not matter to `sufficientGrants`, unless it is a built-in one. */
const customAction = ''

/**
 * What `sufficientGrants` returns, as a two-dimensional array: a row for each action and combination of facts
 * about it, a column for each role, of which the first is for users without a role.
 */
const grantsTable = [...builtInActions, customAction].flatMap((action) =>
  factCombinations.map((facts) =>
    [undefined, ...roles].map((role) => sufficientGrants(role, action, facts)),
  ),
)

/** Returns the position, from 1, of the first row of an action in the table of sufficient grants. */
export function grantsRowOf(action: string): number {
  const index = builtInActions.indexOf(action)
  return (index === -1 ? builtInActions.length : index) * factCombinations.length + 1
}

/** A common table expression for `callersOf`; $1 are the hashes of service keys. */
export const keysCte = `keys(required, services) as materialized (select ${keyStatusColumns('$1')})`

const isActive = `(${principalStatus}) & ${statusBit.denied | statusBit.active} = ${statusBit.active}`

/** The list of a query without a key does not depend on one. */
const hasValidKey =
  'q.key is null or coalesce(keys.services ->> (q.key - 1) = q.service, not keys.required)'

const sufficient = `('{${grantsTable.map((row) => `{${row.join()}}`).join()}}'::int[])
      [q.grants_row + (${actionFacts}) / ${actionFact.registered}][1 + ((${principalStatus}) >> ${roleShift})]`

/**
 * A FROM item with the columns of `source` and the current status of the caller: `keys_required`,
 * `key_service`, `status`, and the sufficient `grants`, which are 0 for a caller who is rejected.
 *
 * The columns of `source`: `key` (a position in $1, from 1), `token_id`, `user_id`, `workspace_id`, `service`,
 * `action` (null if it is a built-in one), `grants_row` (`grantsRowOf`). `offset 0` prevents the planner from
 * computing the grants each time they are used.
 */
export function callersOf(source: string): string {
  return `(
    select q.*, keys.required as keys_required, keys.services ->> (q.key - 1) as key_service,
      ${principalStatus} as status,
      case when ${isActive} and (${hasValidKey}) then ${sufficient} else 0 end as grants
    from keys cross join ${source} q
    ${principalJoins}
    offset 0
  )`
}
