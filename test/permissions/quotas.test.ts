import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sweepDeleted } from '../../src/database/sweep-deleted.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { type Outcome, repeatLockTimeouts } from '../support/transports.ts'
import { createWorkspaceFixture, type WorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment({
  MAX_SHARES_PER_RESOURCE: 3,
  MAX_RESOURCES_PER_WORKSPACE: 5,
})
const second = await environment.addNode()
test.after.always(() => environment.stop())

const overShares = {
  ok: false,
  code: 'resource_exhausted',
  reason: 'QUOTA_EXCEEDED',
  detail: 'Exceeds the quota of 3 shares per resource (MAX_SHARES_PER_RESOURCE)',
}
const overResources = {
  ...overShares,
  detail: 'Exceeds the quota of 5 resources per workspace (MAX_RESOURCES_PER_WORKSPACE)',
}

async function countRows(table: 'shares' | 'resources', workspace: string): Promise<number> {
  const sql = `select count(*)::int as count from ${table} where workspace_id = $1`
  return (await environment.pool.query(sql, [workspace])).rows[0].count
}

const countOk = (outcomes: Outcome[]) => outcomes.filter(({ ok }) => ok).length

function registration({ kind, workspace, people }: WorkspaceFixture) {
  const facts = { ...kind, resource_id: randomUUID(), workspace_id: workspace }
  return { ...facts, owner_id: people.owner.id }
}

for (const [index, transport] of environment.transports.entries()) {
  const over = `over ${transport.label}`
  const transports = [transport, second.transports[index] ?? transport].map(repeatLockTimeouts)

  test.serial(
    `a share beyond the quota is rejected, but a replacement is not ${over}`,
    async (t) => {
      const fixture = await createWorkspaceFixture(environment, transport)
      const { people, as } = fixture
      const { id: permission_id, resource_id } = await fixture.register(people.owner)
      const shareWith = (grantee_id: string, permission = 'view') => {
        const message = { permission_id, grantee_type: 'user', grantee_id, permission }
        return transport.call('Share', message, as(people.owner))
      }
      for (const { id } of [people.viewer, people.editor, people.admin]) {
        t.true((await shareWith(id)).ok)
      }
      const rejected = await shareWith(people.owner.id)
      t.like(rejected, overShares)
      t.regex(String(rejected.headers['retry-after']), /^[1-9]\d*$/)
      t.true((await shareWith(people.viewer.id, 'edit')).ok)
      t.is((await fixture.readResource({ resource_id })).shares.length, 3)
      const { rows } = await environment.pool.query(
        `select from activity where action = 'permission.shared' and target_id = $1`,
        [permission_id],
      )
      t.is(rows.length, 4)

      const grantee = { grantee_type: 'user', grantee_id: people.admin.id, permission: 'view' }
      expectOk(await transport.call('RevokeShare', { permission_id, ...grantee }, as(people.owner)))
      expectOk(await shareWith(people.owner.id))
    },
  )

  test.serial(`a batch beyond the quota of resources is rejected as a whole ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const registerBatch = (length: number) =>
      transport.call(
        'RegisterBatch',
        { resources: Array.from({ length }, () => registration(fixture)) },
        { key: fixture.key },
      )
    t.true((await registerBatch(3)).ok)
    t.like(await registerBatch(3), overResources)
    t.is(await countRows('resources', fixture.workspace), 3)
    t.true((await registerBatch(2)).ok)
    t.like(await registerBatch(1), overResources)
  })

  test.serial(`concurrent shares through two nodes do not exceed the quota ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { workspace, people, as } = fixture
    const { id: permission_id } = await fixture.register(people.owner)
    const members = await Promise.all(
      Array.from({ length: 20 }, () => environment.seed.newMember(workspace)),
    )
    const outcomes = await Promise.all(
      members.map((grantee_id, index) => {
        const message = { permission_id, grantee_type: 'user', grantee_id, permission: 'view' }
        const node = transports[index % 2] ?? transport
        return node.call('Share', message, as(people.owner))
      }),
    )
    t.is(countOk(outcomes), 3)
    for (const outcome of outcomes) if (!outcome.ok) t.like(outcome, overShares)
    t.is(await countRows('shares', workspace), 3)
  })

  test.serial(
    `concurrent registrations through two nodes do not exceed the quota ${over}`,
    async (t) => {
      const fixture = await createWorkspaceFixture(environment, transport)
      const { workspace, key } = fixture
      const first = registration(fixture)
      t.true((await transport.call('Register', first, { key })).ok)
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const node = transports[index % 2] ?? transport
          const message = registration(fixture)
          return node.call('Register', message, { key })
        }),
      )
      t.is(countOk(outcomes), 4)
      for (const outcome of outcomes) if (!outcome.ok) t.like(outcome, overResources)
      t.is(await countRows('resources', workspace), 5)

      // Registering an existing resource returns it, and deleting one frees a place in the quota.
      const repeated = await transport.call('Register', first, { key })
      t.true(repeated.ok)
      const parent = { resource_type: first.resource_type, resource_id: first.resource_id }
      const child = { ...registration(fixture), parent }
      t.like(await transport.call('Register', child, { key }), overResources)
      const { resource_id } = outcomes.flatMap((outcome) => (outcome.ok ? outcome.message : []))[0]
      const unregistered = { ...fixture.kind, resource_id }
      t.true((await transport.call('Unregister', unregistered, { key })).ok)
      t.true((await transport.call('Register', child, { key })).ok)
      t.is(await countRows('resources', workspace), 5)
    },
  )

  test.serial(`a workspace at its quota does not affect others ${over}`, async (t) => {
    const full = await createWorkspaceFixture(environment, transport)
    const other = await createWorkspaceFixture(environment, transport)
    for (let index = 0; index < 5; index += 1) await full.register(full.people.owner)
    const [refused, accepted] = await Promise.all(
      [full, other].map((fixture) =>
        Promise.all(
          Array.from({ length: 5 }, () =>
            transport.call('Register', registration(fixture), { key: fixture.key }),
          ),
        ),
      ),
    )
    t.is(countOk(refused ?? []), 0)
    t.is(countOk(accepted ?? []), 5)
  })
}

test.serial('the counts of quotas reflect cascading deletions', async (t) => {
  const { pool, seed } = environment
  const [transport] = environment.transports
  if (!transport) throw new Error('no transport')
  const fixture = await createWorkspaceFixture(environment, transport)
  const person = await fixture.addMember('viewer')
  await fixture.register(person)
  await fixture.register(fixture.people.owner)
  await seed.group(fixture.workspace)
  const readCounts = async () => {
    const { rows } = await pool.query(
      `select counted, sum(count)::int as count from workspace_counts
       where workspace_id = $1 group by counted`,
      [fixture.workspace],
    )
    return Object.fromEntries(rows.map(({ counted, count }) => [counted, count]))
  }
  const { rows } = await pool.query('select count(*)::int from members where workspace_id = $1', [
    fixture.workspace,
  ])
  const members = rows[0].count
  t.deepEqual(await readCounts(), { members, groups: 1, resources: 2 })
  await pool.query('delete from users where id = $1', [person.id])
  t.deepEqual(await readCounts(), { members: members - 1, groups: 1, resources: 1 })
  await pool.query('delete from workspaces where id = $1', [fixture.workspace])
  while (await sweepDeleted(environment.database));
  t.deepEqual(await readCounts(), {})
})
