import { readFileSync } from 'node:fs'
import { ConfigError } from './config.ts'

/**
 * Checks that the file that a setting names can be read.
 *
 * @throws {ConfigError} with the name of the setting; `advice` follows if the file does not exist
 */
export function requireFile(name: string, path: string, advice = ''): void {
  try {
    readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT')
      throw new ConfigError(`${name} must name an existing file: ${path}${advice}`)
    throw new ConfigError(`${name} must name a file that this user can read: ${path} (${code})`)
  }
}
