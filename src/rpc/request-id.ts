import { randomUUID } from 'node:crypto'

const sane = /^[\w.-]{1,128}$/

/** The principal's request id if it is a sane one, else a new one. */
export function readRequestId(given: string | undefined): string {
  return given && sane.test(given) ? given : randomUUID()
}
