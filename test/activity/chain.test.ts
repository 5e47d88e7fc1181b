import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { v7 as uuid } from 'uuid'
import { type ChainEntry, hashEntry } from '../../src/activity/chain.ts'
import { findSealedRows, updateChainEnd, updateSeals } from '../../src/activity/chain-queries.ts'
import { redactUserEntries } from '../../src/activity/queries.ts'
import { recordActivity } from '../../src/activity/record-activity.ts'
import { pruneActivity } from '../../src/activity/retention.ts'
import { sealActivity } from '../../src/activity/seal.ts'
import { verifyActivity } from '../../src/activity/verify.ts'
import { requestScope } from '../../src/core/request-scope.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { cloneDatabase } from '../support/database.ts'

/** Opens a database of its own. */
async function open(t: ExecutionContext) {
  const { pool, url, drop } = await cloneDatabase()
  const database = await openDatabase(url, () => {})
  t.teardown(async () => {
    await database.close()
    await drop()
  })
  return { pool, database }
}

/** Records events about the user, from an address. */
async function record(database: Database, count: number, userId: string = randomUUID()) {
  const scope = {
    signal: { aborted: false, addEventListener() {}, removeEventListener() {} },
    source: { requestId: 'r', ip: '192.0.2.1', keyHash: undefined },
  }
  for (let index = 0; index < count; index += 1) {
    const detail = { email: `${index}@example.com`, role: 'viewer' }
    const event = { action: 'member.removed', targetId: userId, detail } as const
    await requestScope.run(scope, () => recordActivity(database.fork(), { actorId: userId }, event))
  }
}

async function openSealed(t: ExecutionContext, count: number) {
  const opened = await open(t)
  await record(opened.database, count)
  t.is(await sealActivity(opened.database.fork()), count)
  return opened
}

test('entries are sealed once and the chain is intact', async (t) => {
  const { database } = await openSealed(t, 3)
  t.is(await sealActivity(database.fork()), 0)
  await record(database, 2)
  t.is((await verifyActivity(database.fork())).unsealed, 2)
  t.is(await sealActivity(database.fork()), 2)
  const result = await verifyActivity(database.fork())
  t.like(result, { entries: 5, unsealed: 0, erased: 0, problem: undefined })
  t.is(result.head.sequence, 5)
})

test('only one node seals at a time, and recording an entry does not wait for it', async (t) => {
  const { pool, database } = await open(t)
  await record(database, 1)
  const other = await pool.connect()
  await other.query("begin; select pg_advisory_xact_lock(hashtext('daikon activity chain'))")
  await other.query('select * from activity_chain for update')
  t.is(await sealActivity(database.fork()), 0)
  await record(database, 1)
  await other.query('rollback')
  other.release()
  t.is(await sealActivity(database.fork()), 2)
})

