import { InvalidArgumentError } from 'commander'

/** Hours on the command line, in whole seconds. */
export function parseHours(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number of hours.')
  return Math.round(Number(text) * 3600)
}
