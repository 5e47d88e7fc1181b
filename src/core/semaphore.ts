/** Runs work when a place is free. */
export type Semaphore = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Creates a semaphore: at most `max` works run at once, and the others wait in the order of their calls. */
export function createSemaphore(max: number): Semaphore {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < max) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The next one takes over the place.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
