import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { WatchAccessRequest, WatchAccessResponse } from '../../gen/daikon/v1/access_keys.ts'
import { createResourceChangeStore } from '../../src/access-keys/store/resource-change-store.ts'
import { createResourceStateStore } from '../../src/access-keys/store/resource-state-store.ts'
import type { AccessTimes } from '../../src/access-keys/watch/follow-access.ts'
import { createWatchAccess } from '../../src/access-keys/watch/watch-access.ts'
import type { ServiceError } from '../../src/core/errors.ts'
import type { Statements } from '../../src/database/statement-pool.ts'
import { createStores } from '../../src/server/stores.ts'
import { waitForTransactions } from '../support/snapshots.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { waitUntil } from '../support/wait-until.ts'

const environment = await startTestEnvironment()
const { pool, database, seed } = environment
test.after.always(() => environment.stop())

/** Inserts resources of two types. Returns their service. */
async function insertResources(count: number): Promise<string> {
  const service = `docs-${randomUUID().slice(0, 8)}`
  const workspace = await seed.workspace()
  const owner = await seed.newMember(workspace, 'owner')
  await pool.query(
    `with kind as (
      insert into resource_kinds (service_name, resource_type)
      values ($1, 'document'), ($1, 'folder') returning id
    )
    insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
    select gen_random_uuid(), kind.id, gen_random_uuid(), $2, $3, 'private'
    from kind, generate_series(1, $4)`,
    [service, workspace, owner, count / 2],
  )
  return service
}

type Options = { times?: Partial<AccessTimes>; statements?: Statements }

/** Opens a stream that is read by hand. */
async function open(
  request: Partial<WatchAccessRequest> & { service_name: string },
  { times = {}, statements = database.statements }: Options = {},
) {
  const failures: unknown[] = []
  const watchAccess = createWatchAccess({
    changes: createResourceChangeStore(statements),
    states: createResourceStateStore(statements),
    onFailure: (error) => failures.push(error),
    times: { poll: 10, ...times },
  })
  const stores = createStores(database.fork())
  const watch = await watchAccess({ stores }, { resource_types: [], ...request })
  const controller = new AbortController()
  let overflow: ServiceError | undefined
  let verified = 0
  const messages = watch.messages(
    controller.signal,
    (error) => {
      overflow = error as ServiceError
      controller.abort()
    },
    async () => {
      verified += 1
    },
  )
  const iterator = messages[Symbol.asyncIterator]()
  const next = async () => (await iterator.next()).value as WatchAccessResponse | undefined
  return {
    failures,
    next,
    overflow: () => overflow,
    verified: () => verified,
    async take(isLast: (message: WatchAccessResponse) => unknown) {
      const taken: WatchAccessResponse[] = []
      for (;;) {
        const message = await next()
        if (message) taken.push(message)
        if (!message || isLast(message)) return taken
      }
    },
    async stop() {
      controller.abort()
      await iterator.return?.()
    },
  }
}

const isComplete = ({ bookmark }: WatchAccessResponse) => bookmark?.complete
const idsOf = (messages: WatchAccessResponse[]) =>
  messages.flatMap(({ upsert }) => upsert?.resource_id ?? [])

test.serial('a first copy is continued where it was interrupted', async (t) => {
  const service = await insertResources(2400)
  // A cursor is at the oldest transaction, so that what was inserted after this one would be sent again.
  await waitForTransactions(environment)
  let cursor: string | undefined
  const sent: string[] = []
  let begins = 0
  let streams = 0
  for (let isDone = false; !isDone; streams += 1) {
    const watch = await open(
      { service_name: service, ...(cursor && { cursor }) },
      { times: { progress: 0 } },
    )
    // Each stream ends after its second bookmark.
    const messages = [
      ...(await watch.take(({ bookmark }) => bookmark)),
      ...(await watch.take(({ bookmark }) => bookmark)),
    ]
    await watch.stop()
    const bookmarks = messages.flatMap(({ bookmark }) => bookmark ?? [])
    sent.push(...idsOf(messages))
    begins += messages.filter(({ begin }) => begin).length
    cursor = bookmarks.at(-1)?.cursor as string
    t.true(cursor.length <= 200)
    isDone = bookmarks.some(({ complete }) => complete)
  }
  t.is(begins, 1)
  t.true(streams > 2)
  t.is(sent.length, 2400)
  t.is(new Set(sent).size, 2400)
})

test.serial('changes are sent while the first copy is', async (t) => {
  const service = await insertResources(3000)
  const watch = await open({ service_name: service }, { times: { poll: 0 } })
  const first = await watch.take(({ upsert }) => upsert)
  const { rows } = await pool.query(
    `update resources set visibility = 'workspace' where id = (
      select r.id from resources r join resource_kinds k on k.id = r.kind_id
      where k.service_name = $1 order by k.id desc, r.resource_id desc limit 1
    ) returning resource_id`,
    [service],
  )
  const rest = await watch.take(isComplete)
  const ids = [...idsOf(first), ...idsOf(rest)]
  t.is(new Set(ids).size, 3000)
  // The last resource is sent because it has changed, and once more as part of the copy.
  t.is(ids.filter((id) => id === rows[0].resource_id).length, 2)
  t.true(watch.verified() >= 3000 / 500)
  await watch.stop()
})

