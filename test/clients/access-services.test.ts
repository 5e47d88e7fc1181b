import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { KeyType } from '../../clients/typescript/src/access/copy/key-types.ts'
import {
  createDaikon,
  type DaikonError,
  type RemoteDaikon,
} from '../../clients/typescript/src/daikon.ts'
import { createDaikon as createFetchDaikon } from '../../clients/typescript/src/fetch.ts'
import { createCopy } from '../support/access-copy.ts'
import { createAdmin } from '../support/admin.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed, grpcPort, httpPort } = environment
const [transport] = environment.transports as [Transport]
const admin = await createAdmin(environment)
// Without an active app, any key is accepted.
await seed.serviceApp('other')
test.after.always(() => environment.stop())

type Connect = (service: string, serviceKey: string) => RemoteDaikon

const overGrpc: Connect = (service, serviceKey) =>
  createDaikon({ service, serviceKey, address: `127.0.0.1:${grpcPort}`, deadlineMs: 60_000 })
const overFetch: Connect = (service, serviceKey) =>
  createFetchDaikon({
    service,
    serviceKey,
    url: `http://127.0.0.1:${httpPort}`,
    deadlineMs: 60_000,
  })

/** Each client follows documents with keys of another type. */
const clients: Record<string, { connect: Connect; keyType: KeyType }> = {
  gRPC: { connect: overGrpc, keyType: 'uuid' },
  fetch: { connect: overFetch, keyType: 'bigint' },
}

const callAdmin = async (method: string, message: object) =>
  expectOk(await admin.call(transport, method, message))

async function rotate(appId: string, overlap_seconds: number): Promise<string> {
  return (await callAdmin('RotateServiceApp', { service_app_id: appId, overlap_seconds })).key
}

for (const [name, { connect, keyType }] of Object.entries(clients)) {
  const title = (text: string) => `${text} over ${name}`

  /** A copy that a follower has filled, with a document that a viewer may view. */
  async function createWorld(t: Parameters<typeof createCopy>[0]) {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { workspace, service, key, appId, people } = fixture
    const copy = await createCopy(t, pool, keyType)
    const viewer = { userId: people.viewer.id }
    const follow = (serviceKey: string) => copy.follow(connect(service, serviceKey))
    const first = follow(key)
    const documents: string[] = []
    const createId = () => (keyType === 'uuid' ? randomUUID() : `${documents.length + 1}`)
    const world = {
      ...{ copy, service, appId, key, first, follow, documents },
      /** Registers a document that the viewer may view. Returns its ID. */
      async register({ daikon } = first): Promise<string> {
        const resource = { type: 'document', id: createId() }
        await daikon.register({ ...resource, workspaceId: workspace, ownerId: people.owner.id })
        await daikon.shareMany([{ resource, grantee: viewer, grant: 'view' }])
        await copy.pool.query('insert into documents values ($1)', [resource.id])
        documents.push(resource.id)
        documents.sort()
        return resource.id
      },
      list: (follower = first) => copy.list(follower, viewer),
      /** What the row of each document contains. */
      async rows(): Promise<Map<string, string>> {
        const { rows } = await copy.pool.query(
          'select id::text, r::text as row from daikon_access.resources_document r',
        )
        return new Map(rows.map(({ id, row }) => [id, row]))
      },
    }
    await world.register()
    await copy.settle(first)
    t.deepEqual(await world.list(), documents)
    return world
  }

  test.serial(
    title('a follower goes on after a rotation, and one with the new key continues without a fill'),
    async (t) => {
      const { copy, first, follow, ...world } = await createWorld(t)
      const [before, keys, rows] = [await copy.state(), await copy.keys(), await world.rows()]
      const newKey = await rotate(world.appId, 600)
      await world.register()
      await copy.settle(first)
      t.deepEqual(await world.list(), world.documents)
      t.is(first.cursors.length, 1)
      t.deepEqual(first.failures, [])
      await first.close()

      const { cursor } = await copy.state()
      const second = follow(newKey)
      await world.register(second)
      await copy.settle(second)
      t.deepEqual(second.cursors, [cursor])
      t.true(second.progress.every(({ phase }) => phase === 'following'))
      t.is((await copy.state()).generation, before.generation)
      const later = await copy.keys()
      for (const key of keys) t.true(later.includes(key))
      t.like(Object.fromEntries(await world.rows()), Object.fromEntries(rows))
      t.deepEqual(await world.list(second), world.documents)
      t.deepEqual((await copy.findDifferences(second)).differences, [])
    },
  )

  /** Ends the key of a follower. Returns what makes a key valid again. */
  const ends: Record<string, (appId: string, key: string) => Promise<() => Promise<string>>> = {
    'is rotated without an overlap': async (appId) => {
      const key = await rotate(appId, 0)
      return async () => key
    },
    'belongs to an app that is deactivated': async (service_app_id, key) => {
      const update = (is_active: boolean) =>
        callAdmin('UpdateServiceApp', { service_app_id, is_active })
      await update(false)
      return async () => {
        await update(true)
        return key
      }
    },
  }

  for (const [end, begin] of Object.entries(ends))
    test.serial(title(`a follower whose key ${end} ends, and receives nothing`), async (t) => {
      const { copy, first, follow, ...world } = await createWorld(t)
      const { generation } = await copy.state()
      const renew = await begin(world.appId, world.key)
      const rows = await world.rows()
      // As operators do.
      await pool.query(
        `update resources set visibility = 'workspace' where kind_id in (
          select id from resource_kinds where service_name = $1)`,
        [world.service],
      )
      const error = (await first.ended) as DaikonError
      t.is(error.code, 'unauthenticated')
      t.is(error.reason, 'SERVICE_KEY_INVALID')
      t.deepEqual(await world.rows(), rows)
      const { cursor } = await copy.state()

      const second = follow(await renew())
      await copy.settle(second)
      t.deepEqual(second.cursors, [cursor])
      t.is((await copy.state()).generation, generation)
      t.notDeepEqual(await world.rows(), rows)
      t.deepEqual((await copy.findDifferences(second)).differences, [])
    })

  test.serial(
    title('a service that is deleted and created again has other keys, and its copy is filled'),
    async (t) => {
      const { copy, first, follow, ...world } = await createWorld(t)
      const [before, keys] = [await copy.state(), await copy.keys()]
      await callAdmin('DeleteServiceApp', { service_app_id: world.appId })
      t.truthy(await first.ended)
      const { service } = world
      const { key } = await callAdmin('CreateServiceApp', { name: service, service_name: service })
      const second = follow(key)
      await waitUntil(async () => (await copy.state()).generation !== before.generation)
      await copy.settle(second)
      const later = await copy.keys()
      t.true(later.length > 0)
      t.deepEqual(
        later.filter((one) => keys.includes(one)),
        [],
      )
      t.deepEqual(await world.list(second), world.documents)
      t.deepEqual((await copy.findDifferences(second)).differences, [])
    },
  )
}

