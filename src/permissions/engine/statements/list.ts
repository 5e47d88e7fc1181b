import { grant } from '../../access.ts'
import type { ListValues } from '../grants/grant-kind.ts'
import { partsOf } from '../grants/grant-kinds.ts'
import { barePermission } from '../grants/live-share.ts'
import { subjectColumns } from '../grants/offered-columns.ts'
import { toSql } from '../statement.ts'
import type { SubjectKind } from '../subjects/subject-kind.ts'
import { ofEachKind, type SubjectKindName } from '../subjects/subject-kinds.ts'
import { callersOf, keysCtes } from './list-caller.ts'
import { mayBeRequired } from './requirements.ts'
import type { KeyStatus } from './status.ts'

/*
 * Parameters of both statements for lists, each an array:
 *
 * | $1         | hashes of service keys                                                     |
 * | $2, $3     | kinds: service, resource type                                              |
 * | $4 to $6   | queries: token, subject, workspace                                         |
 * | $7, $8     | queries: position of the key and the kind                                  |
 * | $9, $10    | queries: first ID, limit                                                   |
 * | $11 to $13 | queries: action, row in the table of sufficient grants, whether it is view |
 * | $14        | queries: name of the action, also if it is built in                        |
 *
 * Queries refer to keys and kinds by their position, from 1.
 */

const serviceOfItem = '($2::text[])[item.kind]'

/** The subject of the query `item`, whom a coverage limits. */
const ofCoverage = {
  subjectId: 'item.subject_id',
  workspaceId: 'item.limited_to',
  action: 'item.action_name',
  service: serviceOfItem,
  type: '($3::text[])[item.kind]',
}

/** Returns a FROM item with the queries and the status of their callers. */
export function listQueries({ coverage }: SubjectKind): string {
  const subject = coverage ? 'subject_id, limited_to' : 'user_id, workspace_id'
  const covered = coverage
    ? `
      left join lateral (${coverage.ofList(ofCoverage)} offset 0) covered on true`
    : ''
  return callersOf(
    `(
      select item.*,${coverage ? ' covered.*,' : ''} ${serviceOfItem} as service,
        (array(
          select k.id
          from unnest($2::text[], $3::text[]) with ordinality kind(service, type, position)
          left join resource_kinds k on k.service_name = kind.service and k.resource_type = kind.type
          order by kind.position
        ))[item.kind] as kind_id
      from unnest($4::uuid[], $5::uuid[], $6::uuid[], $7::int[], $8::int[], $9::uuid[], $10::int[],
          $11::text[], $12::int[], $13::bool[], $14::text[]) with ordinality
        item(token_id, ${subject}, key, kind, first_id, max_ids, action, grants_row,
          is_view, action_name, position)${covered}
    )`,
    coverage,
  )
}

/** The index of the query `q`, from 0, and the status of its caller. */
export const callerColumns = 'q.position::int - 1, q.keys_required, q.key_status, q.status'

/** Separates the IDs in the result of a list. */
export const idSeparator = ','

/** Whether the action of the query `q` has a requirement, which resources of the kind may inherit. */
const isRequired = mayBeRequired({ kindId: 'q.kind_id', service: 'q.service' }, 'q.action_name')
const isViewRequired = mayBeRequired({ kindId: 'q.kind_id', service: 'q.service' }, "'view'")

const conditions = partsOf('conditions').map(({ part }) => part)
const conditionalGrants = conditions.reduce((all, { bits }) => all | bits, 0)

/**
 * Whether the list of the query `q` depends on conditions: its action has a requirement, or the
 * caller may view through a custom role and `view` has one, or any share with the caller has a
 * condition.
 */
const dependsOnConditions = `${isRequired}
    or q.action is not null and ${isViewRequired}
    or q.grants & ${conditionalGrants} <> 0 and (
      ${conditions.map(({ exists }) => exists({ subject: subjectColumns })).join(' or ')}
    )`

/**
 * Returns the condition that the list of the query `q` is uncertain: it depends on conditions, or is
 * walked from the resources of a coverage. Its candidates are then checked.
 */
export function isUncertainList({ coverage }: SubjectKind): string {
  return coverage ? `(${dependsOnConditions} or q.listed is not null)` : dependsOnConditions
}

/**
 * Whether the caller of the query `q` has access to every resource of the kind: because of their
 * role or, if the action is `view` and visibilities count, because the workspace has resources of the
 * kind and none of them is private. False if the action has a requirement. `private` is the first visibility in the
 * order of the index.
 */
const hasFullAccessOfUser = `not ${isRequired} and (q.grants = ${grant.registered}
    or q.grants & ${grant.workspace} <> 0 and q.is_view and coalesce((
      select visibility <> 'private' from resources
      where (workspace_id, kind_id) >= (q.workspace_id, q.kind_id)
        and (workspace_id, kind_id) <= (q.workspace_id, q.kind_id)
      order by workspace_id, kind_id, visibility limit 1
    ), false))`

