import { randomUUID } from 'node:crypto'
import { PermissionServiceService, PutRoutesRequest } from '../gen/daikon/v1/permissions.ts'
import {
  AuthorizationService,
  CheckRequest,
  CheckResponse,
} from '../gen/envoy/service/auth/v3/external_auth.ts'
import { grpcHead, http1Lines } from './credentials.ts'
import { kind, serviceKey } from './data-set.ts'
import { createBenchClient } from './grpc-client.ts'
import type { Harness } from './harness.ts'
import { grpcMessage } from './http2-frames.ts'
import type { PreparedRequest } from './prepared-requests.ts'
import {
  type CheckBatchWithResponse,
  writeChecks,
  writeRequests,
  writeRestChecks,
} from './write-requests.ts'

const { putRoutes: put } = PermissionServiceService
const { check } = AuthorizationService
const accepted = Buffer.alloc(0)

/** Declares twenty routes. The last two are about the documents of the data set. */
export async function putRoutes(port: number): Promise<void> {
  const others = Array.from({ length: 9 }, (_, index) => `part${index}`).flatMap((part) => [
    { methods: ['GET', 'HEAD'], path: `/${part}/{id}`, action: 'view', resource_type: part },
    { path: `/${part}/{id}`, action: 'edit', resource_type: part },
  ])
  const { service_name, resource_type } = kind
  const routes = [
    ...others,
    { methods: ['GET', 'HEAD'], path: '/documents/{id}', action: 'view', resource_type },
    { path: '/documents/{id}', action: 'edit', resource_type },
  ]
  const request = PutRoutesRequest.fromPartial({ service_name, routes })
  await withClient(port, (client) =>
    client.call(put.path, undefined, PutRoutesRequest.encode(request).finish()),
  )
}

/**
 * Writes checks of one item as Checks and as the questions of gateways: to forward authentication,
 * to external authorization, and as requests that Envoy forwards. Throws if external authorization
 * decides otherwise.
 */
export async function writeQuestions(
  harness: Harness,
  port: number,
  checks: CheckBatchWithResponse[],
  allowed: boolean,
) {
  const name = `gateway-${allowed ? 'allowed' : 'denied'}`
  const questions = checks.map(toQuestion)
  const write = (kind: string, requests: PreparedRequest[]) =>
    writeRequests(harness, `${name}-${kind}`, requests)
  const external = (read: (question: Question) => CheckRequest) =>
    withClient(port, (client) =>
      Promise.all(
        questions.map(async (question) => {
          const body = CheckRequest.encode(read(question)).finish()
          const expected = await client.call(check.path, undefined, body)
          if ((CheckResponse.decode(expected).ok_response !== undefined) !== allowed)
            throw new Error('External authorization decides otherwise than Check')
          return { head: grpcHead(check.path), body: grpcMessage(body), expected }
        }),
      ),
    )
  return {
    restCheck: writeRestChecks(harness, `${name}-rest`, checks).daikon,
    routes: write('routes', questions.map(askRoutes)),
    action: write('action', questions.map(askAction)),
    grpcCheck: writeChecks(harness, name, checks).daikon,
    externalRoutes: write('external-routes', await external(toExternal)),
    externalAction: write('external-action', await external(toExternalAction)),
    envoy: write('envoy', questions.map(askEnvoy)),
  }
}

/** A request of a user to the application. */
type Question = ReturnType<typeof toQuestion>

function toQuestion({ token, checks }: CheckBatchWithResponse) {
  const [{ action, resource_id } = { action: '', resource_id: '' }] = checks
  const method = action === 'view' ? 'GET' : 'PUT'
  return { token, action, resource_id, method, path: `/documents/${resource_id}` }
}

function askRoutes({ token, method, path }: Question): PreparedRequest {
  const head = http1Lines('GET /access/v1/authorize/request', token, {
    'X-Service-Key': serviceKey,
    'X-Forwarded-Method': method,
    'X-Forwarded-Uri': path,
  })
  return { head, body: accepted, expected: accepted }
}

function askAction({ token, action, resource_id }: Question): PreparedRequest {
  const { resource_type } = kind
  const query = new URLSearchParams({ action, resource_type, resource_id })
  const head = http1Lines(`GET /access/v1/authorize?${query}`, token, {
    'X-Service-Key': serviceKey,
  })
  return { head, body: accepted, expected: accepted }
}

function askEnvoy({ token, method, path }: Question): PreparedRequest {
  const head = http1Lines(`${method} ${path}`, token, { 'Content-Length': '0' })
  return { head, body: accepted, expected: Buffer.from('ok') }
}

/** The fields of Envoy's message that daikon reads. */
function toExternal({ token, method, path }: Question): CheckRequest {
  const headers = {
    ':authority': 'localhost',
    ':method': method,
    ':path': path,
    ':scheme': 'http',
    accept: '*/*',
    authorization: `Bearer ${token}`,
    'user-agent': 'curl/8.14.1',
    'x-forwarded-proto': 'http',
    'x-request-id': randomUUID(),
  }
  return CheckRequest.fromPartial({ attributes: { request: { http: { method, path, headers } } } })
}

function toExternalAction(question: Question): CheckRequest {
  const { attributes } = toExternal(question)
  const { action, resource_id } = question
  const { resource_type } = kind
  const context_extensions = { action, resource_type, resource_id }
  return CheckRequest.fromPartial({ attributes: { ...attributes, context_extensions } })
}

async function withClient<Result>(
  port: number,
  use: (client: ReturnType<typeof createBenchClient>) => Promise<Result>,
): Promise<Result> {
  const client = createBenchClient(port)
  try {
    return await use(client)
  } finally {
    client.close()
  }
}
