import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeReference } from './site-reference.ts'

/**
 * `npm run docs:build`: builds the documentation site in `site/dist`. Options are those of
 * `vitepress build`, such as `--base /daikon/` for a site below this path.
 */
const site = join(import.meta.dirname, '../site')

if (!isInstalled()) run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund')
writeReference(join(site, 'reference'))
run(process.execPath, 'node_modules/vitepress/bin/vitepress.js', 'build', ...process.argv.slice(2))

/** Whether the packages of the lock are installed. */
function isInstalled(): boolean {
  const installed = join(site, 'node_modules/vitepress/package.json')
  if (!existsSync(installed)) return false
  const { dependencies } = readJson(join(site, 'package.json'))
  return readJson(installed).version === dependencies.vitepress
}

function readJson(path: string) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function run(command: string, ...args: string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: site, stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}
