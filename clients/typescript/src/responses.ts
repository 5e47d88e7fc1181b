import { UnavailableError } from './errors.ts'

/** Creates the error for a response that lacks what daikon would send. Only `fetch` can receive one. */
export function incompleteResponse(missing: string): UnavailableError {
  const message = `The response contains no ${missing}. Check url and the proxies in front of daikon`
  return new UnavailableError('UNEXPECTED_RESPONSE', message)
}

/**
 * Returns a list of a response.
 *
 * @throws UnavailableError if there is none
 */
export function requireList<Item>(name: string, list: Item[] | undefined): Item[] {
  if (!Array.isArray(list)) throw incompleteResponse(name)
  return list
}

/**
 * Returns a text of a response.
 *
 * @throws UnavailableError if there is none
 */
export function requireText(name: string, text: string | undefined): string {
  if (typeof text !== 'string') throw incompleteResponse(name)
  return text
}
