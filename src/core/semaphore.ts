/** Runs a task once the semaphore has a free slot. */
export type Semaphore = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Creates a semaphore: at most `max` tasks run concurrently, and the others wait in order. */
export function createSemaphore(max: number): Semaphore {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < max) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The next task takes over the slot of this one.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