/** Returns the condition that a caller has full access, which a coverage never gives. */
export function hasFullAccess({ coverage }: SubjectKind): string {
  return coverage ? 'false' : hasFullAccessOfUser
}

/**
 * Returns SQL for a page of the IDs of resources on which the user has one of the grants directly,
 * not by inheritance, and `others`. The planner merges the ordered branches of `union all` without sorting them.
 */
export function directPage(values: ListValues, others: string[] = []): string {
  const branches = [...partsOf('resources').map(({ part }) => part(values)), ...others]
  return `
    select distinct resource_id from (
      ${branches.map((branch) => `(${branch})`).join('\n      union all\n      ')}
    ) granted order by resource_id limit ${values.limit}`
}

/**
 * Whether lists contain what would be allowed if every condition were true (`candidates`), or only
 * what does not depend on conditions (`certain`).
 */
export type Certainty = 'certain' | 'candidates'

/** `ListValues.permission` for each Certainty. */
export const listedPermission: Record<Certainty, string> = {
  certain: 's.permission',
  candidates: barePermission,
}

/** The values of the query `q`. */
const queryValues: Omit<ListValues, 'permission'> = {
  workspace: 'q.workspace_id',
  user: 'q.user_id',
  kind: 'q.kind_id',
  first: 'q.first_id',
  limit: 'q.max_ids',
  grants: 'q.grants',
  action: 'q.action',
}

/**
 * Returns an SQL condition: whether the user of the query `q` may have one of the grants on a folder,
 * of any service. `offset 0` prevents the planner from hashing the whole table instead of looking up
 * each user.
 */
function mayHaveFolders(values: ListValues, { coverage }: SubjectKind): string {
  const isGranted = partsOf('folders').map(
    ({ part: { bits, from } }) => `q.grants & ${bits} <> 0 and exists (
        select from ${from(values)} offset 0)`,
  )
  const mayHave = `
    exists (select from resources where is_parent and workspace_id = q.workspace_id offset 0)
    and (${isGranted.join('\n      or ')})`
  return coverage ? `(q.listed is not null or ${mayHave})` : mayHave
}

/**
 * Lists resources for several queries. $15 is the maximum number of groups. Returns a ListRow for each
 * query, in any order:
 *
 * | index, keysRequired, key, status | `callerColumns`                                          |
 * | mayHaveFolders                   | whether the user may have a grant on a folder            |
 * | joinedIds                        | the IDs from the first ID of the query on, up to its     |
 * |                                  | limit, ascending and joined by `idSeparator`             |
 * | hasFullAccess, isUncertain       | `hasFullAccess`, `isUncertainList`                       |
 *
 * `joinedIds` has no IDs if the caller is rejected. It is null, and another statement has to find them,
 * if the user has more groups than the maximum, if a certain list is uncertain, and if the user may have
 * a grant on a folder or a coverage lists resources: `listWithFoldersSql` is slower even for users
 * without folders.
 *
 * @example
 * // Carol, a viewer, may view two documents, which no folder and no condition decides.
 * [0, true, ['docs', null], 8585216, false, '0d000000-…,0e000000-…', false, false]
 */
function createListSql(certainty: Certainty): Record<SubjectKindName, string> {
  const values = { ...queryValues, permission: listedPermission[certainty] }
  const select = (kind: SubjectKind) => `select ${callerColumns},
  may_have_folders,
  case when not may_have_folders ${certainty === 'certain' ? 'and not is_uncertain' : ''}
      and not exists (
        select from group_members
        where user_id = q.user_id and workspace_id = q.workspace_id offset $15::int
      ) then coalesce((select string_agg(resource_id::text, '${idSeparator}') from (${directPage(values)}
    ) page), '') end,
  ${hasFullAccess(kind)},
  is_uncertain
from (
  select q.*, ${mayHaveFolders(values, kind)} as may_have_folders,
    ${isUncertainList(kind)} as is_uncertain
  from ${listQueries(kind)} q
  offset 0
) q`
  return ofEachKind((_, kind) =>
    toSql({ ctes: { ...kind.tables('$5::uuid[]'), ...keysCtes }, select: select(kind) }),
  )
}

/** The statements for each Certainty. */
export const listSql = {
  certain: createListSql('certain'),
  candidates: createListSql('candidates'),
}

/** The row of a query in the result of `listSql` or `listWithFoldersSql`. Only the latter has `nextId`. */
export type ListRow = [
  index: number,
  keysRequired: boolean,
  key: KeyStatus | null,
  status: number,
  mayHaveFolders: boolean,
  joinedIds: string | null,
  hasFullAccess: boolean,
  isUncertain: boolean,
  nextId?: string | null,
]
