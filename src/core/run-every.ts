import type { JobResult } from './job.ts'

/** A job that runs until it is stopped. */
export type RunningJob = { stop(): Promise<void> }

/**
 * Runs `job` repeatedly, with a pause of `interval` milliseconds before each run, so that runs
 * never overlap. A job that resolves to `more` runs again immediately. `stop` waits for a running job.
 */
export function runEvery(
  interval: number,
  job: () => Promise<JobResult>,
  onFailure: (error: unknown) => void,
): RunningJob {
  let isStopped = false
  let running: Promise<void> = Promise.resolve()
  let timer: ReturnType<typeof setTimeout>
  const schedule = (delay: number) => {
    timer = setTimeout(() => {
      running = job()
        .catch((error): JobResult => {
          onFailure(error)
          return 'done'
        })
        .then((result) => {
          if (!isStopped) schedule(result === 'more' ? 0 : interval)
        })
    }, delay).unref()
  }
  schedule(interval)
  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
      return running
    },
  }
}
