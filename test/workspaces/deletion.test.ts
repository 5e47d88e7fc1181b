import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sweepDeleted } from '../../src/database/sweep-deleted.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

/** Inserts resources, each shared with a member, below `parents` of them. Returns the first parent. */
async function fillWorkspace(workspace: string, kind: number, count: number, parents = 100) {
  const owner = await seed.newMember(workspace, 'owner')
  const reader = await seed.newMember(workspace)
  const root = randomUUID()
  const insert = `insert into resources
    (id, kind_id, resource_id, workspace_id, owner_id, visibility, parent_id, is_parent)`
  await pool.query(`${insert} values ($1, $2, $1, $3, $4, 'workspace', null, true)`, [
    root,
    kind,
    workspace,
    owner,
  ])
  await pool.query(
    `with folder as (
       ${insert} select gen_random_uuid(), $2, gen_random_uuid(), $3, $4, 'private', $1, true
       from generate_series(1, $5) returning id
     ), numbered as (
       select id, row_number() over () as number from folder
     )
     ${insert} select gen_random_uuid(), $2, gen_random_uuid(), $3, $4, 'public', f.id, false
     from generate_series(1, $6) i join numbered f on f.number = 1 + i % $5`,
    [root, kind, workspace, owner, parents, count],
  )
  await pool.query(
    `insert into shares (id, kind_id, resource_id, workspace_id, user_id, permission)
     select gen_random_uuid(), kind_id, resource_id, workspace_id, $2, 'view' from resources
     where workspace_id = $1 limit 5000`,
    [workspace, reader],
  )
  return { root, owner, reader }
}

/** Returns the ID of a kind whose resources may be public. */
async function findKind(service: string): Promise<number> {
  const { rows } = await pool.query(
    `insert into resource_kinds (service_name, resource_type) values ($1, 'document')
     on conflict (service_name, resource_type) do update set resource_type = 'document' returning id`,
    [service],
  )
  await pool.query(
    `insert into resource_types (kind_id, id, description, allow_public)
     values ($1, gen_random_uuid(), '', true) on conflict do nothing`,
    [rows[0].id],
  )
  return rows[0].id
}

async function countRows(workspace: string): Promise<number> {
  const tables = ['resources', 'shares', 'members', 'groups', 'custom_roles', 'workspace_counts']
  const counts = tables.map((table) => `(select count(*) from ${table} where workspace_id = $1)`)
  const { rows } = await pool.query(`select (${counts.join(' + ')})::int as count`, [workspace])
  return rows[0].count
}

