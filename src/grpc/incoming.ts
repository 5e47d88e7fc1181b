import type { Metadata } from '@grpc/grpc-js'
import { createCancellation } from '../core/cancellation.ts'
import type { ServiceError } from '../core/errors.ts'
import type { Call } from '../rpc/call.ts'
import { readCookie, readRequestId } from '../rpc/request-headers.ts'

/** The part of a grpc-js call that unary calls and streams share. */
export type IncomingCall = Pick<NodeJS.EventEmitter, 'on'> & {
  metadata: Metadata
  getPeer(): string
}

/** Converts a grpc-js call and one of its messages to a Call. */
export function readCall(incoming: IncomingCall, message: object | ServiceError): Call {
  const { metadata } = incoming
  const { signal, abort } = createCancellation()
  // Also emitted when the deadline passes.
  incoming.on('cancelled', abort)
  return {
    transport: 'grpc',
    message,
    credentials: {
      authorization: readMetadata(metadata, 'authorization'),
      serviceKey: readMetadata(metadata, 'x-service-key'),
      adminToken: readCookie(readMetadata(metadata, 'cookie'), 'admin_token'),
    },
    ip: addressOf(incoming.getPeer()),
    requestId: readRequestId(readMetadata(metadata, 'x-request-id')),
    scope: { signal },
    traceparent: readMetadata(metadata, 'traceparent'),
  }
}

/**
 * Joins repeated values, which makes repeated credentials invalid. Of `authorization` and other
 * headers that HTTP allows only once, Node's http2 drops all but the first before grpc-js sees
 * them.
 */
function readMetadata(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name)
  return values.length === 0 ? undefined : values.join(', ')
}

/** Removes the port, which grpc-js appends even to IPv6 addresses without brackets. */
function addressOf(peer: string): string {
  return peer.slice(0, Math.max(peer.lastIndexOf(':'), 0)) || peer
}
