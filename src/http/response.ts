import type { DescField, DescMessage } from '@bufbuild/protobuf'
import type { Response } from 'express'
import type { Profile } from '../rpc/method.ts'
import type { DeclaredOperation } from '../rpc/operation.ts'
import type { Outcome } from '../rpc/pipeline.ts'
import { structName } from '../rpc/schema.ts'
import { writeBoundFields } from './bound-fields.ts'
import { type HostedPage, renderHostedPage, sendPage } from './hosted-pages.ts'

/** Sends the response message of an operation. */
export type Responder = (response: Response, message: object) => void

/** Creates the responder of an operation. */
export function createResponder(
  { policy, output, bindings, neverEmpty }: DeclaredOperation,
  secureCookies: boolean,
): Responder {
  const { status, responseField, profile, cacheSeconds, pageField } = policy
  const boundNames = bindings.response.map(({ field }) => field)
  const toJson = createJsonWriter(output, profile, boundNames)
  return (response, message) => {
    writeBoundFields(response, bindings.response, message, secureCookies)
    if (cacheSeconds) response.set('Cache-Control', `public, max-age=${cacheSeconds}`)
    const page = pageField && (message as Record<string, unknown>)[pageField]
    if (page) return sendPage(response, 200, renderHostedPage(page as HostedPage))
    response.status(status)
    if (status === 204 || status >= 300) return void response.end()
    const json = toJson(message)
    for (const name of neverEmpty) {
      if ((json[name] as unknown[]).length === 0) delete json[name]
    }
    response.json(responseField ? json[responseField] : json)
  }
}

type JsonWriter = (message: object) => Record<string, unknown>

/** Messages that ts-proto already represents as JSON. */
const jsonMessages = ['google.protobuf.Timestamp', structName]

/**
 * Creates a function that writes the declared fields of a message and no others. Absent optional
 * fields become null, or are omitted under the conventions of AuthZEN and OAuth.
 */
function createJsonWriter(
  message: DescMessage,
  profile: Profile,
  omitted: string[] = [],
): JsonWriter {
  const omitsAbsent = profile !== 'default'
  const writers = message.fields
    .filter(({ name }) => !omitted.includes(name))
    .map((field) => [field.name, createFieldWriter(field, profile)] as const)
  return (value) => {
    const json: Record<string, unknown> = {}
    for (const [name, write] of writers) {
      const field = (value as Record<string, unknown>)[name]
      if (field !== undefined || !omitsAbsent) json[name] = write(field)
    }
    return json
  }
}

function createFieldWriter(field: DescField, profile: Profile): (value: unknown) => unknown {
  if (!field.message || jsonMessages.includes(field.message.typeName))
    return (value) => value ?? null
  const write = createJsonWriter(field.message, profile)
  if (field.fieldKind === 'list') return (value) => (value as object[]).map(write)
  return (value) => (value ? write(value) : null)
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
