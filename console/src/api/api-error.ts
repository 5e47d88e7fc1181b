import type { ReasonName } from '../../../src/server/reasons.ts'
import type { components } from '../../gen/rest-api.ts'
import type { FieldChange } from './versions.ts'

type Problem = components['schemas']['Problem']

/** A stable identifier of the cause; the last two are for requests without an answer of daikon. */
export type Reason = ReasonName | 'UNKNOWN' | 'UNREACHABLE'

/** A failed request: the API returned an error, or the server could not be reached. */
export class ApiError extends Error {
  /** The HTTP status; 0 if there was no response. */
  readonly status: number
  readonly reason: Reason
  readonly requestId: string | undefined
  /** The invalid fields, each with a message. */
  readonly fields: { field: string; message: string }[]

  /** The problem details, whose other members depend on the reason. */
  readonly problem: Partial<Problem>

  /** What somebody else has changed, if the request was refused for that reason. */
  readonly changes: FieldChange[]

  constructor(status: number, problem: Partial<Problem>, changes: FieldChange[] = []) {
    super(problem.detail || problem.title || 'The request failed')
    this.name = 'ApiError'
    this.status = status
    this.reason = (problem.reason ?? 'UNKNOWN') as Reason
    this.requestId = problem.request_id
    this.fields = problem.errors ?? []
    this.problem = problem
    this.changes = changes
  }

  /** Returns the error with other names of fields, such as those of a form. */
  renameFields(rename: (field: string) => string): ApiError {
    const errors = this.fields.map(({ field, message }) => ({ field: rename(field), message }))
    const { status, message: detail, reason, requestId, changes } = this
    const problem = { detail, reason, errors, ...(requestId && { request_id: requestId }) }
    return new ApiError(status, problem, changes)
  }

  /** Whether somebody else has changed the object since it was read. */
  get isConflict(): boolean {
    return this.status === 412
  }

  get isNotFound(): boolean {
    // An ID in the address that is not a UUID is treated like one that does not exist.
    return this.status === 404 || (this.status === 422 && this.fields.some(isIdField))
  }
}

function isIdField({ field }: { field: string }): boolean {
  return /_id$/.test(field)
}

/** Returns the message of any error. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong'
}
