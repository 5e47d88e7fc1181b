import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { ServiceError } from '../core/errors.ts'
import { endWith } from './end-with.ts'
import { reasons } from './reasons.ts'
import { toTrailersOnly } from './status.ts'

/** The maximum size of the metadata of a call in bytes, counted as in RFC 9113, section 6.5.2. */
const maxMetadataBytes = 16 * 1024

/** The bytes that RFC 9113 counts for each header in addition to its name and value. */
const headerOverhead = 32

type StreamListener = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: string[],
) => void

/**
 * Checks the headers of each stream before any other listener of the server sees them.
 *
 * - Metadata of more than 16 KiB is refused. Compressed, it can be a hundredth of that size, and a
 *   client that never acknowledges SETTINGS_MAX_HEADER_LIST_SIZE may send 500 kB.
 * - Binary metadata, which the server does not read, is removed. grpc-js would split it at its
 *   commas into a buffer for each.
 * - Requests that are not gRPC get a response with a body, which browsers and curl show.
 * - Compressed messages are refused. A few bytes could expand to the maximum size of a message.
 */
export function guardStreams(server: Http2Server): void {
  const listeners = server.listeners('stream') as StreamListener[]
  server.removeAllListeners('stream')
  const guard: StreamListener = (stream, headers, flags, rawHeaders) => {
    let bytes = (rawHeaders.length / 2) * headerOverhead
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] as string
      bytes += name.length + (rawHeaders[index + 1] as string).length
      if (name.endsWith('-bin')) delete headers[name]
    }
    if (bytes > maxMetadataBytes) return refuse(stream, metadataTooLarge())
    if (!headers['content-type']?.startsWith('application/grpc')) return refuseOther(stream)
    const encoding = headers['grpc-encoding']
    if (encoding !== undefined && encoding !== 'identity')
      return refuse(stream, new ServiceError(reasons.COMPRESSION_UNSUPPORTED), {
        'grpc-accept-encoding': 'identity',
      })
    for (const listener of listeners) listener.call(server, stream, headers, flags, rawHeaders)
  }
  // The declared listener lacks the raw headers.
  server.on('stream', guard as never)
}

function refuse(
  stream: ServerHttp2Stream,
  error: ServiceError,
  headers: Record<string, string> = {},
): void {
  stream.on('error', () => {})
  endWith(stream, { ...toTrailersOnly(error), ...headers })
}

function refuseOther(stream: ServerHttp2Stream): void {
  stream.on('error', () => {})
  const headers = { ':status': 415, 'content-type': 'text/plain; charset=utf-8' }
  endWith(stream, headers, 'This port serves gRPC: the content type must be application/grpc\n')
}

function metadataTooLarge(): ServiceError {
  const detail = `The metadata exceeds ${maxMetadataBytes} bytes`
  return new ServiceError(reasons.METADATA_TOO_LARGE, detail)
}
