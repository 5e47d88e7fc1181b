import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'

/** A path that an expression selects, such as `context.amount`. */
export type SelectedPath = {
  variable: string
  /** The first two keys, and the number of all. */
  first?: string
  second?: string
  length: number
  text: string
  /** Whether the request provides the value. */
  isOfRequest: boolean
}

const requestVariables = ['context', 'properties']

const paths = new WeakMap<Expr, SelectedPath | null>()

/**
 * Returns the path if each part is a name, or a string in brackets. A path extends that of its
 * operand, so all paths of an expression take a time linear in its length.
 */
export function selectedPath(expression: Expr): SelectedPath | undefined {
  let path = paths.get(expression)
  if (path === undefined) {
    path = findPath(expression)
    paths.set(expression, path)
  }
  return path ?? undefined
}

function findPath(expression: Expr): SelectedPath | null {
  const { exprKind: kind } = expression
  if (kind.case === 'identExpr') {
    const variable = kind.value.name
    const isOfRequest = requestVariables.includes(variable)
    return { variable, length: 0, text: variable, isOfRequest }
  }
  const selected = selection(expression)
  const path = selected && selectedPath(selected.operand)
  return path ? extend(path, selected.key) : null
}

function extend(path: SelectedPath, key: string): SelectedPath {
  const { length } = path
  const name = length === 0 ? { first: key } : length === 1 ? { second: key } : {}
  return { ...path, ...name, length: length + 1, text: path.text + toSuffix(key) }
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
