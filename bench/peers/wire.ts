import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'

/** A field number with its value: text, an encoded message, or a number that is an enum or a boolean. */
export type Field = [number: number, value: string | Uint8Array | number]

/** Encodes a protobuf message. The peers' messages are few, so their code is not generated. */
export function encodeMessage(...fields: Field[]): Uint8Array {
  const writer = new BinaryWriter()
  for (const [number, value] of fields) {
    if (typeof value === 'number') writer.uint32(number << 3).uint32(value)
    else if (typeof value === 'string') writer.uint32((number << 3) | 2).string(value)
    else writer.uint32((number << 3) | 2).bytes(value)
  }
  return writer.finish()
}

/** Returns the last value of a numeric field, or 0. */
export function readNumber(message: Uint8Array, field: number): number {
  const reader = new BinaryReader(message)
  let value = 0
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    if (number === field && type === 0) value = reader.uint32()
    else reader.skip(type)
  }
  return value
}

/** Returns the last value of a string field, or ''. */
export function readString(message: Uint8Array, field: number): string {
  const reader = new BinaryReader(message)
  let value = ''
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    if (number === field && type === 2) value = reader.string()
    else reader.skip(type)
  }
  return value
}
