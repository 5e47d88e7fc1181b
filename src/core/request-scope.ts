import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from './trace.ts'

/** The part of a call that its database statements need. */
export type RequestScope = {
  /** Aborted when the client cancels, its deadline passes or its connection closes. */
  signal: AbortSignal
  /** The span of the call, if calls are traced. */
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
