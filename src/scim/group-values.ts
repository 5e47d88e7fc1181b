import { blankCharacters, controlCharacters } from '../core/control-characters.ts'
import { ServiceError } from '../core/errors.ts'
import { isJsonObject } from '../core/json-object.ts'
import { isUuid } from '../core/uuid.ts'
import { externalId, groupSchemas } from './attributes.ts'
import type { Filter } from './filter.ts'
import { type Operation, readPatch } from './patch.ts'
import { reasons } from './reasons.ts'
import { membersOf, readValue } from './resource.ts'
import { invalidValue } from './scim-errors.ts'

/** A change to a group that a patch describes. Undefined fields remain unchanged. */
export type GroupOperation =
  | { name: string }
  | { externalId: string | null }
  | { members: 'add' | 'remove' | 'replace'; userIds: string[] }
  | { members: 'clear' }

const [displayName] = groupSchemas.core.attributes as [(typeof groupSchemas.core.attributes)[0]]

const names = new RegExp(`^(?=.*[^${blankCharacters}])[^${controlCharacters}\\p{Cs}]{1,200}$`, 'u')

/** Reads what a request says about a whole group. A group without `members` is empty. */
export function readGroup(resource: object): {
  name: string
  externalId: string | null
  userIds: string[]
} {
  const members = membersOf(resource)
  return {
    name: readName(members.get('displayname')),
    externalId: readExternalId(members.get('externalid')),
    userIds: readUserIds(members.get('members')),
  }
}

/** Reads the operations of a patch on a group. */
export function readGroupPatch(body: object): GroupOperation[] {
  return readPatch(body, groupSchemas, [externalId]).map(readOperation)
}

function readOperation({ op, target, value }: Operation): GroupOperation {
  const { attribute, filter, sub } = target
  if (attribute?.name === displayName.name)
    return { name: readName(op === 'remove' ? null : value) }
  if (attribute?.name === externalId.name)
    return { externalId: op === 'remove' ? null : readExternalId(value) }
  if (!filter && !sub) {
    if (op === 'remove' && (value === undefined || value === null)) return { members: 'clear' }
    return { members: op, userIds: readUserIds(value) }
  }
  const ids = filter && !sub && op === 'remove' ? readSelectedIds(filter) : undefined
  if (!ids)
    throw new ServiceError(
      reasons.INVALID_PATH,
      'Members can be selected only by value, to remove them',
    )
  return { members: 'remove', userIds: ids.filter(isUuid).map(toLower) }
}

/** Returns the IDs that a filter compares `value` with, if it does nothing else. */
function readSelectedIds(filter: Filter): string[] | undefined {
  const comparisons = filter.kind === 'or' ? filter.filters : [filter]
  const ids: string[] = []
  for (const one of comparisons) {
    if (one.kind !== 'comparison' || one.operator !== 'eq') return undefined
    if (one.path.toLowerCase() !== 'value') return undefined
    ids.push(String(one.value))
  }
  return ids
}

function readName(value: unknown): string {
  const name = readValue(displayName, value) as string | undefined
  if (name === undefined) throw invalidValue('displayName', 'is required')
  if (!names.test(name))
    throw invalidValue(
      'displayName',
      'must have 1 to 200 characters, not be blank and not contain control characters',
    )
  return name.trim()
}

function readExternalId(value: unknown): string | null {
  return (readValue(externalId, value) as string | undefined) ?? null
}

/** Reads members: objects with the ID as `value`, or IDs. Repeated ones count once. */
function readUserIds(value: unknown): string[] {
  if (value === undefined || value === null) return []
  const items = Array.isArray(value) ? value : [value]
  return [...new Set(items.map(readUserId))]
}

function readUserId(item: unknown): string {
  const id = isJsonObject(item) ? membersOf(item).get('value') : item
  if (typeof id === 'string' && isUuid(id)) return toLower(id)
  throw invalidValue('members', 'must contain the IDs of users')
}

function toLower(id: string): string {
  return id.toLowerCase()
}
