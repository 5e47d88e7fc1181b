import type { Server, ServerWritableStream } from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'

/** What `grpc.health.v1` says. */
export type Health = {
  /** Of every service, and of the server as a whole, which is ''. */
  setServing(serving: boolean): void
  /** Ends the streams of those who watch: they would wait for ever. */
  endWatches(): void
}

/** Health of each service by `grpc.health.v1`, SERVING at first. */
export function addHealth(server: Server, services: string[]): Health {
  const names = ['', ...services]
  const health = new HealthImplementation(
    Object.fromEntries(names.map((service) => [service, 'SERVING'])),
  )
  const watches = new Set<Watch>()
  const add: Server['addService'] = (service, implementation) => {
    const watch = implementation.watch as unknown as (call: Watch) => void
    const remembered = (call: Watch) => {
      watches.add(call)
      call.on('cancelled', () => watches.delete(call))
      watch(call)
    }
    server.addService(service, { ...implementation, watch: remembered as never })
  }
  health.addToServer({ addService: add } as Server)
  return {
    setServing(serving) {
      for (const name of names) health.setStatus(name, serving ? 'SERVING' : 'NOT_SERVING')
    },
    endWatches() {
      for (const call of watches) call.end()
    },
  }
}

type Watch = ServerWritableStream<unknown, unknown>
