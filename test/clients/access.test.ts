import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { prepareSchema } from '../../clients/typescript/src/access/copy/prepare-schema.ts'
import {
  type Access,
  createAccess,
  type FollowProgress,
} from '../../clients/typescript/src/access.ts'
import { UnauthenticatedError, UnavailableError } from '../../clients/typescript/src/daikon.ts'
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

type World = {
  pool: pg.Pool
  url: string
  script: ScriptedDaikon
  access: Access<'document' | 'note'>
  progress: FollowProgress[]
  failures: Error[]
  /** Starts a follower. */
  follow(): Promise<void>
  /** Returns the numbers of the documents that a user may view. */
  list(userId: string, options?: object): Promise<number[]>
}

async function createWorld(t: ExecutionContext): Promise<World> {
  const database = await cloneDatabase()
  const script = createScriptedDaikon()
  const { pool } = database
  await pool.query('create table documents (id uuid primary key)')
  const access = createAccess({
    daikon: script.daikon,
    pool,
    types: { document: 'uuid', note: 'bigint' },
  })
  t.teardown(async () => {
    await access.close()
    await database.drop()
  })
  const progress: FollowProgress[] = []
  const failures: Error[] = []
  return {
    pool,
    url: database.url,
    script,
    access,
    progress,
    failures,
    follow: () =>
      access.follow({
        onProgress: (one) => progress.push(one),
        onDisconnect: (error) => failures.push(error),
      }),
    async list(userId, options) {
      const visible = await access.visible({ userId }, 'view', 'document', options)
      const { rows } = await pool.query(
        `select id from documents d where ${visible.sql('d.id', '$1')} order by id`,
        [visible.keys],
      )
      return rows.map(({ id }) => numberOf(id))
    },
  }
}

const numberOf = (id: string) => Number.parseInt(id.slice(-12), 16)

async function addDocuments({ pool }: World, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => uuid(index + 1))
  await pool.query('insert into documents select unnest($1::uuid[])', [ids])
}

test('a list shows what a subject holds keys for, and only once the copy is complete', async (t) => {
  const world = await createWorld(t)
  const { script, access } = world
  await addDocuments(world, 3)
  script.hold('ann', [{ holders: ['ann'], levels: ['view', 'edit'] }])
  await t.throwsAsync(world.list('ann'), { message: /has not been filled yet/ })
  void world.follow()
  script.send(
    begin,
    upsert(uuid(1), ['ann/view']),
    upsert(uuid(2), ['bob/view']),
    bookmark(1, false),
  )
  await waitUntil(() => world.progress.length > 1)
  await t.throwsAsync(world.list('ann'), { message: /has not been filled yet/ })
  script.send(upsert(uuid(3), ['bob/view', 'ann/edit']), bookmark(2))
  await access.waitFor(position(2), patient)
  t.deepEqual(await world.list('ann'), [1, 3])
  t.deepEqual(await world.list('bob'), [])
  script.send(remove(uuid(1)), upsert(uuid(2), ['ann/edit']), bookmark(3))
  await access.waitFor(position(3), patient)
  t.deepEqual(await world.list('ann'), [2, 3])
})

test('lists need no prepared statements where a pooler gives connections to several clients', async (t) => {
  const { script, url, access, follow } = await createWorld(t)
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  t.teardown(() => pool.end())
  script.hold('ann', [{ holders: ['ann'], levels: ['view'] }])
  script.send(begin, upsert(uuid(1), ['ann/view']), bookmark(1))
  void follow()
  await access.waitFor(position(1), patient)
  const { daikon } = script
  const pooled = createAccess({ daikon, pool, types: { document: 'uuid' } })
  const count = async () => {
    const visible = await pooled.visible({ userId: 'ann' }, 'view', 'document')
    return visible.count({ limit: 10 })
  }
  t.is(await count(), 1)
  const { rows } = await pool.query('select name from pg_prepared_statements')
  t.is(rows.length, 1)
  await pool.query('deallocate all')
  t.is(await count(), 1)
  const client = await pool.connect()
  await client.query(`prepare ${pg.escapeIdentifier(rows[0].name)} as select 1`)
  client.release()
  t.is(await count(), 1)
})

