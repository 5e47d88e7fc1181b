import { type Client, Metadata, type ServiceError } from '@grpc/grpc-js'
import type { CheckResponse } from '../../gen/envoy/service/auth/v3/external_auth.ts'
import { createSemaphore } from '../../src/core/semaphore.ts'
import type { Declaration, readMethods } from '../../src/rpc/method.ts'
import { externalAuthorizationService, grpcServices } from '../../src/server/grpc-services.ts'
import type { CredentialKinds } from './credential-kinds.ts'
import { readStatusDetails } from './status-details.ts'

/** A server that is asked, over both transports. */
type Server = { httpPort: number; client: Client }

type Headers = Record<string, string>

/** `accepted`, or the HTTP status and the reason of the refusal. */
type Result = string

/**
 * The messages of methods whose handlers verify credentials. The other methods receive a message that is not
 * valid, which is reported only to callers whose credentials are accepted, so that no call changes anything.
 */
const messages: Record<string, Record<string, string>> = {
  IssueToken: { grant_type: 'client_credentials' },
  RevokeToken: { token: 'x' },
  IntrospectToken: { token: 'x' },
  AuthorizeForwarded: { method: 'GET', uri: '/' },
}

/** Calls a method over REST. */
async function callRest(
  server: Server,
  method: Declaration,
  headers: Headers,
  workspace: string,
): Promise<Result> {
  const { route, policy } = method as ReturnType<typeof readMethods>[0]
  const message = messages[method.descriptor.name]
  const path = route.path.replace(/\{(\w+)\}/g, (_, field) =>
    field === 'workspace_id' ? workspace : 'x',
  )
  const form = policy.form ? 'application/x-www-form-urlencoded' : 'application/json'
  const forwarded = { 'x-forwarded-method': 'GET', 'x-forwarded-uri': '/' }
  const response = await fetch(`http://127.0.0.1:${server.httpPort}${path}?unknown=1`, {
    method: route.verb.toUpperCase(),
    headers: {
      ...headers,
      ...(route.body && { 'content-type': form }),
      ...(policy.anyMethod && forwarded),
    },
    redirect: 'manual',
    ...(route.body && { body: message ? new URLSearchParams(message).toString() : '{' }),
  })
  const { status } = response
  if (status === 408) return callRest(server, method, headers, workspace)
  if (status >= 500) throw new Error(`${method.name} failed: ${await response.text()}`)
  if (status !== 401 && status !== 403) {
    await response.body?.cancel()
    return 'accepted'
  }
  const { reason, error, detail } = (await response.json()) as Record<string, string>
  return `${status} ${reason ?? error ?? detail}`
}

/** Calls a method over gRPC. */
function callGrpc({ client }: Server, method: Declaration, headers: Headers): Promise<Result> {
  const definition = Object.values(
    grpcServices[method.service as keyof typeof grpcServices] ?? {},
  ).find(({ path }) => path.endsWith(`/${method.descriptor.name}`))
  const path = `/${method.name}`
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  const message = messages[method.descriptor.name]
  const bytes =
    message && definition
      ? definition.requestSerialize({ authorization: headers.authorization, ...message } as never)
      : Buffer.from([0xff])
  const same = (value: Buffer) => value
  return new Promise((resolve, reject) => {
    const end = (error: ServiceError | null) => {
      if (error && [12, 13, 14].includes(error.code)) reject(error)
      const statuses: Record<number, number> = { 7: 403, 16: 401 }
      const status = error && statuses[error.code]
      resolve(status ? `${status} ${readStatusDetails(error.metadata).reason}` : 'accepted')
    }
    if (method.descriptor.methodKind === 'unary')
      return client.makeUnaryRequest(path, same, same, bytes, metadata, end)
    const isServerStream = method.descriptor.methodKind === 'server_streaming'
    const duplex = isServerStream
      ? undefined
      : client.makeBidiStreamRequest(path, same, same, metadata)
    duplex?.end(bytes)
    const stream = duplex ?? client.makeServerStreamRequest(path, same, same, bytes, metadata)
    stream.on('error', end)
    stream.on('end', () => end(null))
    stream.resume()
  })
}

