import test from 'ava'
import {
  type AbuseEnvironment,
  startAbuseEnvironment,
} from '../../bench/abuse/abuse-environment.ts'
import { formatRow, measureAttack, tableHead } from '../../bench/abuse/measure-attack.ts'
import { stopBenchProcesses } from '../../bench/child-process.ts'
import { cloneDatabase } from '../support/database.ts'

// `npm run abuse` runs each attack separately, for longer, and with two nodes.
const database = await cloneDatabase()
let environment: AbuseEnvironment
test.before(async () => {
  environment = await startAbuseEnvironment(database.url, { nodes: 1, tenants: 6, groups: 500 })
})
test.after.always(async () => {
  await environment?.close()
  await stopBenchProcesses()
  await database.drop()
})

/** The maximum growth of a node's memory during an attack, and after it, in MiB. */
const maxGrowth = 400
const maxRemaining = 250

/** The maximum latency in milliseconds. Waiting for another tenant's lock would exceed it. */
const maxDelay = 8000

const groups = {
  'expensive and numerous calls of one tenant': [
    'invitations',
    'lists',
    'codes',
    'checks',
    'groups',
  ],
  'large batches, files and lists of one tenant': [
    'registrations',
    'imports',
    'cells',
    'directory',
  ],
  'calls that wait for locks of one tenant': ['workspace', 'shares'],
  'unfinished messages, reset streams and rejected origins': [
    'unfinished',
    'unfinished accepted',
    'resets',
    'origins',
  ],
  'calls with changing service keys and a large token': ['keys'],
}

for (const [title, names] of Object.entries(groups))
  test.serial(
    `${title} use bounded memory and do not make calls of other tenants fail`,
    async (t) => {
      const times = { seconds: 2, quietSeconds: 1, settleSeconds: 10 }
      const options = { ...environment, ...times, settledGrowth: maxRemaining }
      const result = await measureAttack(names, options)
      t.log(`${tableHead}\n${formatRow(title, result)}`)
      // On a busy machine, the database may respond too late.
      const errors = Object.keys(result.errors)
      t.deepEqual(
        errors.filter((error) => !error.includes('STORAGE_UNAVAILABLE')),
        [],
      )
      t.true(result.duringAttack.calls > 0)
      t.true(Object.keys(result.outcomes).length > 0)
      t.true(
        result.duringAttack.p99 < result.quiet.p99 + maxDelay,
        `p99 ${result.duringAttack.p99} ms`,
      )
      const { before, peak, after } = result.memory
      t.true(peak < before + maxGrowth, `${before} MiB before, ${peak} at peak`)
      t.true(after < before + maxRemaining, `${before} MiB before, ${after} after`)
    },
  )
