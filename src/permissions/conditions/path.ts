import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'

/** A path that an expression selects, such as `context.amount`. */
export type SelectedPath = {
  variable: string
  keys: string[]
  text: string
  /** Whether the request provides the value. */
  isOfRequest: boolean
}

const requestVariables = ['context', 'properties']

/** Returns the path if each part is a name, or a string in brackets. */
export function selectedPath(expression: Expr): SelectedPath | undefined {
  const keys: string[] = []
  let part = expression
  while (part.exprKind.case !== 'identExpr') {
    const next = selection(part)
    if (!next) return undefined
    keys.unshift(next.key)
    part = next.operand
  }
  const variable = part.exprKind.value.name
  const text = keys.reduce((path, key) => path + toSuffix(key), variable)
  return { variable, keys, text, isOfRequest: requestVariables.includes(variable) }
}

function selection({ exprKind: kind }: Expr): { operand: Expr; key: string } | undefined {
  if (kind.case === 'selectExpr' && kind.value.operand)
    return { operand: kind.value.operand, key: kind.value.field }
  if (kind.case !== 'callExpr' || kind.value.function !== '_[_]') return undefined
  const [operand, index] = kind.value.args
  const key = index && constantKey(index)
  return operand && key !== undefined ? { operand, key } : undefined
}

/** Returns the string that an expression consists of. */
export function constantKey({ exprKind: kind }: Expr): string | undefined {
  if (kind.case !== 'constExpr' || kind.value.constantKind.case !== 'stringValue') return undefined
  return kind.value.constantKind.value
}

function toSuffix(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}
