import { clientAddress } from '../limits/client-address.ts'
import type { Window } from '../limits/windows.ts'
import { Fault } from './fault.ts'
import type { Passage, PipelineParts } from './pipeline.ts'

/** Takes a place in the method's window and then in the global one, or in neither (contract 10). */
export async function limit(passage: Passage, parts: PipelineParts): Promise<void> {
  if (parts.globalLimit === undefined) return
  const { operation, call } = passage
  const { limitPerMinute } = operation.policy
  const own = limitPerMinute ? [perMinute(operation.name, limitPerMinute)] : []
  const [first, ...others] = call.door === 'http' ? [...own, globalWindow(parts.globalLimit)] : own
  if (!first) return
  const verdict = await parts.windows.take(clientAddress(call.ip), [first, ...others])
  passage.verdict = verdict
  if (!verdict.allowed) throw tooMany(verdict.retryAfter)
}

/** The window over all methods. */
export function globalWindow(limit: number): Window {
  return perMinute('global', limit)
}

/** The Fault of a client that has to wait. */
export function tooMany(retryAfter: number): Fault {
  return new Fault('limited', 'RATE_LIMITED', `Try again in ${retryAfter} seconds`, { retryAfter })
}

function perMinute(name: string, limit: number): Window {
  return { name, limit, period: 60 }
}
