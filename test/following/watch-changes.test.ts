import test from 'ava'
import { sealActivity } from '../../src/activity/seal.ts'
import { maxEntityConnections } from '../../src/database/pool.ts'
import { findConcernedUsers } from '../../src/following/relations.ts'
import type { WatchingUser } from '../../src/following/visibility.ts'
import { activityEvents } from '../../src/server/features.ts'
import { createStores } from '../../src/server/stores.ts'
import { createAdmin } from '../support/admin.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openChangesOver } from '../support/watch.ts'
import { createWorkspaceFixture, type Member } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { database, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const seal = async () => {
  while ((await sealActivity(createStores(database.fork()))) > 0);
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const createFixture = () => createWorkspaceFixture(environment, transport as Transport)
  const open = ({ token }: Member, ports = environment) =>
    openChangesOver[transport.name](ports, { token })

  test.serial(`a user is told when a share changes, and others are not ${over}`, async (t) => {
    const fixture = await createFixture()
    const { owner, viewer, editor } = fixture.people
    const record = await fixture.register(owner)
    await seal()
    const [told, other] = [open(viewer), open(editor)]
    for (const { stop } of [told, other]) t.teardown(stop)
    await waitUntil(() => [told, other].every(({ types }) => types.length === 1))
    t.deepEqual(told.types, ['ready'])
    await fixture.share(owner, record, { user: viewer.id }, 'view')
    await seal()
    await waitUntil(() => told.types.length === 2)
    const grantee = { grantee_type: 'user', grantee_id: viewer.id }
    const message = { permission_id: record.id, ...grantee, permission: 'view' }
    expectOk(await transport.call('RevokeShare', message, fixture.as(owner)))
    await seal()
    await waitUntil(() => told.types.length === 3)
    t.deepEqual(told.types, ['ready', 'changed', 'changed'])
    t.deepEqual(other.types, ['ready'])
  })

  test.serial(
    `the watch ends when the membership is over, or the server drains ${over}`,
    async (t) => {
      const { workspace, people } = await createFixture()
      const watch = open(people.viewer)
      await waitUntil(() => watch.types.length === 1)
      const message = { workspace_id: workspace, user_id: people.viewer.id }
      expectOk(await transport.call('RemoveMember', message, { token: people.owner.token }))
      t.is(await watch.ended, 'TOKEN_REVOKED')
      if (transport.name === 'rest') t.is(watch.types.at(-1), 'ended')
      t.is(await open(people.viewer).ended, 'TOKEN_REVOKED')

      const node = await environment.addNode()
      const drained = open(people.editor, node as never)
      await waitUntil(() => drained.types.length === 1)
      await node.app.drain()
      t.is(await drained.ended, transport.name === 'grpc' ? 'DRAINING' : undefined)
    },
  )

  test.serial(`the watch ends when the token expires ${over}`, async (t) => {
    t.teardown(() => {
      environment.clock.now = undefined
    })
    const start = Date.now()
    environment.clock.now = new Date(start)
    const { people } = await createFixture()
    // The token lives for 900 seconds, of which ten remain: enough for the first message on a busy machine.
    environment.clock.now = new Date(start + 890_000)
    const watch = open(people.viewer)
    t.is(await watch.ended, 'TOKEN_EXPIRED')
    t.is(watch.types[0], 'ready')
    t.false(watch.types.includes('ended'))
  })

  test.serial(`a user can have 20 open watches ${over}`, async (t) => {
    const { people } = await createFixture()
    const watches = Array.from({ length: 20 }, () => open(people.viewer))
    for (const { stop } of watches) t.teardown(stop)
    await waitUntil(() => watches.every(({ types }) => types.length === 1))
    t.is(await open(people.viewer).ended, 'TOO_MANY_WATCHES')
    t.is(await openChangesOver[transport.name](environment, {}).ended, 'TOKEN_MISSING')
  })
}

test.serial('watches that open at once leave connections to other calls', async (t) => {
  const [transport] = environment.transports as [Transport]
  const { people } = await createWorkspaceFixture(environment, transport)
  const blocker = await environment.pool.connect()
  t.teardown(() => blocker.release(true))
  await blocker.query('begin')
  await blocker.query('lock table activity_chain in access exclusive mode')
  const watches = Object.values(people).flatMap(({ token }) =>
    Array.from({ length: 20 }, () => openChangesOver.grpc(environment, { token })),
  )
  t.true(watches.length > maxEntityConnections)
  for (const watch of watches) {
    watch.ended.catch(() => {})
    t.teardown(watch.stop)
  }
  let blocked = 0
  await waitUntil(async () => {
    const before = blocked
    const { rows } = await environment.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    blocked = rows.length
    return blocked > 0 && blocked === before
  })
  t.true(blocked < maxEntityConnections / 4)
})

test.serial('each change concerns the users whose permissions it may change', async (t) => {
  const [transport] = environment.transports as [Transport]
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, people, key, service } = fixture
  const stranger = await createWorkspaceFixture(environment, transport)
  const viewers: Record<string, WatchingUser> = {
    ...Object.fromEntries(
      Object.entries(people).map(([name, { id }]) => [
        name,
        { kind: 'user', id, workspaceId: workspace },
      ]),
    ),
    stranger: { kind: 'user', id: stranger.people.owner.id, workspaceId: stranger.workspace },
  }
  const { owner, editor, viewer } = people
  const as = { token: owner.token }
  const inWorkspace = { workspace_id: workspace }
  const call = async (method: string, message: object, credentials: object = as) =>
    expectOk(await transport.call(method, message, credentials))

  /** Returns the names of the users whom the change concerns. */
  async function concerns(change: () => Promise<unknown>): Promise<string[]> {
    await seal()
    const { feed, relations } = createStores(database.fork())
    const before = await feed.findEnd()
    await change()
    await seal()
    const entries = (await feed.readAfter(before, 100)) ?? []
    t.true(entries.length > 0)
    const isConcerned = await findConcernedUsers(
      relations,
      activityEvents,
      entries,
      Object.values(viewers),
    )
    return Object.keys(viewers).filter((name) =>
      entries.some(({ entry }) => isConcerned(entry, viewers[name] as WatchingUser)),
    )
  }

  const everyone = ['owner', 'admin', 'editor', 'viewer']
  const group = await seed.group(workspace, [editor.id])
  const parent = await call('CreateGroup', { ...inWorkspace, name: 'parent' })
  const record = await fixture.register(editor)
  const visible = await fixture.register(editor, { visibility: 'workspace' })
  const role = await seed.customRole(workspace, [], [viewer.id])
  const groupRole = { ...inWorkspace, role_id: role, group_id: group }
  const share = (to: { user?: string; group?: string }) => () =>
    fixture.share(owner, record, to, 'view')
  const permission = { permission_id: record.id }
  const cases: [string, () => Promise<unknown>, string[]][] = [
    ['share with a user', share({ user: viewer.id }), ['viewer']],
    ['share with a group', share({ group }), ['editor']],
    ['register', () => fixture.register(viewer), ['owner', 'admin', 'viewer']],
    ['register for all', () => fixture.register(viewer, { visibility: 'workspace' }), everyone],
    [
      'add a group member',
      () => call('AddGroupMember', { ...inWorkspace, group_id: group, user_id: viewer.id }),
      ['viewer'],
    ],
    [
      'add a child group',
      () => call('AddChildGroup', { ...inWorkspace, group_id: parent.id, child_id: group }),
      ['editor', 'viewer'],
    ],
    ['give a group a role', () => call('AddRoleGroup', groupRole), ['editor', 'viewer']],
    ['take a role from a group', () => call('RemoveRoleGroup', groupRole), ['editor', 'viewer']],
    [
      'register an action',
      () =>
        call('RegisterActions', { service_name: service, actions: [{ name: 'publish' }] }, { key }),
      [...everyone, 'stranger'],
    ],
    [
      'change a role',
      () => call('UpdateMember', { ...inWorkspace, user_id: editor.id, role: 'viewer' }),
      ['editor'],
    ],
    [
      'make visible',
      () => call('UpdateVisibility', { ...permission, visibility: 'workspace' }, { key }),
      everyone,
    ],
    [
      'transfer',
      () => call('TransferOwnership', { ...permission, owner_id: people.admin.id }, { key }),
      ['admin', 'editor'],
    ],
    [
      'set attributes that no condition reads',
      () => call('UpdateAttributes', { ...permission, attributes: { state: 'draft' } }, { key }),
      [],
    ],
    [
      'unregister',
      async () => {
        const own = await fixture.register(viewer)
        await call('Unregister', { permission_id: own.id }, { key })
      },
      ['owner', 'admin', 'viewer'],
    ],
    [
      'unregister what all may view',
      () => call('Unregister', { permission_id: visible.id }, { key }),
      everyone,
    ],
    ['rename the workspace', () => call('UpdateWorkspace', { ...inWorkspace, name: 'New' }), []],
    [
      'change the name of a user',
      () =>
        call(
          'UpdateUser',
          { user_id: viewer.id, name: 'New' },
          { admin: admin.token, headers: { origin: 'http://localhost:9004' } },
        ),
      [],
    ],
    ['delete a group', () => call('DeleteGroup', { ...inWorkspace, group_id: group }), everyone],
    [
      'remove a member',
      () => call('RemoveMember', { ...inWorkspace, user_id: viewer.id }),
      ['viewer'],
    ],
  ]
  for (const [name, change, expected] of cases)
    t.deepEqual((await concerns(change)).toSorted(), expected.toSorted(), name)
})

