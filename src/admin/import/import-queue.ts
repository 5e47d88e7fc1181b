let last: Promise<unknown> = Promise.resolve()

/**
 * Runs `work` after what this node has begun before it: imports that wait for each other wait here
 * and not on the connections that everybody needs.
 */
export function enqueueImport<Result>(work: () => Promise<Result>): Promise<Result> {
  const turn = last.then(work)
  last = turn.catch(() => {})
  return turn
}
