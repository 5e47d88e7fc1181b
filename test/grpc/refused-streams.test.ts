import { once } from 'node:events'
import { connect, constants } from 'node:http2'
import test from 'ava'
import { grpcMessage } from '../../bench/http2-frames.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

/** Opens a stream of checks without credentials, and sends messages until the server resets it. */
async function sendRefused(messages: number) {
  const session = connect(`http://127.0.0.1:${environment.grpcPort}`)
  session.on('error', () => {})
  const stream = session.request(
    {
      ':method': 'POST',
      ':path': '/daikon.v1.PermissionService/CheckStream',
      'content-type': 'application/grpc',
      te: 'trailers',
    },
    { endStream: false },
  )
  stream.on('error', () => {})
  stream.resume()
  const closed = once(stream, 'close')
  const trailers = new Promise<Record<string, unknown>>((resolve) => {
    stream.on('trailers', resolve)
    stream.on('response', (headers) => headers['grpc-status'] && resolve(headers))
  })
  const message = grpcMessage(Buffer.alloc(0))
  for (let sent = 0; sent < messages; sent += 1) stream.write(message)
  return { session, stream, trailers, closed }
}

test('a stream that is refused ends, although its client does not end it', async (t) => {
  t.timeout(120_000)
  const { session, stream, trailers, closed } = await sendRefused(1)
  t.is((await trailers)['grpc-status'], '16')
  await closed
  t.is(stream.rstCode, constants.NGHTTP2_NO_ERROR)
  session.destroy()
})
