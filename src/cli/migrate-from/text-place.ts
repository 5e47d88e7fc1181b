import { LineCounter } from 'yaml'
import type { Place } from './tuple.ts'

/** Returns a function that converts offsets in a text to places. */
export function createLocator(text: string): (offset: number) => Place {
  const counter = new LineCounter()
  counter.addNewLine(0)
  for (const { index } of text.matchAll(/\n/g)) counter.addNewLine(index + 1)
  return (offset) => {
    const { line, col } = counter.linePos(offset)
    return { line, column: col }
  }
}
