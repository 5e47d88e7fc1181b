import type { Ending } from './doors.ts'

/** The message of a call that must have been answered. */
export function answered(ending: Ending): Record<string, any> {
  if (ending.ok) return ending.message
  throw new Error(`${ending.kind} ${ending.reason}: ${ending.detail}`)
}

/** The fault of a call that must have been refused. */
export function refused(ending: Ending): Extract<Ending, { ok: false }> {
  if (!ending.ok) return ending
  throw new Error(`answered: ${JSON.stringify(ending.message).slice(0, 300)}`)
}
