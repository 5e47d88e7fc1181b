import type { KeyUses } from '../admin/key-uses.ts'
import type { IdentityParts } from '../identity/identity-parts.ts'
import type { Verdict, Windows } from '../limits/windows.ts'
import type { LoadFacts } from '../permissions/facts.ts'
import type { Database } from '../storage/database.ts'
import { storageFault } from '../storage/storage-fault.ts'
import { callEnded } from './asker.ts'
import { authenticate } from './authenticate.ts'
import { authorize } from './authorize.ts'
import type { Call, Caller } from './call.ts'
import { Fault } from './fault.ts'
import { handle } from './handle.ts'
import { limit } from './limit.ts'
import type { Operation } from './operation.ts'
import type { Recognize } from './recognize.ts'
import type { Span } from './trace.ts'

/** What the steps work with. */
export type PipelineParts = {
  windows: Windows
  /** Requests a minute for one client over all methods; undefined lifts every limit. */
  globalLimit: number | undefined
  identity: IdentityParts
  recognize: Recognize
  now: () => Date
  /** The pages that may act with the admin cookie. */
  adminOrigins: string[]
  loadFacts: LoadFacts
  keyUses: KeyUses
  database: Database
  /** Hears of every Fault that is ours rather than the caller's. */
  onFailure: (fault: Fault, call: Call) => void
  /** Hears of every call when it has ended. */
  onEnd?: ((ending: Ending) => void) | undefined
  /** Makes the span of a call, where calls are traced. */
  trace?: Trace | undefined
  /** Tells the operator. */
  warn: (text: string) => void
}

/** A call on its way through the steps, and what they have found out. */
export type Passage = {
  operation: Operation
  call: Call
  /** When the call came. */
  now: Date
  caller: Caller
  grounds: number[]
  /** What is wrong with the message; kept until the caller may hear of it. */
  problem?: Fault
  /** Where the client stands in its windows. */
  verdict?: Verdict
  response?: object
}

/** How a call ended: with a response or a Fault, and the limits to tell of. */
export type Outcome = { response?: object; fault?: Fault; verdict?: Verdict }

/** A call that has ended, as the operator hears of it. */
export type Ending = {
  operation: Operation
  call: Call
  caller: Caller
  response: object | undefined
  fault: Fault | undefined
  /** From the door to the answer, before it is written. */
  milliseconds: number
}

/** Begins the span of a call. */
export type Trace = (operation: Operation, call: Call) => Span

/** The order of the steps, both doors. */
const steps: ((passage: Passage, parts: PipelineParts) => Promise<void> | void)[] = [
  limit, // first, so that a flood costs neither a signature nor a statement
  authenticate, // before the message is judged: a stranger learns nothing of what would be valid
  validate, // before rights are looked at, which need well-formed ids
  authorize, // the method's own demands; those on a record are the use case's
  handle,
]

function validate({ problem }: Passage): void {
  if (problem) throw problem
}

/** One way through for every call of either door. It never rejects. */
export type Pipeline = (operation: Operation, call: Call) => Promise<Outcome>

/** Puts the steps over their parts. */
export function createPipeline(parts: PipelineParts): Pipeline {
  const { onEnd, trace } = parts
  return async (operation, given) => {
    const began = performance.now()
    const span = trace?.(operation, given)
    const call = span ? { ...given, asker: { ...given.asker, span } } : given
    const passage: Passage = { operation, call, now: parts.now(), caller: {}, grounds: [] }
    const fault = await walk(passage, parts)
    const { caller, response, verdict } = passage
    span?.end(fault?.reason)
    const milliseconds = performance.now() - began
    onEnd?.({ operation, call, caller, response, fault, milliseconds })
    return fault ? { fault, ...(verdict && { verdict }) } : passage
  }
}

/** Takes the steps; answers the Fault that one of them ended with. */
async function walk(passage: Passage, parts: PipelineParts): Promise<Fault | undefined> {
  try {
    for (const step of steps) {
      const pending = step(passage, parts)
      if (pending) await pending
    }
    return undefined
  } catch (error) {
    const fault = Fault.from(storageFault(error))
    const ours = fault.kind === 'internal' || fault.kind === 'unavailable'
    if (ours && passage.call.asker.isGone()) return callEnded()
    if (ours) parts.onFailure(fault, passage.call)
    return fault
  }
}
