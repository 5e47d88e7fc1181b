import type { DescField } from '@bufbuild/protobuf'
import type { FieldViolation } from '../core/errors.ts'
import { isJsonObject } from '../core/json-object.ts'
import { nearestNames } from '../core/nearest-names.ts'
import type { DeclaredOperation } from '../rpc/operation.ts'

/** Limits the size of the response to a request with very many unknown names. */
const maxReported = 20
const maxNameLength = 100

/** Reports undeclared parameters: a misspelled filter would otherwise return everything. */
export function findUnknownParameters(
  query: URLSearchParams,
  fields: DescField[],
): FieldViolation[] {
  const names = fields.map(({ name }) => name)
  const advice = names.length > 0 ? `; use ${names.join(', ')}` : ', which has none'
  return [...new Set(query.keys())]
    .filter((name) => !names.includes(name))
    .slice(0, maxReported)
    .map((name) => ({
      field: shorten(name),
      message: `is not a query parameter of this route${advice}`,
    }))
}

/**
 * Reports undeclared members of a JSON body and of the messages in it: a misspelled `expires_at`
 * would otherwise make a share permanent.
 */
export function findUnknownFields(
  body: object,
  fields: DescField[],
  listFieldOf: ListFieldOf,
): FieldViolation[] {
  const violations: FieldViolation[] = []
  for (const violation of unknownFields(body, fields, listFieldOf, '')) {
    violations.push(violation)
    if (violations.length === maxReported) break
  }
  return violations
}

type ListFieldOf = DeclaredOperation['listFieldOf']

function* unknownFields(
  value: unknown,
  fields: DescField[],
  listFieldOf: ListFieldOf,
  prefix: string,
): Generator<FieldViolation> {
  // Validation reports a value of another type.
  if (!isJsonObject(value)) return
  for (const [name, content] of Object.entries(value)) {
    const field = fields.find((one) => one.name === name)
    if (!field) {
      yield { field: prefix + shorten(name), message: describeUnknown(name, fields) }
      continue
    }
    // A Struct has arbitrary members.
    if (field.message?.file.proto.package !== 'daikon.v1') continue
    const list = listFieldOf(field.message) ?? field
    if (list.message?.file.proto.package !== 'daikon.v1') continue
    const nested = list.message.fields
    const find = (one: unknown, path: string) =>
      unknownFields(one, nested, listFieldOf, `${prefix}${path}.`)
    if (list.fieldKind !== 'list') yield* find(content, name)
    else if (Array.isArray(content)) {
      for (const [index, item] of content.entries()) yield* find(item, `${name}[${index}]`)
    }
  }
}

function describeUnknown(name: string, fields: DescField[]): string {
  const nearest = nearestNames(
    name,
    fields.map((field) => field.name),
    3,
  )
  if (nearest.length === 0) return 'is not a field of this request, which has none'
  const verb = nearest.length > 1 ? 'are' : 'is'
  return `is not a field of this request; the nearest ${verb} ${nearest.join(', ')}`
}

function shorten(name: string): string {
  return name.slice(0, maxNameLength).toWellFormed()
}
