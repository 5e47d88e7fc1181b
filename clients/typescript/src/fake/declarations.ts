import type { Condition } from '../argument-types.ts'
import { createError, type Field, invalidArgument, NotFoundError } from '../errors.ts'
import { builtInActions } from '../gen/permissions/access.ts'
import type { DeclaredType, TypeDeclaration, TypeUses } from '../resource-types.ts'
import type { Declaration, FakeResource, FakeState } from './state.ts'

const undeclared: Declaration = {
  description: '',
  allowPublic: false,
  roles: [],
  conditions: [],
  requirements: [],
}

/** The type that stands for workspaces themselves. */
export const workspaceType = 'workspace'

export function findDeclaration({ resourceTypes }: FakeState, type: string): Declaration {
  return resourceTypes.get(type) ?? undeclared
}

/**
 * Replaces the declaration of a type as the server does, or counts what uses the current one.
 *
 * @throws DaikonError `invalid_argument` if it contains unknown actions or conditions,
 * `already_exists` if something uses what it removes
 */
export function declareType(
  state: FakeState,
  type: string,
  declaration: TypeDeclaration,
  { dryRun = false }: { dryRun?: boolean | undefined } = {},
): DeclaredType {
  const { description = '', allowPublic = false, requirements = [] } = declaration
  const declared: Declaration = {
    description,
    allowPublic,
    roles: (declaration.roles ?? []).map(({ name, description = '', actions }) => ({
      name,
      description,
      actions,
    })),
    conditions: (declaration.conditions ?? []).map((condition) => ({
      name: condition.name,
      description: condition.description ?? '',
      expression: condition.expression,
      parameters: condition.parameters ?? {},
    })),
    requirements: requirements.map(({ action, condition, inherited = false }) => ({
      action,
      condition,
      inherited,
    })),
  }
  requireFreeType(type)
  const fields = findViolations(state, declared)
  if (fields.length > 0) throw invalidArgument(...fields)
  if (dryRun) {
    const isInherited = declared.requirements.some(({ inherited }) => inherited)
    const below = isInherited ? { resourcesBelow: countBelow(state, type) } : {}
    return { type, ...declared, uses: { ...countUses(state, type), ...below } }
  }
  requireUnused(state, type, declared)
  if (JSON.stringify(declared) === JSON.stringify(undeclared)) state.resourceTypes.delete(type)
  else state.resourceTypes.set(type, declared)
  return { type, ...declared, uses: undefined }
}

/** Removes the declaration of a type, which nothing may use. */
export function deleteType(state: FakeState, type: string): void {
  if (!state.resourceTypes.has(type))
    throw new NotFoundError('RESOURCE_TYPE_NOT_FOUND', `${state.service} has not declared ${type}`)
  requireUnused(state, type, undeclared)
  state.resourceTypes.delete(type)
}

/** @throws InvalidArgumentError */
export function requireFreeType(type: string): void {
  if (type !== workspaceType) return
  const message = 'must not be workspace, which names the workspaces of daikon'
  throw invalidArgument({ field: 'resource.type', message })
}

/** Requires that a type allows a visibility. */
export function requireVisibility(state: FakeState, type: string, visibility: string): void {
  if (!['private', 'workspace', 'public'].includes(visibility))
    throw invalidArgument({
      field: 'visibility',
      message: 'must be one of private, workspace, public',
    })
  if (visibility === 'public' && !findDeclaration(state, type).allowPublic)
    throw invalidArgument({
      field: 'visibility',
      message: `must not be public: the declaration of ${type} does not allow it`,
    })
}

/**
 * Requires that a type has a condition with these parameters. The types of values are not checked.
 *
 * @throws InvalidArgumentError
 */
export function requireCondition(
  state: FakeState,
  type: string,
  condition: Condition | undefined,
): void {
  if (!condition) return
  const { name, params = {} } = condition
  const declared = findDeclaration(state, type).conditions.find((known) => known.name === name)
  if (!declared) {
    const message = `is not a condition of ${type}: ${name}`
    throw invalidArgument({ field: 'condition.name', message })
  }
  const fields = findMisfits(declared.parameters, params)
  if (fields.length > 0) throw invalidArgument(...fields)
}

