import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Express } from 'express'

/** The outside door over HTTP/1.1. */
export type HttpDoor = {
  /** Listens; answers the port. */
  listen(host: string, port: number): Promise<number>
  /** Takes no more and lets requests under way finish, for `milliseconds` at most. */
  drain(milliseconds: number): Promise<void>
}

/** Stands an app at the door; not listening yet. */
export function createHttpDoor(app: Express): HttpDoor {
  const server: Server = createServer(app)
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
      }),
    drain: (milliseconds) =>
      new Promise((resolve) => {
        const force = setTimeout(() => server.closeAllConnections(), milliseconds)
        server.close(() => {
          clearTimeout(force)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}
