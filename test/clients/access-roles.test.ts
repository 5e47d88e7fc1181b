import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { createAccess } from '../../clients/typescript/src/access.ts'
import { createDocuments, readStatements } from '../support/accepts-column.ts'
import {
  begin,
  bookmark,
  createScriptedDaikon,
  patient,
  position,
  upsert,
  uuid,
} from '../support/access-script.ts'
import { cloneDatabase } from '../support/database.ts'
import { waitUntil } from '../support/wait-until.ts'

const types = { document: 'uuid' } as const
const columns = { document: 'documents.daikon_accepts' }

/** A database whose tables belong to neither the role of the follower nor that of the service. */
async function createWorld(t: ExecutionContext) {
  const { pool, url, drop } = await cloneDatabase()
  const suffix = randomUUID().slice(0, 8)
  const roles = { follower: `docs_sync_${suffix}`, service: `docs_${suffix}` }
  for (const role of Object.values(roles))
    await pool.query(`create role ${role} login password 'secret'`)
  await createDocuments(pool, 'uuid')
  await pool.query(`grant select on documents to ${roles.service}`)
  await pool.query('insert into documents select unnest($1::uuid[])', [[1, 2, 3].map(uuid)])
  const connect = (username: string) =>
    new pg.Pool({
      connectionString: Object.assign(new URL(url), { username, password: 'secret' }).href,
    })
  const [followerPool, servicePool] = [connect(roles.follower), connect(roles.service)]
  const failures: Error[] = []
  const accesses: { close(): Promise<void> }[] = []
  t.teardown(async () => {
    for (const access of accesses) await access.close()
    await Promise.all([followerPool.end(), servicePool.end()])
    for (const role of Object.values(roles)) {
      await pool.query(`drop owned by ${role}`)
      await pool.query(`drop role ${role}`)
    }
    await drop()
  })
  const script = createScriptedDaikon()
  script.hold('ann', [{ holders: ['ann'], levels: ['view'] }])
  const lists = createAccess({ daikon: script.daikon, pool: servicePool, types, columns })
  accesses.push(lists)
  return {
    ...{ pool, roles, script, lists, failures },
    follow(daikon = script) {
      const access = createAccess({ daikon: daikon.daikon, pool: followerPool, types, columns })
      accesses.push(access)
      const ended = access.follow({ onDisconnect: (error) => failures.push(error) })
      ended.catch(() => {})
      return { ended, close: () => access.close() }
    },
    /** Runs what the page says. */
    async grant(): Promise<void> {
      const named = readStatements('create schema daikon_access')
        .replaceAll(/\bdocs_sync\b/g, roles.follower)
        .replaceAll(/\bdocs\b/g, roles.service)
      await pool.query(named)
    },
    /** Runs the statement that an error of a follower names. */
    async correct(ended: Promise<void>, message: RegExp): Promise<void> {
      const error = await t.throwsAsync(ended, { message })
      await pool.query(error?.message.split('Run:')[1] ?? '')
    },
    filled: () =>
      waitUntil(async () => {
        const found = await pool.query(
          `select from daikon_access.columns c join daikon_access.state s on s.follower = c.follower`,
        )
        return found.rowCount === 1
      }),
    /** Lists what Ann sees by the column, and requires that it is what the copy shows. */
    async list(): Promise<number[]> {
      const visible = await lists.visible({ userId: 'ann' }, 'view', 'document', { rows: 1 })
      const [byColumn, byCopy] = await Promise.all(
        ['d.daikon_accepts', undefined].map(async (accepts) => {
          const found = await visible.page<{ id: string }>(({ sql, keys }) => ({
            text: `select d.id from documents d where ${sql('d.id', '$1', accepts)} order by d.id`,
            values: [keys],
          }))
          return found.map(({ id }) => Number.parseInt(id.slice(-12), 16))
        }),
      )
      t.deepEqual(byColumn, byCopy)
      return byColumn as number[]
    },
    async withKeys(): Promise<number> {
      const { rows } = await pool.query('select count(daikon_accepts)::int from documents')
      return rows[0].count
    },
  }
}

const annSees = [1, 2, 3].map((number) => upsert(uuid(number), ['ann/view']))

test('a follower with a role of its own needs what is documented, and names what it lacks', async (t) => {
  const { lists, script, failures, ...world } = await createWorld(t)
  await world.correct(world.follow().ended, /may not write the column documents.daikon_accepts/)
  const first = world.follow()
  await waitUntil(() => failures.length > 0)
  t.regex(failures[0]?.message ?? '', /permission denied for database/)
  await first.close()
  failures.length = 0
  await world.grant()
  world.follow()
  script.send(begin, ...annSees, bookmark(1))
  await lists.waitFor(position(1), patient)
  await world.filled()
  t.deepEqual(await world.list(), [1, 2, 3])
  t.is(await world.withKeys(), 3)
  t.deepEqual(failures, [])
})

test('row-level security limits lists, and not the follower', async (t) => {
  const { pool, roles, lists, script, failures, ...world } = await createWorld(t)
  await world.grant()
  await pool.query(`
    alter role ${roles.follower} nobypassrls;
    update documents set title = 'of others' where id = '${uuid(2)}';
    alter table documents enable row level security;
    create policy own on documents to ${roles.service} using (title is null)`)
  await world.correct(world.follow().ended, /Row-level security may hide rows of "documents"/)
  world.follow()
  script.send(begin, ...annSees, bookmark(1))
  await lists.waitFor(position(1), patient)
  await world.filled()
  t.deepEqual(await world.list(), [1, 3])
  t.is(await world.withKeys(), 3)
  t.deepEqual(failures, [])
})

test('a follower ends once row-level security hides rows from it', async (t) => {
  const { pool, roles, lists, script, ...world } = await createWorld(t)
  await world.grant()
  await pool.query(`alter role ${roles.follower} nobypassrls`)
  const first = world.follow()
  script.send(begin, ...annSees, bookmark(1))
  await lists.waitFor(position(1), patient)
  await world.filled()
  await pool.query(`
    alter table documents enable row level security;
    create policy own on documents to ${roles.service} using (true)`)
  const revoked = upsert(uuid(1), ['bob/view'])
  script.send(revoked, bookmark(2))
  await world.correct(first.ended, /Row-level security may hide rows of "documents"/)
  t.deepEqual(await world.list(), [1, 2, 3])

  const next = createScriptedDaikon()
  world.follow(next)
  next.send(revoked, bookmark(2))
  await lists.waitFor(position(2), patient)
  await world.filled()
  t.deepEqual(next.cursors, ['cursor-1'])
  t.deepEqual(await world.list(), [2, 3])
})
