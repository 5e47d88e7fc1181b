import test from 'ava'
import { query } from '../../src/database/query.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

/** What the administrator of a database may have set for it or its users. */
const settings = {
  DateStyle: 'German',
  TimeZone: 'Asia/Kolkata',
  extra_float_digits: '-15',
  default_transaction_isolation: 'serializable',
  array_nulls: 'off',
  standard_conforming_strings: 'off',
  quote_all_identifiers: 'on',
  idle_session_timeout: '1h',
}
const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
const environment = await startTestEnvironment(
  {},
  (url) => `${url}?options=${encodeURIComponent(options.join(' '))}`,
)
const { database } = environment
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`times are those that were stored, whatever the format of the database ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const before = Date.now()
    const { created_at } = await fixture.register(fixture.people.owner)
    const createdAt = Date.parse(created_at)
    t.true(createdAt >= before - 1 && createdAt <= Date.now() + 1, created_at)
  })
}

test('every pool reads numbers with all digits, and days in UTC', async (t) => {
  const sql = `select 1234567::float8 as number, '2026-11-30T23:59:00Z'::timestamptz::date::text as day`
  t.deepEqual(await query(database.fork(), sql, []), [{ number: 1234567, day: '2026-11-30' }])
  t.deepEqual(await database.statements.rows('numbers', sql, []), [[1234567, '2026-11-30']])
})

test('every pool passes arrays with NULL, and backslashes that mean themselves', async (t) => {
  const sql = String.raw`select ($1::text[])[1] is null as isnull, '\d' as backslash`
  t.deepEqual(await query(database.fork(), sql, [[null]]), [{ isnull: true, backslash: '\\d' }])
  const rows = await database.statements.rows('arrays', sql, [[null]])
  t.deepEqual(rows, [[true, '\\d']])
})

test('PostgreSQL quotes only names that need it, and ends no idle session', async (t) => {
  const sql = `select quote_ident('members') as name, current_setting('idle_session_timeout') as timeout`
  t.deepEqual(await query(database.fork(), sql, []), [{ name: 'members', timeout: '0' }])
  t.deepEqual(await database.statements.rows('quotes', sql, []), [['members', '0']])
})

test('transactions see what is committed while they wait', async (t) => {
  const sql = 'show transaction_isolation'
  const isolation = await database.fork().transactional((em) => query(em, sql, []))
  t.deepEqual(isolation, [{ transaction_isolation: 'read committed' }])
  t.deepEqual(await database.statements.rows('isolation', sql, []), [['read committed']])
})

test('PostgreSQL compiles the statements of no pool', async (t) => {
  t.deepEqual(await database.statements.rows('jit', 'show jit', []), [['off']])
  t.deepEqual(await query(database.fork(), 'show jit', []), [{ jit: 'off' }])
})