test('a fill updates rows in place and deletes at its end what was not sent', async (t) => {
  const world = await createWorld(t)
  const { script, access, pool } = world
  await addDocuments(world, 4)
  script.hold('ann', [{ holders: ['ann'], levels: ['view'] }])
  void world.follow()
  const all = [1, 2, 3].map((number) => upsert(uuid(number), ['ann/view']))
  const folder = upsert(uuid(9), ['bob/view'], { resourceType: 'folder', hasChildren: true })
  script.send(begin, ...all, folder, bookmark(1))
  await access.waitFor(position(1), patient)
  script.send(
    begin,
    upsert(uuid(1), ['ann/view']),
    upsert(uuid(4), ['ann/view']),
    bookmark(2, false),
  )
  await waitUntil(() => world.progress.at(-1)?.written === 2)
  t.deepEqual(await world.list('ann'), [1, 2, 3, 4])
  t.is(world.progress.at(-1)?.phase, 'filling')
  await t.throwsAsync(access.waitFor(position(2), { timeoutMs: 50 }), { message: /in time/ })
  script.send(bookmark(3))
  await access.waitFor(position(3), patient)
  await waitUntil(async () => (await world.list('ann')).length === 2)
  t.deepEqual(await world.list('ann'), [1, 4])
  await waitUntil(async () => {
    const { rows } = await pool.query('select swept = generation as done from daikon_access.state')
    return rows[0].done
  })
  const left = await pool.query('select from daikon_access.folder_grants')
  t.is(left.rowCount, 0)
  const keys = await pool.query('select holder from daikon_access.keys')
  t.deepEqual(keys.rows, [{ holder: 'ann' }])
})

test('how often keys occur is known once a fill is complete, and right once it has deleted what was not sent', async (t) => {
  const { script, access, pool, progress, follow } = await createWorld(t)
  const count = async () => {
    const { rows } = await pool.query(
      `select holder, resources::int from daikon_access.occurrences
       join daikon_access.keys on id = key order by holder`,
    )
    return rows.map(({ holder, resources }) => `${holder} ${resources}`)
  }
  void follow()
  script.send(begin, upsert(uuid(1), ['ann/view']), upsert(uuid(9), ['ann/view']))
  script.send(bookmark(1, false))
  await waitUntil(() => progress.some(({ written }) => written === 2))
  script.fail(new UnavailableError('STREAM_ENDED', 'gone'))
  script.send(begin, upsert(uuid(1), ['ann/view']), upsert(uuid(2), ['bob/view?']), bookmark(2))
  await access.waitFor(position(2), patient)
  t.deepEqual(new Set((await count()).map((text) => text.slice(0, 3))), new Set(['ann', 'bob']))
  await waitUntil(async () => {
    const { rows } = await pool.query('select swept = generation as done from daikon_access.state')
    return rows[0].done
  })
  t.deepEqual(await count(), ['ann 1', 'bob 1'])
  script.send(upsert(uuid(2), ['ann/view', 'eve/view']), bookmark(3))
  await access.waitFor(position(3), patient)
  t.deepEqual(await count(), ['ann 2', 'bob 0', 'eve 1'])
})

test('a follower uses the tables of its first version', async (t) => {
  const world = await createWorld(t)
  const { script, access, pool, follow, list } = world
  await addDocuments(world, 2)
  script.hold('ann', [{ holders: ['ann'], levels: ['view'] }])
  const types = { document: 'uuid', note: 'bigint' } as const
  const client = await pool.connect()
  await prepareSchema(client, types)
  for (const type of Object.keys(types))
    await client.query(`alter table daikon_access.resources_${type} alter maybe set not null`)
  client.release()
  await pool.query(
    `insert into daikon_access.resources_document values ($1, $2, '{}', '{}', null, 0)`,
    [uuid(1), uuid(1)],
  )
  void follow()
  script.send(begin, upsert(uuid(1), ['ann/view']), upsert(uuid(2), ['ann/view']), bookmark(1))
  await access.waitFor(position(1), patient)
  t.deepEqual(await list('ann'), [1, 2])
  t.deepEqual(world.failures, [])
})

test('a follower continues after the last bookmark that was stored, whatever failed', async (t) => {
  const world = await createWorld(t)
  const { script, access, pool } = world
  await addDocuments(world, 4)
  script.hold('ann', [{ holders: ['ann'], levels: ['view'] }])
  void world.follow()
  script.send(begin, upsert(uuid(1), ['ann/view']), bookmark(1))
  await access.waitFor(position(1), patient)
  script.send(upsert(uuid(2), ['ann/view']))
  await waitUntil(async () => (await world.list('ann')).length === 2)
  script.fail(new UnavailableError())
  await waitUntil(() => script.cursors.length === 2)
  script.send(upsert(uuid(2), ['ann/view']), upsert(uuid(3), ['ann/view']), bookmark(2))
  await access.waitFor(position(2), patient)
  // The connection of the follower holds the advisory lock.
  await pool.query(
    `select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and database = (
      select oid from pg_database where datname = current_database())`,
  )
  script.send(upsert(uuid(4), ['ann/view']))
  await waitUntil(() => script.cursors.length === 3)
  script.send(upsert(uuid(4), ['ann/view']), bookmark(3))
  await access.waitFor(position(3), patient)
  t.deepEqual(script.cursors, [undefined, 'cursor-1', 'cursor-2'])
  t.deepEqual(await world.list('ann'), [1, 2, 3, 4])
  t.is(world.failures.length, 2)
})

