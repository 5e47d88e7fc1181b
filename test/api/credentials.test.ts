import { readFileSync, writeFileSync } from 'node:fs'
import { Client, credentials as grpcCredentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import test from 'ava'
import type { CheckResponse } from '../../gen/envoy/service/auth/v3/external_auth.ts'
import { managementScopes } from '../../src/core/scopes.ts'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import {
  type Declaration,
  readForeignMethods,
  readMethods,
  readStreams,
  readWatches,
} from '../../src/rpc/method.ts'
import { externalAuthorizationService, grpcServices } from '../../src/server/grpc-services.ts'
import { type CredentialKinds, createCredentialKinds } from '../support/credential-kinds.ts'
import { expectOk } from '../support/outcome.ts'
import { readStatusDetails } from '../support/status-details.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const golden = new URL('../golden/credentials.txt', import.meta.url)
const environment = await startTestEnvironment()
const { grpcPort, httpPort } = environment
const client = new Client(`127.0.0.1:${grpcPort}`, grpcCredentials.createInsecure())
test.after.always(async () => {
  client.close()
  await environment.stop()
})

type Headers = Record<string, string>

/** `accepted`, or the HTTP status and the reason of the refusal. */
type Result = string

const registry = readRegistry()
const methods: Declaration[] = [
  ...readMethods(registry),
  ...readStreams(registry),
  ...readWatches(registry),
  ...readForeignMethods(registry),
]

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
async function callRest(method: Declaration, headers: Headers, workspace: string): Promise<Result> {
  const { route, policy } = method as ReturnType<typeof readMethods>[0]
  const message = messages[method.descriptor.name]
  const path = route.path.replace(/\{(\w+)\}/g, (_, field) =>
    field === 'workspace_id' ? workspace : 'x',
  )
  const form = policy.form ? 'application/x-www-form-urlencoded' : 'application/json'
  const forwarded = { 'x-forwarded-method': 'GET', 'x-forwarded-uri': '/' }
  const response = await fetch(`http://127.0.0.1:${httpPort}${path}?unknown=1`, {
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
  if (status === 408) return callRest(method, headers, workspace)
  if (status >= 500) throw new Error(`${method.name} failed: ${await response.text()}`)
  if (status !== 401 && status !== 403) {
    await response.body?.cancel()
    return 'accepted'
  }
  const { reason, error, detail } = (await response.json()) as Record<string, string>
  return `${status} ${reason ?? error ?? detail}`
}

/** Calls a method over gRPC. */
function callGrpc(method: Declaration, headers: Headers): Promise<Result> {
  const definition = Object.values(
    grpcServices[method.service as keyof typeof grpcServices] ?? {},
  ).find(({ path }) => path.endsWith(`/${method.descriptor.name}`))
  const path = `/${method.name}`
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  const message = messages[method.descriptor.name]
  const bytes =
    message && definition
      ? definition.requestSerialize({
          authorization: headers.authorization,
          repeated_parameters: [],
          ...message,
        } as never)
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
function callEnvoyService({ authorization, ...own }: Headers): Promise<Result> {
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
async function call(method: Declaration, headers: Headers, workspace: string): Promise<Result> {
  if (method.name.startsWith('envoy.')) return callEnvoyService(headers)
  const isOverRest = 'route' in method
  const isOverGrpc = Object.hasOwn(grpcServices, method.service)
  const [rest, grpc] = await Promise.all([
    isOverRest ? callRest(method, headers, workspace) : undefined,
    isOverGrpc ? callGrpc(method, headers) : undefined,
  ])
  if (rest === undefined || grpc === undefined || rest === grpc) return (rest ?? grpc) as Result
  return `REST ${rest}, gRPC ${grpc}`
}

function label(method: Declaration): string {
  const name = method.name.replace('daikon.v1.', '')
  if (!('route' in method)) return `${name} (gRPC)`
  return Object.hasOwn(grpcServices, method.service) ? name : `${name} (REST)`
}

/** Returns a line for each kind of credential. */
async function callWithAll(
  method: Declaration,
  kinds: CredentialKinds,
  workspace: string,
): Promise<string> {
  const lines: string[] = []
  for (const [kind, headers] of Object.entries(kinds))
    lines.push(`  ${kind.padEnd(42)} ${await call(method, headers, workspace)}`)
  return lines.join('\n')
}

/**
 * The file has a block for each set of methods that accept and refuse the same. UPDATE_GOLDEN=1 rewrites it.
 */
test('every method accepts the kinds of credentials recorded in test/golden/credentials.txt', async (t) => {
  const [transport] = environment.transports as [Transport]
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, service: service_name, key } = fixture
  const routes = [{ methods: [], path: '/', allow: 'authenticated' }]
  expectOk(await transport.call('PutRoutes', { service_name, routes }, { key }))
  const kinds = await createCredentialKinds(environment, fixture, managementScopes)

  const results = new Map<string, string[]>()
  const rows = await Promise.all(methods.map((method) => callWithAll(method, kinds, workspace)))
  for (const [index, row] of rows.entries())
    results.set(row, [...(results.get(row) ?? []), label(methods[index] as Declaration)])
  const text = [...results].map(([row, names]) => `${names.join('\n')}\n${row}\n`).join('\n')
  if (process.env.UPDATE_GOLDEN) writeFileSync(golden, text)
  t.deepEqual(text.split('\n'), readFileSync(golden, 'utf8').split('\n'))
  t.deepEqual(environment.failures, [])
})
