import type { CelValue } from '@bufbuild/cel'
import { inTurn, mapInTurns } from '../../../core/turns.ts'
import { actionFact, builtInActions, grant } from '../../access.ts'
import {
  type ConditionVariables,
  evaluateCondition,
  type Verdict,
} from '../../conditions/condition.ts'
import { type ConditionInput, convertInput } from '../../conditions/condition-input.ts'
import { chargeConversion, convertParameters } from '../../conditions/parameters.ts'
import { fromDate, fromJson, type Json } from '../../conditions/values.ts'
import type { Agent } from '../../conditions/variables.ts'
import type { CallWork } from '../../conditions/work.ts'
import { roleOf, statusBit } from '../bits.ts'
import { decide } from '../facts.ts'
import type { Check } from '../question.ts'
import type { Requirement, RequiringResource } from '../statements/requirements.ts'
import type { Candidate, StoredVariables } from '../statements/uncertain.ts'
import { kindOf, subjectKinds, typeOf } from '../subjects/subject-kinds.ts'
import type { CompiledConditions } from './compiled-conditions.ts'

/** The facts of a check that depend on conditions. */
export type UncertainFacts = {
  /** The facts as bits (`bits.ts`), with `conditional` or `barred`. */
  bits: number
  candidates: Candidate[]
  /** The requirements that bind the resource, of all actions. */
  requirements: Requirement[]
  variables: StoredVariables | undefined
  /** The time of the statement that loaded the facts. */
  now: Date
}

/** A condition that was judged. */
export type JudgedCondition = Verdict & { condition: string }

/** A requirement that is not met, with the resource that it was judged with. */
export type UnmetRequirement = JudgedCondition & {
  resourceType: string
  resourceId: string
  /** The ID that the resource has in its service, if it has one. */
  externalId: string | null
  /** Whether the resource is an ancestor of the one that was asked about. */
  isInherited: boolean
}

/** The facts of a check after its conditions have been judged, without uncertain bits. */
export type JudgedCheck = {
  bits: number
  /** What the bits would be if every condition were true. */
  bitsIfTrue: number
  /** The requirements of the action that are not met. */
  unmet: UnmetRequirement[]
  /** The requirements of `view` that are not met and withhold a custom role. */
  unmetToView: UnmetRequirement[]
  /** The verdicts about the candidates, in order. Ends where the action was certainly allowed. */
  candidates: JudgedCondition[]
}

/** What conditions read of a check. */
type JudgedQuestion = Pick<Check, 'action' | 'subject' | 'resourceType' | 'input' | 'agent'>

const noInput: ConditionInput = {}
const noAgent: Agent = { type: '', id: '' }
const failed: Verdict = {
  result: false,
  error: 'the condition could not be evaluated',
  missing: [],
}

/**
 * Judges the conditions that decide a check, and lets the event loop turn between evaluations. An
 * error, a missing value, or work beyond what is left makes a condition false. With `all`, judges
 * every candidate, for the reasons.
 */
export async function judge(
  check: JudgedQuestion,
  facts: UncertainFacts,
  compiled: CompiledConditions,
  work: CallWork,
  { all = false }: { all?: boolean } = {},
): Promise<JudgedCheck> {
  const { action } = check
  const evaluate = createEvaluate(check, facts, compiled, work)
  let bits = facts.bits & ~(grant.conditional | grant.barred)
  const bitsIfTrue = facts.candidates.reduce((all, candidate) => all | candidate.bits, bits)
  let unmetToView: UnmetRequirement[] = []
  const { requirements } = facts
  // Most types require nothing, and a check waits for no promise then.
  const unmetRequirements =
    requirements.length > 0 ? await findUnmet(check, facts, action, evaluate) : []
  if (unmetRequirements.length > 0) bits |= grant.barred
  // A custom role gives the action on what the user may view.
  if (requirements.length > 0 && !builtInActions.includes(action) && bits & actionFact.granted) {
    unmetToView = await findUnmet(check, facts, 'view', evaluate)
    if (unmetToView.length > 0) bits &= ~actionFact.granted
  }
  const candidates: JudgedCondition[] = []
  const ignored = subjectKinds[kindOf(check.subject)].ignoredInSearches
  for (const candidate of facts.candidates) {
    if (!all && (bits & grant.barred || decide(action, bits & ~ignored))) break
    const evaluated = inTurn(() => evaluate(candidate.digest, candidate.params))
    const verdict = evaluated instanceof Promise ? await evaluated : evaluated
    candidates.push({ condition: candidate.condition, ...verdict })
    if (verdict.result) bits |= candidate.bits
  }
  return { bits, bitsIfTrue, unmet: unmetRequirements, unmetToView, candidates }
}

