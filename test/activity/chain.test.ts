import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { v7 as uuid } from 'uuid'
import { type ChainEntry, hashEntry } from '../../src/activity/chain.ts'
import { pruneActivity } from '../../src/activity/retention.ts'
import { sealActivity } from '../../src/activity/seal.ts'
import { verifyActivity } from '../../src/activity/verify.ts'
import type { Transactional } from '../../src/core/request-context.ts'
import { requestScope } from '../../src/core/request-scope.ts'
import { openDatabase } from '../../src/database/database.ts'
import { createStores, type Stores } from '../../src/server/stores.ts'
import { cloneDatabase } from '../support/database.ts'
import { longTimeouts } from '../support/test-environment.ts'

/** Opens a database of its own. */
async function open(t: ExecutionContext) {
  const { pool, url, drop } = await cloneDatabase()
  const database = await openDatabase(url, () => {}, longTimeouts)
  t.teardown(async () => {
    await database.close()
    await drop()
  })
  return { pool, url, database, stores: createStores(database.fork()) }
}

/** Records events about the user, from an address. */
async function record({ activity }: Stores, count: number, userId: string = randomUUID()) {
  const scope = {
    signal: new AbortController().signal,
    source: { requestId: 'r', ip: '192.0.2.1', keyHash: undefined },
  }
  for (let index = 0; index < count; index += 1) {
    const detail = { email: `${index}@example.com`, role: 'viewer' }
    const event = { action: 'member.removed', targetId: userId, detail } as const
    await requestScope.run(scope, () => activity.record({ actorId: userId }, event))
  }
}

async function openSealed(t: ExecutionContext, count: number) {
  const opened = await open(t)
  await record(opened.stores, count)
  t.is(await sealActivity(opened.stores), count)
  return opened
}

test('entries are sealed once and the chain is intact', async (t) => {
  const { stores } = await openSealed(t, 3)
  t.is(await sealActivity(stores), 0)
  await record(stores, 2)
  t.is((await verifyActivity(stores)).unsealed, 2)
  t.is(await sealActivity(stores), 2)
  const result = await verifyActivity(stores)
  t.like(result, { entries: 5, unsealed: 0, erased: 0, problem: undefined })
  t.is(result.head.sequence, 5)
})

test('only one node seals at a time, and recording an entry does not wait for it', async (t) => {
  const { pool, stores } = await open(t)
  await record(stores, 1)
  const other = await pool.connect()
  await other.query("begin; select pg_advisory_xact_lock(hashtext('daikon activity chain'))")
  await other.query('select * from activity_chain for update')
  t.is(await sealActivity(stores), 0)
  await record(stores, 1)
  await other.query('rollback')
  other.release()
  t.is(await sealActivity(stores), 2)
})

test('an entry that is committed after newer ones is sealed after them', async (t) => {
  const { pool, stores } = await open(t)
  const late = await pool.connect()
  const id = uuid()
  const insert = `insert into activity (id, action, target_type, detail)
    values ($1, 'group.created', 'group', '{"name": "late"}')`
  await late.query('begin')
  await late.query(insert, [id])
  await record(stores, 2)
  t.is(await sealActivity(stores), 2)
  await late.query('commit')
  late.release()
  t.is(await sealActivity(stores), 1)
  const { rows } = await pool.query('select seal_seq from activity where id = $1', [id])
  t.is(rows[0].seal_seq, '3')
  t.is((await verifyActivity(stores)).problem, undefined)
})

test('entries are sealed in the order of their transactions, then of their IDs', async (t) => {
  const { pool, stores } = await open(t)
  const clients = [await pool.connect(), await pool.connect()] as const
  const [first, second] = clients
  const ids = [uuid(), uuid(), uuid()] as const
  const insert = `insert into activity (id, action, target_type, detail)
    values ($1, 'group.created', 'group', '{"name": "x"}')`
  for (const client of clients) await client.query('begin')
  await first.query(insert, [ids[0]])
  await second.query(insert, [ids[1]])
  await first.query(insert, [ids[2]])
  for (const client of [second, first]) await client.query('commit')
  for (const client of clients) client.release()
  await sealActivity(stores)
  const sealed = await stores.chain.findSealed(0, 10)
  t.deepEqual(
    sealed.map(({ id }) => id),
    [ids[0], ids[2], ids[1]],
  )
})

