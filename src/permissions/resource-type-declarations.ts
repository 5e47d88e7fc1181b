import type { ListAllResourceTypesRequest } from '../../gen/daikon/v1/admin_permissions.ts'
import type {
  DeleteResourceTypeRequest,
  DeleteResourceTypeResponse,
  ListResourceTypesRequest,
  ListResourceTypesResponse,
  PutResourceTypeRequest,
  ResourceType,
} from '../../gen/daikon/v1/permissions.ts'
import { actorOf } from '../activity/actor.ts'
import { describeListChange, listItems } from '../activity/list-change.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { type FieldViolation, invalidArgument, ServiceError } from '../core/errors.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import { requireGuestSupport } from '../workspaces/guests.ts'
import { builtInActions } from './access.ts'
import {
  checkConditions,
  describeCondition,
  findRequirementViolations,
  requireConditionsUnused,
} from './declared-conditions.ts'
import type { Kind } from './engine/question.ts'
import { reasons } from './reasons.ts'
import { findReservedTypes } from './reserved-type.ts'
import type { ActionStore } from './store/action-store.ts'
import type { RegistrationStore } from './store/registration-store.ts'
import {
  type Declaration,
  type DeclaredType,
  type ResourceRole,
  type ResourceTypeStore,
  undeclared,
} from './store/resource-type-store.ts'

type DeclarationStores = {
  actions: ActionStore
  activity: ActivityStore
  registrations: RegistrationStore
  rollout: RolloutStore
  resourceTypes: ResourceTypeStore
}

/** The migration after which nodes know requirements. */
const requirementMigration = 36

/** The migration after which nodes know that requirements can be inherited. */
const inheritedMigration = 85

/** The migration after which nodes know agents. */
const agentMigration = 105

/**
 * Replaces the declaration of a resource type, or returns what the current one is used for.
 *
 * @throws ServiceError `invalid_argument` with all violations, `already_exists` if shares use a role
 * that the new declaration lacks, or resources are public and it does not allow that
 */
export async function putResourceType(
  { stores, principal }: WriteContext<DeclarationStores>,
  request: PutResourceTypeRequest,
): Promise<ResourceType> {
  const { service_name, resource_type, description = '', dry_run, allow_public = false } = request
  const kind = { serviceName: service_name, resourceType: resource_type }
  const wireKind = { service_name, resource_type }
  const roles = request.roles.map(({ name, description = '', actions }) => ({
    name,
    description,
    actions,
  }))
  const conditions = request.conditions.map(
    ({ name, description = '', expression, parameters = {} }) => ({
      name,
      description,
      expression,
      parameters,
    }),
  )
  const requirements = request.requirements.map(({ action, condition, inherited = false }) => ({
    action,
    condition,
    inherited,
  }))
  const checked = await checkConditions(conditions)
  return stores.transaction(async (tx) => {
    const actions = (await tx.actions.list(service_name)).map(({ name }) => name)
    const violations = [
      ...(await findReservedTypes(tx, [kind], () => 'resource_type')),
      ...findRoleViolations(service_name, roles, actions),
      ...checked.violations,
      ...findRequirementViolations(service_name, requirements, conditions, actions),
    ]
    if (violations.length > 0) throw invalidArgument(...violations)
    const declaration: Declaration = { description, allow_public, roles, conditions, requirements }
    const isInherited = requirements.some(({ inherited }) => inherited)
    if (dry_run) {
      const uses = await countUses(tx.resourceTypes, kind, { isInherited })
      return { ...wireKind, ...declaration, ...uses }
    }
    if (requirements.length > 0)
      await tx.rollout.requireAllNodesKnow(requirementMigration, 'A requirement')
    if (isInherited)
      await tx.rollout.requireAllNodesKnow(inheritedMigration, 'An inherited requirement')
    if (checked.readGuests) await requireGuestSupport(tx.rollout, 'A condition about guests')
    if (checked.readAgents)
      await tx.rollout.requireAllNodesKnow(agentMigration, 'A condition about agents')
    const isEmpty = JSON.stringify(declaration) === JSON.stringify(undeclared)
    if (!isEmpty) await tx.registrations.insertKinds([kind])
    const current = await tx.resourceTypes.lock(kind)
    if (current && (current.id !== undefined || !isEmpty)) {
      await requireUnused(tx.resourceTypes, current, declaration)
      const id = isEmpty ? current.id : await tx.resourceTypes.replace(current, declaration)
      if (isEmpty) await tx.resourceTypes.remove(current.kindId)
      const detail = describeChange(current, declaration)
      if (detail && id) {
        await tx.activity.record(actorOf(principal), {
          action: 'resource_type.declared',
          targetId: id,
          detail: { ...wireKind, ...detail },
        })
      }
    }
    return { ...wireKind, ...declaration }
  })
}

/** Lists the declarations of a service. */
export async function listResourceTypes(
  { stores }: RequestContext<DeclarationStores>,
  { service_name }: ListResourceTypesRequest,
): Promise<ListResourceTypesResponse> {
  return { types: await stores.resourceTypes.list(service_name) }
}

/** Lists the declarations of all services. */
export async function listAllResourceTypes(
  { stores }: RequestContext<DeclarationStores>,
  _request: ListAllResourceTypesRequest,
): Promise<ListResourceTypesResponse> {
  return { types: await stores.resourceTypes.list() }
}

