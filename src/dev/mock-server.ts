import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A small server of development, on this machine alone. */
export type LocalServer = { url: string; close(): Promise<void> }

/** Listens on the port, or on a free one where that is taken; `url` has the name browsers use. */
export async function serveLocally(port: number, listener: RequestListener): Promise<LocalServer> {
  const server = createServer(listener)
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
  await listen(port).catch(() => listen(0))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