/** Asks as Envoy does, which sends the credentials of its client in the message. */
function callEnvoyService({ client }: Server, { authorization, ...own }: Headers): Promise<Result> {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(own)) metadata.set(name, value)
  const headers: Headers = authorization ? { authorization } : {}
  const http = { method: 'GET', path: '/', headers }
  const { path, requestSerialize, responseDeserialize } = externalAuthorizationService.check
  return new Promise((resolve, reject) => {
    const end = (error: ServiceError | null, response?: CheckResponse) => {
      if (error) return reject(error)
      const { denied_response: denied } = response as CheckResponse
      resolve(denied ? `${denied.status?.code} ${JSON.parse(denied.body).reason}` : 'accepted')
    }
    const request = { attributes: { request: { http }, context_extensions: {} } }
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, end)
  })
}

/** Calls a method over each transport that serves it. Names the transports if they differ. */
async function call(
  server: Server,
  method: Declaration,
  headers: Headers,
  workspace: string,
): Promise<Result> {
  if (method.name.startsWith('envoy.')) return callEnvoyService(server, headers)
  const isOverRest = 'route' in method
  const isOverGrpc = Object.hasOwn(grpcServices, method.service)
  const [rest, grpc] = await Promise.all([
    isOverRest ? callRest(server, method, headers, workspace) : undefined,
    isOverGrpc ? callGrpc(server, method, headers) : undefined,
  ])
  if (rest === undefined || grpc === undefined || rest === grpc) return (rest ?? grpc) as Result
  return `REST ${rest}, gRPC ${grpc}`
}

function label(method: Declaration): string {
  const name = method.name.replace('daikon.v1.', '')
  if (!('route' in method)) return `${name} (gRPC)`
  return Object.hasOwn(grpcServices, method.service) ? name : `${name} (REST)`
}

/** What a method answers to each kind of credential. */
export type CredentialRow = { label: string; results: [kind: string, result: Result][] }

/** The number of methods that are called at the same time, which a busy machine answers in time. */
const maxCalled = 16

/** Calls each method with each kind of credential. */
export async function readCredentialTable(
  server: Server,
  methods: Declaration[],
  kinds: CredentialKinds,
  workspace: string,
): Promise<CredentialRow[]> {
  const inTurn = createSemaphore(maxCalled)
  const read = async (method: Declaration): Promise<CredentialRow> => {
    const results: CredentialRow['results'] = []
    for (const [kind, headers] of Object.entries(kinds))
      results.push([kind, await call(server, method, headers, workspace)])
    return { label: label(method), results }
  }
  return Promise.all(methods.map((method) => inTurn(() => read(method))))
}

/** Formats a block for each set of methods that accept and refuse the same. */
export function formatCredentialTable(rows: CredentialRow[]): string {
  const blocks = new Map<string, string[]>()
  for (const { label, results } of rows) {
    const text = results.map(([kind, result]) => `  ${kind.padEnd(42)} ${result}`).join('\n')
    blocks.set(text, [...(blocks.get(text) ?? []), label])
  }
  return [...blocks].map(([text, names]) => `${names.join('\n')}\n${text}\n`).join('\n')
}

/** Parses what `formatCredentialTable` returns, with the methods in another order. */
export function parseCredentialTable(text: string): CredentialRow[] {
  return text.split('\n\n').flatMap((block) => {
    const lines = block.trimEnd().split('\n')
    const results = lines
      .filter((line) => line.startsWith('  '))
      .map((line): [string, Result] => [line.slice(2, 44).trimEnd(), line.slice(45)])
    return lines.filter((line) => !line.startsWith('  ')).map((label) => ({ label, results }))
  })
}
