// Threat: responses that cost far more than their size.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { createBodyBuffer, maxChunks } from '../../src/outbound/body-buffer.ts'
import { createOutboundClient } from '../../src/outbound/outbound-client.ts'
import { createOutboundHosts } from '../../src/outbound/outbound-hosts.ts'

const maxBytes = 1 << 20

/** Starts a server that sends each of these parts as often as it says, until it is cut off. */
async function startServer(t: ExecutionContext, parts: [text: string, count: number][]) {
  const sent = { bytes: 0 }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => void sendAll(socket))
  })
  async function sendAll(socket: Socket) {
    for (const [text, count] of parts) {
      const batch = Math.min(count, 5000)
      for (let left = count; left > 0 && socket.writable; left -= batch) {
        sent.bytes += text.length * batch
        if (!socket.write(text.repeat(batch)))
          await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
      }
    }
    socket.end()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sent }
}

const send = createOutboundClient(createOutboundHosts({ debug: true, allowed: [] }))
const request = { method: 'GET', signal: AbortSignal.timeout(60_000), maxBytes }

const chunkedHead: [string, number] = ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', 1]
const lastChunk: [string, number] = ['0\r\n\r\n', 1]

test('a body in chunks of one byte is cut off', async (t) => {
  const parts = [chunkedHead, ['1\r\nx\r\n', maxBytes], lastChunk] as [string, number][]
  const { url, sent } = await startServer(t, parts)
  await t.throwsAsync(send(url, request), {
    message: `The response has more than ${maxChunks} chunks`,
  })
  t.true(sent.bytes < 6 * maxBytes, 'the connection is closed')
  const { body } = await send(url, { ...request, isTruncated: true })
  t.true(body.length <= maxChunks + 1)
  t.regex(body.toString(), /^x+$/)
})

test('a body in as many chunks as allowed is read', async (t) => {
  const parts = [chunkedHead, ['2\r\nab\r\n', maxChunks], lastChunk] as [string, number][]
  const { url } = await startServer(t, parts)
  t.is((await send(url, request)).body.toString(), 'ab'.repeat(maxChunks))
})

test('informational responses without an end are cut off', async (t) => {
  const ok: [string, number] = ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 1]
  const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
  const flood = await startServer(t, [[hint, 1_000_000], ok])
  await t.throwsAsync(send(flood.url, request), { message: /more than 20 informational responses/ })
  t.true(flood.sent.bytes < hint.length * 1_000_000)
  const few = await startServer(t, [[hint, 10], ['HTTP/1.1 100 Continue\r\n\r\n', 10], ok])
  t.is((await send(few.url, request)).body.toString(), 'ok')
})

test('a body is collected in a buffer that never exceeds its limit', (t) => {
  const body = createBodyBuffer(100_000)
  const chunk = Buffer.from('0123456789'.repeat(900))
  for (let added = 0; added < 11; added += 1) t.is(body.add(chunk), undefined)
  t.is(body.add(Buffer.alloc(1000, 'z')), undefined)
  t.is(body.read().length, 100_000)
  t.is(body.add(Buffer.from('z')), 'The response is larger than 100000 bytes')
  t.is(body.read().length, 100_000)
  t.true(body.read().buffer.byteLength <= 100_000)
  t.is(body.read().toString(), chunk.toString().repeat(11) + 'z'.repeat(1000))
  t.is(createBodyBuffer(0).add(Buffer.alloc(0)), undefined)
})