test('a reader misses and repeats no entry of overlapping transactions while two nodes seal', async (t) => {
  const { pool, stores, url, database } = await open(t)
  const otherDatabase = await openDatabase(url, () => {}, longTimeouts)
  t.teardown(() => otherDatabase.close())
  const nodes = [createStores(database.fork()), createStores(otherDatabase.fork())]
  const committed = new Set<string>()
  let isWriting = true

  async function write(writer: number) {
    const client = await pool.connect()
    for (let round = 0; round < 15; round += 1) {
      await client.query('begin')
      const ids: string[] = []
      for (let entry = 0; entry < 1 + (round % 3); entry += 1) {
        const id = uuid()
        await client.query(
          `insert into activity (id, action, target_type, detail)
           values ($1, 'group.created', 'group', '{"name": "x"}')`,
          [id],
        )
        // Transactions of the other writers begin and end in between.
        await client.query('select pg_sleep($1)', [((writer * 7 + round) % 5) / 100])
        ids.push(id)
      }
      const isRolledBack = round % 7 === 6
      await client.query(isRolledBack ? 'rollback' : 'commit')
      if (!isRolledBack) for (const id of ids) committed.add(id)
    }
    client.release()
  }

  async function seal(node: (typeof nodes)[number]) {
    while (isWriting) await sealActivity(node)
  }

  const read: string[] = []
  async function readOn() {
    const page = await stores.activity.findSealed(read.length, 1000)
    for (const { sequence, entry } of page) {
      t.is(sequence, read.length + 1)
      read.push(entry.id)
    }
  }
  const reader = (async () => {
    while (isWriting) await readOn()
  })()
  const sealers = nodes.map(seal)
  await Promise.all([0, 1, 2, 3, 4, 5].map(write))
  isWriting = false
  await Promise.all([reader, ...sealers])
  await sealActivity(stores)
  await readOn()
  t.is(new Set(read).size, read.length)
  t.deepEqual(read.toSorted(), [...committed].toSorted())
  t.notDeepEqual(read, [...read].toSorted(), 'some transactions committed out of order')
  t.is((await verifyActivity(stores)).problem, undefined)
})

test('seals of the first version can still be verified, and a newer version is not guessed', async (t) => {
  const { pool, stores } = await open(t)
  await record(stores, 1)
  await sealActivity(stores)
  const [entry] = await stores.chain.findSealed(0, 1)
  if (!entry) return t.fail()
  const hash = hashEntry('', 1, entry, entry.digests ?? {}, 1)
  await pool.query('update activity set seal_hash = $1, seal_version = null', [hash])
  await pool.query('update activity_chain set last_hash = $1', [hash])
  await record(stores, 1)
  await sealActivity(stores)
  t.like(await verifyActivity(stores), { entries: 2, problem: undefined })

  await pool.query('update activity set seal_version = 1 where seal_seq = 2')
  t.regex((await verifyActivity(stores)).problem ?? '', /^Entry 2 .*was changed/)
  await pool.query('update activity set seal_version = 9 where seal_seq = 2')
  t.regex((await verifyActivity(stores)).problem ?? '', /version 9, which this version .* cannot/)
})

/** Seals the entry at a position, the last one, as a version did. */
async function sealAgain(
  { pool, stores }: Awaited<ReturnType<typeof open>>,
  at: number,
  version: number,
) {
  const entries = await stores.chain.findSealed(0, at)
  const entry = entries.at(-1)
  if (entry?.sequence !== at) throw new Error(`no entry ${at}`)
  const previous = entries.at(-2)?.hash ?? ''
  const hash = hashEntry(previous, at, entry, entry.digests ?? {}, version)
  await pool.query('update activity set seal_hash = $1, seal_version = $2 where seal_seq = $3', [
    hash,
    version,
    at,
  ])
  await pool.query('update activity_chain set last_hash = $1', [hash])
}

const delegation = {
  id: randomUUID(),
  agent: { type: 'client' as const, id: randomUUID() },
}

/** Records an event that an agent caused for a user, and seals it. */
async function recordByAgent(stores: Transactional<Stores>) {
  const event = { action: 'group.created', detail: { name: 'x' } } as const
  await stores.activity.record({ actorId: randomUUID(), delegation }, event)
  await sealActivity(stores)
}

