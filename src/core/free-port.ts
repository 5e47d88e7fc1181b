import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Operating systems take the ports of outgoing connections, and of servers that leave the choice to
 * them, from 32768 upwards, so they do not take a port of this range before the caller uses it.
 */
const [first, last] = [20_000, 32_767]

/** The port that was tried last. Each process begins elsewhere and does not return a port twice. */
let latest = randomInt(first, last)

/** Returns a port of the loopback interface that is currently free. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    latest = latest < last ? latest + 1 : first
    const port = latest
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue
      throw error
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
