import { delegationFact, grant } from '../../access.ts'
import { roleShift, statusBit } from '../bits.ts'
import { type Ancestry, maxChainLength } from '../chain.ts'
import { workspaceType } from '../question.ts'
import type { Limit, SubjectKind } from './subject-kind.ts'

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
  coverage: {
    resolve,
    bitsOfResource: (ancestry) => coverageBits(ofResource(ancestry)),
    bitsOfWorkspace: coverageBits(ofWorkspace()),
    limitsOfResource: storedLimits(ofResource('withAncestors')),
    limitsOfWorkspace: storedLimits(ofWorkspace()),
    agentOf: (subjectId) => `(
      select json_build_object('type', agent_type, 'id', agent_id)
      from delegations where id = ${subjectId}
    )`,
  },
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

/** What a delegation `d` must cover of a check: the alias of its row, and a condition for each limit. */
type CoveredCheck = { check: string } & Record<Limit, string>

/**
 * Returns the conditions that a delegation `d` covers the action and the type of a check. A type belongs
 * to a service, so another service's is not covered.
 */
export function coversKind(columns: {
  action: string
  service: string
  type: string
}): Record<'action' | 'type', string> {
  const { action, service, type } = columns
  return {
    action: `(d.actions is null and ${action} <> 'manage' or ${action} = any(d.actions))`,
    type: `d.service_name = ${service}
        and (d.resource_types is null and ${type} <> '${workspaceType}'
          or ${type} = any(d.resource_types))`,
  }
}

function ofResource(ancestry: Ancestry): CoveredCheck {
  // A statement of own grants decides nothing about resources that inherit.
  const ofAncestor = ancestry === 'ownGrants' ? '' : ` or ${coversAncestor}`
  return {
    check: 'i',
    ...coversKind({ action: 'i.asked_action', service: 'i.service', type: 'i.type' }),
    resource: `d.workspace_id = r.workspace_id
        and (d.resources is null or r.id = any(d.resources)${ofAncestor})`,
  }
}

/** Whether the resource `r` inherits from one of those that the delegation `d` lists. */
const coversAncestor = `r.parent_id is not null and r.inherits and ${inheritsListed('r.parent_id')}`

/** Returns the condition that the delegation `d` lists a resource, or one that it inherits from. */
export function inheritsListed(id: string): string {
  return `exists (
          with recursive chain as (
            select a.id, a.parent_id, a.inherits, 1 as depth
            from resources a where a.id = ${id}
            union all
            select a.id, a.parent_id, a.inherits, chain.depth + 1
            from chain join resources a on a.id = chain.parent_id
            where chain.inherits and chain.depth < ${maxChainLength - 1}
          )
          select from chain where id = any(d.resources)
        )`
}

/** No list of resources contains a workspace itself. */
function ofWorkspace(): CoveredCheck {
  const type = `'${workspaceType}'`
  return {
    check: 'q',
    ...coversKind({ action: 'q.asked_action', service: 'q.service', type }),
    resource: 'd.workspace_id = q.workspace_id and d.resources is null',
  }
}

/** Returns the condition that a delegation covers the check `i` of the resource `r`. */
export function coversResource(ancestry: Ancestry): string {
  return `exists (
      select from delegations d where d.id = i.subject_id and ${covers(ofResource(ancestry))} offset 0
    )`
}

function covers({ check, action, type, resource }: CoveredCheck): string {
  return `${liveDelegation}
          and ${check}.status >= ${1 << roleShift}
          and ${action}
          and ${type}
          and ${resource}`
}

function coverageBits(covered: CoveredCheck): string {
  const { ended, expired } = delegationFact
  return `coalesce((
      select case
        when ${covers(covered)} then 0
        when d.ended_at < d.expires_at then ${grant.uncovered | ended}
        when d.expires_at <= statement_timestamp() then ${grant.uncovered | expired}
        else ${grant.uncovered}
      end
      from delegations d where d.id = ${covered.check}.subject_id offset 0
    ), ${grant.uncovered})`
}

function storedLimits({ check, ...covered }: CoveredCheck): string {
  const exceeded = Object.entries(covered).map(
    ([limit, condition]) => `case when (${condition}) is not true then '${limit}' end`,
  )
  return `(
    select json_build_object('id', d.id,
      'agent', json_build_object('type', d.agent_type, 'id', d.agent_id, 'name', d.agent_name),
      'expiresAt', d.expires_at, 'serviceName', d.service_name, 'actions', d.actions,
      'resourceTypes', d.resource_types,
      'exceeded', array_remove(array[${exceeded.join(', ')}], null))
    from delegations d where d.id = ${check}.subject_id
  )`
}
