import type { ExecutionContext } from 'ava'
import {
  ProviderError,
  type ProviderFailure,
  providerFailures,
} from '../../../src/identity/providers/provider-error.ts'

/** That the sign-in fails in this way: public sentence, private reason matching `reason`; `what` says which case it was. */
export async function expectProviderError(
  t: ExecutionContext,
  sign: Promise<unknown>,
  code: ProviderFailure,
  reason: RegExp = /./,
  what = '',
): Promise<void> {
  const error = await t.throwsAsync(sign, { instanceOf: ProviderError }, what)
  t.is(error.code, code, `${what} ${error.cause}`)
  t.is(error.message, providerFailures[code])
  t.regex((error.cause as Error).message, reason)
}
