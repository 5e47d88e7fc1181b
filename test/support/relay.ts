import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { ExecutionContext } from 'ava'

/** A TCP relay in front of servers, which can hold their responses. */
export type Relay = {
  /** Returns a port that leads to another port of this machine. */
  to(port: number): Promise<number>
  /** Keeps what the servers send from now on. */
  hold(): void
  /** Sends what was kept, and what the servers send from now on. */
  release(): void
}

/** Creates a relay, which is closed after the test. */
export function createRelay(t: ExecutionContext): Relay {
  let held: (() => void)[] | undefined

  function send(act: () => void): void {
    if (held) held.push(act)
    else act()
  }

  return {
    async to(port) {
      const sockets = new Set<Socket>()
      const server = createServer((downstream) => {
        const upstream = connect(port, '127.0.0.1')
        for (const socket of [downstream, upstream]) {
          sockets.add(socket)
          socket.on('error', () => {})
        }
        downstream.pipe(upstream)
        downstream.on('close', () => upstream.destroy())
        upstream.on('data', (bytes) => send(() => downstream.write(bytes)))
        upstream.on('close', () => send(() => downstream.destroySoon()))
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      t.teardown(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      })
      return (server.address() as AddressInfo).port
    },
    hold() {
      held = []
    },
    release() {
      const acts = held ?? []
      held = undefined
      for (const act of acts) act()
    },
  }
}
