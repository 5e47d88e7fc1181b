import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server on the loopback interface. */
export type LocalServer = { url: string; close(): Promise<void> }

/** Listens on this port of 127.0.0.1. Port 0 picks a free one. */
export async function startLocalServer(
  port: number,
  listener: RequestListener,
): Promise<LocalServer> {
  const server = createServer(listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Reads the body of a form submission. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > 65_536) throw new Error('The form is larger than 64 KiB')
  }
  return new URLSearchParams(text)
}
