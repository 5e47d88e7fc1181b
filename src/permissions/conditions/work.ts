/** How many steps one evaluation may take. */
export const maxEvaluationSteps = 2_000

/** How many steps all evaluations of one call may take together. */
export const maxCallSteps = 200_000

// Steps count what grows with the data. Operations also count what an expression repeats in each
// iteration and costs less than a step: an operation takes 0.1 to 0.2 µs.
// See docs/decisions/conditions.md#work-of-a-condition-beyond-steps.
const maxEvaluationOperations = 12_000
const maxCallOperations = 2_000_000

/** The work that is left for the evaluations of a call. */
export type CallWork = { steps: number; operations: number }

export function createCallWork(): CallWork {
  return { steps: maxCallSteps, operations: maxCallOperations }
}

/** Whether no evaluation has taken any work of a call. */
export function isUnused({ steps, operations }: CallWork): boolean {
  return steps === maxCallSteps && operations === maxCallOperations
}

/** The work that is left for one evaluation. */
export type Work = { steps: number; operations: number }

export function createWork(call: CallWork): Work {
  return {
    steps: Math.min(maxEvaluationSteps, call.steps),
    operations: Math.min(maxEvaluationOperations, call.operations),
  }
}

/** Takes what an evaluation has used from the work of its call. */
export function chargeCall(call: CallWork, before: Work, after: Work): void {
  call.steps = Math.max(0, call.steps - (before.steps - after.steps))
  call.operations = Math.max(0, call.operations - (before.operations - after.operations))
}

/** Thrown when an evaluation exceeds its limit of work. Ends the whole evaluation. */
export const workExceeded = new Error('the condition needs too much work')

export function takeSteps(work: Work, steps: number): void {
  work.steps -= steps
  if (work.steps < 0) throw workExceeded
}

export function takeOperations(work: Work, operations: number): void {
  work.operations -= operations
  if (work.operations < 0) throw workExceeded
}

/** Takes operations that precede an evaluation, at most as many as one may take, from its call. */
export function takeCallOperations(call: CallWork, operations: number): void {
  const left = Math.min(maxEvaluationOperations, call.operations)
  call.operations = Math.max(0, call.operations - operations)
  if (operations > left) throw workExceeded
}

const charactersPerStep = 64

/** The steps for characters that an operation reads or builds. */
export function stepsForCharacters(length: number): number {
  return Math.floor(length / charactersPerStep)
}
