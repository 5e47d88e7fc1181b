import type { Open } from './connections.ts'
import { openHttp2 } from './http2-socket.ts'
import { fits } from './prepared.ts'

const empty = Buffer.alloc(0)

/** Unary gRPC calls side by side on one HTTP/2 connection. */
export const openUnary: Open = async ({ port, inFlight, next, onAnswer }) => {
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
      // Without a message there are no five bytes before it either.
      const answer = call.expected.length === 0 ? call.body : call.body.subarray(5)
      onAnswer(performance.now() - call.started, fits(answer, call.expected))
    },
    read: fill,
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
