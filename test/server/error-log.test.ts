// Threat: personal data in the log.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import pg from 'pg'
import { describeError } from '../../src/core/describe-error.ts'
import { ServiceError } from '../../src/core/errors.ts'
import { reasons } from '../../src/core/reasons.ts'
import { User } from '../../src/database/entities/people.ts'
import { query } from '../../src/database/query.ts'
import { createFailureLog } from '../../src/server/observability/failure-log.ts'
import { connectToServer } from '../support/connect-to-server.ts'
import { startDatabaseProxy } from '../support/proxy.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

const email = 'ann@example.com'

/** Runs statements that fail because of a row with the e-mail address. Returns their errors. */
async function failingStatements() {
  const { database, seed, pool } = environment
  await seed.user('ann', { email })
  const em = database.fork()
  const client = await pool.connect()
  try {
    const insert = 'insert into users (id, name, email) values (gen_random_uuid(), $1, $1)'
    const results = await Promise.allSettled([
      em.insert(User, { id: randomUUID(), name: 'ann', email }),
      query(em, insert, [email]),
      query(em, 'select $1::text::uuid', [email]),
      query(em, `do $$ begin raise exception '${email}' using hint = '${email}'; end $$`),
      client.query(insert, [email]),
    ])
    return results.map((result) => (result as PromiseRejectedResult).reason)
  } finally {
    client.release()
  }
}

test('logged errors of PostgreSQL have a code, table and constraint, but no values', async (t) => {
  const errors = await failingStatements()
  t.is(errors.length, 5)
  t.true(errors.some((error) => JSON.stringify(error).includes(email)))
  for (const error of errors) {
    const wrapped = new ServiceError(reasons.INTERNAL, undefined, {
      cause: new AggregateError([new Error('Failed', { cause: error })]),
    })
    for (const logged of [error, wrapped])
      t.false(JSON.stringify(describeError(logged)).includes('ann@'))
  }
  for (const error of [errors[0], errors[1], errors[4]]) {
    t.like(describeError(error), {
      message: 'duplicate key value violates unique constraint "users_email_key"',
      code: '23505',
      table: 'users',
      constraint: 'users_email_key',
    })
  }
  t.like(describeError(errors[2]), { message: 'PostgreSQL error 22P02', code: '22P02' })
  t.regex(describeError(errors[2]).stack ?? '', /^\w+: PostgreSQL error 22P02\n {4}at /)
})

test('other errors are logged with their message, stack and causes', (t) => {
  const cause = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', request: { secret: 'x' } })
  const { stack, ...description } = describeError(new TypeError('Broken', { cause }))
  t.like(description, { type: 'TypeError', message: 'Broken' })
  t.like(description.cause, { type: 'Error', message: 'write EPIPE', code: 'EPIPE' })
  t.false('request' in (description.cause ?? {}))
  t.regex(stack ?? '', /^TypeError: Broken\n {4}at .*error-log\.test\.ts/)
  t.like(describeError('text'), { type: 'string', message: 'text' })
  const circular = new Error('circular')
  circular.cause = circular
  t.notThrows(() => JSON.stringify(describeError(circular)))
})

test('jobs log one line a minute during an outage, and other failures once a minute each', (t) => {
  const logged: [object, string][] = []
  let now = 0
  const error = (fields: object, text: string) => logged.push([fields, text])
  const logFailure = createFailureLog({ error } as never, () => now)
  const jobs = [logFailure('Sending failed'), logFailure('Sealing failed')]
  const outage = new pg.DatabaseError('the database system is shutting down', 0, 'error')
  outage.code = '57P03'
  for (; now < 120_000; now += 1000) for (const job of jobs) job(outage)
  t.deepEqual(logged, [
    [{ reason: 'STORAGE_UNAVAILABLE' }, 'Sending failed: The database is not available'],
    [{ reason: 'STORAGE_UNAVAILABLE' }, 'Sending failed: The database is not available'],
  ])
  logged.length = 0
  const bug = new TypeError('bug')
  for (; now < 240_000; now += 1000) for (const job of jobs) job(bug)
  t.deepEqual(
    logged.map(([, text]) => text),
    ['Sending failed', 'Sealing failed', 'Sending failed', 'Sealing failed'],
  )
  t.deepEqual(logged[0]?.[0], { err: bug })
})

test.serial('a server logs an internal error without the row that caused it', async (t) => {
  const folder = createKeyFolder(t)
  const server = await startServer(t, folder, { DATABASE_URL: environment.databaseUrl })
  const {
    transports: [grpc],
    token,
  } = await connectToServer(folder, server, environment)
  const { pool, seed } = environment
  const workspace = await seed.workspace()
  const credentials = { token: await token(await seed.newMember(workspace), workspace) }
  await pool.query(`
    create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'refused %', new.name using detail = new.name; end $$;
    create trigger refuse before update on users for each row execute function refuse()`)
  t.teardown(() => pool.query('drop function refuse() cascade'))
  const outcome = await grpc?.call('UpdateMe', { name: email }, credentials)
  t.is(outcome?.ok || outcome?.code, 'internal')
  server.child.kill('SIGTERM')
  await server.exited
  const logged = server.lines.find(({ msg }) => msg === 'Internal error')
  t.like(logged?.err, { code: 'P0001', message: 'PostgreSQL error P0001' })
  t.false(server.output().includes(email))
})

test('a server logs one line without a stack when PostgreSQL is away', async (t) => {
  const proxy = await startDatabaseProxy(environment.databaseUrl)
  t.teardown(() => proxy.close())
  const server = await startServer(t, createKeyFolder(t), { DATABASE_URL: proxy.url })
  const readDatabase = async () =>
    (await sendRawHttp(server.metricsPort, { path: '/readyz' })).json.database
  await proxy.cut()
  while ((await readDatabase()) !== 'away') await new Promise((done) => setTimeout(done, 50))
  const failed = await server.waitForLine(({ reason }) => reason === 'STORAGE_UNAVAILABLE')
  t.is(failed.level, 50)
  // Several jobs run every second or more often.
  await new Promise((done) => setTimeout(done, 5000))
  const errors = server.lines.filter(({ level }) => level >= 50)
  t.is(errors.length, 1, JSON.stringify(errors))
  t.false('err' in failed)
})
