import { InvalidArgumentError } from 'commander'

/** Parses a number of hours and returns whole seconds. */
export function parseHours(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('Must be a number of hours.')
  return Math.round(Number(text) * 3600)
}
