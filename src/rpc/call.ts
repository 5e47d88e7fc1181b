import type { Credentials, PresentingCall } from '../core/credential-kind.ts'
import type { ServiceError } from '../core/errors.ts'
import type { RequestScope } from '../core/request-scope.ts'

/** A call as a transport passes it to the pipeline. */
export type Call = PresentingCall & {
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
  scope: RequestScope
  /** The W3C trace context of the client. */
  traceparent?: string | undefined
}
