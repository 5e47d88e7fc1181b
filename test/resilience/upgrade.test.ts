// Upgrades the last release under traffic, as docs/operations.md describes, goes back to it, and
// upgrades again. UPGRADE_RESOURCES=1000000 npm test -- test/resilience/upgrade.test.ts does so with
// a large database, which takes ten minutes, and until the test ends, 3 GB for temporary files.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { createFaultEnvironment, type TestWorkspace } from '../../bench/faults/fault-environment.ts'
import { createLedger, findLosses, type Ledger } from '../../bench/faults/ledger.ts'
import { type NodeProcess, startNode } from '../../bench/faults/node-process.ts'
import { countOutcome, type OutcomeCounts, startTraffic } from '../../bench/faults/traffic.ts'
import { findFreePort } from '../../src/core/free-port.ts'
import { migrate } from '../../src/database/migrate.ts'
import { findLastRelease } from '../../tools/last-release.ts'
import type { Outcome } from '../support/transports.ts'
import { startAdministration } from '../support/upgrade/administration.ts'
import { createDirectoryTraffic } from '../support/upgrade/directory.ts'
import { createFacts } from '../support/upgrade/facts.ts'
import { insertLargeDatabase } from '../support/upgrade/large-database.ts'
import { watchTableLocks } from '../support/upgrade/locks.ts'
import { checkOut } from '../support/upgrade/release.ts'
import { createRotation } from '../support/upgrade/rotation.ts'
import { startProvider, startSignIns } from '../support/upgrade/sign-ins.ts'
import { createFollower, startStreams } from '../support/upgrade/streams.ts'
import type { Worker } from '../support/upgrade/worker.ts'
import { waitUntil } from '../support/wait-until.ts'

const root = join(import.meta.dirname, '../..')

