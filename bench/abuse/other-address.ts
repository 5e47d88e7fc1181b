import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Transport } from '../../test/support/transports.ts'
import { connectToNode } from '../faults/node-process.ts'

/** An address of every Linux machine from which the other tenants do not call. */
const otherAddress = '127.0.0.2'

/**
 * Connects to a node from another address. Calls without credentials are counted by address, so an
 * attack from the address of the other tenants would take their turns.
 */
export async function connectFromOtherAddress(ports: { grpcPort: number; httpPort: number }) {
  const sockets = new Set<Socket>()
  const relay = createServer((incoming) => {
    const options = { host: '127.0.0.1', port: ports.grpcPort, localAddress: otherAddress }
    const outgoing = connect(options)
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket.on('error', () => {}))
      socket.on('close', () => [incoming, outgoing].forEach((one) => void one.destroy()))
    }
    incoming.pipe(outgoing).pipe(incoming)
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const { port } = relay.address() as AddressInfo
  const [grpc] = connectToNode({ ...ports, grpcPort: port }) as [Transport]
  return {
    grpc,
    close() {
      grpc.close()
      relay.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
