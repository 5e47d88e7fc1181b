import { randomUUID } from 'node:crypto'
import test from 'ava'
import { historyOf, type Position } from '../../src/access-keys/position.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { covers, parsePosition } from '../support/positions.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome, PresentedCredentials, Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture, type ResourceRecord } from '../support/workspace-fixture.ts'

const logged: string[] = []
const environment = await startTestEnvironment({}, undefined, {
  logFailure: (text) => (error) => logged.push(`${text}: ${(error as Error).message}`),
})
const { app, httpPort, pool } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

type Fixture = Awaited<ReturnType<typeof createWorkspaceFixture>>

/** A resource with a share and a link, for one call. */
type Scene = Fixture & { record: ResourceRecord; parent: ResourceRecord; link: string }

async function createScene(transport: Transport): Promise<Scene> {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { owner, editor } = fixture.people
  const record = await fixture.register(owner)
  const parent = await fixture.register(owner)
  await fixture.share(owner, record, { user: editor.id }, 'view')
  const message = { permission_id: record.id, permission: 'view' }
  const { id: link } = expectOk(await transport.call('CreateLink', message, fixture.as(owner)))
  return { ...fixture, record, parent, link }
}

const grantTo = ({ id }: { id: string }) => ({
  grantee_type: 'user',
  grantee_id: id,
  permission: 'edit',
})
const ofRecord = ({ record }: Scene) => ({ permission_id: record.id })
const registration = ({ kind, workspace, people }: Scene) => ({
  ...kind,
  resource_id: randomUUID(),
  workspace_id: workspace,
  owner_id: people.owner.id,
})
const moveTo = ({ kind, parent, record }: Scene) => ({
  permission_id: record.id,
  parent: { resource_type: kind.resource_type, resource_id: parent.resource_id },
})

/** The writes whose answers carry a position, with a request of each. */
const permissionWrites: Record<string, (scene: Scene) => object> = {
  Register: registration,
  RegisterBatch: (scene) => ({ resources: [registration(scene), registration(scene)] }),
  Share: (scene) => ({ ...ofRecord(scene), ...grantTo(scene.people.viewer) }),
  ShareBatch: (scene) => ({ shares: [{ ...ofRecord(scene), ...grantTo(scene.people.admin) }] }),
  RevokeShare: (scene) => ({ ...ofRecord(scene), ...grantTo(scene.people.editor) }),
  CreateLink: (scene) => ({ ...ofRecord(scene), permission: 'view' }),
  DeleteLink: (scene) => ({ ...ofRecord(scene), link_id: scene.link }),
  UpdateVisibility: (scene) => ({ ...ofRecord(scene), visibility: 'workspace' }),
  UpdateResource: (scene) => ({ ...ofRecord(scene), display_name: 'Renamed' }),
  UpdateParent: moveTo,
  TransferOwnership: (scene) => ({ ...ofRecord(scene), owner_id: scene.people.admin.id }),
  Unregister: ofRecord,
}

const adminWrites = [
  'Share',
  'RevokeShare',
  'CreateLink',
  'DeleteLink',
  'UpdateVisibility',
  'UpdateParent',
  'TransferOwnership',
]

const writes = [
  ...Object.keys(permissionWrites).map((name) => `PermissionService/${name}`),
  ...adminWrites.map((name) => `AdminService/${name}`),
]

function credentialsOf(method: string, { people, as }: Scene): PresentedCredentials {
  return method.startsWith('AdminService/') ? { admin: admin.token } : as(people.owner)
}

function requestOf(method: string, scene: Scene): object {
  const [, name = ''] = method.split('/')
  const request = permissionWrites[name]
  if (!request) throw new Error(`No request for ${name}`)
  return request(scene)
}

function positionOf(outcome: Outcome): Position {
  expectOk(outcome)
  const position = outcome.ok && outcome.position
  const parsed = position && parsePosition(position)
  if (!parsed) throw new Error(`Not a position: ${position}`)
  return parsed
}

