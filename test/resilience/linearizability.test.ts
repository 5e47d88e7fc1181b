import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** Go compiles the program that records the histories and checks them. */
const hasGo = spawnSync('go', ['version']).status === 0
if (!hasGo) console.info('Go is not installed: linearizability is not tested')
const testWithGo = hasGo ? test.serial : test.serial.skip

/** Options of `npm run linearizability`. */
const runs: Record<string, string> = {
  'reads from standbys and from memory are linearizable while nodes and servers fail':
    '--seconds 20 --fault-milliseconds 200',
  'stale reads are found if reads do not wait for the standbys':
    '--operations 2500 --skip-wait --replay-delay 500',
  'reads from the primary and from memory are linearizable while nodes and servers fail':
    '--seconds 15 --fault-milliseconds 200 --without-replicas',
  'stale reads are found if facts in memory are never invalidated':
    '--operations 2500 --skip-changes',
}

for (const [title, options] of Object.entries(runs))
  testWithGo(title, async (t) => {
    const args = ['bench/linearizability.ts', ...options.split(' ')]
    const {
      stdout,
      stderr,
      code = 0,
    } = await run(process.execPath, args, { cwd: root }).catch((error) => error)
    t.log(stdout)
    t.is(code, 0, stderr)
  })
