import { connect } from 'node:net'
import type { Connection, Open } from './connections.ts'
import { fits } from './prepared.ts'

/** Requests one after the other, each on one of `inFlight` connections that are kept alive. */
export const openHttp1: Open = async (options) => {
  const opened = await Promise.all(Array.from({ length: options.inFlight }, () => openOne(options)))
  return {
    push() {
      throw new Error('HTTP/1.1 is measured in a closed loop')
    },
    stop() {
      for (const connection of opened) connection.stop()
    },
  }
}

function openOne({ port, next, onAnswer }: Parameters<Open>[0]): Promise<Pick<Connection, 'stop'>> {
  const socket = connect(port, '127.0.0.1').setNoDelay()
  let rest: Buffer = Buffer.alloc(0)
  let expected: Buffer = rest
  let started = 0

  function send() {
    const request = next()
    if (!request) return
    expected = request.expected
    started = performance.now()
    socket.write(Buffer.concat([request.head, request.body]))
  }

  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = rest.toString('latin1', 0, end)
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1])
    if (rest.length < end + 4 + length) return
    const body = rest.subarray(end + 4, end + 4 + length)
    onAnswer(performance.now() - started, head.startsWith('HTTP/1.1 200') && fits(body, expected))
    rest = rest.subarray(end + 4 + length)
    send()
  })

  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('connect', () => {
      send()
      resolve({ stop: () => socket.destroy() })
    })
  })
}
