import type { Outcome } from './transports.ts'

/** Returns the response message of a call. Throws if the call failed. */
export function expectOk(outcome: Outcome): Record<string, any> {
  if (outcome.ok) return outcome.message
  throw new Error(`${outcome.code} ${outcome.reason}: ${outcome.detail}`)
}

/** Returns the error of a call. Throws if the call succeeded. */
export function expectError(outcome: Outcome): Extract<Outcome, { ok: false }> {
  if (!outcome.ok) return outcome
  throw new Error(`Expected an error, got ${JSON.stringify(outcome.message).slice(0, 300)}`)
}

/** Returns the calls that failed. Comparing them with an empty array shows their errors. */
export function failedCalls(outcomes: Outcome[]): Outcome[] {
  return outcomes.filter(({ ok }) => !ok)
}
