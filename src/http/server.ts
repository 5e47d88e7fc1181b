import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Express } from 'express'
import { securityHeaders } from './headers.ts'

/** The outside door over HTTP/1.1. */
export type HttpDoor = {
  /** Listens; answers the port. */
  listen(host: string, port: number): Promise<number>
  /** Takes no more and lets requests under way finish, for `milliseconds` at most. */
  drain(milliseconds: number): Promise<void>
}

const headerLines = Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`)

const refusals: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Stands an app at the door; not listening yet. */
export function createHttpDoor(app: Express): HttpDoor {
  const server: Server = createServer(app)
  // What Node refuses by itself never reaches the app.
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || code === 'ECONNRESET') return void socket.destroy()
    const status = refusals[code ?? ''] ?? '400 Bad Request'
    socket.end([`HTTP/1.1 ${status}`, ...headerLines, 'Connection: close', '', ''].join('\r\n'))
  })
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
      }),
    drain: (milliseconds) =>
      new Promise((resolve) => {
        const force = setTimeout(() => server.closeAllConnections(), milliseconds)
        // A connection that was busy is idle after its answer, and would be kept alive.
        const idle = setInterval(() => server.closeIdleConnections(), 50)
        server.close(() => {
          clearTimeout(force)
          clearInterval(idle)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}
