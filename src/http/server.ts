import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Express } from 'express'

/** The outside door over HTTP/1.1. */
export type HttpServer = {
  /** Listens; answers the port. */
  listen(host: string, port: number): Promise<number>
  /** Takes no more and lets requests under way finish, for `milliseconds` at most. */
  drain(milliseconds: number): Promise<void>
}

const refusals: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Milliseconds for a client to send its head, its whole request, and how often that is looked at. */
const patience = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 2000,
}

/** Bytes of a head: the token of somebody in some hundreds of groups has its place. */
const maxHeaderSize = 64 * 1024

/** Stands an app at the door; not listening yet. `headers` go with what Node answers by itself. */
export function createHttpServer(app: Express, headers: Record<string, string>): HttpServer {
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  // A missing Host header is the app's to refuse.
  const listen: RequestListener = (request, response) => {
    // The router could not read it, and would answer by itself; at `*` there is nothing.
    if (!isAddress(request.url ?? '')) request.url = '*'
    app(request, response)
  }
  const server: Server = createServer(
    { ...patience, maxHeaderSize, requireHostHeader: false },
    inTurn(listen),
  )
  server.on('checkExpectation', (_request, response) => response.writeHead(417, headers).end())
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

/** A path, or a whole address as proxies are sent it (RFC 9112, 3.2). */
function isAddress(target: string): boolean {
  return target.startsWith('/') || URL.canParse(target)
}

/** One request of a connection at a time: a pipeline of thousands would crowd out everybody else. */
function inTurn(app: RequestListener): RequestListener {
  const turns = new WeakMap<Socket, Promise<unknown>>()
  return (request, response) => {
    const { socket } = request
    const before = turns.get(socket)
    turns.set(socket, new Promise((resolve) => response.once('close', resolve)))
    if (!before) return app(request, response)
    before.then(() => {
      if (!socket.destroyed) app(request, response)
    })
  }
}
