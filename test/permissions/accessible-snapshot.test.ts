import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { Statements } from '../../src/database/statement-pool.ts'
import { hashServiceKey } from '../../src/identity/service-keys.ts'
import { type ListQuery, splitIds } from '../../src/permissions/engine/lists/list.ts'
import { createLoadList } from '../../src/permissions/engine/lists/load-list.ts'
import { firstId } from '../../src/permissions/engine/lists/page-token.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import {
  createWorkspaceFixture,
  type Member,
  type WorkspaceFixture,
} from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { database } = environment
test.after.always(() => environment.stop())

const [firstTransport] = environment.transports as [Transport, Transport]

/** A limit above the number of IDs that a shared statement reads. */
const longLimit = 2000

/** Loads a list. Calls `beforeStatement` with the number of statements that have run so far. */
async function load(
  query: ListQuery,
  beforeStatement: (count: number) => Promise<unknown> = async () => {},
) {
  const names: string[] = []
  const statements: Statements = {
    async rows<Row extends unknown[]>(name: string, sql: string, values: unknown[]) {
      await beforeStatement(names.length)
      names.push(name)
      return database.statements.rows<Row>(name, sql, values)
    },
  }
  const { status, joinedIds } = await createLoadList(statements)(query)
  return { status, ids: splitIds(joinedIds), names }
}

function queryOf({ key, kind, workspace }: WorkspaceFixture, person: Member): ListQuery {
  return {
    serviceName: kind.service_name,
    resourceType: kind.resource_type,
    keyHash: hashServiceKey(key),
    tokenId: randomUUID(),
    userId: person.id,
    workspaceId: workspace,
    action: 'view',
    firstId,
    limit: 100,
  }
}

/** The statements that load a list, by the situation that requires them. */
const paths = {
  'few resources': { limit: 100, names: ['list'] },
  'few resources on a long page': { limit: longLimit, names: ['list'] },
  'many resources on a long page': {
    limit: longLimit,
    hasManyResources: true,
    names: ['list', 'list'],
  },
  'more groups than a shared statement reads': {
    limit: 100,
    hasManyGroups: true,
    names: ['list', 'list'],
  },
  folders: { limit: 100, hasFolders: true, names: ['list', 'list with folders'] },
  'folders on a long page': {
    limit: longLimit,
    hasFolders: true,
    names: ['list', 'list with folders'],
  },
}

for (const [label, path] of Object.entries(paths)) {
  test(`the list and the status of a user with ${label} come from the same snapshot`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, firstTransport)
    const { viewer, owner } = fixture.people
    const ownRecord = await fixture.register(viewer)
    const open = await fixture.register(owner, { visibility: 'workspace' })
    if ('hasFolders' in path) {
      const parent = { resource_type: 'document', resource_id: ownRecord.resource_id }
      await fixture.register(owner, { parent })
    }
    if ('hasManyResources' in path) {
      await environment.pool.query(
        `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
         select gen_random_uuid(), id, gen_random_uuid(), $2, $3, 'private'
         from resource_kinds, generate_series(1, 300) where service_name = $1`,
        [fixture.service, fixture.workspace, viewer.id],
      )
    }
    if ('hasManyGroups' in path) {
      const create = () => environment.seed.group(fixture.workspace, [viewer.id])
      await Promise.all(Array.from({ length: 65 }, create))
    }
    const query = { ...queryOf(fixture, viewer), limit: path.limit }
    const accepted = await load(query)
    t.deepEqual(accepted.names, path.names)
    t.like(accepted.status, { service: fixture.service, userActive: true, role: 'viewer' })
    t.true([ownRecord, open].every(({ resource_id }) => accepted.ids.includes(resource_id)))

    // A change before the last statement affects both the list and the status.
    const beforeLastStatement = (change: () => Promise<unknown>) => async (count: number) => {
      if (count === path.names.length - 1) await change()
    }
    const { pool } = environment
    const setActive = (isActive: boolean) =>
      pool.query('update users set is_active = $2 where id = $1', [viewer.id, isActive])
    const deactivated = await load(
      query,
      beforeLastStatement(async () => {
        await setActive(false)
        await fixture.register(viewer)
      }),
    )
    t.like(deactivated, { status: { userActive: false, role: 'viewer' }, ids: [] })
    await setActive(true)
    const promoted = await load(
      query,
      beforeLastStatement(async () => {
        await pool.query(`update members set role = 'admin' where user_id = $1`, [viewer.id])
        await fixture.register(owner)
      }),
    )
    t.is(promoted.status.role, 'admin')
    t.is(promoted.ids.length, accepted.ids.length + 2)
  })
}

