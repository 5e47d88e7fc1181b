import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { keepConnections } from '../keep-connections.ts'

/** A prepared response, or a function that handles the request and may never respond. */
export type StubResponse =
  | { status?: number; type?: string; body?: string; headers?: Record<string, string> }
  | ((request: IncomingMessage, response: ServerResponse) => void)

/** Starts a server with prepared responses by path. `routes` can be changed while it runs. */
export async function startStubServer(t: ExecutionContext, routes: Record<string, StubResponse>) {
  const requests: { path: string; headers: IncomingMessage['headers']; body: string }[] = []
  const server = createServer(keepConnections, async (request, response) => {
    const path = new URL(request.url ?? '', 'http://x').pathname
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    requests.push({ path, headers: request.headers, body })
    const canned = routes[path] ?? { status: 404 }
    if (typeof canned === 'function') return canned(request, response)
    const type = canned.type ?? 'application/json'
    response.writeHead(canned.status ?? 200, { 'content-type': type, ...canned.headers })
    response.end(canned.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, routes, requests }
}

export function jsonResponse(value: unknown, status = 200): StubResponse {
  return { status, body: JSON.stringify(value) }
}
