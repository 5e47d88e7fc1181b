import type { DescMessage } from '@bufbuild/protobuf'
import type { Request, Response } from 'express'
import { ServiceError } from '../core/errors.ts'
import type { DeclaredOperation } from '../rpc/operation.ts'
import { createParser } from './body.ts'
import { arrivals } from './bound-fields.ts'
import { isUpload, readUpload } from './upload.ts'

/** The largest body, in bytes, as large as the largest gRPC message. */
const largestBody = 4 * 1024 * 1024

/** JSON writes a quote or a line break of a file as two bytes. */
const escaped = 2

const parseJson = createParser('json', largestBody)

/** A request's message: path and body, or path and query, and what travels beside; or a Fault. */
export async function readMessage(
  request: Request,
  response: Response,
  { route, policy, input, bindings }: DeclaredOperation,
): Promise<object | ServiceError> {
  try {
    const rest = route.body ? await readBody(request, response, policy) : readQuery(request, input)
    if (Array.isArray(rest)) return rest
    const message = { ...rest, ...request.params }
    return { ...message, ...arrivals(request, bindings.request, message) }
  } catch (error) {
    return ServiceError.from(error)
  }
}

async function readBody(
  request: Request,
  response: Response,
  { upload }: DeclaredOperation['policy'],
): Promise<object> {
  const type = request.headers['content-type']
  const hasBody =
    Number(request.headers['content-length']) > 0 || request.headers['transfer-encoding']
  if (!hasBody) return {}
  if (upload && isUpload(request, upload)) return readUpload(request, response, upload)
  if (!request.is(['json', '+json']))
    throw new ServiceError(
      'unsupported_media_type',
      'NOT_JSON',
      `The body must be application/json, not ${type ?? 'untyped'}`,
    )
  const parse = upload ? createParser('json', upload.largest * escaped) : parseJson
  await parse(request, response)
  return request.body
}

/** The declared fields of the query; one given twice is a list, which a single field refuses. */
function readQuery(request: Request, input: DescMessage): Record<string, unknown> {
  const query = new URL(request.originalUrl, 'http://localhost').searchParams
  const message: Record<string, unknown> = {}
  for (const field of input.fields) {
    const values = query.getAll(field.name)
    if (values.length === 0 || field.fieldKind === 'message') continue
    const read = values.map((value) => readScalar(value, Number(field.scalar)))
    message[field.name] = read.length > 1 || field.fieldKind === 'list' ? read : read[0]
  }
  return message
}

/** Text as the scalar it spells; what it does not spell stays text, for the field rules to refuse. */
function readScalar(text: string, scalar: number): string | number | boolean {
  const integer = scalar === 5 || scalar === 13
  if (integer && /^-?\d{1,10}$/.test(text)) return Number(text)
  if (scalar === 8 && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
