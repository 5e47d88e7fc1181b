/**
 * The result of a part of an expression that failed. A value and not an exception, because `||` and
 * `&&` ignore a failure if their other side decides.
 */
export type Failure = {
  readonly isFailure: true
  readonly message: string
  /** The paths that the request lacks, if the part failed because of them. */
  readonly missing: readonly string[]
}

export function createFailure(message: string, missing: readonly string[] = []): Failure {
  return { isFailure: true, message, missing }
}

export function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && 'isFailure' in value
}

/** Combines failures that each would have prevented a result. */
export function mergeFailures(first: Failure, second: Failure): Failure {
  const added = second.missing.filter((path) => !first.missing.includes(path))
  if (added.length === 0) return first
  return createFailure(first.message, [...first.missing, ...added])
}
