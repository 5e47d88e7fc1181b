import type {
  AssumedMembership,
  AssumedShare,
  Assumption,
} from '../../../gen/daikon/v1/admin_permissions.ts'
import { type FieldViolation, invalidArgument, ServiceError } from '../../core/errors.ts'
import { readExpiry } from '../../core/expiry.ts'
import type { RequestContext } from '../../core/request-context.ts'
import type { Role } from '../../core/roles.ts'
import { userNotFound } from '../../identity/user-errors.ts'
import { roleNotFound } from '../../workspaces/custom-roles.ts'
import { changeStanding } from '../../workspaces/guests.ts'
import { builtInActions, grant } from '../access.ts'
import type { Membership } from '../engine/bits.ts'
import type { Engine } from '../engine/engine.ts'
import { ruleAssumedBy } from '../engine/grants/grant-kinds.ts'
import type { Assumed, Subject } from '../engine/question.ts'
import type { ReasonRow } from '../engine/statements/reasons.ts'
import { subjectKinds, typeOf } from '../engine/subjects/subject-kinds.ts'
import { prefixed } from '../evaluate-condition.ts'
import { readGrantCondition } from '../grant-condition.ts'
import { reasons } from '../reasons.ts'
import { requireResource } from '../resource.ts'
import { readGrantedPermission, requireRole } from '../share-terms.ts'
import type { Resource } from '../store/resource-sql.ts'
import type { ResourceStore } from '../store/resource-store.ts'
import type { ResourceTypeStore } from '../store/resource-type-store.ts'

/** The stores that say what is assumed. */
export type WhatIfStores = { resources: ResourceStore; resourceTypes: ResourceTypeStore }

type Call = Pick<RequestContext<WhatIfStores>, 'stores' | 'principal' | 'now'>

/** What the assumptions are about. */
type Question = {
  resource: Resource
  action: string
  subject: Subject
  /** The ID of the user, of that of a delegation, or of the group. Undefined if it does not exist, or can be no grantee. */
  subjectId: string | undefined
}

/** The rules of the grants that assumptions give. */
const rules = {
  userShare: ruleAssumedBy('share', 'user'),
  groupShare: ruleAssumedBy('share', 'group'),
  role: ruleAssumedBy('role'),
}

/** The members of a grant that no assumption sets. */
const noDetails = {
  permission: null,
  role: null,
  groupId: null,
  isDirect: null,
  shareId: null,
  expiresAt: null,
  condition: null,
  digest: null,
  params: null,
  conditionalBits: null,
  ancestor: null,
}

/** Reads all assumptions. Throws the violations of all of them together. */
export async function readAssumptions(
  engine: Engine,
  call: Call,
  question: Question,
  assumptions: Assumption[],
): Promise<Assumed> {
  const assumed: Assumed = { grants: [] }
  const violations: FieldViolation[] = []
  for (const [index, { share, role, membership }] of assumptions.entries()) {
    try {
      if (share) assumed.grants.push(...(await readShare(engine, call, question, share)))
      if (role) assumed.grants.push(...(await readRole(engine, question, role.role_id)))
      if (membership) assumed.membership = readMembership(question, membership)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid_argument') throw error
      const member = share ? 'share' : role ? 'role' : 'membership'
      violations.push(...prefixed(`with[${index}].${member}`, error.violations))
    }
  }
  if (violations.length > 0) throw invalidArgument(...violations)
  return assumed
}

/** Returns the grant of a share, or none if it would not concern the subject. */
async function readShare(
  engine: Engine,
  { stores, principal, now }: Call,
  { resource, action, subject, subjectId }: Question,
  share: AssumedShare,
): Promise<ReasonRow[]> {
  const expiresAt = readExpiry(share.expires_at, now) ?? null
  const { permission_id = resource.id, grantee_type, grantee_id } = share
  const ancestor =
    permission_id === resource.id ? null : await engine.findAncestor(resource.id, permission_id)
  if (ancestor === undefined) {
    const message = 'must be the resource, or an ancestor from which it inherits'
    throw invalidArgument({ field: 'permission_id', message })
  }
  const shared = ancestor ? await requireResource(stores, principal, { permission_id }) : resource
  const granted = readGrantedPermission(share)
  const actions = share.role ? (await requireRole(stores, shared, share.role)).actions : [granted]
  const condition = await readGrantCondition(stores, shared, share.condition)
  const digest = condition && (await engine.findConditionDigest(shared.kindId, condition.name))
  const bits = bitsOf(actions, action)
  const grantOf = (details: Partial<ReasonRow> & Pick<ReasonRow, 'rule'>): ReasonRow => ({
    ...noDetails,
    bits: condition ? 0 : bits,
    ...(share.role ? { role: share.role } : { permission: granted }),
    expiresAt,
    ...(condition && {
      condition: condition.name,
      digest: digest ?? '',
      params: condition.params,
      conditionalBits: bits,
    }),
    ancestor,
    ...details,
  })
  if (grantee_type === 'user') {
    if (!isOfUser(subject) || grantee_id !== subjectId) {
      const message = 'must be the subject: a share with someone else would change nothing'
      throw invalidArgument({ field: 'grantee_id', message })
    }
    return [grantOf({ rule: rules.userShare })]
  }
  const { workspaceId } = resource
  const found = await engine.findGroupMembership(subject, subjectId, grantee_id, workspaceId)
  if (found === undefined)
    throw new ServiceError(reasons.GRANTEE_NOT_FOUND, 'No such group in the workspace')
  if (found === 'none') return []
  return [grantOf({ rule: rules.groupShare, groupId: grantee_id, isDirect: found === 'direct' })]
}

/** Returns the grants of `access.ts` of a share with these actions. */
function bitsOf(actions: string[], action: string): number {
  const isVisible = actions.some((name) => builtInActions.includes(name))
  const isAsked = !builtInActions.includes(action) && actions.includes(action)
  return (
    (isVisible ? grant.view : 0) |
    (actions.includes('edit') ? grant.edit : 0) |
    (actions.includes('manage') ? grant.manage : 0) |
    (isAsked ? grant.action : 0)
  )
}

/** Returns the grant of a custom role, or none if it does not contain the action. */
async function readRole(
  engine: Engine,
  { resource, action, subjectId }: Question,
  roleId: string,
): Promise<ReasonRow[]> {
  const { serviceName, workspaceId } = resource
  const role = await engine.findCustomRole(roleId, workspaceId, { serviceName, name: action })
  if (!role) throw roleNotFound()
  const applies = role.hasAction && subjectId !== undefined
  return applies ? [{ ...noDetails, rule: rules.role, bits: 0, role: role.name }] : []
}

/** Whether the grants of a subject are those of a user. */
function isOfUser(subject: Subject): boolean {
  const type = typeOf(subject)
  return type === 'user' || (type !== 'anonymous' && subjectKinds[type].coverage !== null)
}

function readMembership(
  { subject, subjectId }: Question,
  { role, guest }: AssumedMembership,
): Membership {
  if (!isOfUser(subject))
    throw invalidArgument({ field: 'role', message: 'requires a subject of the type user' })
  if (subjectId === undefined) throw userNotFound()
  return changeStanding({ role: 'viewer', isGuest: false }, { role: role as Role, guest })
}
