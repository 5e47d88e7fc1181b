import { clientAddress } from '../limits/client-address.ts'
import type { Window } from '../limits/windows.ts'
import { Fault } from './fault.ts'
import type { Passage, PipelineParts } from './pipeline.ts'

/** Takes a place in the method's window and then in the global one, or in neither. */
export function limit(passage: Passage, parts: PipelineParts): Promise<void> | undefined {
  if (parts.globalLimit === undefined) return
  const { operation, call } = passage
  const { limitPerMinute } = operation.policy
  const own = limitPerMinute ? [perMinute(operation.name, limitPerMinute)] : []
  const [first, ...others] = call.door === 'http' ? [...own, globalWindow(parts.globalLimit)] : own
  return first && takePlace(passage, parts, [first, ...others])
}

async function takePlace(
  passage: Passage,
  { windows }: PipelineParts,
  own: [Window, ...Window[]],
): Promise<void> {
  const verdict = await windows.take(clientAddress(passage.call.ip), own)
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
