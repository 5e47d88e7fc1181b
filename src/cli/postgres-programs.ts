import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findBundledProgram } from '../database/embedded/postmaster.ts'
import { UsageError } from './failure.ts'

type Program = 'pg_dump' | 'pg_restore'

/**
 * Returns the command of a client program of PostgreSQL that is at least as new as the server, which
 * `pg_dump` requires: the installed one, else a bundled one.
 *
 * @throws {UsageError} that names what to install
 */
export async function findProgram(
  name: Program,
  readServerVersion: () => Promise<number>,
): Promise<string> {
  const commands = [name, await findBundledProgram(name)].filter((command) => command !== undefined)
  const found = (await Promise.all(commands.map(readVersion))).filter((one) => one !== undefined)
  const [installed] = found
  if (!installed) {
    throw new UsageError(`${name} is not installed: install the client programs of PostgreSQL`)
  }
  const wanted = await readServerVersion()
  const suitable = found.find(({ version }) => version >= wanted)
  if (suitable) return suitable.command
  throw new UsageError(
    `${name} ${installed.version} is older than the server, PostgreSQL ${wanted}: install the client programs of PostgreSQL ${wanted} or newer`,
  )
}

async function readVersion(
  command: string,
): Promise<{ command: string; version: number } | undefined> {
  try {
    const { stdout } = await promisify(execFile)(command, ['--version'])
    return { command, version: Number(/ (\d+)/.exec(stdout)?.[1]) }
  } catch {
    return undefined
  }
}
