import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import test from 'ava'
import {
  frame,
  frameType,
  grpcHeadersFrame,
  grpcMessage,
  preface,
} from '../../bench/http2-frames.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

const checkPath = '/daikon.v1.PermissionService/Check'
const streamPath = '/daikon.v1.PermissionService/CheckStream'

/** Milliseconds after which a connection of a stranger has been closed, on a busy machine. */
const closedAfter = 45_000

/** A client that reads nothing of what the server says. */
async function openSocket() {
  const socket = connect(environment.grpcPort, '127.0.0.1')
  socket.on('error', () => {})
  socket.resume()
  await once(socket, 'connect')
  socket.write(preface)
  let next = 1
  return {
    socket,
    /** Opens a stream and returns its ID. */
    open(path: string, headers: Record<string, string> = {}): number {
      const id = next
      next += 2
      const head = Buffer.from(grpcHeadersFrame(path, headers))
      head.writeUInt32BE(id, 5)
      socket.write(head)
      return id
    },
    send(id: number, isLast = false): void {
      const message = grpcMessage(Buffer.alloc(0))
      socket.write(frame(frameType.data, isLast ? 1 : 0, id, message))
    },
  }
}

/** Returns whether the server closes a connection while `goOn` runs every 100 ms. */
async function isClosedDuring(socket: Socket, milliseconds: number, goOn: () => void) {
  const timer = setInterval(goOn, 100)
  const isClosed = await new Promise<boolean>((resolve) => {
    const timeout = setTimeout(resolve, milliseconds, false)
    socket.once('close', () => {
      clearTimeout(timeout)
      resolve(true)
    })
  })
  clearInterval(timer)
  socket.destroy()
  return isClosed
}

test('a connection whose only stream was refused is closed while its client goes on sending', async (t) => {
  t.timeout(2 * closedAfter)
  const { socket, open, send } = await openSocket()
  const stream = open(streamPath)
  send(stream)
  t.true(await isClosedDuring(socket, closedAfter, () => send(stream)))
})

test('a connection whose calls are all refused is closed while its client goes on calling', async (t) => {
  t.timeout(2 * closedAfter)
  const { socket, open, send } = await openSocket()
  const goOn = () => send(open(checkPath, { 'x-service-key': `dk_${'x'.repeat(40)}` }), true)
  t.true(await isClosedDuring(socket, closedAfter, goOn))
})

test('a connection of which a call was served stays open when others are refused', async (t) => {
  t.timeout(2 * closedAfter)
  const { socket, open, send } = await openSocket()
  send(open('/grpc.health.v1.Health/Check'), true)
  t.false(await isClosedDuring(socket, 30_000, () => send(open(checkPath), true)))
})

test('a connection with a stream in progress stays open when others are refused', async (t) => {
  t.timeout(2 * closedAfter)
  const { socket, open, send } = await openSocket()
  send(open('/grpc.health.v1.Health/Watch'), true)
  t.false(await isClosedDuring(socket, 30_000, () => send(open(checkPath), true)))
})
