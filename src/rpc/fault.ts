/** One field's problem: its path in the request, and what is wrong in a sentence. */
export type FieldProblem = { field: string; message: string }

/** Every way a call can end without its answer: kind → gRPC code, HTTP status. */
export const faultKinds = {
  invalid: { grpc: 3, http: 422, title: 'Invalid request' },
  refused: { grpc: 9, http: 400, title: 'Refused' },
  unauthenticated: { grpc: 16, http: 401, title: 'Unauthenticated' },
  forbidden: { grpc: 7, http: 403, title: 'Forbidden' },
  missing: { grpc: 5, http: 404, title: 'Not found' },
  method: { grpc: 12, http: 405, title: 'Method not allowed' },
  conflict: { grpc: 6, http: 409, title: 'Conflict' },
  too_large: { grpc: 11, http: 413, title: 'Too large' },
  media_type: { grpc: 3, http: 415, title: 'Unsupported media type' },
  limited: { grpc: 8, http: 429, title: 'Too many requests' },
  unavailable: { grpc: 14, http: 503, title: 'Unavailable' },
  internal: { grpc: 13, http: 500, title: 'Internal error' },
} as const

export type FaultKind = keyof typeof faultKinds

type FaultParts = {
  problems?: FieldProblem[]
  /** Whole seconds until another try may succeed. */
  retryAfter?: number
  /** The private reason; it reaches the log and nothing else. */
  cause?: unknown
}

/** Why a call has no answer. `message` and `reason` are public; `cause` is not. */
export class Fault extends Error {
  readonly kind: FaultKind
  /** Stable, UPPER_SNAKE_CASE: what programs compare (google.rpc.ErrorInfo). */
  readonly reason: string
  readonly problems: FieldProblem[]
  readonly retryAfter: number | undefined

  constructor(kind: FaultKind, reason: string, detail: string, parts: FaultParts = {}) {
    super(detail, { cause: parts.cause })
    this.name = 'Fault'
    this.kind = kind
    this.reason = reason
    this.problems = parts.problems ?? []
    this.retryAfter = parts.retryAfter
  }

  /** Any thrown value as a Fault; what is not one already stays private behind a fixed text. */
  static from(thrown: unknown): Fault {
    if (thrown instanceof Fault) return thrown
    return new Fault('internal', 'INTERNAL', 'Something went wrong on our side', { cause: thrown })
  }
}

/** A Fault for fields: every problem of the request at once. */
export function invalid(...problems: FieldProblem[]): Fault {
  const detail = problems.map(({ field, message }) => (field ? `${field} ${message}` : message))
  return new Fault('invalid', 'INVALID_REQUEST', detail.slice(0, 10).join('; '), { problems })
}
