import { type CelEnv, type CelValue, isCelError, plan } from '@bufbuild/cel'
import { ExprSchema } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import { create } from '@bufbuild/protobuf'
import { createFailure, type Failure } from './failure.ts'
import { takeOperations, type Work } from './work.ts'

/** Calls a function or operator of the library with values. */
export type LibraryCall = (
  work: Work,
  target: CelValue | undefined,
  values: CelValue[],
) => CelValue | Failure

// The library throws errors with a stack trace.
const operationsPerError = 300

/** Plans the call of a function with `count` arguments, for which values are passed in each call. */
export function planLibraryCall(
  env: CelEnv,
  name: string,
  hasTarget: boolean,
  count: number,
): LibraryCall {
  const args = Array.from({ length: count }, (_, index) => `a${index}`)
  const call = { function: name, args: args.map(identifier) }
  const value = hasTarget ? { ...call, target: identifier('target') } : call
  const evaluate = plan(env, create(ExprSchema, { exprKind: { case: 'callExpr', value } }))
  return (work, target, values) => {
    const activation: Record<string, CelValue> = {}
    if (target !== undefined) activation.target = target
    for (const [index, arg] of args.entries()) activation[arg] = values[index] as CelValue
    const result = evaluate(activation)
    if (!isCelError(result)) return result
    takeOperations(work, operationsPerError)
    return createFailure(result.message)
  }
}

function identifier(name: string) {
  return create(ExprSchema, { exprKind: { case: 'identExpr', value: { name } } })
}
