import { abortError } from './errors.ts'

/**
 * The callbacks of each signal. A signal gets only one listener, because Node.js warns if there are
 * more than ten.
 */
const callbacks = new WeakMap<AbortSignal, Set<() => void>>()

/** Calls `callback` when the signal is aborted. Returns a function that removes the callback. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let registered = callbacks.get(signal)
  if (!registered) {
    const created = new Set<() => void>()
    registered = created
    callbacks.set(signal, created)
    signal.addEventListener(
      'abort',
      () => {
        for (const call of [...created]) call()
      },
      { once: true },
    )
  }
  const all = registered
  all.add(callback)
  return () => all.delete(callback)
}

/** Resolves after a number of milliseconds. Rejects when the signal is aborted. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopListening =
      signal &&
      onAbort(signal, () => {
        clearTimeout(timeout)
        reject(abortError(signal))
      })
    const timeout = setTimeout(() => {
      stopListening?.()
      resolve()
    }, ms)
  })
}
