import { invalidArgument } from '../core/errors.ts'
import { compileCondition } from './conditions/condition.ts'
import { parseParameterTypes } from './conditions/parameter-type.ts'
import { convertParameters, findPatternViolations, isLongPattern } from './conditions/parameters.ts'
import { prefixed } from './evaluate-condition.ts'
import type { Resource } from './store/resource-sql.ts'
import type { Declaration, ResourceTypeStore } from './store/resource-type-store.ts'
import type { CheckedCondition } from './store/share-store.ts'

/** The condition of a share or link, as a request names it. */
export type RequestedCondition = { name: string; params?: Record<string, unknown> | undefined }

/**
 * Returns the condition of a new share or link, with the declared types of its parameters.
 *
 * @throws ServiceError `invalid_argument` if the resource type has no such condition, or the values
 * of its parameters are missing, unknown or not of the declared types
 */
export async function readGrantCondition(
  { resourceTypes }: { resourceTypes: ResourceTypeStore },
  resource: Resource,
  requested: RequestedCondition | undefined,
): Promise<CheckedCondition | undefined> {
  if (!requested) return undefined
  return findGrantCondition(await resourceTypes.find(resource), resource, requested)
}

/** Like `readGrantCondition`, for a type whose declaration is known. */
export function findGrantCondition(
  declared: Pick<Declaration, 'conditions'> | undefined,
  resource: Resource,
  requested: RequestedCondition | undefined,
): CheckedCondition | undefined {
  if (!requested) return undefined
  const { name, params = {} } = requested
  const condition = declared?.conditions.find((condition) => condition.name === name)
  if (!condition) {
    const message = `is not a condition of ${resource.resourceType}: ${name}`
    throw invalidArgument({ field: 'condition.name', message })
  }
  const { expression, parameters } = condition
  const { types } = parseParameterTypes(parameters)
  const converted = convertParameters(types, params)
  if ('violations' in converted)
    throw invalidArgument(...prefixed('condition.params', converted.violations))
  // Compiling shows which parameters are patterns, and is needed only if one is too long to be a pattern.
  if (Object.values(params).some(isLongPattern)) {
    const compiled = compileCondition(expression, types)
    const violations =
      'condition' in compiled ? findPatternViolations(compiled.condition.reads, params) : []
    if (violations.length > 0) throw invalidArgument(...prefixed('condition.params', violations))
  }
  return { name, params, parameters }
}

/** `office_hours {"from":9}`, or `none`. */
export function describeGrantCondition(condition: RequestedCondition | undefined): string {
  if (!condition) return 'none'
  const { name, params = {} } = condition
  return Object.keys(params).length === 0 ? name : `${name} ${JSON.stringify(params)}`
}
