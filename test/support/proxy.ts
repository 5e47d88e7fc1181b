import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A wire to PostgreSQL that can be cut. */
export type Proxy = {
  /** The database's address by way of the proxy. */
  url: string
  /** Cuts every connection, also in the middle of an answer, and refuses new ones. */
  cut(): Promise<void>
  /** Keeps connections, and takes new ones, but moves no byte any more. */
  hang(): void
  /** Lets bytes and connections through again. */
  open(): Promise<void>
  close(): Promise<void>
}

/** Puts a proxy before the PostgreSQL of a database URL. */
export async function startProxy(databaseUrl: string): Promise<Proxy> {
  const target = new URL(databaseUrl)
  const pairs = new Set<[Socket, Socket]>()
  let hanging = false
  let port = 0

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as [Socket, Socket][]) {
      from.on('data', (bytes) => to.write(bytes))
      from.on('error', () => {})
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
      if (hanging) from.pause()
    }
  })

  async function listen() {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }

  async function cut() {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const [near, far] of pairs) {
      near.resetAndDestroy()
      far.destroy()
    }
    await closed
  }

  await listen()
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    ...{ url: url.href, cut },
    hang() {
      hanging = true
      for (const socket of [...pairs].flat()) socket.pause()
    },
    async open() {
      hanging = false
      for (const socket of [...pairs].flat()) socket.resume()
      if (!server.listening) await listen()
    },
    close: cut,
  }
}
