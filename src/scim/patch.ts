import { ServiceError } from '../core/errors.ts'
import { isJsonObject } from '../core/json-object.ts'
import type { Attribute, ResourceSchemas } from './attributes.ts'
import type { Filter } from './filter.ts'
import { matchesFilter, requiredMembers } from './filter-match.ts'
import { parsePath, type Target } from './path.ts'
import { reasons } from './reasons.ts'
import {
  type Attributes,
  maxItems,
  membersOf,
  readItem,
  readResource,
  readValue,
  requireStorable,
} from './resource.ts'
import { invalidValue } from './scim-errors.ts'

/** An operation of a patch on one target. */
export type Operation = { op: 'add' | 'replace' | 'remove'; target: Target; value: unknown }

type Item = Record<string, unknown>

/** The maximum number of operations of a patch, counting each member of a value without a path. */
const maxOperations = 200

/**
 * Reads the operations of a patch (RFC 7644, section 3.5.2). A value without a path becomes an
 * operation for each of its members, whose names may be paths. Operations on attributes that the
 * schemas do not declare are left out.
 *
 * @throws a ServiceError INVALID_SYNTAX, INVALID_PATH, NO_TARGET or READ_ONLY_ATTRIBUTE
 */
export function readPatch(
  body: object,
  schemas: ResourceSchemas,
  common: Attribute[],
): Operation[] {
  const listed = membersOf(body).get('operations')
  if (!Array.isArray(listed) || listed.length === 0)
    throw new ServiceError(reasons.INVALID_SYNTAX, 'Operations must be a list of operations')
  requireFewOperations(listed.length)
  const operations: Operation[] = []
  for (const operation of listed) {
    operations.push(...readOperation(operation, schemas, common))
    requireFewOperations(operations.length)
  }
  return operations
}

function requireFewOperations(count: number): void {
  if (count > maxOperations)
    throw new ServiceError(
      reasons.INVALID_SYNTAX,
      `At most ${maxOperations} operations are allowed`,
    )
}

function readOperation(
  operation: unknown,
  schemas: ResourceSchemas,
  common: Attribute[],
): Operation[] {
  if (!isJsonObject(operation))
    throw new ServiceError(reasons.INVALID_SYNTAX, 'An operation is not an object')
  const members = membersOf(operation)
  const op = String(members.get('op')).toLowerCase()
  if (op !== 'add' && op !== 'replace' && op !== 'remove')
    throw new ServiceError(reasons.INVALID_SYNTAX, 'op must be add, replace or remove')
  const path = members.get('path')
  if (typeof path !== 'string' && path !== undefined && path !== null)
    throw new ServiceError(reasons.INVALID_PATH, 'path must be a string')
  const value = members.get('value')
  if (typeof path === 'string' && path !== '') {
    if (isCommonReadOnly(path)) throw readOnlyAttribute(path)
    const target = parsePath(path, schemas, common)
    if (!target) return []
    if (isReadOnly(target)) throw readOnlyAttribute(path)
    return [{ op, target, value }]
  }
  if (op === 'remove') throw new ServiceError(reasons.NO_TARGET, 'remove needs a path')
  if (!isJsonObject(value))
    throw new ServiceError(reasons.INVALID_SYNTAX, 'value must be an object')
  requireFewOperations(Object.keys(value).length)
  return Object.entries(value).flatMap(([name, item]) => {
    const target = parsePath(name, schemas, common)
    return target && !isReadOnly(target) ? [{ op, target, value: item }] : []
  })
}

/** Whether a path names a common attribute that the server assigns (RFC 7643, section 3.1). */
function isCommonReadOnly(path: string): boolean {
  return /^(id|meta)(\.|$)/i.test(path)
}

function isReadOnly({ attribute, sub }: Target): boolean {
  return attribute?.mutability === 'readOnly' || sub?.mutability === 'readOnly'
}

function readOnlyAttribute(path: string) {
  return new ServiceError(
    reasons.READ_ONLY_ATTRIBUTE,
    `${path.slice(0, 100).toWellFormed()} cannot be changed`,
  )
}

