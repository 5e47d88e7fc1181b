import { spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../core/logger.ts'

const root = join(import.meta.dirname, '../..')
const script = join(root, 'console/build.ts')

/** The inputs of the admin console's build. */
const sources = ['console/src', 'console/index.html', 'console/vite.config.ts']

/**
 * Builds the admin console in the background if the build is missing or older than its sources. The
 * published package has no sources and is never rebuilt. Returns a function that stops the build,
 * or undefined if the console is up to date. `url` is the address of the console.
 */
export function buildOutdatedConsole(log: Logger, url: string): (() => void) | undefined {
  if (!isConsoleOutdated()) return undefined
  log.info('Building the admin console in the background')
  const child = spawn(process.execPath, [script], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text
  })
  child.on('close', (status, signal) => {
    if (status === 0) log.info(`The admin console is ready: ${url}`)
    else if (!signal) log.error(`Building the admin console failed: ${errors.trim()}`)
  })
  return () => child.kill()
}

/** Whether the sources of the console are present and newer than its last build. */
export function isConsoleOutdated(): boolean {
  if (!existsSync(script)) return false
  const [built, account] = ['dist', 'dist-account'].map((folder) =>
    statSync(join(root, 'console', folder, 'index.html'), { throwIfNoEntry: false }),
  )
  if (!built || !account) return true
  return sources.some((source) => findLastChange(join(root, source)) > built.mtimeMs)
}

/** Returns when a file, or any file in a folder, last changed. */
function findLastChange(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats?.isDirectory()) return stats?.mtimeMs ?? 0
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
  return Math.max(...names.map((name) => statSync(join(path, name)).mtimeMs))
}
