import type { ErrorCode } from './error-codes.ts'

declare const defined: unique symbol

/** Why a call fails: an entry of a table that `defineReasons` has made. */
export type ErrorReason = {
  /** A stable UPPER_SNAKE_CASE identifier for programs to compare (google.rpc.ErrorInfo). */
  readonly name: string
  readonly code: ErrorCode
  /** What docs/api.md says, and the message of an error that has none of its own. */
  readonly message: string
  readonly [defined]: true
}

type Definition = {
  code: ErrorCode
  message: string
  /** The name, if another entry with the same name has another code. By default the key. */
  name?: string
}

/**
 * Defines the reasons of a folder, by name.
 *
 * @example
 * const reasons = defineReasons({ GROUP_NOT_FOUND: { code: 'not_found', message: 'Group not found' } })
 * throw new ServiceError(reasons.GROUP_NOT_FOUND)
 */
export function defineReasons<Key extends string>(
  definitions: Record<Key, Definition>,
): Readonly<Record<Key, ErrorReason>> {
  const entries = Object.entries<Definition>(definitions)
  const reasons = entries.map(([key, definition]) => [key, { name: key, ...definition }])
  return Object.fromEntries(reasons)
}

/** Returns a reason that another server has reported. */
export function receivedReason(name: string, code: ErrorCode): ErrorReason {
  const reason: Omit<ErrorReason, typeof defined> = { name, code, message: name }
  return reason as ErrorReason
}
