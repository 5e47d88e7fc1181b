import { listItems } from '../activity/list-change.ts'
import { type FieldViolation, ServiceError } from '../core/errors.ts'
import { mapInTurns } from '../core/turns.ts'
import { builtInActions } from './access.ts'
import { compileCondition } from './conditions/condition.ts'
import { parseParameterTypes } from './conditions/parameter-type.ts'
import { convertParameters } from './conditions/parameters.ts'
import { prefixed } from './evaluate-condition.ts'
import { reasons } from './reasons.ts'
import type {
  ActionRequirement,
  DeclaredType,
  ResourceCondition,
  ResourceTypeStore,
  UsedParams,
} from './store/resource-type-store.ts'

/** A condition in a request, whose parameters are not validated yet. */
type RequestedCondition = Omit<ResourceCondition, 'parameters'> & {
  parameters: Record<string, unknown>
}

/**
 * Returns what is wrong with the conditions of a declaration, with lines and columns, and whether one
 * reads who is a guest, or the agent.
 */
export async function checkConditions(
  conditions: RequestedCondition[],
): Promise<{ violations: FieldViolation[]; readGuests: boolean; readAgents: boolean }> {
  let readGuests = false
  let readAgents = false
  const names = conditions.map(({ name }) => name)
  const found = await mapInTurns(conditions, ({ name, expression, parameters }, index) => {
    const field = `conditions[${index}]`
    const isDuplicated = names.indexOf(name) < index
    const { types, violations } = parseParameterTypes(parameters)
    const found: FieldViolation[] = [
      ...(isDuplicated ? [{ field: `${field}.name`, message: 'is duplicated' }] : []),
      ...prefixed(`${field}.parameters`, violations),
    ]
    if (violations.length > 0) return found
    const compiled = compileCondition(expression, types)
    if ('problem' in compiled) {
      const { line, column, message } = compiled.problem
      const position = `line ${line}, column ${column}`
      found.push({ field: `${field}.expression`, message: `is invalid at ${position}: ${message}` })
    } else {
      const { guest, variables } = compiled.condition.reads
      readGuests ||= guest
      readAgents ||= variables.has('agent')
    }
    return found
  })
  return { violations: found.flat(), readGuests, readAgents }
}

/** Returns what is wrong with the requirements of a declaration. */
export function findRequirementViolations(
  serviceName: string,
  requirements: ActionRequirement[],
  conditions: RequestedCondition[],
  registered: string[],
): FieldViolation[] {
  const actions = new Set([...builtInActions, ...registered])
  const keys = requirements.map(({ action, condition }) => `${action}\n${condition}`)
  return requirements.flatMap(({ action, condition }, index) => {
    const field = `requirements[${index}]`
    const violations: FieldViolation[] = []
    if (keys.indexOf(keys[index] as string) < index)
      violations.push({ field, message: 'is duplicated' })
    if (!actions.has(action)) {
      const message = `is not an action that ${serviceName} has registered`
      violations.push({ field: `${field}.action`, message })
    }
    const declared = conditions.find(({ name }) => name === condition)
    const message = declared
      ? Object.keys(declared.parameters).length > 0 && 'must not have parameters'
      : 'is not a condition of the declaration'
    if (message) violations.push({ field: `${field}.condition`, message })
    return violations
  })
}

/**
 * Requires that no share or link has a condition of the current declaration that is not among `conditions`,
 * or parameters that do not fit.
 *
 * @throws ServiceError `already_exists`
 */
export async function requireConditionsUnused(
  resourceTypes: ResourceTypeStore,
  { kindId, conditions: current }: DeclaredType,
  conditions: ResourceCondition[],
): Promise<void> {
  const after = new Map(conditions.map((condition) => [condition.name, condition]))
  const changed = current.filter(({ name, parameters }) => {
    const kept = after.get(name)
    return !kept || JSON.stringify(kept.parameters) !== JSON.stringify(parameters)
  })
  if (changed.length === 0) return
  const names = changed.map(({ name }) => name)
  await resourceTypes.lockConditions(kindId, names)
  const misfits = new Map<string, number>()
  await mapInTurns(await resourceTypes.listUsedParams(kindId, names), (used) => {
    if (fits(used, after.get(used.condition))) return
    misfits.set(used.condition, (misfits.get(used.condition) ?? 0) + used.count)
  })
  if (misfits.size === 0) return
  const lines = [...misfits].map(([name, count]) => `${name} (${count})`)
  const message = `Shares or links use conditions that the declaration would remove, or whose parameters would not fit: ${listItems(lines, ', ')}`
  throw new ServiceError(reasons.CONDITION_IN_USE, message)
}

function fits({ params }: UsedParams, condition: ResourceCondition | undefined): boolean {
  if (!condition) return false
  const { types } = parseParameterTypes(condition.parameters)
  return 'values' in convertParameters(types, params)
}

/** Describes a condition for events. */
export function describeCondition({ name, expression, parameters }: ResourceCondition): string {
  const types = Object.entries(parameters).map(([parameter, type]) => `${parameter}: ${type}`)
  return `${name}(${types.join(', ')}): ${expression}`
}
