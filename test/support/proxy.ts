import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy before PostgreSQL that can cut, stall and delay connections. */
export type DatabaseProxy = {
  /** The URL of the database through the proxy. */
  url: string
  /** Resets every connection, even in the middle of a response, and refuses new ones. */
  cut(): Promise<void>
  /** Keeps connections open and accepts new ones, but forwards nothing. */
  hang(): void
  /** Delays every byte by this many milliseconds in each direction. */
  delay(milliseconds: number): void
  /** Forwards bytes and connections again, without delay. */
  open(): Promise<void>
  close(): Promise<void>
}

/** Starts a proxy before the PostgreSQL server of a database URL. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const pairs = new Set<[Socket, Socket]>()
  let hanging = false
  let lag = 0
  let port = 0

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as [Socket, Socket][]) {
      relay(from, to, () => lag)
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
    url: url.href,
    cut,
    hang() {
      hanging = true
      for (const socket of [...pairs].flat()) socket.pause()
    },
    delay(milliseconds) {
      lag = milliseconds
    },
    async open() {
      hanging = false
      lag = 0
      for (const socket of [...pairs].flat()) socket.resume()
      if (!server.listening) await listen()
    },
    close: cut,
  }
}

/** Forwards bytes in order, each delayed by the value of `lag` when it arrived. */
function relay(from: Socket, to: Socket, lag: () => number): void {
  const queue: { due: number; bytes: Buffer }[] = []
  const flush = () => {
    for (;;) {
      const [next] = queue
      if (!next) return
      const early = next.due - performance.now()
      if (early > 0) return void setTimeout(flush, early)
      to.write(next.bytes)
      queue.shift()
    }
  }
  from.on('data', (bytes: Buffer) => {
    if (lag() === 0 && queue.length === 0) return void to.write(bytes)
    queue.push({ due: performance.now() + lag(), bytes })
    if (queue.length === 1) flush()
  })
}