function findMisfits(parameters: Record<string, string>, params: Record<string, unknown>): Field[] {
  const field = (name: string) => `condition.params.${name}`
  const unknown = Object.keys(params).filter((name) => !Object.hasOwn(parameters, name))
  const missing = Object.keys(parameters).filter((name) => params[name] === undefined)
  return [
    ...unknown.map((name) => ({
      field: field(name),
      message: 'is not a parameter of the condition',
    })),
    ...missing.map((name) => ({ field: field(name), message: 'is required' })),
  ]
}

function findViolations(
  state: FakeState,
  { roles, conditions, requirements }: Declaration,
): Field[] {
  const actions = new Set([...builtInActions, ...state.actions])
  const unknownAction = `is not an action that ${state.service} has registered`
  const ofRoles = roles.flatMap((role, index) =>
    role.actions.flatMap((action, position) => {
      const field = `roles[${index}].actions[${position}]`
      return actions.has(action) ? [] : [{ field, message: unknownAction }]
    }),
  )
  const ofRequirements = requirements.flatMap(({ action, condition }, index) => {
    const field = `requirements[${index}]`
    const fields: Field[] = []
    if (!actions.has(action)) fields.push({ field: `${field}.action`, message: unknownAction })
    const declared = conditions.find(({ name }) => name === condition)
    const message = declared
      ? Object.keys(declared.parameters).length > 0 && 'must not have parameters'
      : 'is not a condition of the declaration'
    if (message) fields.push({ field: `${field}.condition`, message })
    return fields
  })
  return [...ofRoles, ...ofRequirements]
}

function requireUnused(state: FakeState, type: string, declared: Declaration): void {
  const resources = resourcesOf(state, type)
  const grants = grantsOf(resources)
  const kept = declared.roles.map(({ name }) => name)
  const roles = grants.flatMap(({ role }) => (role && !kept.includes(role) ? [role] : []))
  if (roles.length > 0) {
    const message = `Shares or links use roles that the declaration would remove: ${list(roles)}`
    throw createError('already_exists', 'ROLE_IN_USE', message)
  }
  const conditions = grants.flatMap(({ condition }) => {
    if (!condition) return []
    const known = declared.conditions.find(({ name }) => name === condition.name)
    const fits = known && findMisfits(known.parameters, condition.params ?? {}).length === 0
    return fits ? [] : [condition.name]
  })
  if (conditions.length > 0) {
    const message = `Shares or links use conditions that the declaration would remove, or whose parameters would not fit: ${list(conditions)}`
    throw createError('already_exists', 'CONDITION_IN_USE', message)
  }
  if (!declared.allowPublic && resources.some(({ visibility }) => visibility === 'public'))
    throw createError('already_exists', 'PUBLIC_RESOURCES', 'Resources of the type are public')
}

function countUses(state: FakeState, type: string): TypeUses {
  const resources = resourcesOf(state, type)
  const grants = grantsOf(resources)
  const { roles, conditions } = findDeclaration(state, type)
  const count = (
    names: string[],
    isUsed: (name: string, grant: (typeof grants)[number]) => boolean,
  ) =>
    Object.fromEntries(
      names.map((name) => [name, grants.filter((grant) => isUsed(name, grant)).length]),
    )
  return {
    resources: resources.length,
    roles: count(
      roles.map(({ name }) => name),
      (name, { role }) => role === name,
    ),
    conditions: count(
      conditions.map(({ name }) => name),
      (name, { condition }) => condition?.name === name,
    ),
  }
}

/** Counts the resources that inherit from a resource of a type. */
function countBelow({ resources }: FakeState, type: string): number {
  return [...resources.values()].filter((resource) => {
    let current: FakeResource = resource
    while (current.inherits && current.parent) {
      current = current.parent
      if (current.type === type) return true
    }
    return false
  }).length
}

function resourcesOf({ resources }: FakeState, type: string): FakeResource[] {
  return [...resources.values()].filter((resource) => resource.type === type)
}

function grantsOf(resources: FakeResource[]) {
  return resources.flatMap(({ shares, links }) => [...shares, ...links])
}

function list(names: string[]): string {
  return [...new Set(names)].join(', ')
}
