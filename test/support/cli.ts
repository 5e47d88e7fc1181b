import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { bundledPackages } from './bundled-packages.ts'

const root = join(import.meta.dirname, '../..')

/** Runs the operator CLI on a database. Returns its output and exit status. */
export function runCli(databaseUrl: string, ...args: string[]) {
  return runCliWith({ DATABASE_URL: databaseUrl }, ...args)
}

/** Runs the operator CLI with the settings of this process and additional ones. */
export async function runCliWith(settings: Record<string, string>, ...args: string[]) {
  const env = { ...process.env, ...settings }
  const command = [...bundledPackages, join(root, 'src/daikon.ts'), ...args]
  const child = spawn(process.execPath, command, { env, cwd: root })
  const [out, err, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ])
  return { out, err, status }
}
