import { AsyncLocalStorage } from 'node:async_hooks'
import type { Cancellation } from './cancellation.ts'
import type { Span } from './trace.ts'

/** What the statements of a call need to know about it. */
export type RequestScope = {
  /** Aborted when the client cancels, its deadline passes or its connection closes. */
  signal: Cancellation
  /** The span of the call, when calls are traced. */
  span?: Span | undefined
  /** Where the call came from; absent while a statement runs for several calls. */
  source?: RequestSource
}

/** Where a call came from, as the activity log records it. */
export type RequestSource = {
  requestId: string
  /** Undefined if addresses are not recorded. */
  ip: string | undefined
  /** The SHA-256 of the service key that authenticated the call. */
  keyHash: string | undefined
}

/** The scope of the running handler. */
export const requestScope = new AsyncLocalStorage<RequestScope>()