test('an entry that is committed after newer ones is sealed after them', async (t) => {
  const { pool, database } = await open(t)
  const late = await pool.connect()
  const id = uuid()
  const insert = `insert into activity (id, action, target_type, detail)
    values ($1, 'group.created', 'group', '{"name": "late"}')`
  await late.query('begin')
  await late.query(insert, [id])
  await record(database, 2)
  t.is(await sealActivity(database.fork()), 2)
  await late.query('commit')
  late.release()
  t.is(await sealActivity(database.fork()), 1)
  const { rows } = await pool.query('select seal_seq from activity where id = $1', [id])
  t.is(rows[0].seal_seq, '3')
  t.is((await verifyActivity(database.fork())).problem, undefined)
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
  'a changed request id': [`set request_id = 'x' where seal_seq = 3`, /^Entry 3 .*changed/],
  'a changed app': ['set service_app_id = id where seal_seq = 3', /^Entry 3 .*changed/],
  'a changed hash': [`set seal_hash = 'x' where seal_seq = 4`, /^Entry 4 .*changed/],
  'an entry moved out of the chain': ['set seal_seq = null where seal_seq = 2', /^Entry 2 was del/],
}

for (const [name, [sql, problem]] of Object.entries(changes)) {
  test(`${name} breaks the chain`, async (t) => {
    const { pool, database } = await openSealed(t, 4)
    await pool.query(`update activity ${sql}`)
    t.regex((await verifyActivity(database.fork())).problem ?? '', problem)
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
    const { pool, database } = await openSealed(t, 4)
    await pool.query(`delete from activity where ${condition}`)
    t.is((await verifyActivity(database.fork())).problem, problem)
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
    const { pool, database } = await openSealed(t, 4)
    if (values === ', 2') await pool.query('delete from activity where seal_seq = 2')
    await pool.query(
      `insert into activity (id, action, target_type, detail${columns})
       values (gen_random_uuid(), 'group.created', 'group', '{"name": "x"}'${values})`,
    )
    await sealActivity(database.fork())
    t.regex((await verifyActivity(database.fork())).problem ?? '', problem)
  })
}

test('an entry noted elsewhere reveals that the chain was rebuilt', async (t) => {
  const { pool, database } = await openSealed(t, 3)
  const { head } = await verifyActivity(database.fork())
  await record(database, 1)
  await sealActivity(database.fork())
  t.is((await verifyActivity(database.fork(), head)).problem, undefined)

  await pool.query('delete from activity where seal_seq = 2')
  await pool.query('update activity set seal_seq = null')
  await pool.query("update activity_chain set last_seq = 0, last_hash = ''")
  await sealActivity(database.fork())
  t.is((await verifyActivity(database.fork())).problem, undefined)
  t.regex((await verifyActivity(database.fork(), head)).problem ?? '', /^Entry 3 does not have/)
})

test('erasing the personal data of a user leaves the chain intact', async (t) => {
  const { pool, database } = await open(t)
  const userId = randomUUID()
  await record(database, 2, userId)
  await record(database, 1)
  await sealActivity(database.fork())
  await record(database, 1, userId)
  await redactUserEntries(database.fork(), userId, [])
  await sealActivity(database.fork())
  const { rows } = await pool.query('select * from activity where actor_id = $1', [userId])
  t.is(rows.length, 3)
  for (const { detail, ip, seal_salts } of rows) {
    t.deepEqual(
      { detail, ip, seal_salts },
      { detail: { role: 'viewer' }, ip: null, seal_salts: {} },
    )
  }
  // The third entry was erased before it was sealed.
  t.like(await verifyActivity(database.fork()), { entries: 4, erased: 4, problem: undefined })
})

test('erasure keeps values that the chain covers without a digest', async (t) => {
  const { pool, database } = await open(t)
  const userId = randomUUID()
  const detail = { provider: 'google', subject: '1234567890' }
  const event = { action: 'user.account_linked', targetId: userId, detail } as const
  await recordActivity(database.fork(), { actorId: userId }, event)
  await recordActivity(database.fork(), { actorId: userId }, event)
  await sealActivity(database.fork())
  // Seals the second entry as earlier versions did, which covered the subject itself.
  const [first, second] = await findSealedRows(database.fork(), 0, 2)
  const hash = hashEntry(first?.seal_hash ?? '', 2, second as ChainEntry, {})
  const seal = { id: second?.id, seq: 2, hash, digests: {}, salts: {} }
  await updateSeals(database.fork(), [seal])
  await updateChainEnd(database.fork(), 2, hash)
  await redactUserEntries(database.fork(), userId, [])
  const { rows } = await pool.query('select detail from activity order by seal_seq')
  t.deepEqual(rows, [{ detail: { provider: 'google' } }, { detail }])
  t.like(await verifyActivity(database.fork()), { entries: 2, erased: 1, problem: undefined })
})

test('entries past the retention period are deleted and the rest of the chain can be verified', async (t) => {
  const { pool, database } = await open(t)
  await record(database, 5)
  await pool.query(`update activity set created_at = now() - interval '40 days'
    where id in (select id from activity order by id limit 3)`)
  t.is(await pruneActivity(database.fork(), new Date(), 30), 0, 'unsealed entries stay')
  await sealActivity(database.fork())
  t.is(await pruneActivity(database.fork(), new Date(), 30), 3)
  t.is(await pruneActivity(database.fork(), new Date(), 30), 0)
  await sealActivity(database.fork())
  t.like(await verifyActivity(database.fork()), { entries: 3, problem: undefined })
  const { rows } = await pool.query("select * from activity where action = 'activity.pruned'")
  t.like(rows[0].detail, { entries: '3', through: '3' })

  await pool.query("delete from activity where action = 'activity.pruned'")
  await pool.query(`update activity_chain set last_seq = 5,
    last_hash = (select seal_hash from activity where seal_seq = 5)`)
  const { problem } = await verifyActivity(database.fork())
  t.is(problem, 'The entries before 4 were deleted without a record.')
})