test('the chain covers the agents of entries, and seals of earlier versions can still be verified', async (t) => {
  const opened = await openSealed(t, 1)
  const { pool, stores } = opened
  await sealAgain(opened, 1, 2)
  await record(stores, 1)
  await sealActivity(stores)
  await sealAgain(opened, 2, 3)
  await recordByAgent(stores)
  const [entry] = await stores.chain.findSealed(2, 1)
  t.like(entry, { agentType: 'client', agentId: delegation.agent.id, delegationId: delegation.id })
  t.is(entry?.version, 4)
  t.like(await verifyActivity(stores), { entries: 3, problem: undefined })
  for (const change of [
    'agent_id = gen_random_uuid()',
    'delegation_id = gen_random_uuid()',
    `agent_type = 'service_account'`,
    'agent_id = null, agent_type = null, delegation_id = null',
    'seal_version = 3',
  ]) {
    const client = await pool.connect()
    await client.query('create table kept as select * from activity where seal_seq = 3')
    await client.query(`update activity set ${change} where seal_seq = 3`)
    t.regex((await verifyActivity(stores)).problem ?? '', /^Entry 3 .*was changed/, change)
    await client.query(`update activity a set agent_id = k.agent_id, agent_type = k.agent_type,
      delegation_id = k.delegation_id, seal_version = k.seal_version from kept k where k.id = a.id`)
    await client.query('drop table kept')
    client.release()
  }
  t.is((await verifyActivity(stores)).problem, undefined)
  for (const column of ['agent_id', 'delegation_id']) {
    await pool.query(`update activity set ${column} = id where seal_seq = 2`)
    t.regex((await verifyActivity(stores)).problem ?? '', /^Entry 2 .*was changed/, column)
    await pool.query(`update activity set ${column} = null where seal_seq = 2`)
  }
})

test('an entry of an agent that a node of the previous version sealed is valid', async (t) => {
  const opened = await openSealed(t, 1)
  const { stores } = opened
  await recordByAgent(stores)
  await sealAgain(opened, 2, 3)
  await record(stores, 1)
  await sealActivity(stores)
  t.like(await verifyActivity(stores), { entries: 3, problem: undefined })
})

const changes: Record<string, [sql: string, problem: RegExp]> = {
  'a changed action': [`set action = 'member.invited' where seal_seq = 2`, /^Entry 2 .*changed/],
  'a changed detail': [
    `set detail = detail || '{"role": "owner"}' where seal_seq = 2`,
    /^Entry 2 .*changed/,
  ],
  'an added detail': [`set detail = detail || '{"x": "y"}' where seal_seq = 3`, /^Entry 3 .*chan/],
  'a changed e-mail address': [
    `set detail = detail || '{"email": "x@example.com"}' where seal_seq = 2`,
    /^Entry 2 .*changed/,
  ],
  'an e-mail address without its salt': [
    `set seal_salts = '{}' where seal_seq = 2`,
    /^Entry 2 .*changed/,
  ],
  'a changed address': [`set ip = '192.0.2.9' where seal_seq = 1`, /^Entry 1 .*changed/],
  'a changed time': [
    `set created_at = created_at + interval '1 microsecond' where seal_seq = 2`,
    /^Entry 2 .*changed/,
  ],
  'a changed actor': ['set actor_id = gen_random_uuid() where seal_seq = 3', /^Entry 3 .*changed/],
  'an added agent': ['set agent_id = gen_random_uuid() where seal_seq = 3', /^Entry 3 .*changed/],
  'an added type of agent': [`set agent_type = 'client' where seal_seq = 3`, /^Entry 3 .*changed/],
  'an added delegation': ['set delegation_id = id where seal_seq = 3', /^Entry 3 .*changed/],
  'a changed request id': [`set request_id = 'x' where seal_seq = 3`, /^Entry 3 .*changed/],
  'a changed app': ['set service_app_id = id where seal_seq = 3', /^Entry 3 .*changed/],
  'a changed hash': [`set seal_hash = 'x' where seal_seq = 4`, /^Entry 4 .*changed/],
  'an entry moved out of the chain': ['set seal_seq = null where seal_seq = 2', /^Entry 2 was del/],
}

for (const [name, [sql, problem]] of Object.entries(changes)) {
  test(`${name} breaks the chain`, async (t) => {
    const { pool, stores } = await openSealed(t, 4)
    await pool.query(`update activity ${sql}`)
    t.regex((await verifyActivity(stores)).problem ?? '', problem)
  })
}

const deletions: Record<string, [condition: string, problem: string]> = {
  first: ['seal_seq = 1', 'Entry 1 was deleted.'],
  middle: ['seal_seq in (2, 3)', 'The entries 2 to 3 were deleted.'],
  last: ['seal_seq = 4', 'Entry 4 was deleted.'],
  every: ['true', 'The entries 1 to 4 were deleted.'],
}

for (const [name, [condition, problem]] of Object.entries(deletions)) {
  test(`deleting entries breaks the chain: ${name}`, async (t) => {
    const { pool, stores } = await openSealed(t, 4)
    await pool.query(`delete from activity where ${condition}`)
    t.is((await verifyActivity(stores)).problem, problem)
  })
}

