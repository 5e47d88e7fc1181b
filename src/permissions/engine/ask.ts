import type { Caller, PrincipalStatus } from '../../core/caller.ts'
import type { RequestScope } from '../../core/request-scope.ts'
import { withSpan } from '../../core/trace.ts'
import type { LoadJudgedFacts } from './conditions/judged-facts.ts'
import type { LoadList } from './lists/list.ts'
import type { Explanation, LoadReasons } from './load-reasons.ts'
import type { AskingService, Check, Questions, SubjectCheck } from './question.ts'

/** The facts that a handler asked for. */
export type Facts = {
  /** The facts of each check as bits (`bits.ts`), in order. Undefined without a check. */
  bits: (number | undefined)[]
  /** The explanations of the checks with `explain`, at the positions of these checks. */
  explanations: (Explanation | undefined)[]
  /** The IDs of a list, joined by `idSeparator`. */
  list?: { joinedIds: string; hasFullAccess: boolean; nextId?: string | undefined }
  /** The `basis` of the questions. */
  basis?: unknown
}

/** Returns the questions of a call that presents the key of a service. May reject; see `Ask`. */
export type AskQuestions = (service: AskingService | undefined) => Promise<Questions> | Questions

/**
 * Loads the status of a caller together with the facts that answer its questions.
 *
 * The questions may depend on the service of the key and on its routes, which only the statement
 * returns. A wrong assumption about them costs time but never changes the result:
 *
 *     unknown ─── load the status ──────────┐
 *                                           ▼
 *     assumed ─── load status and facts ─► loaded ─── key rejected ──► return the status
 *        ▲                                  │   └──── as assumed ────► return status and facts
 *        └──── service or routes differ ────┘
 *
 * A key begins as `assumed`, with its last service and routes, if it has been valid before. Otherwise
 * it is `unknown`, so that unauthenticated callers cause no further work.
 * See docs/decisions/memory.md#questions-that-depend-on-the-service-of-the-key.
 *
 * `facts` is undefined if the caller's key is rejected. If `ask` rejects, the status is loaded
 * alone, and `error` is what it rejected with: the caller learns of it once authenticated.
 */
export type Ask = (
  caller: Caller,
  ask: AskQuestions | undefined,
  scope?: RequestScope,
) => Promise<{ status: PrincipalStatus; facts?: Facts; error?: unknown }>

const noFacts: Facts = { bits: [], explanations: [] }

/** In development mode, a key identifies no service. */
const developer: AskingService = { name: undefined }

/** Creates the function through which the pipeline loads facts. */
export function createAsk(
  engine: { loadFacts: LoadJudgedFacts; loadList: LoadList; loadReasons: LoadReasons },
  { keysRequired: areKeysRequired }: { keysRequired: boolean },
): Ask {
  /** The services of valid keys, by the hash of the key. */
  const services = new Map<string, AskingService>()
  let isDevelopmentMode = false

  return async (caller, ask, scope) => {
    if (!ask) return { ...(await load(caller, { checks: [] }, scope)), facts: noFacts }
    const { keyHash } = caller
    if (keyHash === undefined) {
      const settled = settle(ask, undefined)
      const questions = settled instanceof Promise ? await settled : settled
      const loaded = await load(caller, questions.value ?? { checks: [] }, scope)
      return { ...loaded, error: questions.error }
    }
    let assumed = services.get(keyHash) ?? (isDevelopmentMode ? developer : undefined)
    for (;;) {
      const settled = assumed && settle(ask, assumed)
      const questions = settled instanceof Promise ? await settled : settled
      const { status, facts } = await load(caller, questions?.value ?? { checks: [] }, scope)
      const { service: name, routesVersion } = status
      isDevelopmentMode = !areKeysRequired && !status.keysRequired
      const isConfirmed = assumed?.name === name && assumed?.routesVersion === routesVersion
      if (name === undefined) {
        services.delete(keyHash)
        if (!isDevelopmentMode) return { status }
      } else if (!isConfirmed) services.set(keyHash, { name, routesVersion })
      if (questions && isConfirmed) return { status, facts, error: questions.error }
      assumed = services.get(keyHash) ?? developer
    }
  }

  async function load(
    caller: Caller,
    questions: Questions,
    scope: RequestScope | undefined,
  ): Promise<{ status: PrincipalStatus; facts: Facts }> {
    const { basis } = questions
    if ('list' in questions) {
      const { status, ...list } = await engine.loadList({ ...caller, ...questions.list }, scope)
      return { status, facts: { ...noFacts, list, basis } }
    }
    const { checks } = questions
    const plain = checks.filter((check) => check !== undefined && !check.explain) as Check[]
    return withSpan(scope?.span, 'facts', {}, async () => {
      if (plain.length === checks.length) {
        const { status, bits } = await engine.loadFacts({ ...caller, checks: plain }, scope)
        return { status, facts: { bits, explanations: [], basis } }
      }
      const explained = checks.filter((check) => check?.explain) as SubjectCheck[]
      const [{ status, bits }, explanations] = await Promise.all([
        engine.loadFacts({ ...caller, checks: plain }, scope),
        engine.loadReasons(explained),
      ])
      return { status, facts: { ...arrange(checks, bits, explanations), basis } }
    })
  }
}

/** Puts the facts of checks at the positions of the checks. */
function arrange(
  checks: (Check | undefined)[],
  bits: number[],
  explanations: Explanation[],
): Facts {
  const nextBits = bits.values()
  const nextExplanation = explanations.values()
  const facts: Facts = { bits: [], explanations: [] }
  for (const check of checks) {
    const explanation = check?.explain ? nextExplanation.next().value : undefined
    facts.explanations.push(explanation)
    facts.bits.push(check && (explanation ? explanation.bits : nextBits.next().value))
  }
  return facts
}

type Settled = { value?: Questions; error?: unknown }

/** Returns what `ask` resolves to or rejects with, as a promise only if it returns one. */
function settle(ask: AskQuestions, service: AskingService | undefined): Settled | Promise<Settled> {
  try {
    const value = ask(service)
    if (!(value instanceof Promise)) return { value }
    return value.then(
      (value) => ({ value }),
      (error) => ({ error }),
    )
  } catch (error) {
    return { error }
  }
}
