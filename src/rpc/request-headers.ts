import { randomUUID } from 'node:crypto'

/** Returns the value of a cookie in a `cookie` header; undefined if it is missing or repeated. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = readCookies(header, name)
  return values.length === 1 ? values[0] : undefined
}

/** Returns the values of all cookies with a name. A host can set cookies for its siblings. */
export function readCookies(header: string | undefined, name: string): string[] {
  if (header === undefined) return []
  return (
    header
      .split(';')
      // Not `trim`, which also removes other kinds of space: for a browser, a name that begins with
      // one of these does not have the prefix `__Host-`.
      .map((pair) => pair.replace(/^[ \t]+/, ''))
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => pair.slice(name.length + 1))
  )
}

const safeRequestId = /^[\w.-]{1,128}$/

/** Returns the client's `x-request-id` if it is safe to log, otherwise a new UUID. */
export function readRequestId(header: string | undefined): string {
  return header && safeRequestId.test(header) ? header : randomUUID()
}

/** Returns the text with everything but printable ASCII escaped, so that it is safe to log. */
export function escapeForLog(text: string): string {
  return text.replace(/[^ -~]/g, (character) => {
    const code = character.charCodeAt(0).toString(16)
    return `\\x${code.padStart(2, '0')}`
  })
}