test.serial('attributes concern everyone if the resource type has conditions', async (t) => {
  const [transport] = environment.transports as [Transport]
  const fixture = await createWorkspaceFixture(environment, transport)
  const conditions = [{ name: 'draft', expression: 'resource.attributes.state == "draft"' }]
  const declaration = { ...fixture.kind, roles: [], requirements: [], conditions }
  expectOk(await transport.call('PutResourceType', declaration, { key: fixture.key }))
  const record = await fixture.register(fixture.people.owner)
  await seal()
  const watch = openChangesOver.rest(environment, { token: fixture.people.viewer.token })
  t.teardown(watch.stop)
  await waitUntil(() => watch.types.length === 1)
  const message = { permission_id: record.id, attributes: { state: 'draft' } }
  expectOk(await transport.call('UpdateAttributes', message, { key: fixture.key }))
  await seal()
  await waitUntil(() => watch.types.length === 2)
  t.deepEqual(watch.types, ['ready', 'changed'])
})

test.serial('a thousand changes at once are one message', async (t) => {
  const [transport] = environment.transports as [Transport]
  const { workspace, people } = await createWorkspaceFixture(environment, transport)
  await seal()
  const watch = openChangesOver.rest(environment, { token: people.viewer.token })
  t.teardown(watch.stop)
  await waitUntil(() => watch.types.length === 1)
  const stores = createStores(database.fork())
  const detail = { name: 'g' }
  const event = {
    action: 'group.deleted',
    targetId: workspace,
    workspaceId: workspace,
    detail,
  } as const
  await stores.activity.record({ actorId: undefined }, ...Array.from({ length: 1000 }, () => event))
  await seal()
  await waitUntil(() => watch.types.length === 2)
  t.deepEqual(watch.types, ['ready', 'changed'])
})
