import { Metadata } from '@grpc/grpc-js'
import type { Call } from '../rpc/call.ts'
import { readCookies, readRequestId } from '../rpc/request-headers.ts'

/** The part of a grpc-js call that unary calls and streams share. */
export type IncomingCall = Pick<NodeJS.EventEmitter, 'on' | 'removeAllListeners'> & {
  metadata: Metadata
  getPeer(): string
}

/** Replaces the encodings that grpc-js announces in each response (guard-streams.ts). */
export const responseMetadata = new Metadata()
responseMetadata.set('grpc-accept-encoding', 'identity')

/** Without a reason, `abort` would create an exception with a stack for every call, which takes 5 µs. */
const callEnded = new Error('The call has ended')

/** Converts a grpc-js call to a Call without its message. */
export type ReadCall = (incoming: IncomingCall) => Call

/**
 * Creates the function that reads calls. `trustedProxies` is the number of reverse proxies, as for
 * REST.
 */
export function createReadCall(trustedProxies: number): ReadCall {
  return (incoming) => {
    const { metadata } = incoming
    const controller = new AbortController()
    // Also emitted when the deadline passes, and after every completed call (`completeCall`).
    incoming.on('cancelled', () => controller.abort(callEnded))
    return {
      transport: 'grpc',
      message: {},
      credentials: {
        authorization: readMetadata(metadata, 'authorization'),
        serviceKey: readMetadata(metadata, 'x-service-key'),
        adminTokens: readCookies(readMetadata(metadata, 'cookie'), 'admin_token'),
      },
      ip: findAddress(incoming, trustedProxies),
      requestId: readRequestId(readMetadata(metadata, 'x-request-id')),
      scope: { signal: controller.signal },
      traceparent: readMetadata(metadata, 'traceparent'),
    }
  }
}

/** Stops `readCall` from aborting a call that has been answered, which would take 3 µs. */
export function completeCall(incoming: IncomingCall): void {
  incoming.removeAllListeners('cancelled')
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

/** Each trusted proxy has appended the address from which it received the call. */
function findAddress(incoming: IncomingCall, trustedProxies: number): string {
  const peer = addressOf(incoming.getPeer())
  if (trustedProxies === 0) return peer
  const forwarded = readMetadata(incoming.metadata, 'x-forwarded-for')
  if (!forwarded) return peer
  const addresses = forwarded.split(',').map((address) => address.trim())
  return addresses.at(-trustedProxies) ?? addresses[0] ?? peer
}

/** Removes the port, which grpc-js appends even to IPv6 addresses without brackets. */
function addressOf(peer: string): string {
  return peer.slice(0, Math.max(peer.lastIndexOf(':'), 0)) || peer
}
