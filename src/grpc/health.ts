import { createRequire } from 'node:module'
import type { Server, ServerWritableStream, UntypedHandleCall } from '@grpc/grpc-js'
import type { HealthImplementation } from 'grpc-health-check'
import { addLate, collectMethods, type LateMethods } from './late.ts'

/** What `grpc.health.v1` says. */
export type Health = {
  /** Of every service, and of the server as a whole, which is ''. */
  setServing(serving: boolean): void
  /** Ends the streams of those who watch: they would wait for ever. */
  endWatches(): void
}

const watchPath = '/grpc.health.v1.Health/Watch'
const paths = {
  '/grpc.health.v1.Health/Check': 'unary',
  '/grpc.health.v1.Health/List': 'unary',
  [watchPath]: 'serverStream',
} as const

/** Health of each service by `grpc.health.v1`, SERVING at first; its library is loaded when asked. */
export function addHealth(server: Server, services: string[]): Health {
  const names = ['', ...services]
  const watches = new Set<Watch>()
  let status: 'SERVING' | 'NOT_SERVING' = 'SERVING'
  let health: HealthImplementation | undefined

  function load(): LateMethods {
    const require = createRequire(import.meta.url)
    const library = require('grpc-health-check') as typeof import('grpc-health-check')
    const loaded = new library.HealthImplementation(
      Object.fromEntries(names.map((service) => [service, status])),
    )
    health = loaded
    const methods = collectMethods((server) => loaded.addToServer(server))
    const watch = methods.get(watchPath)
    if (watch) methods.set(watchPath, { ...watch, handle: remembered(watch.handle) })
    return methods
  }

  function remembered(handle: UntypedHandleCall) {
    const watch = handle as (call: Watch) => void
    return (call: Watch) => {
      watches.add(call)
      call.on('cancelled', () => watches.delete(call))
      watch(call)
    }
  }

  addLate(server, paths, load)
  return {
    setServing(serving) {
      status = serving ? 'SERVING' : 'NOT_SERVING'
      for (const name of names) health?.setStatus(name, status)
    },
    endWatches() {
      for (const call of watches) call.end()
    },
  }
}

type Watch = ServerWritableStream<unknown, unknown>
