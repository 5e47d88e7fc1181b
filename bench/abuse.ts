import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { startAbuseEnvironment } from './abuse/abuse-environment.ts'
import { attacks } from './abuse/attacks.ts'
import { measureLeastCosts } from './abuse/condition-costs.ts'
import { formatRow, measureAttack, tableHead } from './abuse/measure-attack.ts'
import { stopBenchProcesses } from './child-process.ts'
import { sum } from './faults/traffic.ts'

/**
 * `npm run abuse [-- <words>]`: attacks one of two nodes, either as a tenant or without
 * credentials, and reports the effect on other tenants. Fails if a call of another tenant fails.
 */
const words = process.argv.slice(2)

/** In milliseconds. */
const timeLimit = 600_000

/** Conditions need no server. In milliseconds of processor time, on a machine that does nothing else. */
const maxConditionTime = 20

let failed = 0
if (words.length === 0 || words.includes('conditions')) {
  const costs = measureLeastCosts()
  process.stdout.write(`${costs.length} worst inputs of conditions, the most expensive:\n`)
  for (const { title, bytes, milliseconds } of costs.slice(0, 20)) {
    const perKilobyte = ((milliseconds * 1_000) / bytes).toFixed(1)
    process.stdout.write(`  ${title}: ${milliseconds.toFixed(1)} ms, ${perKilobyte} ms per kB\n`)
  }
  failed += costs.filter(({ milliseconds }) => milliseconds > maxConditionTime).length
}

const dataDir = mkdtempSync(join(tmpdir(), 'daikon-abuse-'))
const embedded = await startEmbedded({ dataDir })
const bound = setTimeout(() => {
  void stopBenchProcesses()
  throw new Error('The attacks exceeded their time limit')
}, timeLimit)

try {
  const environment = await startAbuseEnvironment(embedded.url, {
    nodes: 2,
    tenants: 12,
    groups: 3000,
  })
  try {
    // Gives all processes time to compile hot code.
    await sleep(5000)
    process.stdout.write(`${tableHead}\n`)
    for (const [name, { title }] of Object.entries(attacks)) {
      if (words.length > 0 && !words.some((word) => name.includes(word))) continue
      const times = { seconds: 4, quietSeconds: 2, settleSeconds: 5, settledGrowth: 32 }
      const result = await measureAttack([name], { ...environment, ...times })
      process.stdout.write(`${formatRow(title, result)}\n`)
      for (const [error, count] of Object.entries(result.errors))
        process.stdout.write(`  ${count} × ${error}\n`)
      failed += sum(result.errors)
    }
  } finally {
    await environment.close()
  }
} finally {
  clearTimeout(bound)
  await stopBenchProcesses()
  await embedded.stop()
  rmSync(dataDir, { recursive: true })
}
process.exitCode = failed === 0 ? 0 : 1