const insertions: Record<string, [columns: string, values: string, problem: RegExp]> = {
  'behind the end': [', seal_seq', ', 5', /^Entry 5 .*inserted/],
  'before the start': [', seal_seq', ', 0', /^Entry 0 .*inserted/],
  'in place of a deleted one': [', seal_seq', ', 2', /^Entry 2 .*changed/],
  'with a past time': [', created_at', ", now() - interval '2 hours'", /^Entry 5 .*inserted/],
}

for (const [name, [columns, values, problem]] of Object.entries(insertions)) {
  test(`inserting an entry breaks the chain: ${name}`, async (t) => {
    const { pool, stores } = await openSealed(t, 4)
    if (values === ', 2') await pool.query('delete from activity where seal_seq = 2')
    await pool.query(
      `insert into activity (id, action, target_type, detail${columns})
       values (gen_random_uuid(), 'group.created', 'group', '{"name": "x"}'${values})`,
    )
    await sealActivity(stores)
    t.regex((await verifyActivity(stores)).problem ?? '', problem)
  })
}

test('an entry noted elsewhere reveals that the chain was rebuilt', async (t) => {
  const { pool, stores } = await openSealed(t, 3)
  const { head } = await verifyActivity(stores)
  await record(stores, 1)
  await sealActivity(stores)
  t.is((await verifyActivity(stores, head)).problem, undefined)

  await pool.query('delete from activity where seal_seq = 2')
  await pool.query('update activity set seal_seq = null')
  await pool.query("update activity_chain set last_seq = 0, last_hash = ''")
  await sealActivity(stores)
  t.is((await verifyActivity(stores)).problem, undefined)
  t.regex((await verifyActivity(stores, head)).problem ?? '', /^Entry 3 does not have/)
})

test('erasing the personal data of a user leaves the chain intact', async (t) => {
  const { pool, stores } = await open(t)
  const userId = randomUUID()
  await record(stores, 2, userId)
  await record(stores, 1)
  await sealActivity(stores)
  await record(stores, 1, userId)
  await stores.activity.redactUser(userId, [])
  await sealActivity(stores)
  const { rows } = await pool.query('select * from activity where actor_id = $1', [userId])
  t.is(rows.length, 3)
  for (const { detail, ip, seal_salts } of rows) {
    t.deepEqual(
      { detail, ip, seal_salts },
      { detail: { role: 'viewer' }, ip: null, seal_salts: {} },
    )
  }
  // The third entry was erased before it was sealed.
  t.like(await verifyActivity(stores), { entries: 4, erased: 4, problem: undefined })
})

test('erasure keeps values that the chain covers without a digest', async (t) => {
  const { pool, stores } = await open(t)
  const userId = randomUUID()
  const detail = { provider: 'google', subject: '1234567890' }
  const event = { action: 'user.account_linked', targetId: userId, detail } as const
  await stores.activity.record({ actorId: userId }, event)
  await stores.activity.record({ actorId: userId }, event)
  await sealActivity(stores)
  // Seals the second entry as earlier versions did, which covered the subject itself.
  const [first, second] = await stores.chain.findSealed(0, 2)
  const hash = hashEntry(first?.hash ?? '', 2, second as ChainEntry, {})
  const seal = { id: second?.id ?? '', sequence: 2, hash, digests: {}, salts: {} }
  await stores.chain.append([seal])
  await stores.activity.redactUser(userId, [])
  const { rows } = await pool.query('select detail from activity order by seal_seq')
  t.deepEqual(rows, [{ detail: { provider: 'google' } }, { detail }])
  t.like(await verifyActivity(stores), { entries: 2, erased: 1, problem: undefined })
})

test('entries past the retention period are deleted and the rest of the chain can be verified', async (t) => {
  const { pool, stores } = await open(t)
  await record(stores, 5)
  await pool.query(`update activity set created_at = now() - interval '40 days'
    where id in (select id from activity order by id limit 3)`)
  t.is(await pruneActivity(stores, new Date(), 30), 0, 'unsealed entries stay')
  await sealActivity(stores)
  t.is(await pruneActivity(stores, new Date(), 30), 3)
  t.is(await pruneActivity(stores, new Date(), 30), 0)
  await sealActivity(stores)
  t.like(await verifyActivity(stores), { entries: 3, problem: undefined })
  const { rows } = await pool.query("select * from activity where action = 'activity.pruned'")
  t.like(rows[0].detail, { entries: '3', through: '3' })

  await pool.query("delete from activity where action = 'activity.pruned'")
  await pool.query(`update activity_chain set last_seq = 5,
    last_hash = (select seal_hash from activity where seal_seq = 5)`)
  const { problem } = await verifyActivity(stores)
  t.is(problem, 'The entries before 4 were deleted without a record.')
})
