import type { Principal } from '../core/request-context.ts'
import type { Check } from '../permissions/engine/question.ts'
import type { Call } from './call.ts'

/** The decisions of a call. */
export type Decisions = {
  call: Call
  principal: Principal
  /** The checks of the call. One is undefined if its subject or resource cannot exist. */
  checks: (Check | undefined)[]
  /** The facts of each check. */
  bits: (number | undefined)[]
  milliseconds: number
}
