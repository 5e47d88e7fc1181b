import { connect } from 'node:net'
import {
  endStream,
  frame,
  frameType,
  initialWindow,
  initialWindowSetting,
  largestFrame,
  preface,
} from './http2-frames.ts'

/** An HTTP/2 connection that respects the server's flow-control windows. */
export type Http2Socket = {
  /** Opens the next stream with a HEADERS frame. Returns the stream ID. */
  open(head: Buffer): number
  /** Queues body bytes of a stream. */
  send(stream: number, bytes: Buffer, end: boolean): void
  /** Writes as many queued bytes as the windows allow, in one chunk. */
  flush(): void
  close(): void
}

/** Handlers for stream frames, for the end of each chunk that is read, and for the end of the connection. */
export type Http2Handlers = {
  data(stream: number, payload: Buffer): void
  end(stream: number): void
  chunkRead(): void
  /** Called if the server ends the connection, which is an error by default. */
  lost?: (() => void) | undefined
}

const empty = Buffer.alloc(0)

/** Opens a connection and handles settings, pings and windows. */
export function openHttp2(port: number, handlers: Http2Handlers): Promise<Http2Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay()
  const windows = new Map<number, number>()
  let streamWindow = initialWindow
  let window = initialWindow
  let stream = 1
  let frames: Buffer[] = []
  let queue: { stream: number; bytes: Buffer; end: boolean }[] = []
  let rest: Buffer = empty
  let closed = false

  /** Converts queued bytes to frames. Returns the part that must wait. */
  function pack(part: (typeof queue)[number]): (typeof queue)[number] | undefined {
    let { bytes } = part
    for (;;) {
      const own = windows.get(part.stream)
      if (own === undefined) return undefined
      const length = Math.min(bytes.length, largestFrame, window, own)
      if (length === 0 && bytes.length > 0) return { ...part, bytes }
      window -= length
      windows.set(part.stream, own - length)
      const last = length === bytes.length
      const flags = last && part.end ? endStream : 0
      frames.push(frame(frameType.data, flags, part.stream, bytes.subarray(0, length)))
      if (last) return undefined
      bytes = bytes.subarray(length)
    }
  }

  function flush() {
    if (queue.length > 0) queue = queue.map(pack).filter((part) => part !== undefined)
    if (frames.length > 0 && !closed) socket.write(Buffer.concat(frames))
    frames = []
  }

  function handleFrame(type: number, flags: number, id: number, payload: Buffer) {
    if (type === frameType.data) handlers.data(id, payload)
    if (type === frameType.reset || (flags & endStream && type <= frameType.headers)) {
      windows.delete(id)
      handlers.end(id)
    }
    if (type === frameType.window) {
      const more = payload.readUInt32BE(0)
      const own = windows.get(id)
      if (id === 0) window += more
      else if (own !== undefined) windows.set(id, own + more)
    }
    if (type === frameType.settings && !(flags & 1)) {
      for (let offset = 0; offset < payload.length; offset += 6) {
        if (payload.readUInt16BE(offset) === initialWindowSetting)
          setStreamWindow(payload.readUInt32BE(offset + 2))
      }
      frames.push(frame(type, 1, 0, empty))
    }
    if (type === frameType.ping && !(flags & 1)) frames.push(frame(type, 1, 0, payload))
    if (type === frameType.goaway && !closed)
      throw new Error('The server closed the connection (GOAWAY)')
  }

  function setStreamWindow(to: number) {
    for (const [id, own] of windows) windows.set(id, own + to - streamWindow)
    streamWindow = to
  }

  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let offset = 0
    while (rest.length - offset >= 9) {
      const length = rest.readUIntBE(offset, 3)
      if (rest.length - offset < 9 + length) break
      const payload = rest.subarray(offset + 9, offset + 9 + length)
      handleFrame(
        rest[offset + 3] as number,
        rest[offset + 4] as number,
        rest.readUInt32BE(offset + 5),
        payload,
      )
      offset += 9 + length
    }
    rest = rest.subarray(offset)
    handlers.chunkRead()
    flush()
  })

  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.write(preface)
      socket.once('close', () => {
        if (closed) return
        if (!handlers.lost) throw new Error('The server closed the connection')
        handlers.lost()
      })
      resolve({
        open(head) {
          const id = stream
          stream += 2
          const bytes = Buffer.from(head)
          bytes.writeUInt32BE(id, 5)
          windows.set(id, streamWindow)
          frames.push(bytes)
          return id
        },
        send: (stream, bytes, end) => void queue.push({ stream, bytes, end }),
        flush,
        close() {
          closed = true
          socket.destroy()
        },
      })
    })
  })
}
