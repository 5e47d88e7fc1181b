import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keepConnections } from './keep-connections.ts'

/** A request that a webhook has received. */
export type ReceivedEvent = {
  path: string
  headers: IncomingHttpHeaders
  body: string
  at: number
}

/** A server on loopback that receives webhooks. */
export type WebhookReceiver = {
  url: string
  received: ReceivedEvent[]
  /** Decides how to respond to the next requests. By default, with 204. */
  respond: (response: ServerResponse, event: ReceivedEvent) => void
  stop(): void
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer(keepConnections, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { url: path = '', headers } = request
    const event = { path, headers, body: Buffer.concat(chunks).toString(), at: performance.now() }
    receiver.received.push(event)
    receiver.respond(response, event)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    respond: (response) => response.writeHead(204).end(),
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
  return receiver
}