/** Creates a database without tables. */
async function createDatabase(t: ExecutionContext): Promise<string> {
  const url = new URL(String(process.env.TEST_DATABASE_URL))
  const name = `upgrade_${randomBytes(6).toString('hex')}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(`create database ${name}`)
  t.teardown(async () => {
    await client.query(`drop database ${name} with (force)`)
    await client.end()
  })
  url.pathname = `/${name}`
  return url.href
}

/** Describes durations in milliseconds. */
function describeDurations(durations: number[]): string {
  const sorted = durations.toSorted((a, b) => a - b)
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed()
  return `${sorted.length}, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${(sorted.at(-1) ?? 0).toFixed()} ms`
}

function labelOf(method: string, outcome: Outcome, isRight?: (message: never) => boolean): string {
  if (outcome.ok) return isRight?.(outcome.message as never) === false ? `${method}: WRONG` : 'ok'
  // The share may have failed with `unavailable` before.
  if (outcome.reason === 'SHARE_NOT_FOUND') return 'ok'
  return outcome.code === 'unavailable' ? 'unavailable' : `${method}: ${outcome.reason}`
}

/** Calls methods that the writes of `startTraffic` leave out, in both versions, until stopped. */
function startReads({ transports }: NodeProcess, testWorkspace: TestWorkspace) {
  const { workspace: workspace_id, key, owner, viewer, service } = testWorkspace
  const kind = { service_name: service, resource_type: 'document' }
  const byOwner = { token: owner.token }
  const outcomes: OutcomeCounts = {}
  const resourceIds: string[] = []
  let isRunning = true
  const work = transports.map(async (transport) => {
    const resource_id = crypto.randomUUID()
    resourceIds.push(resource_id)
    const resource = { ...kind, resource_id }
    const registration = { ...resource, workspace_id, owner_id: owner.id }
    const evaluation = {
      subject: { type: 'user', id: viewer.id },
      action: { name: 'edit' },
      resource: { type: 'document', id: resource_id },
    }
    let registered = await transport.call('Register', registration, { key })
    while (!registered.ok && registered.code === 'unavailable')
      registered = await transport.call('Register', registration, { key })
    const permission_id: string = registered.ok ? registered.message.id : ''
    const grant = { permission_id, grantee_type: 'user', grantee_id: viewer.id, permission: 'view' }
    const both = { ...byOwner, key }
    const isDenied = ({ allowed }: { allowed?: boolean }) => allowed !== true
    const calls: [string, object, object, ((message: never) => boolean)?][] = [
      ['GetMe', {}, byOwner],
      ['ListWorkspaces', {}, byOwner],
      ['GetWorkspace', { workspace_id }, byOwner],
      ['ListMembers', { workspace_id, limit: 10 }, byOwner],
      ['ListGroups', { workspace_id }, byOwner],
      ['ListSessions', {}, byOwner],
      ['GetResource', resource, { key }],
      ['Accessible', { ...kind, workspace_id, action: 'edit' }, both],
      ['UpdateVisibility', { permission_id, visibility: 'private' }, both],
      ['Share', grant, both],
      ['RevokeShare', grant, both],
      ['Evaluate', evaluation, { key }, ({ decision }: { decision: boolean }) => !decision],
      [
        'Check',
        { checks: [{ ...resource, action: 'edit' }] },
        { token: viewer.token, key },
        ({ results }: { results: { allowed?: boolean }[] }) => results.every(isDenied),
      ],
    ]
    while (isRunning)
      for (const [method, message, credentials, isRight] of calls) {
        if (!isRunning) break
        const outcome: Outcome = await transport.call(method, message, credentials)
        countOutcome(outcomes, labelOf(method, outcome, isRight))
        await sleep(5)
      }
  })
  return {
    outcomes,
    resourceIds,
    async stop() {
      isRunning = false
      await Promise.all(work)
    },
  }
}

test('the last release is upgraded, restored and upgraded again under traffic', async (t) => {
  const resources = Number(process.env.UPGRADE_RESOURCES ?? 0)
  t.timeout(resources > 0 ? 60 * 60_000 : 9 * 60_000)
  const commit = findLastRelease()
  if (commit === undefined) {
    t.log('This clone does not have the commit of the last release: no upgrade was tested')
    t.pass()
    return
  }
  const url = await createDatabase(t)
  const release = checkOut(t, commit)
  const environment = await createFaultEnvironment(`${url}?application_name=psql`)
  t.teardown(() => environment.close())
  const provider = await startProvider()
  t.teardown(() => provider.close())
  const settings = { ...environment.settings, ...provider.environment, DATABASE_URL: url }
  const outcomes: OutcomeCounts = {}
  const total: Ledger = createLedger()
  // Shared and revoked again and again, so that they have an entry without a share.
  const revoked: string[] = []
  const rotation = createRotation()

  /** A node behind a load balancer, which sends it no calls while it is replaced. */
  async function createSlot(workspace?: TestWorkspace) {
    const ports = { GRPC_PORT: `${await findFreePort()}`, HTTP_PORT: `${await findFreePort()}` }
    let node = await startNode({ ...settings, ...ports }, release)
    let isNew = false
    t.teardown(() => node.kill())
    let stopTraffic = async () => {}
    const slot = {
      async send(workspace: TestWorkspace) {
        const traffic = await startTraffic(node, workspace, 1)
        const reads = startReads(node, workspace)
        const rotated = { node, isNew }
        rotation.add(rotated)
        const streams = startStreams(rotation, rotated, other)
        if (isNew) follower.start(rotated)
        revoked.push(...reads.resourceIds)
        stopTraffic = async () => {
          follower.stop(rotated)
          await Promise.all([traffic.stop(), reads.stop(), streams.stop()])
          await rotation.remove(rotated)
          for (const counts of [traffic.outcomes, reads.outcomes])
            for (const [label, count] of Object.entries(counts))
              countOutcome(outcomes, label, count)
          for (const change of Object.keys(total) as (keyof Ledger)[])
            for (const id of traffic.ledger[change]) total[change].add(id)
        }
        const { registered, grouped } = traffic.ledger
        const progress = workers.map(({ rounds }) => rounds)
        await waitUntil(
          () =>
            registered.size > 5 &&
            grouped.size > 2 &&
            streams.worker.rounds > 0 &&
            workers.every(({ rounds }, index) => rounds > Number(progress[index])),
        )
      },
      stop: () => stopTraffic(),
      current: () => ({ node, isNew }),
      async replace(folder: string, workspace: TestWorkspace) {
        await stopTraffic()
        await node.stop()
        node = await startNode({ ...settings, ...ports }, folder)
        isNew = folder === root
        await slot.send(workspace)
      },
    }
    if (workspace) await slot.send(workspace)
    return slot
  }

  /** Sends what a node of the release would not know. Returns the outcomes. */
  async function changeNewFacts({ transports }: NodeProcess, isSet = true) {
    const outcomes: Outcome[] = []
    for (const transport of transports) {
      const send = async (method: string, message: object, credentials: object) => {
        let outcome: Outcome = await transport.call(method, message, credentials)
        while (!outcome.ok && outcome.code === 'unavailable')
          outcome = await transport.call(method, message, credentials)
        outcomes.push(outcome)
      }
      const declare = (resource_type: string, expression: string, inherited: boolean) => {
        const condition = { name: 'met', description: '', parameters: {}, expression }
        const requirement = { action: 'view', condition: 'met', inherited: true }
        const declared = {
          conditions: isSet ? [condition] : [],
          requirements: isSet && inherited ? [requirement] : [],
        }
        const message = { service_name: other.service, resource_type, roles: [], ...declared }
        return send('PutResourceType', message, { key: other.key })
      }
      const guest = { workspace_id: other.workspace, user_id: newcomer, role: '', guest: isSet }
      await send('AdminService/UpdateMember', guest, { admin })
      await declare('rollout-guests', '!subject.guest', false)
      await declare('rollout-agents', "agent.type == ''", false)
      await declare('rollout-inherited', 'true', true)
    }
    return outcomes
  }

  async function expectNoNewerFacts() {
    const { rows } = await pool.query('select fact from newer_facts')
    t.deepEqual(rows, [])
  }

  const workers: Worker[] = []
  const first = await createSlot()
  if (resources > 0) {
    const startedAt = performance.now()
    await insertLargeDatabase(url, resources)
    t.log(`${resources} resources inserted in ${(performance.now() - startedAt).toFixed()} ms`)
  }
  const workspace = await environment.workspace()
  // Has changes that the ledger does not know.
  const other = await environment.workspace()
  const follower = createFollower(rotation, workspace.key)
  await first.send(workspace)
  const second = await createSlot(workspace)

  const { pool, seed } = environment
  const facts = createFacts()
  const admin = await environment.adminToken()
  const newcomer = await seed.newMember(other.workspace, 'viewer')
  const members = await other.createMembersToRemove(1000)
  const signIns = await startSignIns(rotation, { people: provider.people, pool, seed, facts })
  workers.push(...signIns.workers)
  workers.push(...startAdministration(rotation, other, { admin, members, facts }))
  const directory = await createDirectoryTraffic(rotation, { ...other, pool, seed, facts })
  t.teardown(() => Promise.all([directory.stop(), ...workers.map((worker) => worker.stop())]))
  await waitUntil(() => workers.every(({ rounds }) => rounds > 1))
  t.log('calls before:', describeDurations(rotation.durations.splice(0)))

  const locks = watchTableLocks(pool)
  const startedAt = performance.now()
  let lastAt = startedAt
  const warnings: string[] = []
  const durations: string[] = []
  const applied = await migrate(url, {
    warn: (text) => warnings.push(text),
    onApplied(name) {
      durations.push(`${name} ${(performance.now() - lastAt).toFixed()} ms`)
      lastAt = performance.now()
    },
  })
  t.log(
    `${applied.length} migrations in ${(performance.now() - startedAt).toFixed()} ms: ${durations.join(', ')}`,
  )
  t.log('calls beside it:', describeDurations(rotation.durations.splice(0)))
  t.log('longest locks of tables against reads, in ms:', await locks.stop())
  t.log(warnings)
  // Both nodes of the release run against the new schema.
  for (const slot of [first, second]) {
    await slot.stop()
    await slot.send(workspace)
  }
  t.log('with nodes of the release:', outcomes, rotation.outcomes)
  for (const [index, folder] of [root, release, root].entries()) {
    await first.replace(folder, workspace)
    if (folder === root) {
      const inProgress = {
        ok: false,
        code: 'already_exists',
        reason: 'ROLLOUT_IN_PROGRESS',
      } as const
      for (const outcome of await changeNewFacts(first.current().node)) t.like(outcome, inProgress)
      await expectNoNewerFacts()
    }
    await second.replace(folder, workspace)
    if (folder === release) continue
    for (const outcome of await changeNewFacts(first.current().node)) t.like(outcome, { ok: true })
    // The directory needs a connection, which cannot be while there are older nodes.
    await directory.start()
    await waitUntil(() => directory.rounds() > 2)
    await directory.stop()
    if (index > 0) continue
    await directory.disconnect(admin)
    for (const outcome of await changeNewFacts(first.current().node, false))
      t.like(outcome, { ok: true })
    await expectNoNewerFacts()
  }
  await Promise.all(workers.map((worker) => worker.stop()))
  await Promise.all([first.stop(), second.stop()])

  const last = second.current()
  rotation.add(last)
  follower.start(last)
  const changes = [...total.grouped, ...total.shared]
  const findMissing = () => follower.findMissing(changes)
  await waitUntil(() => findMissing().length === 0).catch(() => {})
  t.deepEqual(findMissing(), [], 'a follower has received every change')
  follower.stop()
  t.deepEqual(await signIns.findDifferences(), [])
  t.deepEqual(await facts.findDifferences(pool), [])
  t.log(facts.counts(), signIns.counts())
  for (const [label, count] of Object.entries(rotation.outcomes))
    countOutcome(outcomes, label, count)
  t.log(outcomes)
  t.deepEqual(
    Object.keys(outcomes).filter((label) => !['ok', 'unavailable'].includes(label)),
    [],
  )
  const losses = await findLosses(environment.pool, workspace, total)
  t.deepEqual(
    losses.filter((loss) => !revoked.some((id) => loss.includes(id))),
    [],
  )
})
