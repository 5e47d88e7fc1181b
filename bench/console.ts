import { spawnSync } from 'node:child_process'
import { isConsoleOutdated } from '../src/dev/console-build.ts'
import { startConsoleEnvironment } from './console/environment.ts'
import { measureFirstLoad } from './console/first-load.ts'
import { measureInteractions } from './console/interactions.ts'
import { measureJobs } from './console/jobs.ts'
import { describeMachine } from './machine.ts'

/**
 * `npm run bench:console [-- load interactions jobs] [--quick]`: measures the admin console in
 * Chromium on a CPU that is throttled to a quarter, with 100,000 people and 100,000 log entries:
 * the first load, the latency of interactions, and five everyday jobs. Fails if a request goes to
 * an origin other than the console and the REST API.
 */
const parts = { load: measureFirstLoad, interactions: measureInteractions, jobs: measureJobs }
const names = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const quick = process.argv.includes('--quick')
const cpuSlowdown = 4

if (isConsoleOutdated()) spawnSync(process.execPath, ['console/build.ts'], { stdio: 'inherit' })
const environment = await startConsoleEnvironment(quick ? 1_000 : 100_000, cpuSlowdown)
try {
  const { people, entries } = environment.size
  print(`${await describeMachine(environment.databaseUrl)}.`)
  print(`${people} people, ${entries} log entries; CPU slowed down ${cpuSlowdown} times.\n`)
  for (const [name, measure] of Object.entries(parts)) {
    if (names.length > 0 && !names.includes(name)) continue
    print(`${await measure(environment)}\n`)
  }
  const others = environment.foreignOrigins()
  if (others.length > 0) throw new Error(`Requests left the two origins: ${others.join(', ')}`)
  print(`No request left the two origins (${environment.requestCount()} requests).`)
} finally {
  await environment.stop()
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
