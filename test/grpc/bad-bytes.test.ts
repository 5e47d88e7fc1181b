import { randomUUID } from 'node:crypto'
import test from 'ava'
import { PermissionCheckRequest } from '../../gen/daikon/v1/permissions.ts'
import { sendRawGrpc } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const [transport] = environment.transports.filter(({ name }) => name === 'grpc') as [Transport]
const fixture = await createWorkspaceFixture(environment, transport)
test.after.always(() => environment.stop())

const { people, key, kind } = fixture
const presented = { authorization: `Bearer ${people.owner.token}`, 'x-service-key': key }
const item = { ...kind, resource_id: randomUUID(), action: 'view' }
const good = Buffer.from(PermissionCheckRequest.encode({ checks: [item] }).finish())
const check = (bytes: Buffer, credentials: Record<string, string> = presented) =>
  sendRawGrpc(environment.grpcPort, '/daikon.v1.PermissionService/Check', bytes, credentials)

/** gRPC status codes. */
const [ok, invalidArgument, resourceExhausted, unimplemented, unauthenticated] = [0, 3, 8, 12, 16]

test('malformed protobuf returns INVALID_ARGUMENT', async (t) => {
  t.is((await check(good)).code, ok)
  for (const bytes of [
    good.subarray(0, 20),
    good.subarray(1),
    Buffer.from('ff'.repeat(40), 'hex'),
    Buffer.from([0x0a]),
    Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]),
    Buffer.from('{}'),
    Buffer.from([0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]),
  ]) {
    const { code, reason } = await check(bytes)
    t.is(code, invalidArgument, bytes.toString('hex'))
    t.is(reason, 'INVALID_REQUEST')
  }
})

test('100,000 nested groups return INVALID_ARGUMENT', async (t) => {
  t.is((await check(Buffer.alloc(100_000, 0x1b))).code, invalidArgument)
  t.is((await check(Buffer.alloc(100_000, 0x0b))).code, invalidArgument)
})

test('changing any single byte never causes a server error', async (t) => {
  const changed = Array.from({ length: 40 }, (_, index) => {
    const bytes = Buffer.from(good)
    bytes[(index * 3) % bytes.length] = (index * 101) % 256
    return bytes
  })
  const codes = await Promise.all(changed.map(async (bytes) => (await check(bytes)).code))
  // 7 is PERMISSION_DENIED: the change turned the service name into another service's.
  for (const code of codes) t.true([ok, invalidArgument, 7].includes(code), String(code))
})

test('text that is not UTF-8 returns INVALID_ARGUMENT', async (t) => {
  for (const bad of ['ff', 'c328', 'eda080', 'f8a1a1a1a1', 'c080']) {
    const text = Buffer.from(bad, 'hex')
    const inner = Buffer.concat([Buffer.from([0x0a, text.length]), text])
    const bytes = Buffer.concat([Buffer.from([0x0a, inner.length]), inner])
    t.is((await check(bytes)).code, invalidArgument, bad)
  }
})

test('undeclared fields are ignored', async (t) => {
  // Field 1,000 as a varint and field 15 as bytes.
  const more = Buffer.from([0xc0, 0x3e, 0x01, 0x7a, 0x02, 0x68, 0x69])
  t.is((await check(Buffer.concat([more, good, more]))).code, ok)
})

test('garbage without a token returns UNAUTHENTICATED: authentication comes first', async (t) => {
  const { code, reason } = await check(Buffer.from('garbage'), { 'x-service-key': key })
  t.is(code, unauthenticated)
  t.is(reason, 'TOKEN_MISSING')
})

test('a message over 4 MiB returns RESOURCE_EXHAUSTED, a smaller one is accepted', async (t) => {
  const padding = (size: number) => {
    const head = [0x7a, (size & 0x7f) | 0x80, ((size >> 7) & 0x7f) | 0x80]
    head.push(((size >> 14) & 0x7f) | 0x80, size >> 21)
    return Buffer.concat([good, Buffer.from(head), Buffer.alloc(size)])
  }
  t.is((await check(padding(4_100_000))).code, ok)
  t.is((await check(padding(5_000_000))).code, resourceExhausted)
  t.is((await check(good)).code, ok)
})

test('a list of 1,000,000 empty items is rejected quickly with one violation', async (t) => {
  const started = performance.now()
  const { code, violations } = await check(Buffer.alloc(2_000_000, Buffer.from([0x0a, 0])))
  t.is(code, invalidArgument)
  t.deepEqual(violations, [{ field: 'checks', message: 'must contain at most 1000 items' }])
  t.true(performance.now() - started < 15_000, `${performance.now() - started} ms`)
})

test('an undeclared method, service or path returns UNIMPLEMENTED', async (t) => {
  for (const path of [
    '/daikon.v1.PermissionService/Nothing',
    '/daikon.v1.Nothing/Check',
    '/',
    '/Check',
    '/daikon.v1.PermissionService/check',
    '//daikon.v1.PermissionService/Check',
    '/daikon.v1.PermissionService/Check/',
    '/daikon.v1.PermissionService',
  ]) {
    const { code } = await sendRawGrpc(environment.grpcPort, path, good, presented)
    t.is(code, unimplemented, path)
  }
})

test('undeclared metadata has no effect', async (t) => {
  const spoofed = {
    'x-user-id': people.owner.id,
    'x-workspace-id': randomUUID(),
    wid: randomUUID(),
  }
  t.is((await check(good, spoofed)).code, unauthenticated)
  t.is((await check(good, { ...presented, ...spoofed })).code, ok)
})

test.after('the server still responds and has logged no internal error', async (t) => {
  t.is((await check(good)).code, ok)
  t.deepEqual(environment.failures, [])
})
