import { randomUUID } from 'node:crypto'
import { status } from '@grpc/grpc-js'
import test from 'ava'
import { EvaluateRequest } from '../../gen/daikon/v1/access.ts'
import { PermissionCheck } from '../../gen/daikon/v1/permissions.ts'
import { sendRawGrpc } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createMetadata, type Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const [grpc] = environment.transports as [Transport]
const { key, kind, people } = await createWorkspaceFixture(environment, grpc)
test.after.always(() => environment.stop())

const checkPath = '/daikon.v1.PermissionService/Check'
const evaluatePath = '/daikon.v1.AccessService/Evaluate'
const batchPath = '/daikon.v1.AccessService/EvaluateBatch'
const valid = { key, token: people.viewer.token }

/** A list of empty messages, two bytes each. */
function emptyItems(count: number, field: number): Buffer {
  return Buffer.alloc(count * 2, Buffer.from([(field << 3) | 2, 0]))
}

test.serial('items are counted before one of them is decoded', async (t) => {
  let decoded = 0
  const { decode } = PermissionCheck
  t.teardown(() => Object.assign(PermissionCheck, { decode }))
  Object.assign(PermissionCheck, {
    decode(...bytes: Parameters<typeof decode>) {
      decoded += 1
      return decode.apply(PermissionCheck, bytes)
    },
  })
  const send = (count: number) =>
    sendRawGrpc(environment.grpcPort, checkPath, emptyItems(count, 1), createMetadata(valid))
  t.like(await send(1_900_000), {
    code: status.INVALID_ARGUMENT,
    detail: 'checks must contain at most 1000 items',
  })
  t.is(decoded, 0)
  await send(1000)
  t.is(decoded, 1000)
})

test.serial('a batch of 1,000 checks is accepted', async (t) => {
  const resource_id = randomUUID()
  const checks = Array.from({ length: 1000 }, () => ({ ...kind, resource_id, action: 'view' }))
  const outcome = await grpc.call('Check', { checks }, valid)
  t.true(outcome.ok, JSON.stringify(outcome))
})

const unknownKey = { key: `dk_${'x'.repeat(40)}` }
const malformed = Buffer.alloc(20_000, 0xff)

for (const [title, path, presented, reason] of [
  ['without credentials', checkPath, {}, 'TOKEN_MISSING'],
  ['with an unknown service key', batchPath, unknownKey, 'SERVICE_KEY_INVALID'],
  ['with a valid service key', batchPath, { key }, 'INVALID_REQUEST'],
  ['with a valid token', checkPath, valid, 'INVALID_REQUEST'],
] as const)
  test.serial(`a malformed message of 20 kB ${title} is ${reason}`, async (t) => {
    const metadata = createMetadata(presented)
    t.is((await sendRawGrpc(environment.grpcPort, path, malformed, metadata)).reason, reason)
  })

test.serial('a message to a public method may have 16 KiB', async (t) => {
  const path = '/daikon.v1.AuthService/RefreshToken'
  const send = (bytes: number) => sendRawGrpc(environment.grpcPort, path, Buffer.alloc(bytes, 0xff))
  t.like(await send(16 * 1024), { reason: 'INVALID_REQUEST' })
  t.like(await send(16 * 1024 + 1), {
    code: status.RESOURCE_EXHAUSTED,
    reason: 'MESSAGE_TOO_LARGE',
  })
})

const nested = (depth: number): unknown => (depth === 0 ? 1 : { deeper: nested(depth - 1) })

for (const [title, context, detail] of [
  [
    '50,001 values',
    { list: Array(50_001).fill(null) },
    'The message must contain at most 50000 values',
  ],
  ['65 levels', nested(66), 'JSON must be nested at most 64 levels deep'],
] as const)
  test.serial(`JSON of ${title} is INVALID_ARGUMENT`, async (t) => {
    const message = EvaluateRequest.encode({
      subject: { type: 'user', id: people.viewer.id },
      action: { name: 'view' },
      resource: { type: kind.resource_type, id: 'x' },
      context: context as Record<string, unknown>,
    }).finish()
    const metadata = createMetadata({ key })
    const bytes = Buffer.from(message)
    const outcome = await sendRawGrpc(environment.grpcPort, evaluatePath, bytes, metadata)
    t.like(outcome, { code: status.INVALID_ARGUMENT, detail })
  })