test('an error that no attempt can correct ends the follower', async (t) => {
  const world = await createWorld(t)
  world.script.fail(new UnauthenticatedError('INVALID_SERVICE_KEY', 'The key is not valid'))
  await t.throwsAsync(world.follow(), { instanceOf: UnauthenticatedError })
})

test('of two followers, one writes, and the other takes over when it ends', async (t) => {
  const world = await createWorld(t)
  const { script, access } = world
  await addDocuments(world, 2)
  script.hold('ann', [{ holders: ['ann'], levels: ['view'] }])
  const second = createScriptedDaikon()
  const other = createAccess({
    daikon: second.daikon,
    pool: world.pool,
    types: { document: 'uuid', note: 'bigint' },
  })
  t.teardown(() => other.close())
  void world.follow()
  script.send(begin, upsert(uuid(1), ['ann/view']), bookmark(1))
  await access.waitFor(position(1), patient)
  void other.follow()
  second.send(upsert(uuid(2), ['ann/view']), bookmark(2))
  await t.throwsAsync(other.waitFor(position(2), { timeoutMs: 300 }))
  t.deepEqual(second.cursors, [])
  await access.close()
  await other.waitFor(position(2), patient)
  t.deepEqual(second.cursors, ['cursor-1'])
  t.deepEqual(await world.list('ann'), [1, 2])
})

test('a follower that was replaced writes nothing any more', async (t) => {
  const world = await createWorld(t)
  const { script, access, pool } = world
  await addDocuments(world, 2)
  script.hold('ann', [{ holders: ['ann'], levels: ['view'] }])
  void world.follow()
  script.send(begin, upsert(uuid(1), ['ann/view']), bookmark(1))
  await access.waitFor(position(1), patient)
  await pool.query('update daikon_access.state set follower = gen_random_uuid()')
  script.send(upsert(uuid(2), ['ann/view']), bookmark(2))
  await waitUntil(() => world.failures.length === 1)
  t.regex(world.failures[0]?.message ?? '', /taken over/)
  t.deepEqual(await world.list('ann'), [1])
})

test('what has ended is not shown any more, and is removed from the copy by itself', async (t) => {
  const world = await createWorld(t)
  const { script, access, pool } = world
  await addDocuments(world, 3)
  script.hold('ann', [{ holders: ['ann'], levels: ['view', 'edit'] }])
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  void world.follow()
  const folder = uuid(9)
  const inherited = { inheritsFrom: [`inherit-${folder}`] }
  script.send(
    begin,
    upsert(uuid(1), [`ann/view@${soon}`]),
    upsert(uuid(2), [`ann/view@${soon}`, 'ann/edit']),
    upsert(uuid(3), [], inherited),
    upsert(folder, [`ann/view@${soon}`], { resourceType: 'folder', hasChildren: true }),
    bookmark(1),
  )
  await access.waitFor(position(1), patient)
  t.deepEqual(await world.list('ann'), [1, 2, 3])
  await pool.query(
    `with e as (update daikon_access.ends set until = now()),
    f as (update daikon_access.folder_grants set until = now())
    update daikon_access.resources_document set until = now() where until is not null`,
  )
  t.false((await world.list('ann')).includes(1))
  t.false((await world.list('ann')).includes(3))
  await waitUntil(async () => {
    const { rows } = await pool.query('select count(*)::int as ends from daikon_access.ends')
    return rows[0].ends === 0
  })
  t.deepEqual(await world.list('ann'), [2])
  const { rows } = await pool.query(
    'select cardinality(accepts) as keys, until from daikon_access.resources_document order by id',
  )
  t.deepEqual(
    rows.map(({ keys, until }) => [keys, until]),
    [
      [0, null],
      [1, null],
      [1, null],
    ],
  )
})

