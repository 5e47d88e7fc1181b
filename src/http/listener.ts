import type { RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { http } from '../core/node-http.ts'
import { stopAccepting } from '../core/stop-accepting.ts'

/** An HTTP/1.1 server. */
export type HttpListener = {
  /** Starts listening and returns the port. */
  listen(host: string, port: number): Promise<number>
  /** Accepts no more connections. Those that are open stay so. */
  stopListening(): Promise<void>
  /**
   * Accepts no more connections, announces the end of each with its next response, and waits for
   * running requests, for at most `milliseconds`. Connections that have been idle for
   * `idleMilliseconds` are closed.
   */
  drain(milliseconds: number, idleMilliseconds?: number): Promise<void>
}

/** The status lines of responses to requests that Node rejects before the app sees them. */
const clientErrorStatuses: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/**
 * In milliseconds. Requests must arrive completely within `requestTimeout`, like gRPC messages. Idle
 * connections are kept longer than by the usual proxies, which keep them for 60 seconds: a proxy
 * must not send a request on a connection that is being closed.
 */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 2000,
  keepAliveTimeout: 75_000,
}

/** The maximum size of the request line and the headers in bytes. Larger ones result in 431. */
export const maxHeaderSize = 16 * 1024

/** The maximum number of pipelined requests of a connection that wait for a running one. */
const maxWaitingRequests = 16

/**
 * Creates the server of an Express app or another listener. `headers` are added to responses that
 * Node sends without the app.
 */
export function createHttpListener(
  app: RequestListener,
  headers: Record<string, string>,
): HttpListener {
  const handleRequest: RequestListener = (request, response) => {
    // Express cannot parse such a target and would send its own response; `*` matches no route.
    if (!isRequestTarget(request.url ?? '')) request.url = '*'
    if (!stopping || isStopped) return app(request, response)
    // Otherwise, clients that open a connection for each request would connect as fast as the
    // server accepts.
    void stopping.then(() => request.socket.destroyed || app(request, response))
  }
  const inTurn = createTurns()
  const connections = createConnectionLog()
  const server = http.createServer(
    // The app rejects a missing Host header.
    { ...timeouts, maxHeaderSize, requireHostHeader: false, IncomingMessage: ParsedRequest },
    inTurn(handleRequest),
  )
  server.on('connection', connections.add)
  // First, so that a drain also changes responses that the app sends immediately.
  for (const event of ['request', 'checkExpectation'])
    server.prependListener(event, connections.addResponse)
  server.on(
    'checkExpectation',
    inTurn((_request, response) => response.writeHead(417, headers).end()),
  )
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || code === 'ECONNRESET') return void socket.destroy()
    const status = clientErrorStatuses[code ?? ''] ?? '400 Bad Request'
    socket.end([`HTTP/1.1 ${status}`, ...headerLines, 'Connection: close', '', ''].join('\r\n'))
  })
  const ended = Promise.withResolvers<void>()
  let stopping: Promise<void> | undefined
  let isStopped = false
  async function stop(): Promise<void> {
    // `server.close` would also close idle connections, on which a request may be on its way.
    await stopAccepting(server, ended.resolve)
    isStopped = true
  }
  const stopListening = () => (stopping ??= stop())
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
      }),
    stopListening,
    async drain(milliseconds, idleMilliseconds = 0) {
      const timeout = setTimeout(() => server.closeAllConnections(), milliseconds)
      // First, because clients whose connections end open new ones.
      await stopListening()
      connections.end()
      // After the phase that reads, so that a request that has arrived is not lost.
      const closeIdle = setInterval(
        () => setImmediate(() => connections.closeIdle(idleMilliseconds)),
        50,
      )
      await ended.promise
      clearTimeout(timeout)
      clearInterval(closeIdle)
      // Ends the timer that checks the timeouts of connections.
      server.close()
    },
  }
}

/**
 * A request as Node has parsed it. One packet may contain thousands of them. Those that follow the
 * request for which the connection was closed count as upgrades, because Node stops parsing there.
 */
class ParsedRequest extends http.IncomingMessage {
  constructor(socket: Socket) {
    super(socket)
    if (socket.destroyed) Object.defineProperty(this, 'upgrade', { get: () => true, set() {} })
  }
}

/** Tracks how long each connection has been idle. */
function createConnectionLog() {
  type Connection = { responses: Set<ServerResponse>; idleSince: number; bytesRead: number }
  const connections = new Map<Socket, Connection>()
  let isEnding = false

  return {
    add(socket: Socket): void {
      const idleSince = performance.now()
      connections.set(socket, { responses: new Set(), idleSince, bytesRead: 0 })
      socket.once('close', () => connections.delete(socket))
    },
    addResponse({ socket }: { socket: Socket }, response: ServerResponse): void {
      if (isEnding) response.shouldKeepAlive = false
      const connection = connections.get(socket)
      connection?.responses.add(response)
      response.once('close', () => {
        connection?.responses.delete(response)
        Object.assign(connection ?? {}, {
          idleSince: performance.now(),
          bytesRead: socket.bytesRead,
        })
      })
    },
    /** From now on, closes each connection after its next response. */
    end(): void {
      isEnding = true
      for (const { responses } of connections.values())
        for (const response of responses) response.shouldKeepAlive = false
    },
    /** Closes the connections that have been idle for that long. */
    closeIdle(milliseconds: number): void {
      const latest = performance.now() - milliseconds
      // More bytes are the beginning of a request.
      for (const [socket, { responses, idleSince, bytesRead }] of connections)
        if (responses.size === 0 && idleSince <= latest && socket.bytesRead === bytesRead)
          socket.destroy()
    },
  }
}

/** Whether the target is in origin form or absolute form (RFC 9112, section 3.2). */
function isRequestTarget(target: string): boolean {
  return target.startsWith('/') || URL.canParse(target)
}

/**
 * Makes listeners handle the pipelined requests of a connection one at a time, interleaved with
 * other connections. Otherwise a single client could pipeline thousands and delay everyone else. A
 * connection with too many waiting requests is closed.
 */
function createTurns(): (handle: RequestListener) => RequestListener {
  /** The requests that wait for the running one, by connection. */
  const queues = new WeakMap<Socket, (() => void)[]>()

  function runNext(socket: Socket): void {
    const next = queues.get(socket)?.shift()
    if (next) setImmediate(() => !socket.destroyed && next())
    else queues.delete(socket)
  }

  return (handle) => (request, response) => {
    const { socket } = request
    // The packet that exceeded the maximum may contain more requests.
    if (socket.destroyed) return
    const run = () => {
      response.once('close', () => runNext(socket))
      handle(request, response)
    }
    const waiting = queues.get(socket)
    if (!waiting) {
      queues.set(socket, [])
      run()
    } else if (waiting.length < maxWaitingRequests) waiting.push(run)
    else socket.destroy()
  }
}
