import test from 'ava'
import pg from 'pg'
import { requestScope } from '../../src/core/request-scope.ts'
import { openDatabase } from '../../src/database/database.ts'
import { findPooling } from '../../src/database/pooling.ts'
import { createAdmin } from '../support/admin.ts'
import { runCli } from '../support/cli.ts'
import { connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase } from '../support/database.ts'
import { expectOk } from '../support/outcome.ts'
import { isPgBouncerInstalled, startPgBouncer } from '../support/pgbouncer.ts'
import { testEncryptionKey } from '../support/seed.ts'
import { createKeyFolder, launchServer, startServer } from '../support/server-process.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openWatchOver } from '../support/watch.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const withPgBouncer = isPgBouncerInstalled ? test : test.skip
const database = await cloneDatabase()
test.after.always(() => database.drop())

withPgBouncer(
  'a node behind PgBouncer that pools sessions does what it does without',
  async (t) => {
    const url = await startPgBouncer(t, database.url, 'session')
    t.is(await findPooling(database.url), 'none')
    t.is(await findPooling(url), 'session')
    const receiver = await startWebhookReceiver()
    t.teardown(receiver.stop)
    const folder = createKeyFolder(t)
    const server = await startServer(t, folder, {
      DATABASE_URL: url,
      DEBUG: 'true',
      SECRETS_ENCRYPTION_KEY: testEncryptionKey.toString('base64'),
    })
    const environment = await connectToServer(folder, server, database)
    const [grpc] = environment.transports
    if (!grpc) throw new Error('There is no transport')
    t.teardown(() => environment.transports.map((transport) => transport.close()))
    const admin = await createAdmin({ app: environment, seed: environment.seed })
    const webhook = { url: receiver.url, events: ['permission.shared'] }
    expectOk(await admin.call(grpc, 'CreateWebhook', webhook))

    const fixture = await createWorkspaceFixture(environment, grpc)
    const { people, key } = fixture
    const record = await fixture.register(people.editor)
    const watch = openWatchOver.grpc(server, { actions: ['permission.shared'] }, { key })
    t.teardown(watch.stop)
    // The watch is live from its first bookmark on.
    await waitUntil(() => watch.messages.length > 0)
    t.false(await fixture.isAllowed(people.viewer, 'edit', record))
    await fixture.share(people.editor, record, { user: people.viewer.id }, 'edit')
    t.true(await fixture.isAllowed(people.viewer, 'edit', record))
    t.deepEqual(await watch.actions(1), ['permission.shared'])
    await waitUntil(() => receiver.received.length > 0)
    t.like(JSON.parse(receiver.received[0]?.body ?? ''), { type: 'permission.shared' })
  },
)

withPgBouncer('sessions behind PgBouncer have their settings, and can be cancelled', async (t) => {
  const url = await startPgBouncer(t, database.url, 'session')
  const opened = await openDatabase(url, () => {})
  t.teardown(opened.close)
  const { rows } = opened.statements
  const names = ['plan_cache_mode', 'jit', 'statement_timeout', 'lock_timeout']
  const settings = names.map((name) => `current_setting('${name}')`).join(', ')
  t.deepEqual(await rows('settings', `select ${settings}`, []), [
    ['force_generic_plan', 'off', '9s', '3s'],
  ])

  const left = new AbortController()
  const sleeping = requestScope.run({ signal: left.signal }, () =>
    rows('sleep', 'select pg_sleep(8)', []),
  )
  const isSleeping = async () => {
    const found = await database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'",
    )
    return found.rowCount === 1
  }
  await waitUntil(isSleeping)
  left.abort()
  await t.throwsAsync(sleeping)
  t.false(await isSleeping())
})

withPgBouncer('a node behind PgBouncer that pools transactions does not start', async (t) => {
  const url = await startPgBouncer(t, database.url, 'transaction')
  t.is(await findPooling(url), 'transaction')
  const server = launchServer(t, createKeyFolder(t), { DATABASE_URL: url, DEBUG: 'true' })
  t.is((await server.exited).code, 2)
  t.regex(server.output(), /Configure it to pool sessions \(PgBouncer: pool_mode = session\)/)
})

withPgBouncer('migrations are refused behind PgBouncer that pools transactions', async (t) => {
  const own = await cloneDatabase()
  t.teardown(own.drop)
  const sessions = await startPgBouncer(t, own.url, 'session')
  const transactions = await startPgBouncer(t, own.url, 'transaction')
  const expectRefusal = async () => {
    const { out, err, status } = await runCli(transactions, 'migrate')
    t.deepEqual([out, status], ['', 2])
    t.regex(err, /Configure it to pool sessions \(PgBouncer: pool_mode = session\)/)
  }
  t.is((await runCli(sessions, 'migrate')).out, 'The database is up to date.\n')
  await expectRefusal()
  await own.pool.query("delete from migrations where name = '025-external-id-forms'")
  await expectRefusal()
  t.is((await runCli(sessions, 'migrate')).out, 'Applied 025-external-id-forms.\n')
})

withPgBouncer('PgBouncer is found to pool transactions if sessions take turns', async (t) => {
  const url = await startPgBouncer(t, database.url, 'transaction', 'server_round_robin = 1')
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  t.teardown(() => pool.end())
  // Opens sessions, which the next clients find idle.
  await Promise.all(Array.from({ length: 4 }, () => pool.query('select pg_sleep(0.3)')))
  t.is(await findPooling(url), 'transaction')
})
