import { createHmac, randomInt } from 'node:crypto'

/** The time that a code lives, in seconds. */
export const codeSeconds = 600

/** The number of wrong codes that end a code. */
export const maxTries = 5

/** Draws a code: eight digits. */
export function drawCode(): string {
  return String(randomInt(10 ** 8)).padStart(8, '0')
}

/** Returns a code as people read it, such as `1234 5678`. */
export function displayCode(code: string): string {
  return `${code.slice(0, 4)} ${code.slice(4)}`
}

/** Returns the digits of a code that somebody typed, or undefined if they are not eight ASCII digits. */
export function readCode(text: string): string | undefined {
  const digits = text.replace(/ /g, '')
  return /^[0-9]{8}$/.test(digits) ? digits : undefined
}

/** Computes what the database stores of a code, which is worth nothing in another flow. */
export type MacOfCode = (flowHash: string, email: string, code: string) => string

/** Creates MACs with a key that is derived from the session secret, which the database does not have. */
export function createMacOfCode(secret: string): MacOfCode {
  const key = createHmac('sha256', secret).update('sign-in code').digest()
  return (flowHash, email, code) =>
    createHmac('sha256', key).update(`${flowHash} ${email} ${code}`).digest('hex')
}
