import type { ServiceError } from '../core/errors.ts'
import type { RequestScope } from '../core/request-scope.ts'

/** The credentials of a call, as received. */
export type Credentials = {
  authorization: string | undefined
  serviceKey: string | undefined
  /** The cookies `admin_token`. */
  adminTokens: string[]
  /** The hash of the token, cached because all messages of a stream carry the same credentials. */
  digest?: string
  /** The hash of the service key, cached for the same reason. */
  keyHash?: string
}

/** A call as a transport passes it to the pipeline. */
export type Call = {
  transport: 'grpc' | 'http'
  /** The request message, or the error if it could not be read. */
  message: object | ServiceError
  /** Reads the message of an HTTP call or a large gRPC message once credentials are verified. */
  read?: () => Promise<object | ServiceError>
  /** Decodes a large gRPC message once it is admitted (rpc/admit.ts). Overrides `message`. */
  readInTurn?: () => object | ServiceError
  /** Whether the message is large or of unknown size, so that authentication must come first. */
  hasLargeBody?: boolean
  /** Whether an open stream has its credentials verified again, which counts as no call. */
  isContinued?: boolean
  credentials: Credentials
  ip: string
  requestId: string
  scope: RequestScope
  /** The W3C trace context of the client. */
  traceparent?: string | undefined
  /** The origin of the page that sent the request; true for a page of the same origin. */
  origin?: string | true | undefined
}
