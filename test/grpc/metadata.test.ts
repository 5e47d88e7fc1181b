import { once } from 'node:events'
import { connect } from 'node:http2'
import {
  Client,
  compressionAlgorithms,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import test from 'ava'
import { sendRawGrpc } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createMetadata, type Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const [grpc] = environment.transports as [Transport]
const { people } = await createWorkspaceFixture(environment, grpc)
const path = '/daikon.v1.UserService/GetMe'
const empty = Buffer.alloc(0)
test.after.always(() => environment.stop())

test('binary and other metadata of ordinary size is accepted', async (t) => {
  const metadata = createMetadata({ token: people.viewer.token })
  metadata.set('grpc-trace-bin', Buffer.alloc(29, 1))
  metadata.set('grpc-tags-bin', Buffer.alloc(100, 2))
  metadata.add('app-bin', Buffer.from('one'))
  metadata.add('app-bin', Buffer.from('two'))
  metadata.set('traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01')
  metadata.set('baggage', 'x'.repeat(8000))
  t.like(await sendRawGrpc(environment.grpcPort, path, empty, metadata), { code: 0 })
})

test('errors have binary details', async (t) => {
  const metadata = new Metadata()
  metadata.set('grpc-trace-bin', Buffer.alloc(29, 1))
  const outcome = await sendRawGrpc(environment.grpcPort, path, empty, metadata)
  t.like(outcome, { code: status.UNAUTHENTICATED, reason: 'TOKEN_MISSING' })
})

for (const name of ['x-app', 'x-app-bin'])
  test(`${name} of more than 16 KiB is RESOURCE_EXHAUSTED`, async (t) => {
    const send = (bytes: number) => {
      const metadata = createMetadata({ token: people.viewer.token })
      const value = 'x'.repeat(bytes / 4)
      for (let count = 0; count < 4; count += 1)
        metadata.add(name, name.endsWith('-bin') ? Buffer.from(value, 'base64') : value)
      return sendRawGrpc(environment.grpcPort, path, empty, metadata)
    }
    t.like(await send(14 * 1024), { code: 0 })
    t.like(await send(16 * 1024), {
      code: status.RESOURCE_EXHAUSTED,
      reason: 'METADATA_TOO_LARGE',
      detail: 'The metadata exceeds 16384 bytes',
    })
  })

for (const algorithm of [compressionAlgorithms.gzip, compressionAlgorithms.deflate])
  test(`messages compressed with algorithm ${algorithm} are UNIMPLEMENTED`, async (t) => {
    const client = new Client(`127.0.0.1:${environment.grpcPort}`, credentials.createInsecure(), {
      'grpc.default_compression_algorithm': algorithm,
    })
    t.teardown(() => client.close())
    const identity = (value: Buffer) => value
    const error = await new Promise<ServiceError | null>((resolve) => {
      client.makeUnaryRequest(path, identity, identity, Buffer.alloc(5000), new Metadata(), resolve)
    })
    t.is(error?.code, status.UNIMPLEMENTED)
    t.deepEqual(error?.metadata.get('grpc-accept-encoding'), ['identity'])
  })

test('responses announce that messages must not be compressed', async (t) => {
  const session = connect(`http://127.0.0.1:${environment.grpcPort}`)
  t.teardown(() => session.destroy())
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: `Bearer ${people.viewer.token}`,
  })
  stream.end(Buffer.alloc(5))
  const [headers] = await once(stream, 'response')
  t.is(headers['grpc-accept-encoding'], 'identity')
})
