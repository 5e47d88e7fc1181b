import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../src/core/free-port.ts'
import { type DeployedNginx, startDeployedNginx } from '../../test/support/deployed-nginx.ts'
import { expectOk } from '../../test/support/outcome.ts'
import type { Transport } from '../../test/support/transports.ts'
import type { FaultEnvironment } from '../faults/fault-environment.ts'
import type { NodeProcess } from '../faults/node-process.ts'
import { createCallers } from './callers.ts'

/** The outcome of draining and replacing nodes behind nginx under load. */
export type DrainResult = {
  drains: number
  calls: { rest: number; grpc: number }
  /** Calls that no node has responded to. */
  failures: string[]
  /** Calls that a node has responded to with `unavailable`, because the machine is too slow. */
  refusals: string[]
  /** Milliseconds from SIGTERM to the exit of each drained node. */
  milliseconds: number[]
  /** The error log of nginx. */
  log: string
}

/** Each reads and writes over both transports at the same time. */
const clients = 4

/** Successful calls over each transport between two drains. */
const callsBetween = 50

/** Drains and replaces two nodes in turn, while clients call both transports through nginx. */
export async function measureDrains(
  environment: FaultEnvironment,
  drains: number,
): Promise<DrainResult> {
  const slots = await Promise.all([startSlot(environment), startSlot(environment)])
  let nginx: DeployedNginx | undefined
  try {
    nginx = await startDeployedNginx(slots.map(({ node }) => node))
    return await drainUnderLoad(environment, { slots, nginx, drains })
  } finally {
    await Promise.all(slots.map(({ node }) => node.kill()))
    await nginx?.stop()
  }
}

type Resource = { id: string; resource_id: string }

/** A node that keeps its ports when it is replaced. */
type Slot = { settings: Record<string, string>; node: NodeProcess }

async function startSlot(environment: FaultEnvironment): Promise<Slot> {
  const settings = {
    HTTP_PORT: `${await findFreePort()}`,
    GRPC_PORT: `${await findFreePort()}`,
    TRUSTED_PROXIES: '1',
    DRAIN_DELAY_SECONDS: '5',
    DEBUG: 'false',
    COOKIE_SECURE: 'false',
    SESSION_SECRET_KEY: 'a secret of at least thirty-two bytes',
  }
  return { settings, node: await environment.node(settings) }
}

async function drainUnderLoad(
  environment: FaultEnvironment,
  { slots, nginx, drains }: { slots: Slot[]; nginx: DeployedNginx; drains: number },
): Promise<DrainResult> {
  const { service, key, owner, viewer, workspace } = await environment.workspace()
  const [transport] = (slots[0] as Slot).node.transports as [Transport]
  const kind = { service_name: service, resource_type: 'document' }
  const share = { grantee_type: 'user', grantee_id: viewer.id }
  const register = async () => {
    const resource = { ...kind, resource_id: randomUUID(), workspace_id: workspace }
    const message = { ...resource, owner_id: owner.id }
    return expectOk(await transport.call('Register', message, { key })) as Resource
  }

  const callers = createCallers({ ...nginx, token: owner.token, key })
  const { calls, failures, callRest, callGrpc } = callers
  let isRunning = true

  const permission = (round: number) => (round % 2 ? 'edit' : 'view')
  /** Returns the calls of one client, which do not wait for locks of other clients. */
  const createCalls = ({ id, resource_id }: Resource): ((round: number) => Promise<void>)[] => [
    () => callRest('GET', '/users/me'),
    (round) =>
      callRest('POST', `/permissions/${id}/share`, { ...share, permission: permission(round) }),
    () => callGrpc('check', { checks: [{ ...kind, resource_id, action: 'view' }] }),
    (round) => callGrpc('share', { permission_id: id, ...share, permission: permission(round) }),
  ]
  const resources = await Promise.all(Array.from({ length: clients }, register))
  const loops = resources.flatMap(createCalls).map(async (call) => {
    for (let round = 0; isRunning; round += 1) {
      await call(round)
      // Pauses leave connections idle for various times.
      await sleep(Math.random() * 20)
    }
  })

  const milliseconds: number[] = []
  const pass = async () => {
    const before = { ...calls }
    const isPassed = () =>
      calls.rest > before.rest + callsBetween && calls.grpc > before.grpc + callsBetween
    while (!isPassed() && failures.length < 1000) await sleep(5)
  }
  for (let drain = 0; drain < drains; drain += 1) {
    await pass()
    const slot = slots[drain % slots.length] as Slot
    const startedAt = performance.now()
    await slot.node.stop()
    milliseconds.push(performance.now() - startedAt)
    slot.node = await environment.node(slot.settings)
  }
  await pass()
  isRunning = false
  await Promise.all(loops)
  callers.close()
  const { refusals } = callers
  return { drains, calls, failures, refusals, milliseconds, log: nginx.errors() }
}
