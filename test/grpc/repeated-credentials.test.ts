import { EventEmitter, once } from 'node:events'
import { connect } from 'node:http2'
import { Metadata } from '@grpc/grpc-js'
import test from 'ava'
import { ListGrantedActionsRequest } from '../../gen/daikon/v1/permissions.ts'
import { UserResponse } from '../../gen/daikon/v1/users.ts'
import { createReadCall } from '../../src/grpc/incoming.ts'
import { createServiceKey } from '../../src/identity/service-keys.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const [transport] = environment.transports as [Transport]
const { people, key, service } = await createWorkspaceFixture(environment, transport)
const { viewer: bob, owner: alice } = people
test.after.always(() => environment.stop())

/** gRPC status codes. */
const [ok, unauthenticated] = [0, 16]

/** An option that @types/node does not declare yet. */
const lenient: object = { strictSingleValueFields: false }

/** Calls a method with repeated headers, which the client of grpc-js does not send. */
async function call(method: string, headers: Record<string, string[]>, bytes = Buffer.alloc(0)) {
  const session = connect(`http://127.0.0.1:${environment.grpcPort}`, lenient)
  const stream = session.request({
    ':method': 'POST',
    ':path': `/daikon.v1.${method}`,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  })
  const head = Buffer.alloc(5)
  head.writeUInt32BE(bytes.length, 1)
  stream.end(Buffer.concat([head, bytes]))
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  let code: number | undefined
  for (const event of ['response', 'trailers']) {
    stream.on(event, (fields) => {
      if ('grpc-status' in fields) code = Number(fields['grpc-status'])
    })
  }
  await once(stream, 'close')
  session.close()
  return { code, message: Buffer.concat(chunks).subarray(5) }
}

const bearer = ({ token }: { token: string }) => `Bearer ${token}`

test('a repeated service key is rejected, whichever of the two is valid', async (t) => {
  const request = ListGrantedActionsRequest.encode({ service_name: service }).finish()
  const callWithKeys = (...keys: string[]) => {
    const presented = { authorization: [bearer(alice)], 'x-service-key': keys }
    return call('PermissionService/ListGrantedActions', presented, Buffer.from(request))
  }
  t.is((await callWithKeys(key)).code, ok)
  for (const keys of [
    [key, key],
    [key, createServiceKey()],
    [createServiceKey(), key],
    [key, ''],
  ])
    t.is((await callWithKeys(...keys)).code, unauthenticated, keys.join())
})

test('of two authorization headers, only the first counts', async (t) => {
  const me = async (...authorization: string[]) => {
    const { code, message } = await call('UserService/GetMe', { authorization })
    return code === ok ? UserResponse.decode(message).id : code
  }
  t.is(await me(bearer(bob), bearer(alice)), bob.id)
  t.is(await me(bearer(alice), bearer(bob)), alice.id)
  for (const first of ['', 'Bearer', 'Bearer x', 'Basic x', `${bearer(bob)}x`])
    t.is(await me(first, bearer(alice)), unauthenticated, first)
})

test('repeated metadata values are joined, so that none of them is valid', (t) => {
  const metadata = new Metadata()
  metadata.add('x-service-key', key)
  metadata.add('x-service-key', key)
  metadata.add('authorization', bearer(bob))
  metadata.add('authorization', bearer(alice))
  const incoming = Object.assign(new EventEmitter(), { metadata, getPeer: () => '127.0.0.1:1' })
  const { credentials } = createReadCall(0)(incoming)
  t.is(credentials.serviceKey, `${key}, ${key}`)
  t.is(credentials.authorization, `${bearer(bob)}, ${bearer(alice)}`)
})
