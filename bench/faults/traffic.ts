import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Outcome, Transport } from '../../test/support/transports.ts'
import { type Change, createLedger, type Ledger } from './ledger.ts'
import type { NodeProcess } from './node.ts'
import type { Office } from './site.ts'

/** How calls ended, counted: `ok`, the kind of a Fault, `cut` without an answer, `WRONG`. */
export type Tally = Record<string, number>

/** Calls that go on through both doors until stopped. */
export type Traffic = {
  tally: Tally
  ledger: Ledger
  /** The longest call, in milliseconds. */
  readonly slowest: number
  stop(): Promise<void>
}

type Act = (door: Transport) => Promise<Outcome | 'WRONG'>

/** Starts `workers` clients at each door; they write, and check what they know the answer of. */
export async function startTraffic(
  { doors }: NodeProcess,
  office: Office,
  workers = 4,
): Promise<Traffic> {
  const tally: Tally = {}
  const ledger = createLedger()
  const acts = createActs(office, ledger, await office.leavers(400))
  let stopped = false
  let slowest = 0
  const work = async (door: Transport, first: number) => {
    // Each begins elsewhere, so that every kind of call is under way from the start.
    const own = [...acts.slice(first), ...acts.slice(0, first)]
    while (!stopped) {
      for (const act of own) {
        if (stopped) break
        const started = performance.now()
        const label = await perform(act, door)
        slowest = Math.max(slowest, performance.now() - started)
        count(tally, label)
        if (label !== 'ok') await sleep(5)
      }
    }
  }
  const all = doors.flatMap((door) =>
    Array.from({ length: workers }, (_, at) => work(door, at % acts.length)),
  )
  return {
    tally,
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

/** Milliseconds until every kind of call succeeds through each door, from now. */
export async function untilNormal({ doors }: NodeProcess, office: Office): Promise<number> {
  const started = performance.now()
  const acts = createActs(office, createLedger(), await untilSeeded(office))
  for (const door of doors) {
    for (const act of acts) {
      while ((await perform(act, door)) !== 'ok') {
        if (performance.now() - started > 60_000) throw new Error('It does not get back to normal')
        await sleep(10)
      }
    }
  }
  return performance.now() - started
}

/** Adds one to a tally. */
export function count(tally: Tally, label: string, by = 1): void {
  tally[label] = (tally[label] ?? 0) + by
}

/** The label of an ending; a gRPC status without a reason was made by the client's own library. */
async function perform(act: Act, door: Transport): Promise<string> {
  try {
    const ending = await act(door)
    if (ending === 'WRONG') return ending
    if (ending.ok) return 'ok'
    return ending.reason ? ending.code : 'cut'
  } catch {
    return 'cut'
  }
}

function createActs(office: Office, ledger: Ledger, leavers: string[]): Act[] {
  const { service, workspace, key, owner, viewer } = office
  const kind = { service_name: service, resource_type: 'document' }
  const write = async (change: Change, id: string, call: Promise<Outcome>) => {
    const ending = await call
    if (ending.ok) ledger[change].add(id)
    return ending
  }
  const register: Act = (door) => {
    const resource_id = randomUUID()
    const message = { ...kind, resource_id, workspace_id: workspace, owner_id: owner.id }
    return write('registered', resource_id, door.call('Register', message, { key }))
  }
  const share: Act = async (door) => {
    const resource_id = randomUUID()
    const message = { ...kind, resource_id, workspace_id: workspace, owner_id: owner.id }
    const made = await write('registered', resource_id, door.call('Register', message, { key }))
    if (!made.ok) return made
    const grant = { grantee_type: 'user', grantee_id: viewer.id, permission: 'view' }
    const shared = { permission_id: made.message.id, ...grant }
    return write('shared', resource_id, door.call('Share', shared, { token: owner.token, key }))
  }
  const group: Act = (door) => {
    const name = `made-${randomUUID()}`
    const message = { workspace_id: workspace, name, description: '' }
    return write('grouped', name, door.call('CreateGroup', message, { token: owner.token }))
  }
  const remove: Act = (door) => {
    const user_id = leavers.pop()
    if (!user_id) return group(door)
    const message = { workspace_id: workspace, user_id }
    return write('removed', user_id, door.call('RemoveMember', message, { token: owner.token }))
  }
  const check: Act = async (door) => {
    const [known] = ledger.registered
    if (!known) return register(door)
    const ask = (resource_id: string, action: string) => ({ ...kind, resource_id, action })
    const checks = [ask(known, 'edit'), ask(randomUUID(), 'edit')]
    const ending = await door.call('Check', { checks }, { token: owner.token, key })
    if (!ending.ok) return ending
    const allowed = ending.message.results.map((result: { allowed: boolean }) => result.allowed)
    return allowed.join() === 'true,false' ? ending : 'WRONG'
  }
  return [register, check, share, check, group, remove]
}

async function untilSeeded(office: Office): Promise<string[]> {
  for (;;) {
    const leavers = await office.leavers(100).catch(() => undefined)
    if (leavers) return leavers
    await sleep(10)
  }
}
