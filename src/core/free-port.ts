import { once } from 'node:events'
import { createServer } from 'node:net'
import { threadId } from 'node:worker_threads'

/**
 * Operating systems take the ports of outgoing connections, and of servers that leave the choice to
 * them, from 32768 upwards, so they do not take a port of this range before the caller uses it.
 */
const [first, last] = [20_000, 32_767]

/**
 * The port that was tried last. Each process begins elsewhere, its threads 250 ports apart, and none of them returns a
 * port twice: it is free for another one until its caller uses it.
 */
let latest = first + ((process.pid * 4099 + threadId * 250) % (last - first))

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
