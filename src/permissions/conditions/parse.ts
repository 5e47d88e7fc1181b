import { parse } from '@bufbuild/cel'
import type { ParsedExpr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import { checkBrackets } from './nesting.ts'
import { ExpressionError, type Position } from './problem.ts'

/** How long an expression may be, in characters. */
export const maxExpressionLength = 1_000

/** Parses an expression. Throws an ExpressionError if it is no CEL expression, or too long. */
export function parseExpression(expression: string): ParsedExpr {
  if (expression.length > maxExpressionLength) {
    const position = { line: 1, column: 1 }
    throw new ExpressionError(`must be at most ${maxExpressionLength} characters long`, position)
  }
  if (expression.trim() === '')
    throw new ExpressionError('must not be empty', { line: 1, column: 1 })
  checkBrackets(expression)
  try {
    // The library takes a comment only with the end of its line.
    return parse(`${expression}\n`)
  } catch (error) {
    throw toExpressionError(error)
  }
}

type SyntaxProblem = {
  location?: { start: Position }
  found?: string
  rawMessage?: string
}

function toExpressionError(error: unknown): ExpressionError {
  const { location, found, rawMessage } = error as SyntaxProblem
  const { line, column } = location?.start ?? { line: 1, column: 1 }
  return new ExpressionError(describe(found, rawMessage), { line, column })
}

function describe(found: string | undefined, message: string | undefined): string {
  if (found) return `unexpected ${found}`
  return message?.startsWith('found end of input') ? 'unexpected end' : 'invalid syntax'
}
