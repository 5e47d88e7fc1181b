import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Outcome, Transport } from '../../test/support/transports.ts'
import type { TestWorkspace } from './fault-environment.ts'
import { type Change, createLedger, type Ledger } from './ledger.ts'
import type { NodeProcess } from './node-process.ts'

/** The number of calls by outcome: `ok`, an error code, `cut` without a response, or `WRONG`. */
export type OutcomeCounts = Record<string, number>

/** Calls over both APIs that continue until stopped. */
export type Traffic = {
  outcomes: OutcomeCounts
  ledger: Ledger
  /** The duration of the longest call, in milliseconds. */
  readonly slowest: number
  stop(): Promise<void>
}

type Operation = (transport: Transport) => Promise<Outcome | 'WRONG'>

/** Starts `workers` clients per API, which make writes and check permissions with known results. */
export async function startTraffic(
  { transports }: NodeProcess,
  workspace: TestWorkspace,
  workers = 4,
): Promise<Traffic> {
  const outcomes: OutcomeCounts = {}
  const ledger = createLedger()
  const operations = createOperations(workspace, ledger, await workspace.createMembersToRemove(400))
  let stopped = false
  let slowest = 0
  const work = async (transport: Transport, first: number) => {
    // Each client starts with a different operation, so that all kinds of calls run from the start.
    const rotated = [...operations.slice(first), ...operations.slice(0, first)]
    while (!stopped) {
      for (const operation of rotated) {
        if (stopped) break
        const started = performance.now()
        const label = await runOperation(operation, transport)
        slowest = Math.max(slowest, performance.now() - started)
        countOutcome(outcomes, label)
        if (label !== 'ok') await sleep(5)
      }
    }
  }
  const all = transports.flatMap((transport) =>
    Array.from({ length: workers }, (_, index) => work(transport, index % operations.length)),
  )
  return {
    outcomes,
    ledger,
    get slowest() {
      return slowest
    },
    async stop() {
      stopped = true
      await Promise.all(all)
    },
  }
}

/** Returns the milliseconds until every kind of call succeeds over each API. */
export async function waitUntilNormal(
  { transports }: NodeProcess,
  workspace: TestWorkspace,
): Promise<number> {
  const started = performance.now()
  const operations = createOperations(
    workspace,
    createLedger(),
    await retryCreateMembers(workspace),
  )
  for (const transport of transports) {
    for (const operation of operations) {
      while ((await runOperation(operation, transport)) !== 'ok') {
        if (performance.now() - started > 120_000)
          throw new Error('Calls did not succeed again within two minutes')
        await sleep(10)
      }
    }
  }
  return performance.now() - started
}

export function countOutcome(outcomes: OutcomeCounts, label: string, by = 1): void {
  outcomes[label] = (outcomes[label] ?? 0) + by
}

export function sum(counts: OutcomeCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}

/**
 * Runs an operation and returns the label of its outcome. A gRPC status without a reason comes from
 * the client library.
 */
async function runOperation(operation: Operation, transport: Transport): Promise<string> {
  try {
    const outcome = await operation(transport)
    if (outcome === 'WRONG') return outcome
    if (outcome.ok) return 'ok'
    return outcome.reason ? outcome.code : 'cut'
  } catch {
    return 'cut'
  }
}

function createOperations(
  testWorkspace: TestWorkspace,
  ledger: Ledger,
  leavers: string[],
): Operation[] {
  const { service, workspace, key, owner, viewer } = testWorkspace
  const kind = { service_name: service, resource_type: 'document' }
  const write = async (change: Change, id: string, call: Promise<Outcome>) => {
    const outcome = await call
    if (outcome.ok) ledger[change].add(id)
    return outcome
  }
  const register: Operation = (transport) => {
    const resource_id = randomUUID()
    const message = { ...kind, resource_id, workspace_id: workspace, owner_id: owner.id }
    return write('registered', resource_id, transport.call('Register', message, { key }))
  }
  const share: Operation = async (transport) => {
    const resource_id = randomUUID()
    const message = { ...kind, resource_id, workspace_id: workspace, owner_id: owner.id }
    const registration = await write(
      'registered',
      resource_id,
      transport.call('Register', message, { key }),
    )
    if (!registration.ok) return registration
    const grant = { grantee_type: 'user', grantee_id: viewer.id, permission: 'view' }
    const shared = { permission_id: registration.message.id, ...grant }
    return write(
      'shared',
      resource_id,
      transport.call('Share', shared, { token: owner.token, key }),
    )
  }
  const group: Operation = (transport) => {
    const name = `made-${randomUUID()}`
    const message = { workspace_id: workspace, name, description: '' }
    return write('grouped', name, transport.call('CreateGroup', message, { token: owner.token }))
  }
  const remove: Operation = (transport) => {
    const user_id = leavers.pop()
    if (!user_id) return group(transport)
    const message = { workspace_id: workspace, user_id }
    return write(
      'removed',
      user_id,
      transport.call('RemoveMember', message, { token: owner.token }),
    )
  }
  const check: Operation = async (transport) => {
    const [known] = ledger.registered
    if (!known) return register(transport)
    const createCheck = (resource_id: string, action: string) => ({ ...kind, resource_id, action })
    const checks = [createCheck(known, 'edit'), createCheck(randomUUID(), 'edit')]
    const outcome = await transport.call('Check', { checks }, { token: owner.token, key })
    if (!outcome.ok) return outcome
    const allowed = outcome.message.results.map((result: { allowed: boolean }) => result.allowed)
    return allowed.join() === 'true,false' ? outcome : 'WRONG'
  }
  return [register, check, share, check, group, remove]
}

async function retryCreateMembers(workspace: TestWorkspace): Promise<string[]> {
  for (;;) {
    const leavers = await workspace.createMembersToRemove(100).catch(() => undefined)
    if (leavers) return leavers
    await sleep(10)
  }
}