/** Returns what a reader has read whose snapshot was taken now, and whether it contains a resource. */
async function readBookmark(resourceId?: string): Promise<Position & { found: boolean }> {
  const { rows } = await pool.query(
    `select facts_identity() as identity, pg_snapshot_xmin(pg_current_snapshot())::text as number,
      exists (select from resources where resource_id = $1) as found`,
    [resourceId],
  )
  const [{ identity, number, found }] = rows
  return { history: historyOf(identity), number: Number(number), found }
}

test('the methods that declare a position are those of the table', (t) => {
  const declared = app.operations.filter(({ policy }) => policy.position)
  t.deepEqual(
    declared.map(({ name }) => name.replace('daikon.v1.', '')).toSorted(),
    writes.toSorted(),
  )
})

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  for (const method of writes) {
    test(`the answer of ${method} carries its position ${over}`, async (t) => {
      const scene = await createScene(transport)
      const before = await readBookmark()
      const outcome = await transport.call(
        method,
        requestOf(method, scene),
        credentialsOf(method, scene),
      )
      const position = positionOf(outcome)
      t.is(position.history, before.history)
      t.true(position.number > before.number)
      t.false(covers(before, position))
      if (outcome.ok && transport.name === 'rest')
        t.is(outcome.headers['x-daikon-position'], outcome.position)
    })

    test(`a failed call of ${method} carries no position ${over}`, async (t) => {
      const scene = await createScene(transport)
      const unknown = { ...scene.record, id: randomUUID() }
      const message = /\/Register/.test(method)
        ? requestOf(method, { ...scene, workspace: randomUUID() })
        : requestOf(method, { ...scene, record: unknown })
      const outcome = await transport.call(method, message, credentialsOf(method, scene))
      expectError(outcome)
      t.is(outcome.headers['x-daikon-position'], undefined)
    })
  }

  test(`what reads, and what changes other facts, has no position ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { kind, key, people, record, workspace } = scene
    const group = await environment.seed.group(workspace)
    const outcomes = [
      await transport.call('GetResource', { ...kind, resource_id: record.resource_id }, { key }),
      await transport.call('UpdateAttributes', { ...ofRecord(scene), attributes: {} }, { key }),
      await transport.call('GetPermission', ofRecord(scene), { admin: admin.token }),
      // It has the same message as RevokeShare.
      await transport.call(
        'GroupService/AddGroupMember',
        { workspace_id: workspace, group_id: group, user_id: people.viewer.id },
        { token: people.owner.token },
      ),
    ]
    for (const outcome of outcomes) {
      t.false('position' in expectOk(outcome))
      t.is(outcome.headers['x-daikon-position'], undefined)
    }
  })

  test(`the records of a batch have no positions of their own ${over}`, async (t) => {
    const scene = await createScene(transport)
    const request = requestOf('/RegisterBatch', scene)
    const { resources } = expectOk(
      await transport.call('RegisterBatch', request, { key: scene.key }),
    )
    t.deepEqual(
      resources.map(({ position }: ResourceRecord) => position),
      [undefined, undefined],
    )
  })

  test(`positions grow from write to write, and follow the transactions of these ${over}`, async (t) => {
    const scene = await createScene(transport)
    const numbers: number[] = []
    for (let count = 0; count < 5; count += 1) {
      const request = registration(scene)
      const outcome = await transport.call('Register', request, { key: scene.key })
      const { number } = positionOf(outcome)
      const { rows } = await pool.query('select xmin::text from resources where resource_id = $1', [
        request.resource_id,
      ])
      t.true(number > Number(rows[0].xmin))
      numbers.push(number)
    }
    t.deepEqual(
      numbers,
      [...new Set(numbers)].toSorted((a, b) => a - b),
    )
  })

  test(`a registration that changes nothing has a position that covers the first ${over}`, async (t) => {
    const scene = await createScene(transport)
    const request = registration(scene)
    const first = positionOf(await transport.call('Register', request, { key: scene.key }))
    const second = positionOf(await transport.call('Register', request, { key: scene.key }))
    t.true(covers(second, first))
  })

  test(`a snapshot that covers an answer contains what was written ${over}`, async (t) => {
    const scene = await createScene(transport)
    await Promise.all(
      Array.from({ length: 30 }, async () => {
        const request = registration(scene)
        const written = positionOf(await transport.call('Register', request, { key: scene.key }))
        await waitUntil(async () => {
          const { found, ...read } = await readBookmark(request.resource_id)
          // An acknowledged write is visible even if no bookmark covers it yet.
          t.true(found)
          return covers(read, written)
        })
      }),
    )
  })
}

// Serial, because it holds a transaction open, for which no position of others is covered.
test.serial('no bookmark covers an answer while an older transaction runs', async (t) => {
  const [transport] = environment.transports as [Transport]
  const scene = await createScene(transport)
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query('select pg_current_xact_id()::text as id')
    const open = Number(rows[0].id)
    const written = positionOf(
      await transport.call('Register', registration(scene), { key: scene.key }),
    )
    t.true(written.number > open)
    const during = await readBookmark()
    // Other databases of the server have transactions, too.
    t.true(during.number <= open)
    t.false(covers(during, written))
  } finally {
    await client.query('rollback')
    client.release()
  }
  const written = positionOf(
    await transport.call('Register', registration(scene), { key: scene.key }),
  )
  await waitUntil(async () => covers(await readBookmark(), written))
  t.pass()
})

test('over REST, only the header carries the position', async (t) => {
  const [, rest] = environment.transports as [Transport, Transport]
  const scene = await createScene(rest)
  const headers = { 'x-service-key': scene.key, 'content-type': 'application/json' }
  const created = await sendRawHttp(httpPort, {
    method: 'POST',
    path: '/permissions/register',
    headers,
    body: JSON.stringify(registration(scene)),
  })
  t.is(created.status, 201)
  t.truthy(parsePosition(String(created.headers['x-daikon-position'])))
  t.false('position' in created.json)

  const removed = await sendRawHttp(httpPort, {
    method: 'DELETE',
    path: `/permissions/${scene.record.id}`,
    headers: { 'x-service-key': scene.key },
  })
  t.is(removed.status, 204)
  t.is(removed.text, '')
  t.truthy(parsePosition(String(removed.headers['x-daikon-position'])))
})

test('the API description names the header', async (t) => {
  const { paths } = (await (await fetch(`http://127.0.0.1:${httpPort}/openapi.json`)).json()) as any
  const headersOf = (path: string, verb: string, status: number) =>
    Object.keys(paths[path][verb].responses[status].headers)
  t.true(headersOf('/permissions/register', 'post', 201).includes('X-Daikon-Position'))
  t.true(headersOf('/permissions/{permission_id}', 'delete', 204).includes('X-Daikon-Position'))
  t.false(
    headersOf('/permissions/{permission_id}/attributes', 'patch', 200).includes(
      'X-Daikon-Position',
    ),
  )
})

