import { setTimeout as sleep } from 'node:timers/promises'
import type { Outcome, Transport } from '../../test/support/transports.ts'
import type { NodeProcess } from '../faults/node-process.ts'
import { countOutcome, type OutcomeCounts } from '../faults/traffic.ts'
import { codeVerifier, type Tenant } from './target.ts'

/** Measurements on one node: latencies in milliseconds, and failed calls by error. */
export type TrafficSample = { latencies: number[]; errors: OutcomeCounts }

/** Regular calls of tenants to all nodes, at a constant low rate, until stopped. */
export type TenantTraffic = {
  /** Returns one sample per node with the calls that ended since the previous `take`. */
  take(): TrafficSample[]
  stop(): Promise<void>
}

type Step = (transport: Transport) => Promise<Outcome>

/** Milliseconds between calls of a client. */
const pause = 25

/**
 * Starts one client for each tenant, so that tenants do not delay themselves. Clients alternate
 * between the nodes and their transports.
 */
export function startTenantTraffic(nodes: NodeProcess[], tenants: Tenant[]): TenantTraffic {
  let isStopped = false
  const createSamples = () => nodes.map((): TrafficSample => ({ latencies: [], errors: {} }))
  let samples = createSamples()

  async function runClient(node: number, transport: Transport, steps: Step[]): Promise<void> {
    for (let turn = 0; !isStopped; turn += 1) {
      const step = steps[turn % steps.length] as Step
      const startedAt = performance.now()
      const error = await runStep(step, transport)
      const sample = samples[node] as TrafficSample
      sample.latencies.push(performance.now() - startedAt)
      if (error) countOutcome(sample.errors, error)
      await sleep(pause)
    }
  }

  const clients = tenants.map((tenant, index) => {
    const node = index % nodes.length
    const { transports } = nodes[node] as NodeProcess
    const turn = Math.floor(index / nodes.length) % transports.length
    return runClient(node, transports[turn] as Transport, createSteps(tenant))
  })
  return {
    take() {
      const taken = samples
      samples = createSamples()
      return taken
    },
    async stop() {
      isStopped = true
      await Promise.all(clients)
    },
  }
}

/** Runs a step. Returns a description of an unexpected outcome, or undefined. */
async function runStep(step: Step, transport: Transport): Promise<string | undefined> {
  try {
    const outcome = await step(transport).catch((error) => {
      // The server may close an idle connection at this moment, and clients should retry (RFC 9112,
      // 9.3.1).
      if (error instanceof TypeError && error.message === 'fetch failed') return step(transport)
      throw error
    })
    return outcome.ok ? undefined : `${outcome.code} ${outcome.reason} (${outcome.detail})`
  } catch (error) {
    return String(error)
  }
}

/**
 * Returns the calls of one client: checks, reads, writes of every capacity class, and a session.
 */
function createSteps({ workspace, kind, key, people, resource, codes }: Tenant): Step[] {
  const { owner, editor, viewer } = people
  let refreshToken: string | undefined

  const check: Step = async (transport) => {
    const { resource_id } = resource
    const checks = ['view', 'manage'].map((action) => ({ ...kind, resource_id, action }))
    const outcome = await transport.call('Check', { checks }, { token: owner.token, key })
    const isRight =
      !outcome.ok || outcome.message.results.every((result: { allowed: boolean }) => result.allowed)
    if (!isRight) throw new Error('A check has a wrong result')
    return outcome
  }
  const session: Step = async (transport) => {
    const exchange = { code: codes.pop(), workspace_id: workspace, code_verifier: codeVerifier }
    const outcome = refreshToken
      ? await transport.call('RefreshToken', { refresh_token: refreshToken })
      : await transport.call('ExchangeToken', exchange)
    if (outcome.ok) refreshToken = outcome.message.refresh_token
    return outcome
  }
  const register: Step = (transport) => {
    const message = { ...kind, workspace_id: workspace, owner_id: owner.id }
    return transport.call('Register', { ...message, resource_id: crypto.randomUUID() }, { key })
  }
  const share: Step = (transport) => {
    const grant = { grantee_type: 'user', grantee_id: viewer.id, permission: 'view' }
    const message = { permission_id: resource.id, ...grant }
    return transport.call('Share', message, { token: owner.token, key })
  }
  const updateMember: Step = (transport) => {
    const message = { workspace_id: workspace, user_id: viewer.id, role: 'viewer' }
    return transport.call('UpdateMember', message, { token: owner.token })
  }
  const listMembers: Step = (transport) =>
    transport.call('ListMembers', { workspace_id: workspace }, { token: editor.token })
  const accessible: Step = (transport) => {
    const message = { ...kind, action: 'view', workspace_id: workspace, limit: 10 }
    return transport.call('Accessible', message, { token: viewer.token, key })
  }
  const getMe: Step = (transport) => transport.call('GetMe', {}, { token: viewer.token })
  return [
    session,
    check,
    getMe,
    check,
    share,
    check,
    listMembers,
    check,
    register,
    check,
    updateMember,
    check,
    accessible,
    check,
  ]
}
