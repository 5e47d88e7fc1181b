import type { Metadata } from '@grpc/grpc-js'
import { createCancellation } from '../core/cancellation.ts'
import type { ServiceError } from '../core/errors.ts'
import type { Call } from '../rpc/call.ts'
import { readCookie } from '../rpc/cookie-header.ts'
import { readRequestId } from '../rpc/request-id.ts'

/** What grpc-js tells of a call, whichever its kind. */
export type Incoming = Pick<NodeJS.EventEmitter, 'on'> & { metadata: Metadata; getPeer(): string }

/** The call with a message of it; credentials come as metadata. */
export function readCall(incoming: Incoming, message: object | ServiceError): Call {
  const { metadata } = incoming
  const { signal, abort } = createCancellation()
  // grpc-js says so of a deadline that has passed as well.
  incoming.on('cancelled', abort)
  return {
    transport: 'grpc',
    message,
    credentials: {
      authorization: text(metadata, 'authorization'),
      serviceKey: text(metadata, 'x-service-key'),
      adminToken: readCookie(text(metadata, 'cookie'), 'admin_token'),
    },
    ip: peerAddress(incoming.getPeer()),
    requestId: readRequestId(text(metadata, 'x-request-id')),
    scope: { signal },
    traceparent: text(metadata, 'traceparent'),
  }
}

/**
 * A value given twice is joined, and none that could be valid. Only of `authorization` and other
 * headers that stand once Node's http2 keeps the first, before grpc-js sees them.
 */
function text(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name)
  return values.length === 0 ? undefined : values.join(', ')
}

/** grpc-js appends the port to an address without brackets. */
function peerAddress(peer: string): string {
  return peer.slice(0, Math.max(peer.lastIndexOf(':'), 0)) || peer
}
