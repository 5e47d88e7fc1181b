import type { ParsedExpr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'

/** A character of an expression, both counted from 1. */
export type Position = { line: number; column: number }

/** Why an expression is refused. The message completes "The expression is invalid: …". */
export type ExpressionProblem = Position & { message: string }

/** Thrown while an expression is compiled; `compileCondition` returns its problem. */
export class ExpressionError extends Error {
  override name = 'ExpressionError'
  readonly position: Position

  constructor(message: string, position: Position) {
    super(message)
    this.position = position
  }
}

export function positionOfOffset(expression: string, offset: number): Position {
  const lines = expression.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1) as string).length + 1 }
}

/** Where a node of a parsed expression is. */
export function positionOfNode(expression: string, parsed: ParsedExpr, id: bigint): Position {
  return positionOfOffset(expression, parsed.sourceInfo?.positions[id.toString()] ?? 0)
}
