import { connect } from 'node:net'
import type { Connection, OpenConnection } from './connection.ts'
import { isExpected } from './prepared-requests.ts'

/** Sends requests sequentially on each of `inFlight` keep-alive connections. */
export const openHttp1: OpenConnection = async (options) => {
  const opened = await Promise.all(Array.from({ length: options.inFlight }, () => openOne(options)))
  return {
    push() {
      throw new Error('HTTP/1.1 supports only a closed loop')
    },
    stop() {
      for (const connection of opened) connection.stop()
    },
  }
}

function openOne({
  port,
  status = 200,
  next,
  onResponse,
}: Parameters<OpenConnection>[0]): Promise<Pick<Connection, 'stop'>> {
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
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
    if (rest.length < end + 4 + length) return
    const body = rest.subarray(end + 4, end + 4 + length)
    onResponse(
      performance.now() - started,
      head.startsWith(`HTTP/1.1 ${status} `) && (status !== 200 || isExpected(body, expected)),
    )
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
