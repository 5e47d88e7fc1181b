import type { DescMessage } from '@bufbuild/protobuf'
import type { CookieDeclaration } from '../../src/rpc/bound-fields.ts'
import type { Route } from '../../src/rpc/method.ts'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { movePosition } from './move-position.ts'
import { checkConformance } from './openapi-conformance.ts'
import {
  codeOf,
  type Outcome,
  type PresentedCredentials,
  pickMethod,
  type Transport,
} from './transports.ts'

type Message = Record<string, unknown>

/**
 * The public REST API: translates messages to requests as declared, and responses back to messages.
 * Throws on a response that /openapi.json does not describe, unless another version responds.
 */
export function createRestTransport(
  operations: DeclaredOperation[],
  port: number,
  isOtherVersion = false,
): Transport {
  return {
    name: 'rest',
    label: 'REST',
    async call(name, message, credentials = {}) {
      const operation = pickMethod(operations, name, (known) => known.name)
      const route = findRoute(operation, message as Message)
      const { path, method, headers, body } = createRequest(
        operation,
        route,
        message as Message,
        credentials,
      )
      const send = () =>
        fetch(`http://127.0.0.1:${port}${path}`, {
          method,
          headers,
          redirect: 'manual',
          ...(body !== undefined && { body }),
        })
      let response = await send()
      // On a busy machine, a request may arrive more than ten seconds after its connection.
      while (response.status === 408) response = await send()
      if (!isOtherVersion) await checkConformance(operation, route, response.clone())
      return readResponse(response, operation)
    },
    close: () => {},
  }
}

/** Returns the first route for which the message has all path fields, with a body for a form. */
function findRoute({ route, routes, bindings }: DeclaredOperation, message: Message): Route {
  const isForm = bindings.request.some(({ field, form }) => form && message[field] === true)
  const canFill = ({ pathFields, body }: Route) =>
    pathFields.every((field) => message[field] !== undefined) && (body || !isForm)
  return routes.find(canFill) ?? route
}

function createRequest(
  operation: DeclaredOperation,
  route: Route,
  message: Message,
  credentials: PresentedCredentials,
) {
  const { bindings, policy } = operation
  const rest = { ...message }
  const take = (field: string) => {
    const value = rest[field]
    delete rest[field]
    return value
  }
  const headers: Record<string, string> = {}
  const cookies = credentials.admin === undefined ? [] : [`admin_token=${credentials.admin}`]
  const bound = new URLSearchParams()
  for (const { field, header, cookie, query } of bindings.request) {
    const name = cookie && cookieName(cookie, message)
    const value = take(field)
    if (value === undefined) continue
    if (header) headers[header] = String(value)
    if (query) bound.set(field, String(value))
    if (name) cookies.push(`${name}=${value}`)
  }
  const path = route.path.replace(/\{(\w+)\}/g, (_, field) =>
    encodeURIComponent(String(take(field))),
  )
  const isObject = (value: unknown) => typeof value === 'object' && !Array.isArray(value)
  const parameters = Object.entries(rest)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, isObject(value) ? JSON.stringify(value) : value])
  const inQuery = route.body ? bound : new URLSearchParams(parameters as [string, string][])
  const query = inQuery.size > 0 ? `?${inQuery}` : ''
  if (route.body) headers['content-type'] = policy.form ? formType : 'application/json'
  if (credentials.token !== undefined) headers.authorization = `Bearer ${credentials.token}`
  if (credentials.key !== undefined) headers['x-service-key'] = credentials.key
  if (cookies.length > 0) headers.cookie = cookies.join('; ')
  // The origin of the admin console, which a browser sends.
  if (credentials.admin !== undefined) headers.origin = 'http://localhost:9004'
  return {
    path: path + query,
    method: route.verb.toUpperCase(),
    headers: { ...headers, ...credentials.headers },
    body: route.body ? writeBody(toJson(rest, operation.input, operation), policy.form) : undefined,
  }
}

const formType = 'application/x-www-form-urlencoded'

function writeBody(message: Message, isForm: boolean): string {
  if (!isForm) return JSON.stringify(message)
  const fields = Object.entries(message).filter(([, value]) => value !== undefined)
  return new URLSearchParams(fields as [string, string][]).toString()
}

/**
 * Reads a fetch response. With `operation`, header and cookie fields and bare arrays become message
 * fields.
 */
export async function readResponse(
  response: Response,
  operation?: DeclaredOperation,
): Promise<Outcome> {
  const headers = Object.fromEntries(response.headers)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies.join('\n')
  const text = await response.text()
  const isPage = /^text\/html/.test(headers['content-type'] ?? '')
  const json = isPage ? { html: text } : text ? JSON.parse(text) : {}
  if (response.status < 400) {
    const field = operation?.policy.responseField
    const read = { ...(field ? { [field]: json } : json) }
    const message = {
      ...(operation ? fromJson(read, operation.output, operation) : read),
      ...readBoundFields(response, operation),
    }
    const outcome: Outcome = { ok: true, message, status: response.status, headers }
    return operation ? movePosition(outcome, operation) : outcome
  }
  const retry = response.headers.get('retry-after')
  // Errors of the OAuth endpoints have the members `error` and `error_description` instead.
  const reason = json.reason ?? String(json.error).toUpperCase()
  const detail = json.detail ?? json.error_description
  return {
    ok: false,
    code: codeOf({ reason, detail }, ({ http }) => http === response.status),
    reason,
    detail,
    violations: json.errors ?? [],
    retryAfter: retry ? Number(retry) : undefined,
    headers,
  }
}

type ListFieldOf = Pick<DeclaredOperation, 'listFieldOf'>

/** Replaces messages whose JSON is a list by the list. */
export function toJson(value: Message, message: DescMessage, operation: ListFieldOf): Message {
  return convertLists(value, message, operation, (content, { name }) => (content as Message)[name])
}

/** Replaces lists that are the JSON of messages by the messages, and null by undefined. */
function fromJson(value: Message, message: DescMessage, operation: ListFieldOf): Message {
  return convertLists(value, message, operation, (content, { name }) => ({ [name]: content }))
}

function convertLists(
  value: Message,
  { fields }: DescMessage,
  operation: ListFieldOf,
  convert: (content: unknown, list: { name: string }) => unknown,
): Message {
  const converted = { ...value }
  for (const { name, message: type } of fields) {
    const content = converted[name]
    if (!type || type.typeName.startsWith('google.') || typeof content !== 'object' || !content)
      continue
    const list = operation.listFieldOf(type)
    const nested = (one: unknown) => convertLists(one as Message, type, operation, convert)
    if (list) converted[name] = convert(content, list)
    else converted[name] = Array.isArray(content) ? content.map(nested) : nested(content)
  }
  return converted
}

function readBoundFields(response: Response, operation: DeclaredOperation | undefined): Message {
  const message: Message = {}
  for (const { field, header, cookie } of operation?.bindings.response ?? []) {
    const value = header && response.headers.get(header)
    if (value) message[field] = value
    if (!cookie) continue
    const pattern = new RegExp(
      `^${cookie.name.replace(/\{(\w+)\}/, '(?<$1>[^=]*)')}=(?<value>[^;]*)`,
    )
    for (const line of response.headers.getSetCookie()) {
      const { value: content, ...others } = pattern.exec(line)?.groups ?? {}
      if (content !== undefined) Object.assign(message, others, { [field]: content })
    }
  }
  return message
}

function cookieName({ name }: CookieDeclaration, message: Message): string {
  return name.replace(/\{(\w+)\}/, (_, field) => String(message[field] ?? ''))
}
