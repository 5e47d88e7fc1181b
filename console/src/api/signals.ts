import { useSyncExternalStore } from 'react'

/** A value outside of React, because requests set it. */
export type Signal<Value> = {
  get(): Value
  set(value: Value): void
  subscribe(listener: () => void): () => void
}

export function createSignal<Value>(initial: Value): Signal<Value> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (next === value) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function useSignal<Value>(signal: Signal<Value>): Value {
  return useSyncExternalStore(signal.subscribe, signal.get)
}

/** Whether the session ended while the console was open. */
export const sessionEnded = createSignal(false)

/** Whether the server cannot be reached or reports that it is unavailable. */
export const serverUnavailable = createSignal(false)

/**
 * When the rate limit accepts requests again, in milliseconds since the epoch; 0 if it accepts them
 * now.
 */
export const limitedUntil = createSignal(0)

/** Resolves as soon as the signal has the value. */
export function waitFor<Value>(signal: Signal<Value>, value: Value): Promise<void> {
  return new Promise((resolve) => {
    if (signal.get() === value) return resolve()
    const unsubscribe = signal.subscribe(() => {
      if (signal.get() !== value) return
      unsubscribe()
      resolve()
    })
  })
}