/** Removes the declaration of a resource type. */
export async function deleteResourceType(
  { stores, principal }: WriteContext<DeclarationStores>,
  { service_name, resource_type }: DeleteResourceTypeRequest,
): Promise<DeleteResourceTypeResponse> {
  await stores.transaction(async (tx) => {
    const kind = { serviceName: service_name, resourceType: resource_type }
    const current = await tx.resourceTypes.lock(kind)
    if (current?.id === undefined) {
      const message = `${service_name} has not declared ${resource_type}`
      throw new ServiceError(reasons.RESOURCE_TYPE_NOT_FOUND, message)
    }
    await requireUnused(tx.resourceTypes, current, undeclared)
    await tx.resourceTypes.remove(current.kindId)
    await tx.activity.record(actorOf(principal), {
      action: 'resource_type.declared',
      targetId: current.id,
      detail: { service_name, resource_type, ...listChanges(current, undeclared) },
    })
  })
  return {}
}

function findRoleViolations(
  serviceName: string,
  roles: ResourceRole[],
  registered: string[],
): FieldViolation[] {
  const grantable = new Set([...builtInActions, ...registered])
  const names = roles.map(({ name }) => name)
  return roles.flatMap(({ name, actions }, index) => {
    const field = `roles[${index}]`
    const violations: FieldViolation[] = []
    if (names.indexOf(name) < index)
      violations.push({ field: `${field}.name`, message: 'is duplicated' })
    for (const [position, action] of actions.entries()) {
      const message =
        actions.indexOf(action) < position
          ? 'is duplicated'
          : !grantable.has(action) && `is not an action that ${serviceName} has registered`
      if (message) violations.push({ field: `${field}.actions[${position}]`, message })
    }
    return violations
  })
}

/** Requires that nothing uses what a new declaration takes away. */
async function requireUnused(
  resourceTypes: ResourceTypeStore,
  current: DeclaredType,
  { allow_public, roles, conditions }: Declaration,
): Promise<void> {
  await requireRolesUnused(resourceTypes, current, roles)
  await requireConditionsUnused(resourceTypes, current, conditions)
  if (!current.allow_public || allow_public) return
  const count = await resourceTypes.countPublic(current.kindId)
  if (count === 0) return
  const message = `${count} ${count === 1 ? 'resource' : 'resources'} of the type ${count === 1 ? 'is' : 'are'} public`
  throw new ServiceError(reasons.PUBLIC_RESOURCES, message)
}

/** Requires that no share has a role of the current declaration that is not among `roles`. */
async function requireRolesUnused(
  resourceTypes: ResourceTypeStore,
  { kindId, roles: current }: DeclaredType,
  roles: ResourceRole[],
): Promise<void> {
  const kept = roles.map(({ name }) => name)
  const removed = current.map(({ name }) => name).filter((name) => !kept.includes(name))
  if (removed.length === 0) return
  await resourceTypes.lockRoles(kindId, removed)
  const counts = await resourceTypes.countShares(kindId)
  const used = removed.flatMap((name) => {
    const count = counts.get(name)
    return count ? [`${name} (${count})`] : []
  })
  if (used.length === 0) return
  const message = `Shares or links use roles that the declaration would remove: ${listItems(used, ', ')}`
  throw new ServiceError(reasons.ROLE_IN_USE, message)
}

async function countUses(
  resourceTypes: ResourceTypeStore,
  kind: Kind,
  { isInherited }: { isInherited: boolean },
): Promise<Pick<ResourceType, 'roles_used' | 'conditions_used' | 'resources' | 'resources_below'>> {
  const current = await resourceTypes.find(kind)
  const below = isInherited && {
    resources_below: current ? await resourceTypes.countBelow(current.kindId) : 0,
  }
  if (!current) return { roles_used: {}, conditions_used: {}, resources: 0, ...below }
  const counts = await resourceTypes.countShares(current.kindId)
  const roles_used = Object.fromEntries(
    current.roles.map(({ name }) => [name, counts.get(name) ?? 0]),
  )
  const conditionCounts = await resourceTypes.countConditions(current.kindId)
  const conditions_used = Object.fromEntries(
    current.conditions.map(({ name }) => [name, conditionCounts.get(name) ?? 0]),
  )
  return {
    roles_used,
    conditions_used,
    resources: await resourceTypes.countResources(current.kindId),
    ...below,
  }
}

/** Returns the detail of an event, or undefined if nothing has changed. */
function describeChange(current: DeclaredType, declaration: Declaration) {
  const { kindId: _, id, ...previous } = current
  const isUnchanged = id !== undefined && JSON.stringify(previous) === JSON.stringify(declaration)
  return isUnchanged ? undefined : listChanges(previous, declaration)
}

function listChanges(before: Declaration, after: Declaration) {
  const lines = ({ roles, conditions, requirements }: Declaration) => [
    ...roles.map(({ name, actions }) => `${name}: ${actions.join(', ')}`),
    ...conditions.map(describeCondition),
    ...requirements.map(
      ({ action, condition, inherited }) =>
        `${action} requires ${condition}${inherited ? ', inherited' : ''}`,
    ),
  ]
  const counts = {
    allow_public: String(after.allow_public),
    roles: String(after.roles.length),
    conditions: String(after.conditions.length),
    requirements: String(after.requirements.length),
  }
  return { ...counts, ...describeListChange(lines(before), lines(after)) }
}
