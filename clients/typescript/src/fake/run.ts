import type { CallOptions } from '../argument-types.ts'
import { abortError, closedError, type DaikonError, DeadlineExceededError } from '../errors.ts'

/** Runs an operation of a fake with the behavior of a remote call. */
export type Run = <Result>(options: CallOptions, operation: () => Result) => Promise<Result>

/** What tests can do to the calls of a fake. */
export type FakeConnection = {
  run: Run
  failWith(error: DaikonError): void
  delay(ms: number): void
  recover(): void
  close(): void
}

const defaultDeadlineMs = 2000

export function createFakeConnection(): FakeConnection {
  let failure: DaikonError | undefined
  let delayMs = 0
  let isClosed = false
  return {
    async run({ signal, deadlineMs = defaultDeadlineMs }, operation) {
      if (signal?.aborted) throw abortError(signal)
      await waitFor(Math.min(delayMs, deadlineMs), signal)
      if (isClosed) throw closedError()
      if (delayMs >= deadlineMs) throw new DeadlineExceededError()
      if (failure) throw failure
      return operation()
    },
    failWith(error) {
      failure = error
    },
    delay(ms) {
      delayMs = ms
    },
    recover() {
      failure = undefined
      delayMs = 0
    },
    close() {
      isClosed = true
    },
  }
}

function waitFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timeout)
      if (signal) reject(abortError(signal))
    }
    const timeout = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
