import { randomUUID } from 'node:crypto'
import { constants, setPriority } from 'node:os'
import pg from 'pg'
import { createSecretBox } from '../src/core/secret-box.ts'
import { createWebhookSecret } from '../src/webhooks/signature.ts'
import { secretContext } from '../src/webhooks/webhook-rules.ts'
import { createCheckBatches } from './check-batches.ts'
import type { ServerState } from './child-process.ts'
import { cpuTimeOf, findPostmaster } from './cpu-time.ts'
import { benchEncryptionKey } from './data-set.ts'
import { type FollowersJob, type FollowersResult, followedType, patience } from './followers-job.ts'
import type { Harness, Measurement } from './harness.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, formatNumber, type Row } from './table.ts'
import { fetchResponses, writeChecks } from './write-requests.ts'

/** Changes per second during the checks. */
const pace = 2

/** CPU microseconds. */
type Spent = { server: number; database: number }

type Followed = { checks: Measurement; followers: FollowersResult }

/** Rounds per round of the other parts: the p99 of a round depends on its three events. */
const moreRounds = 3

/**
 * Compares checks beside watches and webhooks, one of which does not respond, with checks beside the
 * same changes without followers, and measures how soon and how fast events arrive, and the CPU time
 * that they cost. The followers have a low priority, because they run on other machines in production.
 */
export async function measureFeed(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick, rounds, seconds } = harness
  const size = quick
    ? { watches: 50, webhooks: 20, burst: 5 }
    : { watches: 1000, webhooks: 200, burst: 20 }
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const daikon = harness.feed()
  const followers = harness.startProcess('followers.ts')
  setPriority(followers.pid, constants.priority.PRIORITY_LOW)
  try {
    await deleteFollowed(client)
    const batches = await createCheckBatches(database, 1, 500)
    const withResponses = await fetchResponses(harness, daikon, batches)
    const files = [writeChecks(harness, 'feed', withResponses).daikon]
    const load = { kind: 'unary', inFlight: 16, files } as const
    const { port } = await daikon.request<ServerState>({})
    const { ports } = await followers.request<{ ports: number[] }>({ servers: size.webhooks })
    await createWebhooks(client, ports)
    const postmaster = await findPostmaster(database.url)

    type Size = Omit<FollowersJob, 'isOpen' | 'port' | 'pace' | 'seconds'>
    const open = async (job: Size) => {
      // As the server does when it activates the first webhook, which gets no earlier events.
      await client.query(`update webhook_feed
        set (position, hash) = (select last_seq, last_hash from activity_chain)`)
      await client.query('update webhooks set is_active = $1', [job.webhooks > 0])
      const opening = { ...job, isOpen: false, port, pace, seconds }
      await followers.request(opening)
      return opening
    }
    const follow = async (job: Size): Promise<Followed> => {
      const opening = await open(job)
      const [followed, checks] = await Promise.all([
        followers.request<FollowersResult>({ ...opening, isOpen: true }, seconds + 2 * patience),
        harness.measure(daikon, load),
      ])
      return { checks, followers: followed }
    }
    const readCpu = () => ({ server: cpuTimeOf(daikon.pid), database: cpuTimeOf(postmaster) })
    /** Returns the CPU microseconds of each delivery of a burst. */
    const spend = async (job: Size): Promise<Spent> => {
      const opening = await open(job)
      const before = readCpu()
      await followers.request({ ...opening, isOpen: true, seconds: 0 }, 2 * patience)
      const after = readCpu()
      const deliveries = job.burst * (job.watches + job.webhooks)
      return {
        server: (after.server - before.server) / deliveries,
        database: (after.database - before.database) / deliveries,
      }
    }
    const webhooks = size.webhooks - 1
    const results = await interleave(quick ? rounds : rounds * moreRounds, {
      quiet: () => follow({ watches: 0, webhooks: 0, burst: 0 }),
      followed: () => follow({ ...size, webhooks }),
      watch: () => spend({ ...size, webhooks: 0 }),
      webhooks: () => spend({ ...size, watches: 0, webhooks }),
    })
    addRow({
      label: `single checks beside ${formatNumber(size.watches)} watches and ${size.webhooks} webhooks, p99 compared with none`,
      daikon: formatLoad(medianLoad(results, ({ followed }) => followed.checks)),
      baseline: formatLoad(medianLoad(results, ({ quiet }) => quiet.checks)),
      value: medianOf(results, ({ followed, quiet }) => followed.checks.p99 / quiet.checks.p99),
      goal: { max: 1.5 },
    })
    for (const [name, label] of [
      ['watch', 'watch: acknowledgement to receipt, p99; events a second to all watches'],
      ['webhooks', 'webhooks: acknowledgement to receipt, p99; events a second to all webhooks'],
    ] as const) {
      const median = (read: 'p50' | 'p99' | 'rate') =>
        medianOf(results, ({ followed }) => followed.followers[name]?.[read] ?? 0)
      addRow({
        label,
        daikon: `${formatNumber(median('rate'))}/s, p50 ${formatNumber(median('p50'))} ms`,
        baseline: '',
        value: median('p99'),
        unit: ' ms',
      })
      const cpu = (read: keyof Spent) => medianOf(results, (round) => round[name][read])
      addRow({
        label: `${name}: CPU for each delivery of ${formatNumber(size.burst)} events`,
        daikon: `server ${formatNumber(cpu('server'))}, PostgreSQL ${formatNumber(cpu('database'))} µs`,
        baseline: '',
        value: cpu('server') + cpu('database'),
        unit: ' µs',
      })
    }
  } finally {
    await deleteFollowed(client)
    await client.end()
  }
}

/** Creates a webhook at each port, which receives the registrations. */
async function createWebhooks(client: pg.Client, ports: number[]): Promise<void> {
  const box = createSecretBox([benchEncryptionKey])
  for (const port of ports) {
    const id = randomUUID()
    const url = `http://127.0.0.1:${port}/`
    await client.query(
      `insert into webhooks (id, url, events, description, secret, is_active)
       values ($1, $2, '{permission.registered}', '', $3, false)`,
      [id, url, box.encrypt(createWebhookSecret(), secretContext(id))],
    )
  }
}

/** Deletes the webhooks with their deliveries, and the resources that were registered. */
async function deleteFollowed(client: pg.Client): Promise<void> {
  await client.query('delete from webhooks')
  const { rows } = await client.query('select id from resource_kinds where resource_type = $1', [
    followedType,
  ])
  for (const { id } of rows) {
    await client.query('delete from resources where kind_id = $1', [id])
    await client.query('delete from resource_kinds where id = $1', [id])
  }
}
