import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { type AccessOptions, createAccess } from '../../clients/typescript/src/access.ts'
import { createDocuments } from '../support/accepts-column.ts'
import {
  begin,
  bookmark,
  createScriptedDaikon,
  patient,
  position,
  remove,
  type ScriptedDaikon,
  upsert,
  uuid,
} from '../support/access-script.ts'
import { cloneDatabase } from '../support/database.ts'
import { waitUntil } from '../support/wait-until.ts'

const types = { document: 'uuid' } as const
const columns = { document: 'documents.daikon_accepts' }
const numberOf = (id: string) => Number.parseInt(id.slice(-12), 16)

/** Ann and Bob hold `view` on what accepts their names. */
async function createWorld(t: ExecutionContext) {
  const { pool, drop } = await cloneDatabase()
  await createDocuments(pool, 'uuid')
  const script = createScriptedDaikon()
  for (const name of ['ann', 'bob']) script.hold(name, [{ holders: [name], levels: ['view'] }])
  const failures: Error[] = []
  const start = (daikon: ScriptedDaikon, options: Partial<AccessOptions<typeof types>> = {}) => {
    const access = createAccess({ daikon: daikon.daikon, pool, types, columns, ...options })
    t.teardown(() => access.close())
    const follow = () => access.follow({ onDisconnect: (error) => failures.push(error) })
    return { access, follow }
  }
  // Runs after the followers were closed.
  t.teardown(drop)
  const { access, follow } = start(script)
  return {
    ...{ pool, script, access, follow, start, failures },
    insert: (...numbers: number[]) =>
      pool.query('insert into documents select unnest($1::uuid[])', [numbers.map(uuid)]),
    /** Waits until lists may read the column. */
    filled: () =>
      waitUntil(async () => {
        const { rows } = await pool.query(
          `select (select follower from daikon_access.state)
            = (select follower from daikon_access.columns) as is_filled`,
        )
        return rows[0].is_filled
      }),
    /** Lists what a user sees by the column, and requires that it is what the copy shows. */
    async list(userId: string, options: object = {}): Promise<number[]> {
      const [byColumn, byCopy] = await Promise.all(
        ['d.daikon_accepts', undefined].map(async (accepts) => {
          const visible = await access.visible({ userId }, 'view', 'document', {
            rows: 1,
            ...options,
          })
          const { rows } = await pool.query(
            `select id from documents d where ${visible.sql('d.id', '$1', accepts)} order by id`,
            [visible.keys],
          )
          return rows.map(({ id }) => numberOf(id))
        }),
      )
      t.deepEqual(byColumn, byCopy)
      return byColumn as number[]
    },
    /** The documents whose column has keys. */
    async withKeys(): Promise<number[]> {
      const { rows } = await pool.query(
        'select id from documents where daikon_accepts is not null order by id',
      )
      return rows.map(({ id }) => numberOf(id))
    },
  }
}

/** Five documents that Ann sees, so that a list of one row looks at rows one after another. */
const annSees = [1, 2, 3, 4, 5].map((number) => upsert(uuid(number), ['ann/view']))

/** What the column contains if it is read: a document that the copy does not show. */
const marker = `
  with on_behalf as (select set_config('daikon_access.follower', 'on', true)),
  keys as (select array(select id from daikon_access.keys where holder = 'ann') as ids)
  update documents set daikon_accepts = keys.ids from on_behalf, keys where id = $1`

test('lists read the column, which follows shares and removals', async (t) => {
  const { script, access, pool, ...world } = await createWorld(t)
  await world.insert(1, 2, 3, 4, 5, 6)
  void world.follow()
  script.send(begin, ...annSees, bookmark(1))
  await access.waitFor(position(1), patient)
  await world.filled()
  t.deepEqual(await world.withKeys(), [1, 2, 3, 4, 5])
  t.deepEqual(await world.list('ann'), [1, 2, 3, 4, 5])
  script.send(upsert(uuid(1), ['bob/view']), remove(uuid(2)), upsert(uuid(6), ['ann/view']))
  script.send(bookmark(2))
  await access.waitFor(position(2), patient)
  t.deepEqual(await world.list('ann'), [3, 4, 5, 6])
  t.deepEqual(await world.withKeys(), [1, 3, 4, 5, 6])
  await pool.query(marker, [uuid(1)])
  const visible = await access.visible({ userId: 'ann' }, 'view', 'document', { rows: 1 })
  t.is(visible.shape, 'many')
  const { rows } = await pool.query(
    `select id from documents d where ${visible.sql('d.id', '$1', 'd.daikon_accepts')} order by id`,
    [visible.keys],
  )
  t.deepEqual(
    rows.map(({ id }) => numberOf(id)),
    [1, 3, 4, 5, 6],
  )
  t.deepEqual(world.failures, [])
})

