import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** An HTTP/1.1 server. */
export type HttpListener = {
  /** Starts listening and returns the port. */
  listen(host: string, port: number): Promise<number>
  /** Accepts no more requests and waits for running ones, for at most `milliseconds`. */
  drain(milliseconds: number): Promise<void>
}

/** The status lines of responses to requests that Node rejects before the app sees them. */
const clientErrorStatuses: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** In milliseconds. Requests must arrive completely within `requestTimeout`, like gRPC messages. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 2000,
}

/**
 * The maximum size of headers in bytes, enough for the access token of a member of hundreds of
 * groups.
 */
export const maxHeaderSize = 64 * 1024

/**
 * Creates the server of an Express app or another listener. `headers` are added to responses that
 * Node sends without the app.
 */
export function createHttpListener(
  app: RequestListener,
  headers: Record<string, string>,
): HttpListener {
  const handleRequest: RequestListener = (request, response) => {
    // Express cannot parse such a target and would respond on its own; `*` matches no route.
    if (!isRequestTarget(request.url ?? '')) request.url = '*'
    app(request, response)
  }
  const server = createServer(
    // The app rejects a missing Host header.
    { ...timeouts, maxHeaderSize, requireHostHeader: false },
    oneAtATime(handleRequest),
  )
  server.on('checkExpectation', (_request, response) => response.writeHead(417, headers).end())
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || code === 'ECONNRESET') return void socket.destroy()
    const status = clientErrorStatuses[code ?? ''] ?? '400 Bad Request'
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
        const timeout = setTimeout(() => server.closeAllConnections(), milliseconds)
        // Connections become idle after their responses and would otherwise be kept alive.
        const closeIdle = setInterval(() => server.closeIdleConnections(), 50)
        server.close(() => {
          clearTimeout(timeout)
          clearInterval(closeIdle)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}

/** Whether the target is in origin form or absolute form (RFC 9112, section 3.2). */
function isRequestTarget(target: string): boolean {
  return target.startsWith('/') || URL.canParse(target)
}

/**
 * Handles the pipelined requests of a connection one at a time. Otherwise a single client could
 * pipeline thousands and delay everyone else.
 */
function oneAtATime(handle: RequestListener): RequestListener {
  const lastResponses = new WeakMap<Socket, Promise<unknown>>()
  return (request, response) => {
    const { socket } = request
    const previous = lastResponses.get(socket)
    lastResponses.set(socket, new Promise((resolve) => response.once('close', resolve)))
    if (!previous) return handle(request, response)
    previous.then(() => {
      if (!socket.destroyed) handle(request, response)
    })
  }
}
