import type { OpenConnection } from './connection.ts'
import { openHttp2 } from './http2-socket.ts'
import { isExpected } from './prepared-requests.ts'

const empty = Buffer.alloc(0)

/** Makes concurrent unary gRPC calls on one HTTP/2 connection. */
export const openUnary: OpenConnection = async ({ port, inFlight, next, onResponse, onLost }) => {
  const waiting = new Map<number, { started: number; expected: Buffer; body: Buffer }>()
  let stopped = false

  function send(): boolean {
    const request = next()
    if (!request) return false
    const { head, body, expected } = request
    const stream = socket.open(head)
    socket.send(stream, body, true)
    waiting.set(stream, { started: performance.now(), expected, body: empty })
    return true
  }

  function fill() {
    while (!stopped && waiting.size < inFlight && send()) {}
  }

  const socket = await openHttp2(port, {
    data(stream, payload) {
      const call = waiting.get(stream)
      if (call) call.body = call.body.length === 0 ? payload : Buffer.concat([call.body, payload])
    },
    end(stream) {
      const call = waiting.get(stream)
      if (!call || !waiting.delete(stream)) return
      // An empty expected message accepts any body, even one without the five-byte message prefix.
      const message = call.expected.length === 0 ? call.body : call.body.subarray(5)
      onResponse(performance.now() - call.started, isExpected(message, call.expected))
    },
    chunkRead: fill,
    lost: onLost,
  })
  fill()
  socket.flush()
  return {
    push(count) {
      for (let left = count; left > 0; left -= 1) send()
      socket.flush()
    },
    stop() {
      stopped = true
      socket.close()
    },
  }
}
