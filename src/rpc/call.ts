import type { ServiceError } from '../core/errors.ts'
import type { RequestScope } from '../core/request-scope.ts'

/** The credentials of a call, as received. */
export type Credentials = {
  authorization: string | undefined
  serviceKey: string | undefined
  /** The cookie `admin_token`. */
  adminToken: string | undefined
  /** SHA-256 of the token, kept because all messages of a stream carry the same credentials. */
  digest?: string
  /** The hash of the service key, kept for the same reason. */
  keyHash?: string
}

/** A call as a transport hands it to the pipeline. */
export type Call = {
  transport: 'grpc' | 'http'
  /** The request message, or why it could not be read. */
  message: object | ServiceError
  /** Reads the message of an HTTP call, once the call has passed the limits and its credentials. */
  read?: () => Promise<object | ServiceError>
  /** Decodes a large message, instead of `message`, when it is its turn (rpc/admit.ts). */
  readInTurn?: () => object | ServiceError
  /** The message is large or of unknown size, so it is read only for callers that are authenticated. */
  hasLargeBody?: boolean
  credentials: Credentials
  ip: string
  requestId: string
  scope: RequestScope
  /** The W3C trace context of the client. */
  traceparent?: string | undefined
  /** The origin of the page that sent the request; true for a page of the same origin. */
  origin?: string | true | undefined
}
