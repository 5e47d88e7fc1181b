/**
 * The parts of HTTP/2 (RFC 9113) and HPACK (RFC 7541) that are needed to send prepared requests.
 */
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
export const endHeaders = 4

/** The initial flow-control window and the default maximum frame size. */
export const initialWindow = 65_535
export const largestFrame = 16_384

/** SETTINGS_INITIAL_WINDOW_SIZE. */
export const initialWindowSetting = 4

const widest = 0x7fffffff

/** Encodes a frame. The stream ID starts at byte 5. */
export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** The connection preface of a client, with the largest receive windows. */
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

/**
 * Encodes the HEADERS frame of a gRPC call with additional headers. Its stream ID is 0 and is
 * replaced when the frame is sent.
 */
export function grpcHeadersFrame(path: string, headers: Record<string, string> = {}): Buffer {
  const all = {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': 'localhost',
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  }
  return frame(frameType.headers, endHeaders, 0, encodeHeaders(all))
}

/** Encodes an uncompressed, length-prefixed gRPC message. */
export function grpcMessage(message: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0]), uint32(message.length), message])
}

/** Encodes every field as a literal without indexing and without Huffman coding. */
function encodeHeaders(headers: Record<string, string>): Buffer {
  const fields = Object.entries(headers).flatMap(([name, value]) => [
    Buffer.from([0]),
    encodeText(name),
    encodeText(value),
  ])
  return Buffer.concat(fields)
}

/** Encodes a string literal: the length with a 7-bit prefix, followed by the text. */
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
