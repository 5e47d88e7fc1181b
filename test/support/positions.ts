/** The parts of `X-Daikon-Position`. */
type Position = { history: string; number: number }

/** Reads what `formatPosition` writes. */
export function parsePosition(text: string): Position | undefined {
  const [, history, digits] = /^([0-9a-f]{12})-(0|[1-9][0-9]{0,15})$/.exec(text) ?? []
  const number = Number(digits)
  return history !== undefined && Number.isSafeInteger(number) ? { history, number } : undefined
}

/** Whether everything before `read` contains what was answered with `written`. */
export function covers(read: Position, written: Position): boolean {
  return read.history === written.history && read.number >= written.number
}
