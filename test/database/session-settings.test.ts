import test from 'ava'
import { query } from '../../src/database/query.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

/** What the administrator of a database may have set for it or its users. */
const settings = {
  DateStyle: 'German',
  TimeZone: 'Asia/Kolkata',
  extra_float_digits: '-15',
  default_transaction_isolation: 'serializable',
}
const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
const environment = await startTestEnvironment(
  {},
  (url) => `${url}?options=${encodeURIComponent(options.join(' '))}`,
)
const { database, seed } = environment
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

  test(`changes that wait for each other succeed, whatever the isolation level of the database ${over}`, async (t) => {
    const { workspace, people } = await createWorkspaceFixture(environment, transport)
    const group_id = await seed.group(workspace)
    const children = await Promise.all(Array.from({ length: 8 }, () => seed.group(workspace)))
    const outcomes = await Promise.all(
      children.map((child_id) =>
        transport.call(
          'AddChildGroup',
          { workspace_id: workspace, group_id, child_id },
          { token: people.admin.token },
        ),
      ),
    )
    for (const outcome of outcomes) expectOk(outcome)
    t.is(outcomes.length, children.length)
  })
}

test('every pool reads numbers with all digits, and days in UTC', async (t) => {
  const sql = `select 1234567::float8 as number, '2026-11-30T23:59:00Z'::timestamptz::date::text as day`
  t.deepEqual(await query(database.fork(), sql, []), [{ number: 1234567, day: '2026-11-30' }])
  t.deepEqual(await database.statements.rows('numbers', sql, []), [[1234567, '2026-11-30']])
})
