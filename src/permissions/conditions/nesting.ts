import { ExpressionError, positionOfOffset } from './problem.ts'

const maxBrackets = 32

// Comments, and string literals in all their forms. Brackets in them do not nest. An r before the
// quote makes backslashes literal. No character fits two alternatives of a repetition, which would
// take exponential time.
const skipped =
  /\/\/[^\n]*|(?<![\w])[bB]?[rR][bB]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*')|"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[([{]|[)\]}]/g

/** Counts brackets before the parser runs, because its recursion and time grow with their depth. */
export function checkBrackets(expression: string): void {
  let depth = 0
  for (const { 0: token, index } of expression.matchAll(skipped)) {
    if ('([{'.includes(token)) depth++
    else if (')]}'.includes(token)) depth--
    if (depth <= maxBrackets) continue
    const message = `brackets must be nested at most ${maxBrackets} levels deep`
    throw new ExpressionError(message, positionOfOffset(expression, index))
  }
}