for (const transport of environment.transports) {
  const size = transport.name === 'grpc' ? 50_000 : 2000

  test.serial(
    `a workspace with ${size} resources is gone at the acknowledgement (${transport.name})`,
    async (t) => {
      const fixture = await createWorkspaceFixture(environment, transport)
      const { workspace, service, key, people } = fixture
      await fillWorkspace(workspace, await findKind(service), size)
      const group = await seed.group(workspace, [people.viewer.id])
      const role = await seed.customRole(workspace, [], [people.viewer.id])
      const document = await fixture.register(people.owner, { visibility: 'public' })
      const { resource_id } = document
      const check = { ...fixture.kind, resource_id, action: 'view' }
      const isPublic = async () => {
        const message = {
          subject: { type: 'anonymous', id: 'anyone' },
          action: { name: 'view' },
          resource: { type: 'document', id: resource_id },
        }
        return expectOk(await transport.call('Evaluate', message, { key })).decision
      }
      t.true(await isPublic())

      expectOk(await transport.call('DeleteWorkspace', { workspace_id: workspace }, people.owner))
      t.true((await countRows(workspace)) >= size, 'the rows are still there')

      for (const person of [people.owner, people.viewer]) {
        const outcome = await transport.call('Check', { checks: [check] }, fixture.as(person))
        t.like(outcome, { code: 'unauthenticated', reason: 'TOKEN_REVOKED' })
      }
      t.false(await isPublic())
      const resource = await transport.call(
        'GetResource',
        { ...fixture.kind, resource_id },
        { key },
      )
      t.is(expectError(resource).reason, 'RESOURCE_NOT_FOUND')
      for (const subject of [
        { type: 'user', id: people.owner.id },
        { type: 'group', id: group },
        { type: 'anonymous', id: 'anyone' },
      ]) {
        const search = { subject, action: { name: 'view' }, resource: { type: 'document' } }
        const { results = [] } = expectOk(await transport.call('SearchResources', search, { key }))
        t.deepEqual(results, [], subject.type)
      }
      for (const [method, message] of [
        ['GetGroup', { group_id: group }],
        ['GetRole', { role_id: role }],
        ['GetWorkspace', { workspace_id: workspace }],
      ] as const)
        t.is(expectError(await admin.call(transport, method, message)).code, 'not_found', method)
      const { total } = expectOk(
        await admin.call(transport, 'ListPermissions', { workspace_id: workspace }),
      )
      t.is(total ?? 0, 0)

      // The slug and the IDs of the resources are free.
      const home = await seed.workspace()
      const { rows } = await pool.query('select slug from workspaces where id = $1', [workspace])
      t.is(rows.length, 0)
      const member = await seed.newMember(home, 'owner')
      const again = { ...fixture.kind, resource_id, workspace_id: home, owner_id: member }
      t.like(expectOk(await transport.call('Register', again, { key })), { workspace_id: home })

      while (await sweepDeleted(environment.database));
      t.is(await countRows(workspace), 0)
      t.is(
        (await pool.query('select from workspace_ids where id = $1', [workspace])).rows.length,
        0,
      )
      t.like(
        expectOk(await transport.call('GetResource', { ...fixture.kind, resource_id }, { key })),
        {
          workspace_id: home,
        },
      )
    },
  )

  test.serial(
    `a tree of 3000 resources is gone at the acknowledgement (${transport.name})`,
    async (t) => {
      const fixture = await createWorkspaceFixture(environment, transport)
      const { workspace, service, key, people } = fixture
      const { root, reader } = await fillWorkspace(workspace, await findKind(service), 3000)
      const other = await fixture.register(people.owner, { visibility: 'private' })
      const { rows } = await pool.query(
        `select resource_id, parent_id from resources
       where workspace_id = $1 and visibility = 'public' limit 1`,
        [workspace],
      )
      const [{ resource_id, parent_id }] = rows
      const token = await environment.token(reader, workspace)
      const check = { ...fixture.kind, resource_id, action: 'view' }
      const isAllowed = async () => {
        const outcome = expectOk(await transport.call('Check', { checks: [check] }, { token, key }))
        return outcome.results[0].allowed
      }
      const list = async () => {
        const request = { ...fixture.kind, action: 'view', workspace_id: workspace }
        const page = expectOk(await transport.call('Accessible', request, { token, key }))
        return page.resource_ids ?? []
      }
      t.true(await isAllowed())
      t.true((await list()).length > 100)

      const message = { permission_id: root, cascade: true }
      expectOk(await transport.call('Unregister', message, { key }))
      t.true((await countRows(workspace)) >= 3000, 'the rows are still there')
      for (let step = 0; ; step += 1) {
        t.false(await isAllowed(), `after ${step} steps`)
        t.deepEqual(await list(), [], `after ${step} steps`)
        const resource = await transport.call(
          'GetResource',
          { ...fixture.kind, resource_id },
          { key },
        )
        t.is(expectError(resource).reason, 'RESOURCE_NOT_FOUND')
        if (!(await sweepDeleted(environment.database))) break
        if (step === 0) {
          // A folder of the tree is no parent any more.
          const child = { ...fixture.kind, resource_id: randomUUID(), workspace_id: workspace }
          const parent = { resource_type: 'document', resource_id: parent_id }
          const outcome = await transport.call(
            'Register',
            { ...child, owner_id: people.owner.id, parent },
            { key },
          )
          t.is(expectError(outcome).code, 'invalid_argument')
        }
      }
      const { rows: left } = await pool.query('select id from resources where workspace_id = $1', [
        workspace,
      ])
      t.deepEqual(left, [{ id: other.id }])
      t.is((await pool.query('select from deleted_trees')).rows.length, 0)
      const { rows: entries } = await pool.query(
        `select detail from activity where action = 'permission.tree_unregistered' and target_id = $1`,
        [root],
      )
      t.is(entries.length, 1)
    },
  )
}

test.serial('another node continues the sweep of a node that was killed', async (t) => {
  const folder = createKeyFolder(t)
  const workspace = await seed.workspace()
  await fillWorkspace(workspace, await findKind('killed'), 20_000)
  const total = await countRows(workspace)
  const settings = { DATABASE_URL: environment.databaseUrl }
  const first = await startServer(t, folder, settings)
  // The sweep cannot pass the locked resource. It would reach one of a tree with the first row of that tree.
  const client = await pool.connect()
  const { rows: last } = await client.query(
    `update resources set parent_id = null where id = (
       select id from resources where workspace_id = $1 and not is_parent
       order by kind_id desc, resource_id desc limit 1
     ) returning id`,
    [workspace],
  )
  await client.query('begin')
  await client.query('select from resources where id = $1 for update', [last[0].id])
  await pool.query('delete from workspaces where id = $1', [workspace])
  await waitUntil(async () => (await countRows(workspace)) < total)
  first.child.kill('SIGKILL')
  await first.exited
  await client.query('rollback')
  client.release()
  const left = await countRows(workspace)
  t.true(left > 0, 'the node was killed in the middle')
  await startServer(t, folder, settings)
  await waitUntil(async () => {
    const { rows } = await pool.query('select from workspace_ids where id = $1', [workspace])
    return rows.length === 0
  })
  t.is(await countRows(workspace), 0)
})
