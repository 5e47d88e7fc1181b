import { createBatcher } from '../src/database/batching.ts'
import type { FactsQuery } from '../src/permissions/engine/facts.ts'
import { admit, createAdmissions } from '../src/rpc/admit.ts'
import type { Call } from '../src/rpc/call.ts'
import type { Policy } from '../src/rpc/method.ts'
import { formatNumber, type Row } from './table.ts'

/** The number of calls per measurement, and the number that share a statement. */
const calls = 200_000
const inFlight = 64

/**
 * Measures the CPU time that a check spends on admission and on the fair scheduling of statements.
 * Compares it with `cpu`, the microseconds of CPU that the server uses per check. The result
 * includes batching queries into statements, which predates fair scheduling.
 */
export async function measureAdmissionCost(cpu: number): Promise<Row> {
  await takeAdmission(calls)
  const before = process.cpuUsage()
  await takeAdmission(calls)
  const { user, system } = process.cpuUsage(before)
  const cost = (user + system) / calls
  return {
    label: 'admission and batching of a check compared with its CPU',
    daikon: `${formatNumber(cost)} µs`,
    baseline: `${formatNumber(cpu)} µs`,
    value: cost / cpu,
    goal: { max: 0.03 },
  }
}

async function takeAdmission(count: number): Promise<void> {
  const admissions = createAdmissions()
  const load = createBatcher(async (queries: FactsQuery[]) => queries, {
    countRows: ({ checks }) => checks.length,
    callerOf: ({ workspaceId }) => workspaceId ?? '',
  })
  const { signal } = new AbortController()
  const policy = { capacity: 'shared_read' } as Policy
  const call = { scope: { signal }, ip: '127.0.0.1' } as Call
  const credentials = { kinds: [], claims: [] }
  const check = { serviceName: 'docs', resourceType: 'document', resourceId: '', action: 'view' }
  const query: FactsQuery = {
    keyHash: 'key',
    tokenId: 'token',
    userId: 'user',
    workspaceId: 'workspace',
    checks: [check],
  }
  for (let sent = 0; sent < count; sent += inFlight) {
    const loaded = Array.from({ length: inFlight }, async () => {
      await load(query, { signal })
      const release = await admit(policy, call, credentials, {}, admissions)
      release()
    })
    await Promise.all(loaded)
  }
}
