import { connect } from 'node:net'
import { endStream, frame, frameType, preface } from './http2-frames.ts'

/** A request made beforehand and the message that has to come back. */
export type Prepared = { request: Buffer; expected: Buffer }

/** What a connection tells of each answer. */
export type OnAnswer = (milliseconds: number, correct: boolean) => void

const empty = Buffer.alloc(0)

/** Keeps `inFlight` of the prepared requests under way on one connection until told to stop. */
export function openConnection(
  port: number,
  inFlight: number,
  next: () => Prepared,
  onAnswer: OnAnswer,
): Promise<{ stop(): void }> {
  const socket = connect(port, '127.0.0.1').setNoDelay()
  const waiting = new Map<number, { started: number; expected: Buffer; body: Buffer }>()
  let stream = 1
  let window = 65_535
  let rest: Buffer = empty
  let stopped = false

  /** Sends as many as there is room for, in one write. */
  function fill() {
    const frames: Buffer[] = []
    while (!stopped && waiting.size < inFlight) {
      const { request, expected } = next()
      const headers = request.readUIntBE(0, 3)
      const body = request.length - headers - 18
      if (window < body) break
      window -= body
      const bytes = Buffer.from(request)
      bytes.writeUInt32BE(stream, 5)
      bytes.writeUInt32BE(stream, headers + 14)
      waiting.set(stream, { started: performance.now(), expected, body: empty })
      frames.push(bytes)
      stream += 2
    }
    if (frames.length > 0) socket.write(Buffer.concat(frames))
  }

  function take(type: number, flags: number, id: number, payload: Buffer) {
    const call = waiting.get(id)
    if (type === frameType.data && call) {
      call.body = call.body.length === 0 ? payload : Buffer.concat([call.body, payload])
    }
    const ended = type === frameType.reset || (flags & endStream && type <= frameType.headers)
    if (ended && call) {
      waiting.delete(id)
      onAnswer(performance.now() - call.started, call.body.subarray(5).equals(call.expected))
    }
    if (type === frameType.window && id === 0) window += payload.readUInt32BE(0)
    if (type === frameType.settings && !(flags & 1)) socket.write(frame(type, 1, 0, empty))
    if (type === frameType.ping && !(flags & 1)) socket.write(frame(type, 1, 0, payload))
    if (type === frameType.goaway && !stopped) throw new Error('the server went away')
  }

  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    while (rest.length - at >= 9) {
      const length = rest.readUIntBE(at, 3)
      if (rest.length - at < 9 + length) break
      const payload = rest.subarray(at + 9, at + 9 + length)
      take(rest[at + 3] as number, rest[at + 4] as number, rest.readUInt32BE(at + 5), payload)
      at += 9 + length
    }
    rest = rest.subarray(at)
    fill()
  })

  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.write(preface)
      fill()
      resolve({
        stop() {
          stopped = true
          socket.destroy()
        },
      })
    })
  })
}
