import type { Attempt } from './connection.ts'
import { abortError, DeadlineExceededError } from './errors.ts'
import { onAbort } from './signals.ts'

/** Limits how many calls run concurrently. */
export type Limiter = ReturnType<typeof createLimiter>

/**
 * Creates a limiter that runs at most `capacity` tasks concurrently. Further tasks wait in order, until
 * their deadline.
 */
export function createLimiter(capacity: number) {
  const waiting: (() => void)[] = []
  let running = 0

  function release() {
    running -= 1
    waiting.shift()?.()
  }

  function enter(deadline: number, signal: AbortSignal | undefined): Promise<void> | undefined {
    if (running < capacity) {
      running += 1
      return undefined
    }
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        const index = waiting.indexOf(start)
        if (index !== -1) waiting.splice(index, 1)
        clearTimeout(timeout)
        stopListening?.()
        finish()
      }
      const start = () => {
        running += 1
        settle(resolve)
      }
      const timeout = setTimeout(
        () => settle(() => reject(queueDeadlineError())),
        Math.max(deadline - Date.now(), 0),
      )
      const stopListening =
        signal && onAbort(signal, () => settle(() => reject(abortError(signal))))
      waiting.push(start)
    })
  }

  return {
    async run<Result>(
      task: () => Promise<Result>,
      { deadline, signal }: Pick<Attempt, 'deadline' | 'signal'>,
    ): Promise<Result> {
      await enter(deadline, signal)
      try {
        return await task()
      } finally {
        release()
      }
    },
    /** Takes a slot if one is free. The caller must return it with `release`. */
    tryEnter(): boolean {
      if (running >= capacity) return false
      running += 1
      return true
    },
    release,
    /** Takes a slot as soon as one is free, then calls `callback`. */
    whenFree(callback: () => void): void {
      waiting.push(() => {
        running += 1
        callback()
      })
    },
  }
}

/** Creates the error for an operation whose deadline passed before it could start. */
export function queueDeadlineError(): DeadlineExceededError {
  return new DeadlineExceededError(
    'The deadline passed while the operation waited for others. Start fewer concurrently, or raise maxInFlight',
  )
}
