import { delegationFact, grant } from '../../access.ts'
import { roleShift, statusBit } from '../bits.ts'
import { type Ancestry, inheritsFromAny } from '../chain.ts'
import { workspaceType } from '../workspace-type.ts'
import type { AskedColumns, Limit, ListedColumns, SubjectKind } from './subject-kind.ts'

/** The delegation `d` has neither ended nor expired. */
export const liveDelegation = 'd.ended_at is null and d.expires_at > statement_timestamp()'

/** Whether the resource `r` inherits from one of those that the delegation `d` lists. */
const coversAncestor = `r.parent_id is not null and r.inherits and ${inheritsFromAny('r.parent_id', 'd.resources')}`

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
    ofList,
    agentOf: (subjectId) => `(
      select json_build_object('type', agent_type, 'id', agent_id)
      from delegations where id = ${subjectId}
    )`,
  },
  hasRole: true,
  isPlural: false,
  isRemembered: true,
}

function resolve(named: string): string {
  return `select named.token_id, d.workspace_id, named.position, d.user_id, d.id as subject_id
    from ${named}
    left join lateral (
      select id, user_id, workspace_id from delegations
      where id = named.user_id
        and (named.workspace_id is null or workspace_id = named.workspace_id) offset 0
    ) d on true`
}

function ofList({ subjectId, workspaceId, ...asked }: ListedColumns): string {
  const { action, type } = coversKind(asked)
  return `select d.user_id, d.workspace_id, d.resources,
      ${liveDelegation} and ${action} and ${type} as is_covered
    from delegations d
    where d.id = ${subjectId} and (${workspaceId} is null or d.workspace_id = ${workspaceId})`
}

/** What a delegation `d` must cover of a check: the alias of its row, and a condition for each limit. */
type CoveredCheck = { check: string } & Record<Limit, string>

/**
 * Returns the conditions that a delegation `d` covers the action and the type of a check. A type belongs
 * to a service, so another service's is not covered.
 */
function coversKind({ action, service, type }: AskedColumns): Record<'action' | 'type', string> {
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

/** No list of resources contains a workspace itself. */
function ofWorkspace(): CoveredCheck {
  const type = `'${workspaceType}'`
  return {
    check: 'q',
    ...coversKind({ action: 'q.asked_action', service: 'q.service', type }),
    resource: 'd.workspace_id = q.workspace_id and d.resources is null',
  }
}

/** Returns the condition that a delegation covers the check `i` of the resource `r`, as `Coverage` reads it. */
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
