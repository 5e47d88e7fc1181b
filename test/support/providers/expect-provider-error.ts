import type { ExecutionContext } from 'ava'
import {
  type SignInError,
  type SignInResult,
  signInErrors,
} from '../../../src/identity/sign-in-result.ts'

/** Asserts that a step fails with `error` and that its private reason matches `reason`. */
export async function expectProviderError(
  t: ExecutionContext,
  step: Promise<SignInResult<unknown>>,
  error: SignInError,
  reason: RegExp = /./,
  message = '',
): Promise<void> {
  const result = await step
  if (result.ok) return t.fail(`${message} succeeded`)
  t.is(result.error, error, `${message} ${result.reason}`)
  t.is(result.error_description, signInErrors[error])
  t.regex(result.reason ?? '', reason)
}

/** Returns the value of a step. Throws if the step failed. */
export function expectSuccess<Value>(result: SignInResult<Value>): Value {
  if (result.ok) return result.value
  throw new Error(`${result.error}: ${result.reason}`)
}