/** Evaluates a condition, with an ancestor of the resource in its place if there is one. */
type Evaluate = (
  digest: string,
  params: Record<string, unknown>,
  ancestor?: RequiringResource,
) => Verdict

async function findUnmet(
  { resourceType }: Pick<Check, 'resourceType'>,
  { requirements, variables }: UncertainFacts,
  action: string,
  evaluate: Evaluate,
): Promise<UnmetRequirement[]> {
  const required = requirements.filter((requirement) => requirement.action === action)
  const judged = await mapInTurns(required, (requirement) => judgeOne(requirement))
  return judged.filter(({ result }) => !result)

  function judgeOne({ condition, digest, ancestor }: Requirement): UnmetRequirement {
    const [id = '', externalId = null] = (ancestor ?? variables)?.resource ?? []
    return {
      condition,
      ...evaluate(digest, {}, ancestor),
      resourceType: ancestor?.resourceType ?? resourceType,
      resourceId: id,
      externalId,
      isInherited: ancestor !== undefined,
    }
  }
}

function createEvaluate(
  check: JudgedQuestion,
  facts: UncertainFacts,
  compiled: CompiledConditions,
  work: CallWork,
): Evaluate {
  let variables: ConditionVariables | undefined
  /** The variable of each resource, undefined for the one that is asked about. */
  const resources = new Map<RequiringResource | undefined, CelValue>()
  const isMixed = subjectKinds[kindOf(check.subject)].isPlural && facts.bits & statusBit.guest
  return (digest, params, ancestor) => {
    const found = compiled.get(digest)
    if (!found || !facts.variables) return failed
    if (isMixed && found.condition.reads.guest) return failed
    try {
      chargeConversion(work, found.parameters, params)
      const converted = convertParameters(found.parameters, params)
      if ('violations' in converted) return failed
      const { subject, resource: asked, agent } = facts.variables
      const of = ancestor ?? { resourceType: check.resourceType, resource: asked }
      variables ??= createVariables(check, facts, subject, agent)
      const resource = resources.get(ancestor) ?? createResourceVariable(of)
      resources.set(ancestor, resource)
      return evaluateCondition(found.condition, { ...variables, resource }, converted.values, work)
    } catch {
      // Properties that are nested too deep exhaust the stack.
      return failed
    }
  }
}

/** Returns the variables of the conditions of a check, but the resource. */
function createVariables(
  { action, subject, input = noInput, agent }: JudgedQuestion,
  { bits, now }: UncertainFacts,
  stored: StoredVariables['subject'],
  storedAgent: StoredVariables['agent'],
): ConditionVariables {
  // A role in another workspace than the resource's does not count.
  const hasRole = bits & grant.registered && subjectKinds[kindOf(subject)].hasRole
  const role = hasRole ? (roleOf(bits) ?? '') : ''
  // Conditions read the user for whom a subject stands.
  const kind = subjectKinds[kindOf(subject)].coverage ? 'user' : typeOf(subject)
  const isServiceAccount = kind === 'user' && bits & statusBit.serviceAccount
  const { id = '', externalId, email } = stored ?? {}
  return {
    subject: fromJson({
      id,
      external_id: externalId ?? '',
      type: isServiceAccount ? 'service_account' : kind,
      email: email ?? '',
      role,
      guest: role !== '' && (bits & statusBit.guest) !== 0,
    }),
    agent: fromJson(agent ?? storedAgent ?? noAgent),
    action,
    ...convertInput(input),
    now: fromDate(now),
  }
}

function createResourceVariable({ resourceType, resource }: RequiringResource): CelValue {
  const [id, externalId, workspaceId, ownerId, visibility, attributes] = resource
  return fromJson({
    id,
    external_id: externalId ?? '',
    workspace_id: workspaceId,
    owner_id: ownerId,
    visibility,
    type: resourceType,
    attributes: attributes as Json,
  })
}

/** Returns the digests of the conditions that facts depend on. */
export function digestsOf({ candidates, requirements }: UncertainFacts): string[] {
  return [...candidates, ...requirements].map(({ digest }) => digest)
}
