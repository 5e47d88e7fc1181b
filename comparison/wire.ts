import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import type { ClientReadableStream } from '@grpc/grpc-js'
import { Struct } from '../gen/google/protobuf/struct.ts'

/**
 * A field number and its value: a string, an encoded message, or a number for an enum or boolean.
 */
export type Field = [number: number, value: string | Uint8Array | number]

/** Encodes a protobuf message. The peers use too few messages to justify generated code. */
export function encodeMessage(...fields: Field[]): Uint8Array {
  const writer = new BinaryWriter()
  for (const [number, value] of fields) {
    if (typeof value === 'number') writer.uint32(number << 3).uint32(value)
    else if (typeof value === 'string') writer.uint32((number << 3) | 2).string(value)
    else writer.uint32((number << 3) | 2).bytes(value)
  }
  return writer.finish()
}

/** Encodes a `google.protobuf.Struct`. */
export function encodeStruct(fields: Record<string, unknown>): Uint8Array {
  return Struct.encode(Struct.wrap(fields)).finish()
}

/** Returns the last value of a numeric field, or 0. */
export function readNumber(message: Uint8Array, field: number): number {
  return readLast(message, field, 0, (reader) => reader.uint32()) ?? 0
}

/** Returns the last value of a string field, or ''. */
export function readString(message: Uint8Array, field: number): string {
  return readLast(message, field, 2, (reader) => reader.string()) ?? ''
}

/** Returns all values of a string field. */
export function readStrings(message: Uint8Array, field: number): string[] {
  const reader = new BinaryReader(message)
  const values: string[] = []
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    if (number === field && type === 2) values.push(reader.string())
    else reader.skip(type)
  }
  return values
}

/**
 * Returns the different values of a string field of the messages of a stream. Cancels the stream after `limit` values.
 */
export function readStream(
  stream: ClientReadableStream<Buffer>,
  field: number,
  limit = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const values = new Set<string>()
    stream.on('data', (message: Buffer) => {
      if (values.size === limit) return
      values.add(readString(message, field))
      if (values.size < limit) return
      resolve([...values])
      stream.cancel()
    })
    stream.on('end', () => resolve([...values]))
    stream.on('error', reject)
  })
}

/** Returns the last value of a field, as protobuf requires, and skips all other fields. */
function readLast<Value>(
  message: Uint8Array,
  field: number,
  wireType: number,
  read: (reader: BinaryReader) => Value,
): Value | undefined {
  const reader = new BinaryReader(message)
  let value: Value | undefined
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    if (number === field && type === wireType) value = read(reader)
    else reader.skip(type)
  }
  return value
}
