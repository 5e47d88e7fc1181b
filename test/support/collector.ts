import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { keepConnections } from './keep-connections.ts'

/**
 * Starts an OTLP collector that stores what it receives at a path, such as `/v1/metrics`. It responds
 * with `state.status`.
 */
export async function startCollector<Export>(t: Pick<ExecutionContext, 'teardown'>, path: string) {
  const exports: Export[] = []
  const state = { status: 200 }
  const server = createServer(keepConnections, async (request, response) => {
    const body = await json(request)
    if (request.url === path && state.status === 200) exports.push(body as Export)
    response.writeHead(state.status, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { exports, state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
