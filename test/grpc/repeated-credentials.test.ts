import { EventEmitter, once } from 'node:events'
import { connect } from 'node:http2'
import { Metadata } from '@grpc/grpc-js'
import test from 'ava'
import { ListGrantedActionsRequest } from '../../gen/daikon/v1/permissions.ts'
import { UserResponse } from '../../gen/daikon/v1/users.ts'
import { readCall } from '../../src/grpc/incoming.ts'
import { createServiceKey } from '../../src/identity/service-keys.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const [transport] = environment.transports as [Transport]
const { people, key, service } = await createWorkspaceFixture(environment, transport)
const { viewer: bob, owner: alice } = people
test.after.always(() => environment.stop())

/** gRPC codes. */
const [ok, unauthenticated] = [0, 16]

/** What its types do not know yet. */
const lenient: object = { strictSingleValueFields: false }

/** The answer to an empty message whose headers repeat, which grpc-js' client keeps from happening. */
async function call(method: string, headers: Record<string, string[]>, bytes = Buffer.alloc(0)) {
  const session = connect(`http://127.0.0.1:${environment.grpcPort}`, lenient)
  const stream = session.request({
    ...{ ':method': 'POST', ':path': `/daikon.v1.${method}` },
    ...{ 'content-type': 'application/grpc', te: 'trailers', ...headers },
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

test('a service key given twice is refused, whichever is good', async (t) => {
  const request = ListGrantedActionsRequest.encode({ service_name: service }).finish()
  const ask = (...keys: string[]) => {
    const shown = { authorization: [bearer(alice)], 'x-service-key': keys }
    return call('PermissionService/ListGrantedActions', shown, Buffer.from(request))
  }
  t.is((await ask(key)).code, ok)
  for (const keys of [
    [key, key],
    [key, createServiceKey()],
    [createServiceKey(), key],
    [key, ''],
  ])
    t.is((await ask(...keys)).code, unauthenticated, keys.join())
})

test('of two tokens the first is the caller, and the second never acts', async (t) => {
  const me = async (...authorization: string[]) => {
    const { code, message } = await call('UserService/GetMe', { authorization })
    return code === ok ? UserResponse.decode(message).id : code
  }
  t.is(await me(bearer(bob), bearer(alice)), bob.id)
  t.is(await me(bearer(alice), bearer(bob)), alice.id)
  for (const first of ['', 'Bearer', 'Bearer x', 'Basic x', `${bearer(bob)}x`])
    t.is(await me(first, bearer(alice)), unauthenticated, first)
})

test('values that come apart are joined: none of them counts by itself', (t) => {
  const metadata = new Metadata()
  metadata.add('x-service-key', key)
  metadata.add('x-service-key', key)
  metadata.add('authorization', bearer(bob))
  metadata.add('authorization', bearer(alice))
  const incoming = Object.assign(new EventEmitter(), { metadata, getPeer: () => '127.0.0.1:1' })
  const { credentials } = readCall(incoming, {})
  t.is(credentials.serviceKey, `${key}, ${key}`)
  t.is(credentials.authorization, `${bearer(bob)}, ${bearer(alice)}`)
})
