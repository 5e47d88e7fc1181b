import type { DescField, DescMessage } from '@bufbuild/protobuf'
import type { Response } from 'express'
import type { DeclaredOperation } from '../rpc/operation.ts'
import type { Outcome } from '../rpc/pipeline.ts'
import { structName } from '../rpc/schema.ts'
import { writeBoundFields } from './bound-fields.ts'
import { type HostedPage, sendHostedPage } from './hosted-pages.ts'

/** Sends the response message of an operation. */
export type Responder = (response: Response, message: object) => void

/** Creates the responder of an operation. */
export function createResponder(
  operation: DeclaredOperation,
  secureCookies: boolean,
  mediaType = 'json',
): Responder {
  const { policy, output, bindings, neverEmpty } = operation
  const { status, responseField, cacheSeconds, pageField } = policy
  let toJson: JsonWriter | undefined
  return (response, message) => {
    writeBoundFields(response, bindings.response, message, secureCookies)
    if (cacheSeconds) response.set('Cache-Control', `public, max-age=${cacheSeconds}`)
    const page = pageField && (message as Record<string, unknown>)[pageField]
    if (page) return sendHostedPage(response, page as HostedPage)
    response.status(status)
    if (status === 204 || status >= 300) return void response.end()
    // With the first response, because there are hundreds of operations.
    toJson ??= createJsonWriter(output, operation)
    const json = toJson(message)
    for (const name of neverEmpty) {
      if ((json[name] as unknown[]).length === 0) delete json[name]
    }
    response.type(mediaType)
    sendJson(response, responseField ? json[responseField] : json)
  }
}

/**
 * Sends JSON. Node encodes headers like the text that follows them, which would change a request ID
 * with other characters than ASCII, so such a response is sent as bytes.
 */
export function sendJson(response: Response, json: unknown): void {
  const text = JSON.stringify(json)
  const isAscii = !/[\x80-\xff]/.test(response.get('X-Request-ID') ?? '')
  response.send(isAscii ? text : Buffer.from(text))
}

type JsonWriter = (message: object) => Record<string, unknown>

type WrittenOperation = Pick<
  DeclaredOperation,
  'policy' | 'bindings' | 'isEmptyAbsent' | 'listFieldOf'
>

/** Messages that ts-proto already represents as JSON. */
const jsonMessages = ['google.protobuf.Timestamp', 'google.protobuf.ListValue', structName]

/**
 * Returns a writer for the JSON of a message, which contains only declared fields. Absent optional
 * fields become null, or are omitted under the conventions of AuthZEN and OAuth.
 */
export function createJsonWriter(message: DescMessage, operation: WrittenOperation): JsonWriter {
  const omitsAbsent = operation.policy.profile !== 'default'
  const writers = message.fields
    .filter((field) => !operation.bindings.isBound(field))
    .map((field) => [field.name, createFieldWriter(field, operation)] as const)
  return (value) => {
    const json: Record<string, unknown> = {}
    for (const [name, write] of writers) {
      const field = write((value as Record<string, unknown>)[name])
      if (field !== null || !omitsAbsent) json[name] = field
    }
    return json
  }
}

function createFieldWriter(
  field: DescField,
  operation: WrittenOperation,
): (value: unknown) => unknown {
  if (operation.isEmptyAbsent(field)) return (value) => value || null
  if (!field.message || jsonMessages.includes(field.message.typeName))
    return (value) => value ?? null
  const write = createMessageWriter(field.message, operation)
  if (field.fieldKind === 'list') return (value) => (value as object[]).map(write)
  return (value) => (value ? write(value) : null)
}

function createMessageWriter(
  message: DescMessage,
  operation: WrittenOperation,
): (value: object) => unknown {
  const list = operation.listFieldOf(message)
  if (!list) return createJsonWriter(message, operation)
  const write = createFieldWriter(list, operation)
  return (value) => write((value as Record<string, unknown>)[list.name])
}

/**
 * Sets the headers that describe the window closest to its limit
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export function setRateLimitHeaders(response: Response, result: Outcome['rateLimit']): void {
  if (!result) return
  const { name, limit, period, remaining, reset } = result
  response.set('RateLimit-Policy', `"${name}";q=${limit};w=${period}`)
  response.set('RateLimit', `"${name}";r=${remaining};t=${reset}`)
}
