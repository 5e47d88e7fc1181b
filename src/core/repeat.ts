/**
 * Does `work` every `interval` milliseconds until stopped, one at a time, and again at once where it
 * answers that there is more; tells of failures. `stop` waits for the work under way.
 */
export function repeat(
  work: () => Promise<boolean>,
  interval: number,
  onFailure: (error: unknown) => void,
): { stop(): Promise<void> } {
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  let timer: ReturnType<typeof setTimeout>
  const plan = (delay: number) => {
    timer = setTimeout(() => {
      running = work()
        .catch((error) => {
          onFailure(error)
          return false
        })
        .then((more) => {
          if (!stopped) plan(more ? 0 : interval)
        })
    }, delay).unref()
  }
  plan(interval)
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
      return running
    },
  }
}
