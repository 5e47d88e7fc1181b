import { type CelValue, celList, celMap, isCelUint } from '@bufbuild/cel'
import { reflect } from '@bufbuild/protobuf/reflect'
import { TimestampSchema, timestampFromDate } from '@bufbuild/protobuf/wkt'

/** A value that JSON can represent. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** Converts JSON once, because the library would convert the members again at each access. */
export function fromJson(value: Json): CelValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return celList(value.map(fromJson))
  return celMap(new Map(Object.entries(value).map(([name, member]) => [name, fromJson(member)])))
}

export function fromDate(date: Date): CelValue {
  return reflect(TimestampSchema, timestampFromDate(date))
}

/** Whether a value is a number, of any of CEL's three types. */
export function isNumber(value: CelValue): boolean {
  return typeof value === 'number' || typeof value === 'bigint' || isCelUint(value)
}
