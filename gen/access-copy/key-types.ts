// Copied from clients/typescript/src/access/copy/key-types.ts. DO NOT EDIT.

/** The type of the primary key of a service's table. */
export type KeyType = 'uuid' | 'bigint' | 'integer' | 'text'

/** The type of the key of each resource type. */
export type KeyTypes = Record<string, KeyType>

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const isInteger = (text: string, bits: number) =>
  /^(0|-?[1-9]\d{0,18})$/.test(text) && BigInt.asIntN(bits, BigInt(text)) === BigInt(text)

/**
 * Whether a text is the canonical text of a value. Two IDs of daikon, such as `7` and `007`, are then
 * never the same key.
 */
const fits: Record<KeyType, (text: string) => boolean> = {
  uuid: (text) => uuid.test(text),
  bigint: (text) => isInteger(text, 64),
  integer: (text) => isInteger(text, 32),
  text: (text) => !text.includes('\0'),
}

export function isKeyType(name: unknown): name is KeyType {
  return typeof name === 'string' && Object.hasOwn(fits, name)
}

/** Returns the type of the keys of a resource type, or undefined if the copy does not contain it. */
export function keyTypeOf(types: KeyTypes, type: string): KeyType | undefined {
  return Object.hasOwn(types, type) ? types[type] : undefined
}

/** Returns the key of a resource in the table of its service, or undefined if its type differs. */
export function findKey(
  keyType: KeyType,
  { externalId, resourceId }: { externalId: string | undefined; resourceId: string },
): string | undefined {
  const key = externalId ?? resourceId
  return fits[keyType](key) ? key : undefined
}

const maxNameBytes = 63

/** The name of the table with the rows of a resource type, without its schema. */
export function tableName(type: string): string {
  return `resources_${type}`
}

/** Quotes a name for SQL. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The quoted name of the table with the rows of a resource type. */
export function tableOf(type: string): string {
  return `daikon_access.${quote(tableName(type))}`
}

/** The column with the UUID of a resource. Keys of type uuid are the UUIDs themselves. */
export function resourceColumn(keyType: KeyType): 'id' | 'resource_id' {
  return keyType === 'uuid' ? 'id' : 'resource_id'
}

/** Returns what is wrong with the types of an option, if anything is. */
export function findTypesProblem(types: unknown): string | undefined {
  if (typeof types !== 'object' || types === null || Object.keys(types).length === 0)
    return "must name the resource types and the types of their keys, such as { document: 'uuid' }"
  for (const [type, keyType] of Object.entries(types)) {
    if (!isKeyType(keyType)) return `has no type of keys for ${type}: uuid, bigint, integer or text`
    const bytes = new TextEncoder().encode(tableName(type)).length
    if (bytes > maxNameBytes || type === '' || type.includes('\0'))
      return `has the type ${type}, which is too long for the name of a table`
  }
  return undefined
}