test.serial('after a crash, which empties unlogged tables, another history begins', async (t) => {
  const [transport] = environment.transports as [Transport]
  const scene = await createScene(transport)
  const register = () => transport.call('Register', registration(scene), { key: scene.key })
  const before = positionOf(await register())
  await pool.query('delete from facts_epoch')
  const after = positionOf(await register())
  t.not(after.history, before.history)
  t.false(covers(after, before))
  t.is(after.history, positionOf(await register()).history)
})

test.serial('a write whose position cannot be read succeeds without one', async (t) => {
  await pool.query('alter function facts_identity rename to real_identity')
  await pool.query(`
    create function facts_identity() returns text language plpgsql stable as $$
    begin
      if current_query() like '%select facts_identity(), pg_snapshot_xmax%' then
        raise exception 'no identity';
      end if;
      return real_identity();
    end $$`)
  try {
    for (const transport of environment.transports) {
      const scene = await createScene(transport)
      logged.length = 0
      const request = registration(scene)
      const outcome = await transport.call('Register', request, { key: scene.key })
      expectOk(outcome)
      t.is(outcome.ok ? outcome.position : 'failed', undefined)
      t.is(outcome.headers['x-daikon-position'], undefined)
      t.deepEqual(logged, ['Reading a position failed: no identity'])
      const { resource_id } = await scene.readResource(request)
      t.is(resource_id, request.resource_id)
    }
  } finally {
    await pool.query('drop function facts_identity')
    await pool.query('alter function real_identity rename to facts_identity')
  }
})
