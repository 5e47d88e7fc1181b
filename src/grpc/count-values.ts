import type { DescMessage, FileRegistry } from '@bufbuild/protobuf'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { type FieldViolation, invalidArgument, type ServiceError } from '../core/errors.ts'
import { listFieldOf } from '../rpc/list-messages.ts'
import { maxItemsOf } from '../rpc/schema.ts'

/** Returns the error of an encoded message that has too many values, or undefined. */
export type CheckValues = (bytes: Uint8Array) => ServiceError | undefined

/** The maximum number of list items and JSON values of a message. */
const maxValues = 50_000

/** The maximum number of fields. A property of a JSON object takes four. */
const maxFields = 4 * maxValues

/** The maximum depth of JSON values. */
const maxDepth = 64

/** A message type, reduced to the fields that contain lists or messages. */
type Shape = { isJsonValue: boolean; fields: Map<number, ShapeField> }

type ShapeField = {
  name: string
  isList: boolean
  maxItems: number | undefined
  /** Undefined for scalars and for messages that contain only scalars. */
  shape: Shape | undefined
  /** The name of the list that is the JSON of the field, if one is. */
  list?: string | undefined
}

type Counts = { fields: number; values: number }

/**
 * Creates a check for messages of a type. It counts the encoded values, which can be as small as
 * two bytes, before any of them becomes an object. Malformed messages are left to the decoder.
 */
export function createValueCheck(registry: FileRegistry, type: DescMessage): CheckValues {
  const shape = readShape(registry, type, new Map())
  return (bytes) => {
    if (!shape) return undefined
    try {
      const violation = countValues(new BinaryReader(bytes), bytes.length, shape, 0, {
        fields: 0,
        values: 0,
      })
      return violation && invalidArgument(violation)
    } catch {
      return undefined
    }
  }
}

/** Counts the values up to `end`. Returns a violation as soon as a limit is exceeded. */
function countValues(
  reader: BinaryReader,
  end: number,
  { isJsonValue, fields }: Shape,
  depth: number,
  counts: Counts,
): FieldViolation | undefined {
  if (isJsonValue) counts.values += 1
  if (depth > maxDepth)
    return { field: '', message: `JSON must be nested at most ${maxDepth} levels deep` }
  let items: Map<number, number> | undefined
  while (reader.pos < end) {
    const tag = reader.uint32()
    const [number, wireType] = [tag >>> 3, tag & 7]
    if (number === 0) throw new RangeError('illegal tag')
    const field = fields.get(number)
    counts.fields += 1
    if (field?.isList) {
      items ??= new Map()
      const count = (items.get(number) ?? 0) + 1
      if (field.maxItems !== undefined && count > field.maxItems)
        return { field: field.name, message: `must contain at most ${field.maxItems} items` }
      items.set(number, count)
      if (!field.shape?.isJsonValue) counts.values += 1
    }
    if (counts.values > maxValues || counts.fields > maxFields)
      return { field: '', message: `The message must contain at most ${maxValues} values` }
    if (field?.shape && wireType === WireType.LengthDelimited) {
      const fieldEnd = reader.uint32() + reader.pos
      const next = field.shape.isJsonValue ? depth + 1 : depth
      const violation = countValues(reader, fieldEnd, field.shape, next, counts)
      if (violation)
        return violation.field === field.list ? { ...violation, field: field.name } : violation
    } else skipField(reader, wireType, number)
  }
  return undefined
}

/** Skips a field like `reader.skip`, which returns its bytes as a view: that costs more than the rest. */
function skipField(reader: BinaryReader, wireType: WireType, number: number): void {
  if (wireType !== WireType.LengthDelimited) reader.skip(wireType, number)
  else {
    const length = reader.uint32()
    if (length > reader.len - reader.pos) throw new RangeError('premature EOF')
    reader.pos += length
  }
}

function readShape(
  registry: FileRegistry,
  type: DescMessage,
  shapes: Map<DescMessage, Shape>,
): Shape | undefined {
  const existing = shapes.get(type)
  if (existing) return existing
  const fields = type.fields.filter(({ fieldKind, message }) => fieldKind === 'list' || message)
  if (fields.length === 0) return undefined
  const shape: Shape = {
    isJsonValue: type.typeName === 'google.protobuf.Value',
    fields: new Map(),
  }
  shapes.set(type, shape)
  for (const field of fields) {
    const { name, number, message, fieldKind } = field
    const own = message && readShape(registry, message, shapes)
    shape.fields.set(number, {
      name,
      isList: fieldKind === 'list',
      maxItems: maxItemsOf(registry, field),
      shape: fieldKind === 'map' ? entryShape(own) : own,
      list: listFieldOf(registry, message)?.name,
    })
  }
  return shape
}

/** The shape of an entry of a map, whose value is field 2. */
function entryShape(shape: Shape | undefined): Shape {
  const value = { name: 'value', isList: false, maxItems: undefined, shape }
  return { isJsonValue: false, fields: new Map([[2, value]]) }
}
