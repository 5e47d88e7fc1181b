import type { CookieDeclaration } from '../../src/rpc/bound-fields.ts'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { createConformanceCheck } from './openapi-conformance.ts'
import {
  codeOf,
  type Outcome,
  type PresentedCredentials,
  pickMethod,
  type Transport,
} from './transports.ts'

type Message = Record<string, unknown>

/**
 * The outside transport: messages become requests as declared, answers become messages again. An answer
 * that /openapi.json does not tell of is an error.
 */
export function createRestTransport(operations: DeclaredOperation[], port: number): Transport {
  const conform = createConformanceCheck(operations)
  return {
    name: 'rest',
    label: 'REST',
    async call(name, message, shown = {}) {
      const operation = pickMethod(operations, name, (known) => known.name)
      const { path, method, headers, body } = createRequest(operation, message as Message, shown)
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        ...{ method, headers, redirect: 'manual' },
        ...(body !== undefined && { body }),
      })
      await conform(operation, response.clone())
      return readResponse(response, operation)
    },
    close: () => {},
  }
}

function createRequest(
  { route, bindings }: DeclaredOperation,
  message: Message,
  shown: PresentedCredentials,
) {
  const rest = { ...message }
  const take = (field: string) => {
    const value = rest[field]
    delete rest[field]
    return value
  }
  const headers: Record<string, string> = {}
  const cookies = shown.admin === undefined ? [] : [`admin_token=${shown.admin}`]
  for (const { field, header, cookie } of bindings.request) {
    const name = cookie && cookieName(cookie, message)
    const value = take(field)
    if (value === undefined) continue
    if (header) headers[header] = String(value)
    if (name) cookies.push(`${name}=${value}`)
  }
  const path = route.path.replace(/\{(\w+)\}/g, (_, field) =>
    encodeURIComponent(String(take(field))),
  )
  const query = route.body ? '' : `?${new URLSearchParams(rest as Record<string, string>)}`
  if (route.body) headers['content-type'] = 'application/json'
  if (shown.token !== undefined) headers.authorization = `Bearer ${shown.token}`
  if (shown.key !== undefined) headers['x-service-key'] = shown.key
  if (cookies.length > 0) headers.cookie = cookies.join('; ')
  // What a browser says of our own pages.
  if (shown.admin !== undefined) headers.origin = 'http://localhost:9004'
  return {
    path: path + query,
    method: route.verb.toUpperCase(),
    headers: { ...headers, ...shown.headers },
    body: route.body ? JSON.stringify(rest) : undefined,
  }
}

/** A fetch response as an ending; with its operation, travelling fields and bare arrays are folded back. */
export async function readResponse(
  response: Response,
  operation?: DeclaredOperation,
): Promise<Outcome> {
  const headers = Object.fromEntries(response.headers)
  const text = await response.text()
  const json = text ? JSON.parse(text) : {}
  if (response.status < 400) {
    const field = operation?.policy.responseField
    const message = { ...(field ? { [field]: json } : json), ...arrived(response, operation) }
    return { ok: true, message, status: response.status, headers }
  }
  const retry = response.headers.get('retry-after')
  return {
    ok: false,
    code: codeOf(json.reason, ({ http }) => http === response.status),
    reason: json.reason,
    detail: json.detail,
    violations: json.errors ?? [],
    retryAfter: retry ? Number(retry) : undefined,
    headers,
  }
}

function arrived(response: Response, operation: DeclaredOperation | undefined): Message {
  const message: Message = {}
  for (const { field, header, cookie } of operation?.bindings.response ?? []) {
    if (header) message[field] = response.headers.get(header) ?? undefined
    if (!cookie) continue
    const pattern = new RegExp(
      `^${cookie.name.replace(/\{(\w+)\}/, '(?<$1>[^=]*)')}=(?<value>[^;]*)`,
    )
    for (const line of response.headers.getSetCookie()) {
      const { value, ...others } = pattern.exec(line)?.groups ?? {}
      if (value !== undefined) Object.assign(message, others, { [field]: value })
    }
  }
  return message
}

function cookieName({ name }: CookieDeclaration, message: Message): string {
  return name.replace(/\{(\w+)\}/, (_, field) => String(message[field] ?? ''))
}
