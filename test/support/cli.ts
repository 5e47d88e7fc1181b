import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const root = join(import.meta.dirname, '../..')

/** Runs the operator CLI on a database; returns its output and exit status. */
export async function runCli(databaseUrl: string, ...args: string[]) {
  const env = { ...process.env, DATABASE_URL: databaseUrl }
  const command = [join(root, 'src/daikon.ts'), ...args]
  const child = spawn(process.execPath, command, { env, cwd: root })
  const [out, err, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ])
  return { out, err, status }
}
