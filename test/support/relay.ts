import { connect, createServer } from 'node:net'
import type { ExecutionContext } from 'ava'
import { listen } from './listen.ts'

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
    to(port) {
      const server = createServer((downstream) => {
        const upstream = connect(port, '127.0.0.1')
        for (const socket of [downstream, upstream]) socket.on('error', () => {})
        downstream.pipe(upstream)
        downstream.on('close', () => upstream.destroy())
        upstream.on('data', (bytes) => send(() => downstream.write(bytes)))
        upstream.on('close', () => send(() => downstream.destroySoon()))
      })
      return listen(t, server)
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