test('rows are listed whether they were inserted before or after their registration', async (t) => {
  const { script, access, ...world } = await createWorld(t)
  await world.insert(1, 2, 3)
  void world.follow()
  script.send(begin, ...annSees, bookmark(1))
  await access.waitFor(position(1), patient)
  await world.filled()
  await world.insert(4, 5)
  t.deepEqual(await world.withKeys(), [1, 2, 3])
  t.deepEqual(await world.list('ann'), [1, 2, 3, 4, 5])
  script.send(upsert(uuid(4), ['bob/view']), bookmark(2))
  await access.waitFor(position(2), patient)
  t.deepEqual(await world.withKeys(), [1, 2, 3, 4])
  t.deepEqual(await world.list('ann'), [1, 2, 3, 5])
  await access.close()
  const other = createScriptedDaikon()
  void world.start(other).follow()
  await waitUntil(async () => (await world.withKeys()).length === 5)
})

test('rows that are copied, renamed or saved as a whole keep no keys', async (t) => {
  const { script, access, pool, ...world } = await createWorld(t)
  await world.insert(1, 2, 3, 4, 5)
  void world.follow()
  script.send(begin, ...annSees, bookmark(1))
  await access.waitFor(position(1), patient)
  await world.filled()
  await pool.query(
    'insert into documents select $1::uuid, title, daikon_accepts from documents where id = $2',
    [uuid(7), uuid(1)],
  )
  await pool.query('update documents set id = $1 where id = $2', [uuid(8), uuid(2)])
  const saved = await pool.query('select daikon_accepts from documents where id = $1', [uuid(3)])
  script.send(upsert(uuid(3), ['bob/view']), bookmark(2))
  await access.waitFor(position(2), patient)
  await pool.query('update documents set daikon_accepts = $1 where id = $2', [
    saved.rows[0].daikon_accepts,
    uuid(3),
  ])
  t.deepEqual(await world.list('ann'), [1, 4, 5])
  await pool.query('update documents set title = id::text')
  t.deepEqual(await world.withKeys(), [1, 4, 5])
})

test('rows with keys that end or need a check are looked up in the copy', async (t) => {
  const { script, access, pool, ...world } = await createWorld(t)
  await world.insert(1, 2, 3, 4, 5, 6, 7)
  void world.follow()
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  script.send(begin, ...annSees)
  script.send(upsert(uuid(6), [`ann/view@${soon}`, 'bob/view']), upsert(uuid(7), ['ann/view?']))
  script.send(bookmark(1))
  await access.waitFor(position(1), patient)
  await world.filled()
  t.deepEqual(await world.withKeys(), [1, 2, 3, 4, 5])
  t.deepEqual(await world.list('ann'), [1, 2, 3, 4, 5, 6])
  const includeMaybe = true
  t.deepEqual(await world.list('ann', { includeMaybe }), [1, 2, 3, 4, 5, 6, 7])
  const visible = await access.visible({ userId: 'ann' }, 'view', 'document', {
    includeMaybe,
    rows: 1,
  })
  const { rows } = await pool.query(
    `select id from documents d where not ${visible.certain('d.id', '$1', 'd.daikon_accepts')}`,
    [visible.certainKeys],
  )
  t.deepEqual(
    rows.map(({ id }) => numberOf(id)),
    [7],
  )
  await pool.query(
    `with e as (update daikon_access.ends set until = now())
    update daikon_access.resources_document set until = now() where until is not null`,
  )
  t.deepEqual(await world.list('ann'), [1, 2, 3, 4, 5])
  await waitUntil(async () => (await world.withKeys()).includes(6))
  t.deepEqual(await world.list('ann'), [1, 2, 3, 4, 5])
})

test('a fill removes the keys of what it did not send', async (t) => {
  const { script, access, pool, ...world } = await createWorld(t)
  await world.insert(1, 2, 3, 4, 5)
  void world.follow()
  script.send(begin, ...annSees, bookmark(1))
  await access.waitFor(position(1), patient)
  script.send(begin, ...annSees.slice(1), bookmark(2))
  await access.waitFor(position(2), patient)
  await waitUntil(async () => {
    const { rows } = await pool.query('select swept = generation as done from daikon_access.state')
    return rows[0].done
  })
  t.deepEqual(await world.withKeys(), [2, 3, 4, 5])
  t.deepEqual(await world.list('ann'), [2, 3, 4, 5])
})

test('a column that the follower does not keep is not read, and is corrected later', async (t) => {
  const { script, access, ...world } = await createWorld(t)
  await world.insert(1, 2, 3, 4, 5, 6)
  void world.follow()
  script.send(begin, ...annSees, upsert(uuid(6), ['ann/view']), bookmark(1))
  await access.waitFor(position(1), patient)
  await world.filled()
  await access.close()
  const second = createScriptedDaikon()
  const without = world.start(second, { columns: undefined })
  void without.follow()
  second.send(upsert(uuid(1), ['bob/view']), remove(uuid(2)), bookmark(2))
  await without.access.waitFor(position(2), patient)
  t.deepEqual(await world.withKeys(), [1, 2, 3, 4, 5, 6])
  t.deepEqual(await world.list('ann'), [3, 4, 5, 6])
  await without.access.close()
  void world.start(createScriptedDaikon()).follow()
  await world.filled()
  t.deepEqual(await world.withKeys(), [1, 3, 4, 5, 6])
  t.deepEqual(await world.list('ann'), [3, 4, 5, 6])
  t.deepEqual(await world.list('bob'), [1])
})

