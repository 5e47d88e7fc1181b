import type { DescField, DescMessage } from '@bufbuild/protobuf'
import type { Request, Response } from 'express'
import { type FieldViolation, invalidArgument, ServiceError } from '../core/errors.ts'
import type { Route } from '../rpc/method.ts'
import type { DeclaredOperation } from '../rpc/operation.ts'
import { isTimestamp } from '../rpc/schema.ts'
import { readBody } from './body.ts'
import { readBoundFields } from './bound-fields.ts'

type Message = Record<string, unknown>

/**
 * Reads the request message of an operation from the path of its route, from the body or the query,
 * and from bound headers and cookies. Returns errors instead of throwing them.
 */
export async function readMessage(
  request: Request,
  response: Response,
  operation: DeclaredOperation,
  route: Route,
): Promise<object | ServiceError> {
  const { policy, bindings } = operation
  try {
    const query = new URL(request.originalUrl, 'http://localhost').searchParams
    const parameters = queryFields(operation, route)
    const content = route.body
      ? readNulls(await readBody(request, response, policy), operation)
      : readQuery(query, parameters)
    // Validation reports that the message is not an object.
    if (Array.isArray(content)) return content
    const message: Message = { ...content, ...request.params }
    for (const field of route.excludedFields) delete message[field]
    Object.assign(message, readBoundFields(request, bindings.request, message))
    if (policy.ignoresUnknownParameters) return message
    const unknown = findUnknownParameters(query, parameters)
    if (unknown.length === 0) return message
    return invalidArgument(...unknown, ...findViolations(operation, message))
  } catch (error) {
    return ServiceError.from(error)
  }
}

/** Returns the fields of a route that are read from the query. */
function queryFields({ input, bindings }: DeclaredOperation, route: Route): DescField[] {
  if (route.body) return []
  const elsewhere = [...route.pathFields, ...route.excludedFields]
  for (const { field } of bindings.request) elsewhere.push(field)
  return input.fields.filter(
    (field) => !elsewhere.includes(field.name) && (!field.message || isTimestamp(field)),
  )
}

/**
 * Reads the fields from the query. A repeated parameter becomes a list, which is invalid for a
 * singular field.
 */
function readQuery(query: URLSearchParams, fields: DescField[]): Message {
  const message: Message = {}
  for (const field of fields) {
    const texts = query.getAll(field.name)
    if (texts.length === 0) continue
    const values = texts.map((text) => parseScalar(text, Number(field.scalar)))
    message[field.name] = values.length > 1 || field.fieldKind === 'list' ? values : values[0]
  }
  return message
}

/** Reports undeclared parameters: a misspelled filter would otherwise return everything. */
function findUnknownParameters(query: URLSearchParams, fields: DescField[]): FieldViolation[] {
  const names = fields.map(({ name }) => name)
  const known = names.length > 0 ? `; use ${names.join(', ')}` : ', which has none'
  return [...new Set(query.keys())]
    .filter((name) => !names.includes(name))
    .slice(0, maxUnknownParameters)
    .map((field) => ({
      field: field.toWellFormed().slice(0, 100),
      message: `is not a query parameter of this route${known}`,
    }))
}

/** Limits the size of the response to a request with very many parameters. */
const maxUnknownParameters = 20

function findViolations({ validate }: DeclaredOperation, message: object): FieldViolation[] {
  try {
    validate(message)
    return []
  } catch (error) {
    return ServiceError.from(error).violations
  }
}

/** Applies the rule `null_sets`, then removes fields that are null. */
function readNulls(body: unknown, { input, nullSetters }: DeclaredOperation): object {
  const set = nullSetters.filter(({ field }) => (body as Message | undefined)?.[field] === null)
  const message = dropNulls(body, input)
  for (const { sets } of set) (message as Message)[sets] = true
  return message
}

/** Removes null fields, which proto3 JSON treats as absent, from a message read as JSON. */
function dropNulls(value: unknown, { fields, typeName }: DescMessage): object {
  const isPlainObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isPlainObject || typeName.startsWith('google.protobuf.')) return value as object
  const message = value as Message
  for (const field of fields) {
    const { name } = field
    if (!Object.hasOwn(message, name)) continue
    const content = message[name]
    if (content === null) delete message[name]
    else if (field.message) {
      const { message: type } = field
      message[name] = Array.isArray(content)
        ? content.map((item) => dropNulls(item, type))
        : dropNulls(content, type)
    }
  }
  return message
}

/** The protobuf scalar types (FieldDescriptorProto.Type) that need parsing. */
const scalar = { int32: 5, bool: 8, uint32: 13 }

/**
 * Parses a query parameter. Text that is not a value of the type is returned unchanged, and
 * validation reports it.
 */
function parseScalar(text: string, type: number): string | number | boolean {
  const isInteger = type === scalar.int32 || type === scalar.uint32
  if (isInteger && /^-?\d{1,10}$/.test(text)) return Number(text)
  if (type === scalar.bool && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
