import type { Condition, Context, Visibility } from '../argument-types.ts'
import { DaikonError } from '../errors.ts'
import type { Role } from '../gen/core/roles.ts'

/** What a condition of a fake reads, as the variables of an expression on the server. */
export type FakeConditionInput = {
  subject: {
    id: string
    externalId: string
    type: 'user' | 'group' | 'link' | 'anonymous'
    email: string
    /** The role in the workspace of the resource; empty if there is none. */
    role: Role | ''
    /** Whether the user is a guest of the workspace of the resource. */
    guest: boolean
  }
  /** The resource that is asked about, also if the share is on an ancestor. */
  resource: {
    id: string
    externalId: string
    type: string
    workspaceId: string
    ownerId: string
    visibility: Visibility
    // biome-ignore lint/suspicious/noExplicitAny: attributes are any JSON, like those of an expression
    attributes: Record<string, any>
  }
  /** The software that acts for the user: empty strings if there is none. */
  agent: { type: 'service_account' | 'client' | ''; id: string }
  action: string
  // biome-ignore lint/suspicious/noExplicitAny: see attributes
  context: Record<string, any>
  // biome-ignore lint/suspicious/noExplicitAny: see attributes
  params: Record<string, any>
  now: Date
}

/**
 * Stands for the expression of a condition, which only the server evaluates. A condition whose function
 * throws is false, like one whose evaluation fails.
 */
export type FakeCondition = (input: FakeConditionInput) => boolean

/** The result of a condition. */
export type Verdict = { condition: string; isTrue: boolean; hasFailed: boolean }

/** Evaluates conditions of one decision. */
export type Evaluate = (condition: Condition) => Verdict

/**
 * Returns a function that evaluates conditions. A condition whose results for the inputs differ has
 * failed.
 *
 * @throws DaikonError `failed_precondition` if the fake has no function for a condition
 */
export function createEvaluate(
  functions: Map<string, FakeCondition>,
  createInputs: () => Omit<FakeConditionInput, 'params' | 'context'>[],
  context: Context = {},
): Evaluate {
  let inputs: Omit<FakeConditionInput, 'params' | 'context'>[] | undefined
  return ({ name, params = {} }) => {
    const judge = functions.get(name)
    if (!judge) throw withoutFunction(name)
    inputs ??= createInputs()
    try {
      const results = inputs.map((input) => judge({ ...input, context, params }) === true)
      const isTrue = !results.includes(false)
      return { condition: name, isTrue, hasFailed: !isTrue && results.includes(true) }
    } catch {
      return { condition: name, isTrue: false, hasFailed: true }
    }
  }
}

function withoutFunction(name: string): DaikonError {
  const message =
    `The fake has no function for the condition ${name}: only the server evaluates expressions. ` +
    `Pass createFakeDaikon({ conditions: { ${JSON.stringify(name)}: ({ context }) => … } })`
  return new DaikonError('failed_precondition', 'CONDITION_WITHOUT_FUNCTION', message)
}
