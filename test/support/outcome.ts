import type { Outcome } from './transports.ts'

/** The message of a call that must have been answered. */
export function expectOk(ending: Outcome): Record<string, any> {
  if (ending.ok) return ending.message
  throw new Error(`${ending.code} ${ending.reason}: ${ending.detail}`)
}

/** The fault of a call that must have been refused. */
export function expectError(ending: Outcome): Extract<Outcome, { ok: false }> {
  if (!ending.ok) return ending
  throw new Error(`answered: ${JSON.stringify(ending.message).slice(0, 300)}`)
}
