import { roles } from '../../../core/roles.ts'
import { actionFact, builtInActions, memberFact, sufficientGrants } from '../../access.ts'
import { statusBit } from '../bits.ts'
import type { Coverage } from '../subjects/subject-kind.ts'
import { actionBitsSql, keyStatusColumns, statusJoins, statusSql } from './status.ts'

/** All combinations of the bits of `actionFact`. */
const factCombinations = [0, 1, 2, 3].map((combination) => combination * actionFact.registered)

/** Represents every registered action: `sufficientGrants` treats all of them alike. */
const customAction = ''

/**
 * The results of `sufficientGrants` as a table, with a row for each combination of an action and
 * facts about it, and two columns for each role: for members, and for guests. The first columns are
 * for users without a role.
 */
const grantsTable = [...builtInActions, customAction].flatMap((action) =>
  factCombinations.map((facts) =>
    [undefined, ...roles].flatMap((role) =>
      [0, memberFact.guest].map((guest) => sufficientGrants(role, action, facts | guest)),
    ),
  ),
)

/** Returns the position, from 1, of the first row of an action in `grantsTable`. */
export function grantsRowOf(action: string): number {
  const index = builtInActions.indexOf(action)
  return (index === -1 ? builtInActions.length : index) * factCombinations.length + 1
}

/** The common table expressions that `callersOf` requires. $1 hashes of service keys. */
export const keysCtes = { keys: `select ${keyStatusColumns('$1')}` }

const isActive = `(${statusSql}) & ${statusBit.denied | statusBit.active} = ${statusBit.active}`

/** A query with a null key does not depend on a service key. */
const hasValidKey =
  'q.key is null or coalesce(keys.key_statuses -> (q.key - 1) ->> 0 = q.service, not keys.keys_required)'

const sufficient = `('{${grantsTable.map((row) => `{${row.join()}}`).join()}}'::int[])
      [q.grants_row + (${actionBitsSql}) / ${actionFact.registered}][1 + (${statusSql}) / ${statusBit.guest}]`

/**
 * Returns a FROM item with the columns of `source` and the current status of the caller. It reads of
 * `source`:
 *
 * | key                               | the position of the service key in $1, from 1, or null |
 * | token_id, user_id, workspace_id   | the caller                                             |
 * | service, action, grants_row       | what is asked: `action` is null if it is built in,     |
 * |                                   | `grants_row` is `grantsRowOf` the action               |
 *
 * and adds:
 *
 * | keys_required, key_status         | `keyStatusColumns`                                     |
 * | status                            | the bits of the caller (`bits.ts`)                     |
 * | grants                            | those that suffice, 0 if the caller is rejected        |
 *
 * A viewer who lists what she may `view`, for example, gets `owner | workspace | view | edit`.
 * `offset 0` prevents the planner from computing the grants each time they are used.
 *
 * With a coverage, the source also has the columns `is_covered` and `resources` (`Coverage.ofList`). If
 * it covers some resources alone, these are what the list begins with: they are in the column `listed`,
 * null otherwise, and no grant is.
 */
export function callersOf(source: string, coverage: Coverage | null = null): string {
  const isAccepted = `${isActive} and (${hasValidKey})`
  const isGranted = coverage ? `${isAccepted} and q.is_covered and q.resources is null` : isAccepted
  const listed = `case when ${isAccepted} and q.is_covered then q.resources end as listed`
  return `(
    select q.*, keys.keys_required, keys.key_statuses -> (q.key - 1) as key_status,
      ${statusSql} as status,
      case when ${isGranted} then ${sufficient} else 0 end as grants${coverage ? `,\n      ${listed}` : ''}
    from keys cross join ${source} q
    ${statusJoins}
    offset 0
  )`
}
