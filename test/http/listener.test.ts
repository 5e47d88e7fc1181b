import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import test from 'ava'
import { createHttpListener } from '../../src/http/listener.ts'
import { waitUntil } from '../support/wait-until.ts'

/** Longer than any test. */
const minutes = 600_000

/** Starts a listener whose responses end with `finish`, and a connection with a request to it. */
async function openConnection() {
  const finishers: (() => void)[] = []
  const listener = createHttpListener((_request, response) => {
    finishers.push(() => response.end('done'))
  }, {})
  const socket = connect(await listener.listen('127.0.0.1', 0), '127.0.0.1')
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes
  })
  const closed = once(socket, 'close')
  const send = async () => {
    const sent = finishers.length
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await waitUntil(() => finishers.length > sent)
  }
  await send()
  return {
    listener,
    closed,
    send,
    finish: () => finishers.at(-1)?.(),
    /** Waits for a response, and returns all of them. */
    receive: async (count: number) => {
      await waitUntil(() => received.split('done').length > count)
      return received
    },
  }
}

test('during a drain, a request on an idle connection gets a response that announces its end', async (t) => {
  const { listener, closed, send, finish, receive } = await openConnection()
  finish()
  t.regex(await receive(1), /^Connection: keep-alive\r$/m)
  const drained = listener.drain(minutes, minutes)
  await send()
  finish()
  t.regex(await receive(2), /^Connection: close\r$/m)
  await Promise.all([closed, drained])
})

test('the response to a request that runs when a drain begins announces the end of its connection', async (t) => {
  const { listener, closed, finish, receive } = await openConnection()
  const drained = listener.drain(minutes, minutes)
  await listener.stopListening()
  finish()
  t.regex(await receive(1), /^Connection: close\r$/m)
  await Promise.all([closed, drained])
})

test('a drain responds to all connections that wait to be accepted', async (t) => {
  let connections = 0
  const listener = createHttpListener((_request, response) => response.end('done'), {})
  const port = await listener.listen('127.0.0.1', 0)
  const open = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('connect', () => {
        connections += 1
      })
      let received = ''
      socket.on('data', (bytes) => {
        received += bytes
      })
      socket.on('error', reject)
      socket.on('close', () => resolve(received))
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    })
  const responses = Array.from({ length: 100 }, open)
  // The system has completed the handshakes, and the server has not accepted a connection yet.
  const drained = listener.drain(minutes, minutes)
  for (const response of await Promise.all(responses))
    t.regex(response, /^HTTP\/1\.1 200 [\s\S]*done$/)
  t.is(connections, 100)
  await drained
})

test('a drain closes connections that have been idle for long enough', async (t) => {
  const { listener, closed, finish, receive } = await openConnection()
  const startedAt = performance.now()
  finish()
  await receive(1)
  await Promise.all([listener.drain(minutes, 300), closed])
  t.true(performance.now() - startedAt > 299)
})

test('the rest of a packet is not parsed once its connection is closed', async (t) => {
  for (const head of ['GET / HTTP/1.1', 'GET / HTTP/1.1\r\nExpect: x']) {
    let cancelled = false
    const listener = createHttpListener((_request, response) => {
      response.once('close', () => {
        cancelled = true
      })
    }, {})
    const port = await listener.listen('127.0.0.1', 0)
    let started = 0
    const count = (message: unknown) => {
      const { socket } = (message as { request: { socket: Socket } }).request
      if (socket.localPort === port || socket.destroyed) started += 1
    }
    subscribe('http.server.request.start', count)
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    const closed = once(socket, 'close')
    // The first request waits for its response.
    socket.write(`GET / HTTP/1.1\r\n\r\n${`${head}\r\n\r\n`.repeat(1000)}`)
    await closed
    await waitUntil(() => cancelled)
    unsubscribe('http.server.request.start', count)
    t.true(started <= 20, `${started} requests`)
    await listener.drain(minutes)
  }
})