/** Applies operations to the attributes of a resource. Returns the new attributes. */
export function applyPatch(
  attributes: Attributes,
  operations: Operation[],
  { core }: ResourceSchemas,
): Attributes {
  const patched = structuredClone(attributes)
  for (const operation of operations) {
    const { schema, attribute } = operation.target
    const isCore = schema === core
    const container = (isCore ? patched : (patched[schema.id] ?? {})) as Attributes
    if (attribute) apply(container, attribute, operation)
    else applyToExtension(container, operation)
    if (isCore) continue
    if (Object.keys(container).length > 0) patched[schema.id] = container
    else delete patched[schema.id]
  }
  requireStorable(patched)
  return patched
}

function applyToExtension(container: Attributes, { op, target, value }: Operation): void {
  const { schema } = target
  if (op === 'remove') {
    for (const name of Object.keys(container)) delete container[name]
    return
  }
  if (!isJsonObject(value)) throw invalidValue(schema.id, 'must be an object')
  Object.assign(container, readResource(value, { core: schema, extensions: [] }, []))
}

function apply(container: Attributes, attribute: Attribute, operation: Operation): void {
  const before = container[attribute.name]
  const after = attribute.multiValued
    ? patchItems((before ?? []) as Item[], attribute, operation)
    : patchSingle(before as Item | undefined, attribute, operation)
  if (after === undefined) delete container[attribute.name]
  else container[attribute.name] = after
}

function patchSingle(
  before: Item | undefined,
  attribute: Attribute,
  { op, target: { sub }, value }: Operation,
): unknown {
  if (sub) return withSub(before, sub, op === 'remove' ? undefined : readValue(sub, value))
  if (op === 'remove') return undefined
  const after = readValue(attribute, value)
  return attribute.type === 'complex' && after ? { ...before, ...(after as Item) } : after
}

function patchItems(
  before: Item[],
  attribute: Attribute,
  { op, target: { filter, sub }, value }: Operation,
): Item[] | undefined {
  if (!filter && !sub) return nonEmpty(patchList(before, attribute, op, value))
  const selected = new Set(
    before.filter((item) => !filter || matchesFilter(item, filter, attribute)),
  )
  const changeSelected = (change: (item: Item) => Item | undefined) =>
    nonEmpty(
      before.flatMap((item) => {
        const after = selected.has(item) ? change(item) : item
        return after ? [after] : []
      }),
    )
  if (op === 'remove')
    return changeSelected((item) => (sub ? withSub(item, sub, undefined) : undefined))
  const change = (item: Item): Item | undefined =>
    sub
      ? withSub(item, sub, readValue(sub, value))
      : { ...item, ...((readItem(attribute, value) ?? {}) as Item) }
  if (selected.size > 0) return changeSelected(change)
  // Entra ID sets `emails[type eq "work"].value` whether or not there is such a value.
  const created = change(filter ? createItem(filter, attribute) : {})
  return nonEmpty(requireFew(attribute, created ? [...before, created] : before))
}

function patchList(
  before: Item[],
  attribute: Attribute,
  op: Operation['op'],
  value: unknown,
): Item[] {
  if (op === 'remove' && (value === undefined || value === null)) return []
  const items = (readValue(attribute, value) ?? []) as Item[]
  if (op === 'replace') return items
  const isSame = (one: Item, other: Item) => one.value === other.value && one.type === other.type
  // Entra ID removes values by listing them.
  if (op === 'remove')
    return before.filter((item) => !items.some(({ value }) => value === item.value))
  const kept = before.filter((item) => !items.some((added) => isSame(item, added)))
  if (items.some(({ primary }) => primary === true))
    for (const item of kept) if (item.primary === true) item.primary = false
  return requireFew(attribute, [...kept, ...items])
}

function requireFew({ name }: Attribute, items: Item[]): Item[] {
  if (items.length > maxItems) throw invalidValue(name, `must have at most ${maxItems} values`)
  return items
}

/** Creates the value that a filter describes. */
function createItem(filter: Filter, attribute: Attribute): Item {
  const members = requiredMembers(filter)
  if (!members)
    throw new ServiceError(reasons.NO_TARGET, `No value of ${attribute.name} matches the path`)
  return (readItem(attribute, members) ?? {}) as Item
}

function withSub(item: Item | undefined, sub: Attribute, value: unknown): Item | undefined {
  const { [sub.name]: _, ...others } = item ?? {}
  const after = value === undefined ? others : { ...others, [sub.name]: value }
  return Object.keys(after).length > 0 ? after : undefined
}

function nonEmpty(items: Item[]): Item[] | undefined {
  return items.length > 0 ? items : undefined
}
