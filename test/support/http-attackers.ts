import { connect } from 'node:net'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { readMethods } from '../../src/rpc/method.ts'
import type { AttackTarget } from './attacked-server.ts'
import { worstInputs } from './worst-inputs.ts'

/** The responses to an attack by status. 0 stands for a connection that ended without one. */
type Statuses = Record<string, number>

/** Milliseconds after which a connection is given up. */
const timeLimit = 30_000

/**
 * Writes `bytes` of pipelined requests to each HTTP port, `times` times, and waits until the server
 * ends each connection or has responded to all requests.
 */
export async function pipelineRequests({
  httpPort,
  consolePort,
  metricsPort,
  options: { bytes, times },
}: AttackTarget<{ bytes: number; times: number }>): Promise<Statuses> {
  const statuses: Statuses = {}
  for (let round = 0; round < times; round += 1) {
    for (const [port, path] of [
      [httpPort, '/users/me'],
      [consolePort, '/'],
      [metricsPort, '/metrics'],
    ] as const) {
      const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
      const last = request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
      const count = Math.floor(bytes / request.length)
      add(statuses, await send(port, request.repeat(count - 1) + last))
    }
  }
  return statuses
}

/** Sends a worst input to each route that reads it, with the given headers. */
export async function sendWorstInputs({
  httpPort,
  options: { name, headers = {}, workspace },
}: AttackTarget<{ name: string; headers?: Record<string, string>; workspace?: string }>) {
  const statuses: Statuses = {}
  const createRequest = worstInputs[name]
  if (!createRequest) throw new Error(`No worst input ${name}`)
  for (const method of readMethods(readRegistry())) {
    for (const route of method.routes) {
      const path = route.path.replace('{workspace_id}', workspace ?? 'x').replace(/\{\w+\}/g, 'x')
      for (const request of createRequest(method, route, path)) {
        const lines = Object.entries({ Host: 'localhost', ...request.headers, ...headers })
        const isChunked = request.headers?.['Transfer-Encoding'] !== undefined
        const length = isChunked ? 0 : Buffer.byteLength(request.body ?? '')
        const head = [
          `${route.verb.toUpperCase()} ${request.path ?? path} HTTP/1.1`,
          ...lines.map(([header, value]) => `${header}: ${value}`),
          ...(length > 0 ? [`Content-Length: ${length}`] : []),
          'Connection: close',
        ]
        add(statuses, await send(httpPort, `${head.join('\r\n')}\r\n\r\n${request.body ?? ''}`))
      }
    }
  }
  return statuses
}

/** Sends bytes on a new connection. Returns the statuses of the responses. */
function send(port: number, text: string): Promise<string[]> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const timeout = setTimeout(() => socket.destroy(), timeLimit)
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timeout)
      const statuses = [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(
        ([, status = '']) => status,
      )
      resolve(statuses.length > 0 ? statuses : ['0'])
    })
    socket.write(text)
  })
}

function add(statuses: Statuses, received: string[]): void {
  for (const status of received) statuses[status] = (statuses[status] ?? 0) + 1
}
