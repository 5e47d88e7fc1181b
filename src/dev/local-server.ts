import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server on the loopback interface. */
export type LocalServer = { url: string; close(): Promise<void> }

/** Listens on this port of 127.0.0.1, or on a free port if it is in use. */
export async function startLocalServer(
  port: number,
  listener: RequestListener,
): Promise<LocalServer> {
  const server = createServer(listener)
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
  await listen(port).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error
    return listen(0)
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
