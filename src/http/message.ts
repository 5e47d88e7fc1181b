import type { DescMessage } from '@bufbuild/protobuf'
import type { Request, Response } from 'express'
import { ServiceError } from '../core/errors.ts'
import type { Route } from '../rpc/method.ts'
import type { DeclaredOperation } from '../rpc/operation.ts'
import { readBody } from './body.ts'
import { readBoundFields } from './bound-fields.ts'

/**
 * Reads the request message of an operation from the path of its route, from the body or the query, and from bound
 * headers and cookies. Returns an error instead of throwing it.
 */
export async function readMessage(
  request: Request,
  response: Response,
  { policy, input, bindings }: DeclaredOperation,
  route: Route,
): Promise<object | ServiceError> {
  try {
    const content = route.body
      ? await readBody(request, response, policy.upload)
      : readQuery(request, input)
    // Validation reports that the message is not an object.
    if (Array.isArray(content)) return content
    const message: Record<string, unknown> = { ...content, ...request.params }
    for (const field of route.excludedFields) delete message[field]
    return { ...message, ...readBoundFields(request, bindings.request, message) }
  } catch (error) {
    return ServiceError.from(error)
  }
}

/** Reads the declared fields from the query. A repeated one becomes a list, invalid if it is singular. */
function readQuery(request: Request, input: DescMessage): Record<string, unknown> {
  const query = new URL(request.originalUrl, 'http://localhost').searchParams
  const message: Record<string, unknown> = {}
  for (const field of input.fields) {
    const texts = query.getAll(field.name)
    if (texts.length === 0 || field.fieldKind === 'message') continue
    const values = texts.map((text) => parseScalar(text, Number(field.scalar)))
    message[field.name] = values.length > 1 || field.fieldKind === 'list' ? values : values[0]
  }
  return message
}

/** protobuf scalar types (FieldDescriptorProto.Type). */
const scalar = { int32: 5, bool: 8, uint32: 13 }

/** Text that is not a value of the type is returned unchanged, for validation to report. */
function parseScalar(text: string, type: number): string | number | boolean {
  const isInteger = type === scalar.int32 || type === scalar.uint32
  if (isInteger && /^-?\d{1,10}$/.test(text)) return Number(text)
  if (type === scalar.bool && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