test('IDs that do not fit the type of the keys are skipped and reported', async (t) => {
  const world = await createWorld(t)
  const { script, access, pool } = world
  void world.follow()
  const note = (number: number, externalId: string | undefined) =>
    upsert(uuid(number), ['ann/view'], { resourceType: 'note', externalId })
  script.send(
    begin,
    note(1, '7'),
    note(2, '007'),
    note(3, undefined),
    note(4, '9223372036854775808'),
  )
  script.send(bookmark(1))
  await access.waitFor(position(1), patient)
  const { rows } = await pool.query('select id::text from daikon_access.resources_note')
  t.deepEqual(rows, [{ id: '7' }])
  await waitUntil(() => world.progress.at(-1)?.skippedCount === 3)
  const skipped = world.progress.flatMap(({ skipped }) => skipped.map(({ id }) => id))
  t.deepEqual(skipped, ['007', uuid(3), '9223372036854775808'])
  script.send(remove(uuid(1), 'note'), bookmark(2))
  await access.waitFor(position(2), patient)
  t.is((await pool.query('select from daikon_access.resources_note')).rowCount, 0)
})

test('a folder grants what inherits from it until it grants nothing', async (t) => {
  const world = await createWorld(t)
  const { script, access } = world
  await addDocuments(world, 2)
  script.hold('ann', [{ holders: ['ann'], levels: ['view'] }])
  void world.follow()
  const folder = (own: string[]) =>
    upsert(uuid(9), own, { resourceType: 'folder', hasChildren: true })
  const inherited = { inheritsFrom: [`inherit-${uuid(9)}`] }
  script.send(begin, folder(['ann/view?']), upsert(uuid(1), [], inherited), bookmark(1))
  await access.waitFor(position(1), patient)
  t.deepEqual(await world.list('ann'), [])
  t.deepEqual(await world.list('ann', { includeMaybe: true }), [1])
  script.send(folder(['ann/view']), bookmark(2))
  await access.waitFor(position(2), patient)
  t.deepEqual(await world.list('ann'), [1])
  script.send(folder([]), bookmark(3))
  await access.waitFor(position(3), patient)
  t.deepEqual(await world.list('ann', { includeMaybe: true }), [])
})

test('positions of other histories are refused', async (t) => {
  const world = await createWorld(t)
  const { script, access } = world
  void world.follow()
  script.send(begin, bookmark(5))
  await access.waitFor(position(5), patient)
  await t.throwsAsync(access.waitFor(position(1, 'bbbbbbbbbbbb'), { timeoutMs: 50 }), {
    message: /cannot be compared/,
  })
  script.send(begin, bookmark(1, true, 'bbbbbbbbbbbb'))
  await access.waitFor(position(1, 'bbbbbbbbbbbb'), patient)
  await t.throwsAsync(access.waitFor(position(5), { timeoutMs: 60_000 }), {
    message: /cannot be compared/,
  })
  await t.throwsAsync(access.waitFor('5'), { message: /position/ })
})

/** 3,000 documents: all accept `all`, every 10th `some`, one `one`; `folders` holds 600 folders. */
async function fillWorld(world: World): Promise<void> {
  const { script, access, pool } = world
  await addDocuments(world, 3000)
  script.hold('all', [{ holders: ['all'], levels: ['view'] }])
  script.hold('one', [{ holders: ['one', 'nothing'], levels: ['view', 'edit'] }])
  script.hold('folders', [{ holders: ['folders'], levels: ['view'] }])
  script.hold('maybe', [], [{ holders: ['all'], levels: ['view'] }])
  script.hold('judged', [{ holders: ['some', 'one'], levels: ['view', 'edit'] }])
  void world.follow()
  const documents = Array.from({ length: 3000 }, (_, index) => {
    const number = index + 1
    const own = ['all/view', ...(number % 10 === 0 ? ['some/view?'] : [])]
    if (number === 42) own.push('one/edit')
    const inheritsFrom = number <= 1200 ? [`inherit-${uuid(10_000 + (number % 600))}`] : []
    return upsert(uuid(number), own, { inheritsFrom })
  })
  const folders = Array.from({ length: 600 }, (_, index) =>
    upsert(uuid(10_000 + index), ['folders/view'], { resourceType: 'folder', hasChildren: true }),
  )
  script.send(begin, ...documents, ...folders, bookmark(1))
  await access.waitFor(position(1), patient)
  await waitUntil(async () => {
    const { rows } = await pool.query('select swept = generation as done from daikon_access.state')
    return rows[0].done
  })
}

