import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { findFreePort } from '../../src/core/free-port.ts'

/** A TCP proxy for PostgreSQL that can cut, stall and delay connections. */
export type DatabaseProxy = {
  /** The URL of the database via the proxy. */
  url: string
  /** Resets every connection, even in the middle of a response, and refuses new ones. */
  cut(): Promise<void>
  /** Keeps connections open and accepts new ones, but forwards nothing. */
  hang(): void
  /** Delays every byte by a number of milliseconds in each direction. */
  delay(milliseconds: number): void
  /** Resumes forwarding bytes and connections without delay. */
  open(): Promise<void>
  close(): Promise<void>
}

/** Starts a proxy for the PostgreSQL server of a database URL. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const pairs = new Set<[Socket, Socket]>()
  let hanging = false
  let lag = 0
  // No other program takes it while the proxy refuses connections.
  const port = await findFreePort()

  const server = createServer((downstream) => {
    const upstream = connect(Number(target.port), target.hostname)
    const pair: [Socket, Socket] = [downstream, upstream]
    pairs.add(pair)
    for (const [from, to] of [
      [downstream, upstream],
      [upstream, downstream],
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
  }

  async function cut() {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const [downstream, upstream] of pairs) {
      downstream.resetAndDestroy()
      upstream.destroy()
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

/** Forwards bytes in order. Delays each by the value of `lag` at its arrival. */
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
