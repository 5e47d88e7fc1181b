import { ServiceError } from './errors.ts'
import { reasons } from './reasons.ts'

/** Counts an open watch. Returns the function that ends it. */
export type EnterWatch = (name: string) => () => void

/** Creates the limit of the open watches of each name, and of a node. */
export function createWatchLimit(max: { each: number; node: number }, of: string): EnterWatch {
  const counts = new Map<string, number>()
  let total = 0
  return (name) => {
    const count = counts.get(name) ?? 0
    if (count >= max.each || total >= max.node) throw tooManyWatches(max, of)
    counts.set(name, count + 1)
    total += 1
    return () => {
      total -= 1
      const remaining = (counts.get(name) ?? 1) - 1
      if (remaining > 0) counts.set(name, remaining)
      else counts.delete(name)
    }
  }
}

function tooManyWatches({ each, node }: { each: number; node: number }, of: string): ServiceError {
  const detail = `At most ${each} watches of ${of} and ${node} of a node can be open; close one, or try again later`
  return new ServiceError(reasons.TOO_MANY_WATCHES, detail, { retryAfter: 10 })
}
