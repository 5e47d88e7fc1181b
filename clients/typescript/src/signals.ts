/** The callbacks of each signal. Node.js warns of more than ten listeners, so a signal gets only one. */
const callbacks = new WeakMap<AbortSignal, Set<() => void>>()

/** Calls `callback` when the signal is aborted; returns a function that prevents it. */
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
