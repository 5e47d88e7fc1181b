import type { Server, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js'
import { status } from '@grpc/grpc-js'
import { service } from 'grpc-health-check'

/** The maximum number of Watch streams of one connection. */
const maxWatches = 100

type ServingStatus = 'SERVING' | 'NOT_SERVING'
type CheckRequest = { service: string }
type CheckResponse = { status: ServingStatus | 'SERVICE_UNKNOWN' }
type ListResponse = { statuses: Record<string, CheckResponse> }
type WatchCall = ServerWritableStream<CheckRequest, CheckResponse>

/** Controls the status that `grpc.health.v1` reports. */
export type Health = {
  /** Sets the status of the server and of every service, and notifies watchers of a change. */
  setServing(serving: boolean): void
  /** Ends every Watch stream, including those that start later. */
  endWatches(): void
}

/**
 * Adds `grpc.health.v1` for the services. Their initial status is SERVING. The empty name refers to
 * the whole server. The handlers of grpc-health-check are not used because they cannot end Watch
 * streams, and an open stream delays a drain.
 */
export function addHealth(server: Server, services: string[]): Health {
  const names = new Set(['', ...services])
  const watches = new Set<WatchCall>()
  /** The number of watches by peer, which identifies a connection. */
  const watchCounts = new Map<string, number>()
  let current: ServingStatus = 'SERVING'
  let hasEnded = false

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
    const peer = call.getPeer()
    const count = (watchCounts.get(peer) ?? 0) + 1
    if (count > maxWatches) return void call.emit('error', tooManyWatches)
    watchCounts.set(peer, count)
    watches.add(call)
    call.on('cancelled', () => {
      watches.delete(call)
      const remaining = (watchCounts.get(peer) ?? 1) - 1
      if (remaining > 0) watchCounts.set(peer, remaining)
      else watchCounts.delete(peer)
    })
    call.write({ status: statusOf(call) })
    if (hasEnded) call.end()
  }

  /** The set of services never changes, so an unknown one remains unknown. */
  function statusOf({ request }: WatchCall): CheckResponse['status'] {
    return names.has(request.service) ? current : 'SERVICE_UNKNOWN'
  }

  server.addService(service, { check, list, watch })
  return {
    setServing(serving) {
      const next = serving ? 'SERVING' : 'NOT_SERVING'
      if (next === current) return
      current = next
      for (const call of watches)
        if (names.has(call.request.service)) call.write({ status: current })
    },
    endWatches() {
      hasEnded = true
      for (const call of watches) call.end()
      watches.clear()
    },
  }
}

const tooManyWatches = {
  code: status.RESOURCE_EXHAUSTED,
  details: `A connection can have at most ${maxWatches} Watch streams`,
}