test('a row that a transaction has locked delays the copy and is written afterwards', async (t) => {
  const { script, access, pool, ...world } = await createWorld(t)
  await world.insert(1, 2, 3, 4, 5)
  void world.follow()
  script.send(begin, ...annSees, bookmark(1))
  await access.waitFor(position(1), patient)
  await world.filled()
  const client = await pool.connect()
  await client.query('begin')
  await client.query('update documents set title = $1 where id = $2', ['', uuid(1)])
  const revoked = upsert(uuid(1), ['bob/view'])
  script.send(revoked, bookmark(2))
  await waitUntil(() => world.failures.length > 0)
  t.regex(world.failures[0]?.message ?? '', /lock timeout/)
  await client.query('commit')
  client.release()
  script.send(revoked, bookmark(2))
  await access.waitFor(position(2), patient)
  await world.filled()
  t.deepEqual(await world.list('ann'), [2, 3, 4, 5])
})

test('a column that cannot be used ends the follower', async (t) => {
  const { pool, start } = await createWorld(t)
  await pool.query(`
    create table notes (id bigint primary key, accepts int[], needed bigint[] not null);
    create table pairs (a uuid, b uuid, accepts bigint[], primary key (a, b));
    create view shown as select * from documents;
    create table "Odd ""table" (id uuid primary key)`)
  const follow = (name: string, types: AccessOptions['types'] = { document: 'uuid' }) => {
    const columns = Object.fromEntries(Object.keys(types).map((type) => [type, name]))
    return start(createScriptedDaikon(), { types, columns } as never).follow()
  }
  const expected: [string, RegExp][] = [
    ['papers.accepts', /table of papers.accepts does not exist/],
    ['other.documents.daikon_accepts', /table of other.documents.daikon_accepts does not exist/],
    ['shown.daikon_accepts', /not one of a table/],
    ['documents.accepts', /add column "accepts" bigint\[\]/],
    ['notes.accepts', /must have the type bigint\[\]/],
    ['notes.needed', /allow null/],
    ['pairs.accepts', /primary key of one column of type uuid/],
  ]
  for (const [name, message] of expected) await t.throwsAsync(follow(name), { message }, name)
  await t.throwsAsync(follow('documents.daikon_accepts', { document: 'bigint' }), {
    message: /primary key of one column of type bigint/,
  })
  await t.throwsAsync(follow('documents.daikon_accepts', { document: 'uuid', note: 'uuid' }), {
    message: /the column of document and of note/,
  })
  await pool.query('alter table documents disable trigger forget_daikon_accepts')
  await t.throwsAsync(follow('documents.daikon_accepts'), { message: /needs a trigger/ })

  // The statements of the errors make the column usable.
  const name = 'Odd "table.keys "of" rows'
  const missing = await t.throwsAsync(follow(name))
  await pool.query(missing?.message.split('Run:')[1] ?? '')
  const unprotected = await t.throwsAsync(follow(name))
  await pool.query(unprotected?.message.split('Run:')[1] ?? '')
  const script = createScriptedDaikon()
  const { access, follow: followOdd } = start(script, { columns: { document: name } })
  void followOdd()
  await pool.query('insert into "Odd ""table" values ($1)', [uuid(1)])
  script.send(begin, upsert(uuid(1), ['ann/view']), bookmark(1))
  await access.waitFor(position(1), patient)
  const { rows } = await pool.query<{ keys: string[] }>(
    `select "keys ""of"" rows" as keys from "Odd ""table"`,
  )
  t.is(rows[0]?.keys.length, 1)
})

test('the option columns is checked', async (t) => {
  const { daikon } = createScriptedDaikon()
  const pool = new pg.Pool()
  const expected: [unknown, RegExp][] = [
    ['documents.daikon_accepts', /must name columns by resource type/],
    [{ note: 'notes.accepts' }, /names note, which is not one of types/],
    [{ document: 'daikon_accepts' }, /no column for document/],
    [{ document: 'a.b.c.d' }, /no column for document/],
    [{ document: 'documents.' }, /no column for document/],
    [{ document: 7 }, /no column for document/],
  ]
  for (const [columns, message] of expected)
    t.throws(() => createAccess({ daikon, pool, types, columns } as never), { message })
})

test('a list of one workspace, and one without the option, does not read a column', async (t) => {
  const { script, access, start, ...world } = await createWorld(t)
  await world.insert(1, 2, 3, 4, 5)
  void world.follow()
  script.send(begin, ...annSees, bookmark(1))
  await access.waitFor(position(1), patient)
  await world.filled()
  const workspaceId = '00000000-0000-4000-8000-000000000002'
  t.deepEqual(await world.list('ann', { workspaceId }), [])
  const without = start(script, { columns: undefined }).access
  const visible = await without.visible({ userId: 'ann' }, 'view', 'document')
  t.throws(() => visible.sql('d.id', '$1', 'd.daikon_accepts'), {
    message: /needs columns.document/,
  })
})
