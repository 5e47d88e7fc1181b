import { type DescField, type FileRegistry, ScalarType } from '@bufbuild/protobuf'
import { receivedReason } from '../core/define-reasons.ts'
import { type ErrorCode, errorCodes } from '../core/error-codes.ts'
import { ServiceError } from '../core/errors.ts'
import { isSecureUrl } from '../core/loopback.ts'
import { readBoundFields } from '../rpc/bound-fields.ts'
import { readRegistry } from '../rpc/descriptors.ts'
import { type Method, readMethods } from '../rpc/method.ts'
import { UsageError } from './failure.ts'
import { requireValid } from './require-valid.ts'

type Message = Record<string, unknown>

/** Calls any AdminService method. The caller knows the type of the response. */
export type RemoteAdminApi = (key: string, request: object) => Promise<never>

/** Signs in to a server as a management app. Returns calls of AdminService over REST. */
export async function connectToServer(
  server: string,
  env: NodeJS.ProcessEnv,
): Promise<RemoteAdminApi> {
  const { DAIKON_CLIENT_ID: id, DAIKON_CLIENT_SECRET: secret } = env
  if (!id || !secret)
    throw new UsageError('Set DAIKON_CLIENT_ID and DAIKON_CLIENT_SECRET to use --server')
  const baseUrl = readServerUrl(server)
  const token = await fetchToken(baseUrl, id, secret)
  const registry = readRegistry()
  const methods = readMethods(registry).filter(({ service }) => service === 'AdminService')
  return async (key, request) => {
    const method = methods.find((candidate) => candidate.key === key)
    if (!method) throw new Error(`AdminService has no method ${key}`)
    const { url, init } = createRequest(baseUrl, method, requireValid(key, { ...request }))
    const headers = { ...init.headers, authorization: `Bearer ${token}` }
    const response = await send(url, { ...init, headers })
    const text = await response.text()
    const { responseField: field } = method.policy
    const message = withoutNulls(text ? JSON.parse(text) : {})
    const body = field ? { [field]: message } : (message as Message)
    return { ...body, ...readHeaders(registry, method, response.headers) } as never
  }
}

/** Returns the fields of a response that are headers over REST, such as the number of all items. */
function readHeaders(registry: FileRegistry, { output }: Method, headers: Headers): Message {
  const fields: Message = {}
  for (const { field, header } of readBoundFields(registry, output)) {
    const text = header && headers.get(header)
    if (typeof text !== 'string') continue
    fields[field] = parseHeader(
      output.fields.find(({ name }) => name === field),
      text,
    )
  }
  return fields
}

function parseHeader(field: DescField | undefined, text: string): unknown {
  if (field?.fieldKind === 'list') return JSON.parse(text)
  return field?.scalar === ScalarType.STRING ? text : Number(text)
}

/** The secret must not cross a network in plaintext. */
function readServerUrl(server: string): string {
  if (isSecureUrl(server)) return new URL(server).href.replace(/\/$/, '')
  throw new UsageError(`--server must be an https URL, or an http URL of this machine: ${server}`)
}

async function fetchToken(baseUrl: string, id: string, secret: string): Promise<string> {
  const credentials = [id, secret].map(encodeURIComponent).join(':')
  const response = await send(`${baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

/** Translates a request message to a REST request, as the proto declares the method. */
function createRequest(
  baseUrl: string,
  { route, policy }: Method,
  request: object,
): { url: string; init: { method: string; headers: Record<string, string>; body?: string } } {
  const rest: Message = { ...request }
  const path = route.path.replace(/\{(\w+)\}/g, (_, field) => {
    const value = String(rest[field])
    delete rest[field]
    return encodeURIComponent(value)
  })
  const method = route.verb.toUpperCase()
  if (policy.upload) {
    const headers = { 'content-type': policy.upload.mediaType }
    return {
      url: baseUrl + path,
      init: { method, headers, body: String(rest[policy.upload.field]) },
    }
  }
  if (route.body) {
    const headers = { 'content-type': 'application/json' }
    return { url: baseUrl + path, init: { method, headers, body: JSON.stringify(rest) } }
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined) continue
    query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  return {
    url: `${baseUrl}${path}${query.size > 0 ? `?${query}` : ''}`,
    init: { method, headers: {} },
  }
}

/** Sends a request. Throws the error that the server reports. */
async function send(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' }).catch((error: Error) => {
    const { code = error.message } = (error.cause ?? {}) as { code?: string }
    throw new UsageError(`Cannot reach ${new URL(url).origin} (${code})`)
  })
  if (response.ok) return response
  const problem = (await response.json().catch(() => ({}))) as Problem
  if (problem.error)
    throw new UsageError(`The server rejected the credentials: ${problem.error_description}`)
  const [code] = (Object.entries(errorCodes) as [ErrorCode, { http: number }][]).find(
    ([, { http }]) => http === response.status,
  ) ?? ['internal' as const]
  const { reason = 'INTERNAL', detail = `The server responded with ${response.status}` } = problem
  throw new ServiceError(receivedReason(reason, code), detail, {
    violations: problem.errors ?? [],
  })
}

type Problem = {
  reason?: string
  detail?: string
  errors?: { field: string; message: string }[]
  /** RFC 6749, section 5.2. */
  error?: string
  error_description?: string
}

/** Absent fields are null over REST. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => field !== null)
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]))
}