test.serial('a service keeps its keys while one of its apps remains', async (t) => {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { service, workspace, people } = fixture
  const remaining = await seed.serviceApp(service)
  const copy = await createCopy(t, pool, 'uuid')
  const follower = copy.follow(overGrpc(service, remaining.key))
  const id = randomUUID()
  const facts = { type: 'document', workspaceId: workspace, ownerId: people.owner.id }
  await follower.daikon.register({ ...facts, id })
  await copy.pool.query('insert into documents values ($1)', [id])
  await copy.settle(follower)
  await callAdmin('DeleteServiceApp', { service_app_id: fixture.appId })
  t.deepEqual(await copy.list(follower, { userId: people.owner.id }), [id])
  t.is(follower.cursors.length, 1)
})

test.serial('services with the same documents and users share no key', async (t) => {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, people } = fixture
  const resource = { type: 'document', id: randomUUID() }
  const follow = async (service: string, serviceKey: string, permission: 'view' | undefined) => {
    const copy = await createCopy(t, pool, 'uuid')
    const follower = copy.follow(overGrpc(service, serviceKey))
    const { daikon } = follower
    await daikon.register({ ...resource, workspaceId: workspace, ownerId: people.owner.id })
    const grantee = { userId: people.viewer.id }
    if (permission) await daikon.shareMany([{ resource, grantee, grant: permission }])
    await copy.pool.query('insert into documents values ($1)', [resource.id])
    await copy.settle(follower)
    return { copy, follower }
  }
  const service = `mail-${randomUUID()}`
  const { key } = await seed.serviceApp(service)
  const docs = await follow(fixture.service, fixture.key, 'view')
  const mail = await follow(service, key, undefined)
  const [viewer, owner] = [{ userId: people.viewer.id }, { userId: people.owner.id }]
  t.deepEqual(await docs.copy.list(docs.follower, viewer), [resource.id])
  t.deepEqual(await mail.copy.list(mail.follower, viewer), [])
  for (const { copy, follower } of [docs, mail]) {
    t.deepEqual(await copy.list(follower, owner), [resource.id])
    t.deepEqual((await copy.findDifferences(follower)).differences, [])
  }
  const keys = await docs.copy.keys()
  for (const one of await mail.copy.keys()) t.false(keys.includes(one))
  // Keys of one service open nothing in the copy of the other.
  const held = await docs.follower.daikon.accessKeys(owner, 'view', 'document')
  const { rows } = await mail.copy.pool.query(
    'select from daikon_access.keys where holder = any($1)',
    [held.grants.flatMap(({ holders }) => holders)],
  )
  t.deepEqual(rows, [])
})
