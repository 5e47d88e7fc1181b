import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { ExecutionContext } from 'ava'

/** Starts a server on a free port of this machine and returns the port. Stops it after the test. */
export async function listen(t: ExecutionContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}
