import { InvalidArgumentError } from 'commander'
import { validate } from 'uuid'

/** An id on the command line. */
export function parseId(text: string): string {
  if (!validate(text)) throw new InvalidArgumentError('It must be a UUID.')
  return text
}
