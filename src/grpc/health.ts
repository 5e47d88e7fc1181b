import type { Server, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js'
import { status } from '@grpc/grpc-js'
import { service } from 'grpc-health-check'

type ServingStatus = 'SERVING' | 'NOT_SERVING'
type CheckRequest = { service: string }
type CheckResponse = { status: ServingStatus | 'SERVICE_UNKNOWN' }
type ListResponse = { statuses: Record<string, CheckResponse> }
type WatchCall = ServerWritableStream<CheckRequest, CheckResponse>

/** Controls the status that `grpc.health.v1` reports. */
export type Health = {
  /** Sets the status of the server and of every service, and notifies watchers. */
  setServing(serving: boolean): void
  /** Ends every Watch stream. */
  endWatches(): void
}

/**
 * Adds `grpc.health.v1` for the services, which are SERVING at first. The empty name refers to the
 * whole server. The handlers of grpc-health-check are not used because they cannot end Watch
 * streams, and an open stream delays a drain.
 */
export function addHealth(server: Server, services: string[]): Health {
  const names = new Set(['', ...services])
  const watches = new Set<WatchCall>()
  let current: ServingStatus = 'SERVING'

  function check(
    { request }: ServerUnaryCall<CheckRequest, CheckResponse>,
    callback: sendUnaryData<CheckResponse>,
  ): void {
    if (names.has(request.service)) callback(null, { status: current })
    else callback({ code: status.NOT_FOUND, details: `Unknown service ${request.service}` })
  }

  function list(
    _call: ServerUnaryCall<object, ListResponse>,
    callback: sendUnaryData<ListResponse>,
  ) {
    const statuses = Object.fromEntries([...names].map((name) => [name, { status: current }]))
    callback(null, { statuses })
  }

  function watch(call: WatchCall): void {
    if (!names.has(call.request.service)) return void call.write({ status: 'SERVICE_UNKNOWN' })
    watches.add(call)
    call.on('cancelled', () => watches.delete(call))
    call.write({ status: current })
  }

  server.addService(service, { check, list, watch })
  return {
    setServing(serving) {
      current = serving ? 'SERVING' : 'NOT_SERVING'
      for (const call of watches) call.write({ status: current })
    },
    endWatches() {
      for (const call of watches) call.end()
      watches.clear()
    },
  }
}