test('every shape returns the same rows, and is chosen by how many they are', async (t) => {
  const world = await createWorld(t)
  await fillWorld(world)
  const { access, pool } = world
  const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
  const expected: [string, object, string, number[]][] = [
    ['one', { rows: 20 }, 'few', [42]],
    ['all', { rows: 20 }, 'many', range(3000)],
    ['folders', { rows: 20 }, 'lazy', range(1200)],
    ['folders', { rows: 20_000 }, 'few', range(1200)],
    ['nobody', { rows: 20 }, 'few', []],
    ['maybe', { rows: 20 }, 'few', []],
    ['maybe', { rows: 20, includeMaybe: true }, 'many', range(3000)],
    ['judged', { rows: 20 }, 'many', [42]],
  ]
  for (const [userId, options, shape, numbers] of expected) {
    const name = JSON.stringify([userId, options])
    const visible = await access.visible({ userId }, 'view', 'document', options)
    t.is(visible.shape, shape as typeof visible.shape, name)
    t.deepEqual(await world.list(userId, options), numbers, name)
    for (const limit of [5, 10_000, 100_000_000])
      t.is(await visible.count({ limit }), Math.min(limit, numbers.length), name)
    // Too short for any page of \`many\`, which runs again as \`few\`.
    for (const timeoutMs of [1, 1000]) {
      const rows = await visible.page<{ id: string }>(
        ({ sql, keys }) => ({
          text: `select id from documents d${timeoutMs === 1 ? ', pg_sleep(0.02)' : ''}
            where ${sql('d.id', '$1')} order by id`,
          values: [keys],
        }),
        { timeoutMs },
      )
      t.deepEqual(
        rows.map(({ id }) => numberOf(id)),
        numbers,
        name,
      )
    }
  }
  await t.notThrowsAsync(pool.query('select 1'))
})

test('rows that only a check can decide are marked, and confirmed in one batch', async (t) => {
  const world = await createWorld(t)
  await fillWorld(world)
  const { access, pool, script } = world
  const subject = { userId: 'judged' }
  const visible = await access.visible(subject, 'view', 'document', { includeMaybe: true })
  const { rows } = await pool.query(
    `select id, ${visible.certain('d.id', '$2')} as certain from documents d
    where ${visible.sql('d.id', '$1')} order by id limit 6`,
    [visible.keys, visible.certainKeys],
  )
  t.deepEqual(
    rows.map(({ id, certain }) => [numberOf(id), certain]),
    [
      [10, false],
      [20, false],
      [30, false],
      [40, false],
      [42, true],
      [50, false],
    ],
  )
  script.allowed.add(uuid(20)).add(uuid(50))
  const context = { ip: '10.1.2.3' }
  const shown = await access.confirm(subject, 'view', 'document', rows, { context })
  t.deepEqual(
    shown.map(({ id }) => numberOf(id)),
    [20, 42, 50],
  )
  t.is(script.checked.length, 5)
  t.deepEqual(script.contexts, [context])
})

test('a list of one workspace has no rows of others', async (t) => {
  const world = await createWorld(t)
  const { script, access } = world
  await addDocuments(world, 2)
  script.hold('ann', [{ holders: ['ann'], levels: ['view'] }])
  void world.follow()
  const workspaceId = '00000000-0000-4000-8000-000000000002'
  script.send(begin, upsert(uuid(1), ['ann/view']), upsert(uuid(2), ['ann/view'], { workspaceId }))
  script.send(bookmark(1))
  await access.waitFor(position(1), patient)
  t.deepEqual(await world.list('ann', { workspaceId }), [2])
  const visible = await access.visible({ userId: 'ann' }, 'view', 'document', { workspaceId })
  t.is(await visible.count({ limit: 10 }), 1)
  await t.throwsAsync(world.list('ann', { workspaceId: `' or true --` }), { message: /UUID/ })
})

test('keys of another type than the table has are reported', async (t) => {
  const world = await createWorld(t)
  const { script, access } = world
  void world.follow()
  script.send(begin, bookmark(1))
  await access.waitFor(position(1), patient)
  await access.close()
  const other = createAccess({
    daikon: script.daikon,
    pool: world.pool,
    types: { document: 'text' },
  })
  await t.throwsAsync(other.follow(), { message: /has keys of type uuid/ })
})

test('options are checked', async (t) => {
  const { daikon } = createScriptedDaikon()
  const pool = new pg.Pool()
  const create = (options: object) => () =>
    createAccess({ daikon, pool, types: { document: 'uuid' }, ...options } as never)
  t.throws(create({ types: { document: 'serial' } }), { message: /no type of keys for document/ })
  t.throws(create({ types: {} }), { message: /must name the resource types/ })
  t.throws(create({ pool: undefined }), { message: /Pool of pg/ })
  t.throws(create({ daikon: {} }), { message: /client of a server/ })
  t.throws(create({ type: {} }), { message: /did you mean types/ })
  const access = createAccess({ daikon, pool, types: { document: 'uuid' } })
  await t.throwsAsync(access.visible({ userId: 'a' }, 'view', 'note' as never), {
    message: /one of the copy: document/,
  })
})
