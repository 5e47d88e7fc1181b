import { readFileSync } from 'node:fs'

/** Returns the version of this installation from its package.json. */
export function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')).version
}
