import { useCallback, useState } from 'react'

const prefix = 'daikon-console.'

/** Stores a value in the browser, such as the page size of a table. */
export function usePreference<Value>(
  name: string,
  fallback: Value,
): [Value, (value: Value) => void] {
  const [value, setValue] = useState(() => readPreference(name, fallback))
  const store = useCallback(
    (next: Value) => {
      setValue(next)
      writePreference(name, next)
    },
    [name],
  )
  return [value, store]
}

function readPreference<Value>(name: string, fallback: Value): Value {
  try {
    const text = localStorage.getItem(prefix + name)
    return text === null ? fallback : JSON.parse(text)
  } catch {
    return fallback
  }
}

function writePreference(name: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value))
  } catch {
    // If storage is disabled or full, the value lasts until the page is closed.
  }
}
