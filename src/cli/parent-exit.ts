/** In milliseconds. */
const pollingInterval = 200

/**
 * Calls back when the parent of this process exits if npm started the process. npm runs scripts in
 * a shell that does not forward SIGTERM.
 */
export function onParentExit(callback: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    callback()
  }, pollingInterval)
  timer.unref()
}
