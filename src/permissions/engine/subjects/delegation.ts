import { roleShift, statusBit } from '../bits.ts'
import { type Ancestry, maxChainLength } from '../chain.ts'
import { workspaceType } from '../question.ts'
import type { SubjectKind } from './subject-kind.ts'

/**
 * A delegation may do what its user may do, as far as it covers that. Statements read its user instead,
 * and their membership of its workspace, to which it is limited.
 */
export const delegation: SubjectKind = {
  idMember: 'delegationId',
  tables: () => ({}),
  // A delegation that does not exist may not even view what is public.
  ignoredBits: statusBit.anonymous,
  ignoredInSearches: 0,
  rules: null,
  coverage: { resolve, coversResource, coversWorkspace },
  hasRole: true,
  isPlural: false,
  isRemembered: true,
}

/** The delegation `d` has neither ended nor expired. */
export const liveDelegation = 'd.ended_at is null and d.expires_at > statement_timestamp()'

function resolve(named: string): string {
  return `select named.token_id, d.workspace_id, named.position, d.user_id, d.id as subject_id
    from ${named}
    left join lateral (
      select id, user_id, workspace_id from delegations
      where id = named.user_id
        and (named.workspace_id is null or workspace_id = named.workspace_id) offset 0
    ) d on true`
}

/** A check as SQL: the alias of its row, and its workspace and resource type. */
type CheckColumns = { check: string; workspaceId: string; type: string }

/** Returns the condition that a delegation covers a check, with further ones on the delegation `d`. */
function covers({ check, workspaceId, type }: CheckColumns, ...others: string[]): string {
  return `exists (
      select from delegations d
      where d.id = ${check}.subject_id and ${liveDelegation}
        and ${check}.status >= ${1 << roleShift}
        and d.workspace_id = ${workspaceId} and d.service_name = ${check}.service
        and (d.actions is null and ${check}.asked_action <> 'manage'
          or ${check}.asked_action = any(d.actions))
        and (d.resource_types is null and ${type} <> '${workspaceType}'
          or ${type} = any(d.resource_types))
        and ${others.join(' and ')}
      offset 0
    )`
}

/** Returns the condition of `Coverage.coversResource`. */
export function coversResource(ancestry: Ancestry): string {
  // A statement of own grants decides nothing about resources that inherit.
  const ofAncestor = ancestry === 'ownGrants' ? '' : ` or ${coversAncestor}`
  return covers(
    { check: 'i', workspaceId: 'r.workspace_id', type: 'i.type' },
    `(d.resources is null or r.id = any(d.resources)${ofAncestor})`,
  )
}

/** Whether the resource `r` inherits from one of those that the delegation `d` lists. */
const coversAncestor = `r.parent_id is not null and r.inherits and exists (
          with recursive chain as (
            select a.id, a.parent_id, a.inherits, 1 as depth
            from resources a where a.id = r.parent_id
            union all
            select a.id, a.parent_id, a.inherits, chain.depth + 1
            from chain join resources a on a.id = chain.parent_id
            where chain.inherits and chain.depth < ${maxChainLength - 1}
          )
          select from chain where id = any(d.resources)
        )`

/** No list of resources contains a workspace itself. */
function coversWorkspace(): string {
  const check = { check: 'q', workspaceId: 'q.workspace_id', type: `'${workspaceType}'` }
  return covers(check, 'd.resources is null')
}