test('the list of a rejected caller is empty', async (t) => {
  const fixture = await createWorkspaceFixture(environment, firstTransport)
  const other = await createWorkspaceFixture(environment, firstTransport)
  const { viewer, admin } = fixture.people
  const denied = randomUUID()
  await environment.seed.denyToken(denied)
  const inactive = await fixture.addMember('admin')
  await environment.pool.query('update users set is_active = false where id = $1', [inactive.id])
  const parent = await fixture.register(viewer)
  const names = { resource_type: 'document', resource_id: parent.resource_id }
  const child = await fixture.register(viewer, { parent: names })
  const ids = [parent.resource_id, child.resource_id].toSorted()

  for (const limit of [100, longLimit]) {
    for (const person of [viewer, admin]) {
      const query = { ...queryOf(fixture, person), limit }
      t.deepEqual((await load(query)).ids, ids)
      t.deepEqual((await load({ ...query, keyHash: undefined })).ids, ids)
      const rejected: Record<string, Partial<ListQuery>> = {
        'a revoked token': { tokenId: denied },
        'a deactivated user': { userId: inactive.id },
        'a user who is not a member': { userId: other.people.owner.id },
        'another workspace': { workspaceId: other.workspace },
        'an unknown key': { keyHash: hashServiceKey('unknown') },
        'no key': { keyHash: '' },
        'the key of another service': { keyHash: hashServiceKey(other.key) },
      }
      for (const [label, change] of Object.entries(rejected))
        t.deepEqual((await load({ ...query, ...change })).ids, [], label)
    }
  }
})

for (const transport of environment.transports) {
  test(`for every role and action, the list contains exactly what checks allow over ${transport.label}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { workspace, service, kind, people } = fixture
    const publish = await environment.seed.serviceAction(service, 'publish')
    await environment.seed.serviceAction(service, 'archive')
    await environment.seed.customRole(
      workspace,
      [publish],
      Object.values(people).map(({ id }) => id),
    )
    const group = await environment.seed.group(
      workspace,
      Object.values(people).map(({ id }) => id),
    )
    const ids: string[] = []
    const register = async (owner: Member, more: object = {}) => {
      const record = await fixture.register(owner, { ...more })
      ids.push(record.resource_id)
      return record
    }
    for (const person of Object.values(people)) {
      await register(person)
      for (const permission of ['view', 'edit']) {
        const record = await register(people.owner)
        await fixture.share(people.owner, record, { user: person.id }, permission)
      }
    }
    await register(people.owner, { visibility: 'workspace' })
    await fixture.share(people.owner, await register(people.owner), { group }, 'view')

    let listed = 0
    for (const [role, person] of Object.entries(people)) {
      // A custom role grants `publish`; `archive` is registered but not granted; `unknown` is not
      // registered.
      for (const action of ['view', 'edit', 'manage', 'publish', 'archive', 'unknown']) {
        const checks = ids.map((resource_id) => ({ ...kind, resource_id, action }))
        const { results } = expectOk(await transport.call('Check', { checks }, fixture.as(person)))
        const allowed = ids.filter((_, index) => results[index].allowed)
        const message = { ...kind, action, workspace_id: workspace }
        const list = expectOk(await transport.call('Accessible', message, fixture.as(person)))
        t.deepEqual(list.resource_ids, allowed.toSorted(), `${role} ${action}`)
        listed += allowed.length
      }
    }
    t.true(listed > ids.length)
  })
}
