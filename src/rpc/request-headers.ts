import { randomUUID } from 'node:crypto'

/** Returns the value of a cookie in a `cookie` header; undefined if it is missing or repeated. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  return values.length === 1 ? values[0] : undefined
}

const safeRequestId = /^[\w.-]{1,128}$/

/** Returns the client's `x-request-id` if it is safe to log, otherwise a new UUID. */
export function readRequestId(header: string | undefined): string {
  return header && safeRequestId.test(header) ? header : randomUUID()
}
