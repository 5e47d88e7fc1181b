import { type CelValue, celMap } from '@bufbuild/cel'
import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import { checkExpression, type Reads } from './check-expression.ts'
import { isFailure } from './failure.ts'
import { type ParameterType, toCelType } from './parameter-type.ts'
import type { ParameterValues } from './parameters.ts'
import { parseExpression } from './parse.ts'
import { ExpressionError, type ExpressionProblem } from './problem.ts'
import { compileProgram, type Frame, type Program, type Result } from './program.ts'
import type { VariableName } from './variables.ts'
import { type CallWork, chargeCall, createWork, workExceeded } from './work.ts'

/** A compiled condition. Compiling takes about a millisecond, so it is kept with its declaration. */
export type Condition = {
  reads: Reads
  program: Program
}

/** The values of all variables but `params`, or of those that the condition reads. */
export type ConditionVariables = Partial<Record<Exclude<VariableName, 'params'>, CelValue>>

/**
 * The result of a condition. If it could not be evaluated, it is false, and `error` says why.
 * `missing` are the paths under `context` and `properties` that the request lacks, sorted, if the
 * result depends on them.
 */
export type Verdict = { result: boolean; error?: string; missing: readonly string[] }

/** Compiles an expression, or returns the first problem with it. */
export function compileCondition(
  expression: string,
  parameters: ReadonlyMap<string, ParameterType>,
): { condition: Condition } | { problem: ExpressionProblem } {
  try {
    const parsed = parseExpression(expression)
    const types = new Map([...parameters].map(([name, type]) => [name, toCelType(type)]))
    const reads = checkExpression(expression, parsed, types)
    return { condition: { reads, program: compileProgram(parsed.expr as Expr) } }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return { problem: { message: error.message, ...error.position } }
  }
}

/** Evaluates a condition. Never throws: a condition that fails is false. */
export function evaluateCondition(
  { program }: Condition,
  variables: ConditionVariables,
  params: ParameterValues,
  callWork: CallWork,
): Verdict {
  const before = createWork(callWork)
  const work = { ...before }
  try {
    const values = { ...variables, params: celMap(new Map(params)) }
    return toVerdict(run(program, { work, variables: values, locals: [] }))
  } finally {
    chargeCall(callWork, before, work)
  }
}

function run(program: Program, frame: Frame): Result | Error {
  try {
    return program(frame)
  } catch (error) {
    return error instanceof Error ? error : new Error('the condition failed')
  }
}

function toVerdict(result: Result | Error): Verdict {
  if (result === true || result === false) return { result, missing: [] }
  if (result === workExceeded) return failed(workExceeded.message)
  if (result instanceof Error) return failed('the condition could not be evaluated')
  if (isFailure(result))
    return { result: false, error: result.message, missing: [...result.missing].sort() }
  return failed('the result is not a bool')
}

function failed(error: string): Verdict {
  return { result: false, error, missing: [] }
}
