import { type Attribute, findAttribute } from './attributes.ts'
import type { Comparison, Filter, Literal } from './filter.ts'

/** One of the values of an attribute. */
type Item = Record<string, unknown>

/** Whether a value of an attribute satisfies the filter of a path, by the rules of `filter-sql.ts`. */
export function matchesFilter(item: Item, filter: Filter, attribute: Attribute): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((one) => matchesFilter(item, one, attribute))
    case 'or':
      return filter.filters.some((one) => matchesFilter(item, one, attribute))
    case 'not':
      return !matchesFilter(item, filter.filter, attribute)
    case 'present':
      return findValue(item, filter.path, attribute)?.value !== undefined
    case 'comparison':
      return compares(findValue(item, filter.path, attribute), filter)
    case 'values':
      return false
  }
}

/**
 * Returns the members that a value must have to satisfy a filter, or undefined unless the filter
 * consists of `eq` comparisons joined by `and`.
 */
export function requiredMembers(filter: Filter): Record<string, Literal> | undefined {
  const filters = filter.kind === 'and' ? filter.filters : [filter]
  const members: Record<string, Literal> = {}
  for (const one of filters) {
    if (one.kind !== 'comparison' || one.operator !== 'eq') return undefined
    members[one.path] = one.value
  }
  return members
}

function findValue(item: Item, path: string, { subAttributes = [] }: Attribute) {
  const attribute = findAttribute(subAttributes, path)
  return attribute && { attribute, value: item[attribute.name] }
}

function compares(
  found: { attribute: Attribute; value: unknown } | undefined,
  { operator, value: wanted }: Comparison,
): boolean {
  if (operator === 'ne') return !isEqual(found, wanted)
  if (operator === 'eq') return isEqual(found, wanted)
  if (typeof found?.value !== 'string' || typeof wanted !== 'string') return false
  const [own, other] = found.attribute.caseExact
    ? [found.value, wanted]
    : [found.value.toLowerCase(), wanted.toLowerCase()]
  switch (operator) {
    case 'co':
      return own.includes(other)
    case 'sw':
      return own.startsWith(other)
    case 'ew':
      return own.endsWith(other)
    case 'gt':
      return own > other
    case 'ge':
      return own >= other
    case 'lt':
      return own < other
    case 'le':
      return own <= other
  }
}

function isEqual(
  found: { attribute: Attribute; value: unknown } | undefined,
  wanted: Literal,
): boolean {
  if (wanted === null) return found?.value === undefined
  if (!found) return false
  const { value, attribute } = found
  // Entra ID sends booleans as text, such as "True".
  if (typeof value === 'boolean') return value === (String(wanted).toLowerCase() === 'true')
  if (typeof value !== 'string' || typeof wanted !== 'string') return false
  return attribute.caseExact ? value === wanted : value.toLowerCase() === wanted.toLowerCase()
}
