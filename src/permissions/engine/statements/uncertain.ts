import { grant } from '../../access.ts'
import type { Agent } from '../../conditions/variables.ts'
import { chainCte } from '../chain.ts'
import type { GroupLookup } from '../grants/grant-kind.ts'
import { partsOf } from '../grants/grant-kinds.ts'
import { barePermission, isLive, shareBits } from '../grants/live-share.ts'
import { shareColumns, subjectColumns } from '../grants/offered-columns.ts'
import {
  ancestorsFrom,
  askOfSubjects,
  bitsWithAncestors,
  checkBits,
  checksFrom,
  namedUserIds,
} from './checks.ts'
import {
  type Requirement,
  type RequiringAncestor,
  type RequiringKind,
  requirementList,
  requiringKinds,
  type StoredResource,
  selectRequired,
  storedResource,
} from './requirements.ts'
import { type KeyStatus, keyStatusColumns } from './status.ts'

/**
 * The maximum number of shares with conditions that a check judges, those of the resource itself
 * first. Further ones do not count.
 */
export const maxCandidates = 256

const isGrantee = partsOf('conditions').map(({ part }) =>
  part.isGrantee({ subject: subjectColumns, share: shareColumns }),
)

/**
 * The conditional shares of the resource `r`, and of the ancestors that it inherits from, with the
 * subject `q`, as a JSON array of Candidate.
 */
export const candidateList = `(
    with recursive ${chainCte('where r.id is not null')}
    select json_agg(json_build_object('bits', bits, 'condition', condition, 'digest', digest,
      'params', params) order by depth, is_of_group, id)
    from (
      select s.id, s.user_id is null as is_of_group, depth, ${shareBits('q.action', barePermission)} as bits, s.condition, s.params,
        c.digest
      from chain
      join shares s on s.kind_id = chain.kind_id and s.resource_id = chain.resource_id
      join resource_conditions c on c.kind_id = s.kind_id and c.name = s.condition
      where s.condition is not null and ${isLive('s')}
        and (${isGrantee.join(' or ')})
      order by depth, is_of_group, s.id limit ${maxCandidates}
    ) candidate
  )`

/**
 * Returns SQL for what conditions read of a subject and the resource `r`, as JSON: StoredVariables.
 * `userId` is the ID of the subject, and `agent` SQL for the agent that acts for it.
 */
export function storedVariables(userId: string, agent?: string): string {
  return `json_build_object(
    'subject', (
      select json_build_object('id', id, 'externalId', external_id, 'email', email)
      from users where id = ${userId}
    ),
    'resource', json_build_array(${storedResource('r')})${agent === undefined ? '' : `,\n    'agent', ${agent}`}
  )`
}

/** Returns the condition that a check is uncertain: its bits depend on conditions. */
export function isUncertain(bits: string): string {
  return `${bits} & ${grant.conditional | grant.barred} <> 0`
}

/**
 * The facts of checks with what is needed to judge them, in one row: as in `factsSql`, the time of
 * the statement, the requirements of each kind, `requiringKinds`, an UncertainCheck for each check, and
 * `namedUserIds`.
 */
function createUncertainSql(lookup: GroupLookup) {
  return askOfSubjects(
    (kind) => `select ${keyStatusColumns('$12')},
  (select statuses::text from subjects),
  statement_timestamp()::text,
  (
    select json_agg(${requirementList('k.id')} order by kind.position)
    from unnest($6::text[], $7::text[]) with ordinality kind(service, type, position)
    left join resource_kinds k on k.service_name = kind.service and k.resource_type = kind.type
  ),
  ${requiringKinds},
  (
    select json_agg(json_build_array(
        facts.bits,
        case when facts.bits & ${grant.conditional} <> 0 then ${candidateList} end,
        case when ${isUncertain('facts.bits')} then ${storedVariables('i.user_id', kind.coverage?.agentOf('i.subject_id'))} end,
        ancestors.requiring
      ) order by q.position)
    from ${checksFrom('withAncestors', kind)}
    cross join ${ancestorsFrom(lookup)}
    cross join lateral (
      select ${checkBits('withAncestors', bitsWithAncestors(lookup, 'ancestors.bits'), kind)} as bits
      offset 0
    ) facts
  ),
  ${namedUserIds(kind)}`,
    { required: selectRequired('$6::text[]') },
  )
}

/** The statements for each GroupLookup. */
export const uncertainSql = {
  perGroup: createUncertainSql('perGroup'),
  groupSet: createUncertainSql('groupSet'),
}

/** $1 array of digests. Returns the conditions with these digests. */
export const conditionsSql = `
select distinct digest, expression, parameters::text
from resource_conditions where digest = any($1::text[])`

/** A share with a condition, which gives `bits` if the condition is true. */
export type Candidate = {
  bits: number
  condition: string
  digest: string
  params: Record<string, unknown>
}

/** What conditions read that PostgreSQL stores. The subject is null if it does not exist. */
export type StoredVariables = {
  subject: { id: string; externalId: string | null; email: string | null } | null
  resource: StoredResource
  /** The agent that acts for the subject, if one does. */
  agent?: Agent | null
}

export type UncertainCheck = [
  bits: number,
  candidates: Candidate[] | null,
  variables: StoredVariables | null,
  ancestors: RequiringAncestor[] | null,
]

export type UncertainRow = [
  keysRequired: boolean,
  keys: KeyStatus[] | null,
  statuses: string,
  now: string,
  requirements: (Requirement[] | null)[] | null,
  requiring: RequiringKind[] | null,
  checks: UncertainCheck[] | null,
  userIds: string | null,
]
