/** Just enough of HTTP/2 (RFC 9113) and HPACK (RFC 7541) to send requests made beforehand. */
export const frameType = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  window: 8,
}
export const endStream = 1
const endHeaders = 4

/** What a peer may send on a stream, and in a frame, before it has said otherwise. */
export const initialWindow = 65_535
export const largestFrame = 16_384

/** The setting of how much may be sent on a new stream. */
export const initialWindowSetting = 4

const widest = 0x7fffffff

/** One frame; the stream id stands at byte 5. */
export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** What a client says first, with the widest windows for what comes back. */
export const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame(
    frameType.settings,
    0,
    0,
    Buffer.concat([Buffer.from([0, initialWindowSetting]), uint32(widest)]),
  ),
  frame(frameType.window, 0, 0, uint32(widest - initialWindow)),
])

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** HEADERS of a call on stream 0; the id is patched in when it is sent. */
export function headersFrame(headers: Record<string, string>): Buffer {
  return frame(frameType.headers, endHeaders, 0, encodeHeaders(headers))
}

/** A message as gRPC frames it: not compressed, its length, itself. */
export function grpcMessage(message: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0]), uint32(message.length), message])
}

/** Every field as a literal without indexing, neither compressed. */
function encodeHeaders(headers: Record<string, string>): Buffer {
  const fields = Object.entries(headers).flatMap(([name, value]) => [
    Buffer.from([0]),
    encodeText(name),
    encodeText(value),
  ])
  return Buffer.concat(fields)
}

/** A length with a 7-bit prefix, and the text. */
function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length = []
  let rest = bytes.length
  if (rest < 127) length.push(rest)
  else {
    length.push(127)
    for (rest -= 127; rest >= 128; rest >>= 7) length.push((rest & 127) | 128)
    length.push(rest)
  }
  return Buffer.concat([Buffer.from(length), bytes])
}
