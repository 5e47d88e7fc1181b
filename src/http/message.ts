import type { DescField, DescMessage } from '@bufbuild/protobuf'
import type { Request, Response } from 'express'
import { type FieldViolation, invalidArgument, ServiceError } from '../core/errors.ts'
import { isJsonObject } from '../core/json-object.ts'
import type { Route } from '../rpc/method.ts'
import type { DeclaredOperation } from '../rpc/operation.ts'
import { isStruct, isTimestamp } from '../rpc/schema.ts'
import { readBody } from './body.ts'
import { readBoundFields } from './bound-fields.ts'
import { findUnknownFields, findUnknownParameters } from './unknown-fields.ts'

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
  secureCookies: boolean,
): Promise<object | ServiceError> {
  const { policy } = operation
  try {
    const query = new URL(request.originalUrl, 'http://localhost').searchParams
    const own = ownFields(operation, route)
    const parameters = route.body ? operation.bindings.query : own.filter(isParameter)
    const content = route.body
      ? readContent(await readBody(request, response, policy), operation, route)
      : readQuery(query, parameters)
    // Validation reports that the message is not an object.
    if (Array.isArray(content)) return content
    const unknown: FieldViolation[] = []
    if (!policy.ignoresUnknownParameters) unknown.push(...findUnknownParameters(query, parameters))
    if (route.body && policy.profile === 'default')
      unknown.push(...findUnknownFields(content, own, operation.listFieldOf))
    const message: Message = { ...content, ...request.params }
    for (const field of route.excludedFields) delete message[field]
    Object.assign(message, readBoundFields(request, operation, message, secureCookies))
    if (route.body) {
      for (const { name } of parameters) delete message[name]
      Object.assign(message, readQuery(query, parameters))
    }
    if (unknown.length === 0) return message
    return invalidArgument(...unknown, ...findViolations(operation, message))
  } catch (error) {
    return ServiceError.from(error)
  }
}

/** Returns the fields of a route that are read from the body or the query. */
function ownFields({ input, bindings }: DeclaredOperation, route: Route): DescField[] {
  const elsewhere = [...route.pathFields, ...route.excludedFields]
  for (const { field } of bindings.request) elsewhere.push(field)
  return input.fields.filter((field) => !elsewhere.includes(field.name))
}

/** Whether a query parameter can carry the field. An object is JSON there. */
function isParameter(field: DescField): boolean {
  return !field.message || isTimestamp(field) || isStruct(field)
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
    const values = texts.map((text) =>
      isStruct(field) ? parseJson(text) : parseScalar(text, Number(field.scalar)),
    )
    message[field.name] = values.length > 1 || field.fieldKind === 'list' ? values : values[0]
  }
  return message
}

function findViolations({ validate }: DeclaredOperation, message: object): FieldViolation[] {
  try {
    validate(message)
    return []
  } catch (error) {
    return ServiceError.from(error).violations
  }
}

/** Returns the fields that the body contains, or the one that it is. */
function readContent(body: object, operation: DeclaredOperation, { bodyField }: Route): object {
  return bodyField ? { [bodyField]: body } : readNulls(body, operation)
}

/** Converts a JSON body to a message: applies the rule `null_sets`, then removes fields that are null. */
export function readNulls(body: unknown, operation: DeclaredOperation): object {
  const { input, nullSetters } = operation
  const set = nullSetters.filter(({ field }) => (body as Message | undefined)?.[field] === null)
  const message = dropNulls(body, input, operation)
  for (const { sets } of set) (message as Message)[sets] = true
  return message
}

/**
 * Removes null fields, which proto3 JSON treats as absent, from a message read as JSON, and wraps the lists
 * that are the JSON of messages.
 */
function dropNulls(
  value: unknown,
  { fields, typeName }: DescMessage,
  operation: Pick<DeclaredOperation, 'listFieldOf'>,
): object {
  if (!isJsonObject(value) || typeName.startsWith('google.protobuf.')) return value as object
  const message: Message = value
  for (const field of fields) {
    const { name } = field
    if (!Object.hasOwn(message, name)) continue
    const content = message[name]
    if (content === null) delete message[name]
    else if (field.message) {
      const { message: type } = field
      const list = operation.listFieldOf(type)
      const read = (one: unknown) => dropNulls(one, type, operation)
      if (list) message[name] = read({ [list.name]: content })
      else message[name] = Array.isArray(content) ? content.map(read) : read(content)
    }
  }
  return message
}

/**
 * Parses a query parameter that is JSON. Its size is limited by that of the request line. Text that
 * is not JSON is returned unchanged, and validation reports it.
 */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
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
