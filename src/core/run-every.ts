/** A job that runs until it is stopped. */
export type Repeated = { stop(): Promise<void> }

/**
 * Runs `job` repeatedly, with a pause of `interval` milliseconds before each run, so that runs
 * never overlap. A job that resolves to true has more to do and runs again immediately. `stop`
 * waits for a running job.
 */
export function repeat(
  job: () => Promise<boolean>,
  interval: number,
  onFailure: (error: unknown) => void,
): Repeated {
  let isStopped = false
  let running: Promise<void> = Promise.resolve()
  let timer: ReturnType<typeof setTimeout>
  const schedule = (delay: number) => {
    timer = setTimeout(() => {
      running = job()
        .catch((error) => {
          onFailure(error)
          return false
        })
        .then((hasMore) => {
          if (!isStopped) schedule(hasMore ? 0 : interval)
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