test.serial('a reader that takes nothing is ended with the cursor to continue from', async (t) => {
  const service = await insertResources(10)
  const watch = await open({ service_name: service }, { times: { stall: 50 } })
  const taken = await watch.take(isComplete)
  await pool.query(
    `update resources set visibility = 'workspace'
     where kind_id in (select id from resource_kinds where service_name = $1)`,
    [service],
  )
  await watch.next()
  await waitUntil(() => watch.overflow() !== undefined)
  t.is(watch.overflow()?.reason, 'READER_TOO_SLOW')
  t.is(watch.overflow()?.code, 'resource_exhausted')
  t.deepEqual(watch.overflow()?.extensions, { cursor: taken.at(-1)?.bookmark?.cursor })
  await watch.stop()
})

test.serial('a reader that waits for changes is not too slow', async (t) => {
  const service = await insertResources(2)
  const watch = await open({ service_name: service }, { times: { stall: 20, bookmark: 60 } })
  await watch.take(isComplete)
  for (let count = 0; count < 3; count += 1) t.truthy((await watch.next())?.bookmark)
  t.is(watch.overflow(), undefined)
  await watch.stop()
})

test.serial('a stream outlasts failures of the database', async (t) => {
  const service = await insertResources(10)
  let isFailing = false
  const statements: Statements = {
    rows: (...args) =>
      isFailing ? Promise.reject(new Error('down')) : database.statements.rows(...args),
  }
  const watch = await open({ service_name: service }, { statements })
  await watch.take(isComplete)
  isFailing = true
  const reading = watch.take(({ upsert }) => upsert)
  await waitUntil(() => watch.failures.length > 0)
  isFailing = false
  await pool.query(
    `update resources set visibility = 'workspace'
     where kind_id in (select id from resource_kinds where service_name = $1)`,
    [service],
  )
  t.is(idsOf(await reading).length, 1)
  await watch.stop()
})

test.serial('a statement returns no more resources than fit into memory', async (t) => {
  const service = await insertResources(20)
  await pool.query(
    `insert into resource_links (id, token_hash, kind_id, resource_id, workspace_id, permission)
     select gen_random_uuid(), gen_random_uuid()::text, kind_id, resource_id, workspace_id, 'view'
     from resources r join resource_kinds k on k.id = r.kind_id, generate_series(1, 500)
     where k.service_name = $1`,
    [service],
  )
  const largest: number[] = []
  const statements: Statements = {
    async rows(...args) {
      const rows = await database.statements.rows(...args)
      largest.push(JSON.stringify(rows).length)
      return rows as never
    },
  }
  const watch = await open({ service_name: service }, { statements })
  const messages = await watch.take(isComplete)
  t.is(idsOf(messages).length, 20)
  t.true(messages.every(({ upsert }) => !upsert || upsert.own.length === 502))
  t.true(Math.max(...largest) < 512 * 1024)
  await watch.stop()
})

test.serial('a service has at most 20 streams', async (t) => {
  const watchAccess = createWatchAccess({
    changes: createResourceChangeStore(database.statements),
    states: createResourceStateStore(database.statements),
    onFailure: () => {},
  })
  const stores = createStores(database.fork())
  const request = { service_name: 'many', resource_types: [] }
  for (let count = 0; count < 20; count += 1) await watchAccess({ stores }, request)
  await t.throwsAsync(watchAccess({ stores }, request), { message: /At most 20 watches/ })
  await t.notThrowsAsync(watchAccess({ stores }, { ...request, service_name: 'other' }))
})

test.serial(
  'a large tree does not delay other changes, and is not covered before its end',
  async (t) => {
    const service = await insertResources(2)
    const { rows } = await pool.query(
      `select r.id, r.resource_id from resources r join resource_kinds k on k.id = r.kind_id
     where k.service_name = $1 order by k.id`,
      [service],
    )
    const [root, other] = rows
    await pool.query('update resources set is_parent = true where id = $1', [root.id])
    await pool.query(
      `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility, parent_id)
     select gen_random_uuid(), kind_id, gen_random_uuid(), workspace_id, owner_id, 'private', id
     from resources, generate_series(1, 2600) where id = $1`,
      [root.id],
    )
    const watch = await open({ service_name: service }, { times: { poll: 0 } })
    await watch.take(isComplete)
    const { rows: before } = await pool.query(
      'select pg_snapshot_xmax(pg_current_snapshot())::text as number',
    )
    await pool.query('update resources set inherits = false where id = $1', [root.id])
    const first = await watch.take(
      ({ upsert }) => upsert?.resource_id !== root.resource_id && upsert,
    )
    await pool.query("update resources set visibility = 'workspace' where id = $1", [other.id])
    const untilOther = [
      ...first,
      ...(await watch.take(({ upsert }) => upsert?.resource_id === other.resource_id)),
    ]
    t.true(idsOf(untilOther).length < 2000)
    const numberOf = (message: WatchAccessResponse) =>
      Number(message.bookmark?.position.split('-')[1])
    const isCovered = (message: WatchAccessResponse) => numberOf(message) > Number(before[0].number)
    t.false(untilOther.some(isCovered))
    const rest = await watch.take(isCovered)
    t.is(new Set([...idsOf(untilOther), ...idsOf(rest)]).size, 2602)
    await watch.stop()
  },
)
