import { randomUUID } from 'node:crypto'
import test from 'ava'
import { deleteExpiredShares } from '../../src/permissions/share-expiry.ts'
import { createStores } from '../../src/server/stores.ts'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import {
  createWorkspaceFixture,
  type Member,
  type ResourceRecord,
  type WorkspaceFixture,
} from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment({ MAX_FACTS_CACHE_BYTES: 10_000_000 })
const admin = await createAdmin(environment)
const { database } = environment
test.after.always(() => environment.stop())

const { pool } = environment
const sql = (text: string, ...values: unknown[]) => pool.query(text, values)

/**
 * Ways to share a resource with a person. `accessible` is the resource that the person may view.
 */
const waysToShare: Record<
  string,
  (
    fixture: WorkspaceFixture,
    person: Member,
  ) => Promise<{ shared: ResourceRecord; accessible: ResourceRecord }>
> = {
  'a share': async (fixture, person) => {
    const shared = await fixture.register(fixture.people.owner)
    await fixture.share(fixture.people.owner, shared, { user: person.id }, 'view')
    return { shared, accessible: shared }
  },
  'a group share': async (fixture, person) => {
    const shared = await fixture.register(fixture.people.owner)
    const group = await environment.seed.group(fixture.workspace, [person.id])
    await fixture.share(fixture.people.owner, shared, { group }, 'view')
    return { shared, accessible: shared }
  },
  'a share of a parent': async (fixture, person) => {
    const { people } = fixture
    const shared = await fixture.register(people.owner, { resource_type: 'folder' })
    const { resource_type, resource_id } = shared
    const parent = { resource_type, resource_id }
    const accessible = await fixture.register(people.owner, { parent })
    await fixture.share(people.owner, shared, { user: person.id }, 'view')
    return { shared, accessible }
  },
  'a group share of a parent': async (fixture, person) => {
    const { people } = fixture
    const shared = await fixture.register(people.owner, { resource_type: 'folder' })
    const { resource_type, resource_id } = shared
    const group = await environment.seed.group(fixture.workspace, [person.id])
    await fixture.share(people.owner, shared, { group }, 'view')
    const parent = { resource_type, resource_id }
    return { shared, accessible: await fixture.register(people.owner, { parent }) }
  },
}

/** Reads whether a person may view a resource in every way, by name. */
async function readEverywhere(
  transport: Transport,
  { workspace, kind, key }: WorkspaceFixture,
  { id, token }: Member,
  { resource_id }: ResourceRecord,
): Promise<Record<string, boolean>> {
  const call = async (method: string, message: object, credentials: object) =>
    expectOk(await transport.call(method, message, credentials))
  const subject = { type: 'user', id }
  const action = { name: 'view' }
  const resource = { type: kind.resource_type, id: resource_id }
  const evaluation = { subject, action, resource }
  const ids = (response: Record<string, any>) =>
    response.results.map((result: any) => result.id ?? result.name)
  const checks = [{ ...kind, resource_id, action: 'view' }]
  const list = { ...kind, action: 'view', workspace_id: workspace }
  const userCredentials = { token, key }
  const searchSubjects = { ...evaluation, subject: { type: 'user' } }
  const explained = await call('Evaluate', { ...evaluation, context: { explain: true } }, { key })
  return {
    Check: (await call('Check', { checks }, userCredentials)).results[0].allowed,
    CheckMyPermissions: (await call('CheckMyPermissions', { checks }, { token })).results[0]
      .allowed,
    Accessible: (await call('Accessible', list, userCredentials)).resource_ids.includes(
      resource_id,
    ),
    Evaluate: (await call('Evaluate', evaluation, { key })).decision,
    'a decision with reasons': explained.decision,
    reasons: explained.context.reasons[0].rule !== 'no_grant',
    SearchSubjects: ids(await call('SearchSubjects', searchSubjects, { key })).includes(id),
    SearchResources: ids(await call('SearchResources', evaluation, { key })).includes(resource_id),
    SearchActions: ids(await call('SearchActions', evaluation, { key })).includes('view'),
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  for (const [name, share] of Object.entries(waysToShare)) {
    test.serial(`${name} grants access and is listed until it expires ${over}`, async (t) => {
      const fixture = await createWorkspaceFixture(environment, transport)
      const person = await fixture.addMember('viewer')
      const { shared, accessible } = await share(fixture, person)
      const setExpiry = (interval: string) =>
        sql(
          `update shares set expires_at = now() + $1::interval
           where (kind_id, resource_id) in (select kind_id, resource_id from resources where id = $2)`,
          interval,
          shared.id,
        )
      const { rows } = await sql(
        `select coalesce(user_id, group_id) as id from shares
         where (kind_id, resource_id) in (select kind_id, resource_id from resources where id = $1)`,
        shared.id,
      )
      const workspace_id = fixture.workspace
      const list = async (filter: object) => {
        const message = { workspace_id, ...filter }
        return expectOk(await admin.call(transport, 'ListPermissions', message))
      }
      const countListed = async () => {
        const { items } = await list({ resource_id: shared.resource_id })
        const message = { permission_id: shared.id }
        const { shares } = expectOk(await admin.call(transport, 'GetPermission', message))
        const { total } = await list({ grantee_id: rows[0].id })
        return { share_count: items[0].share_count, shares: shares.length, by_grantee: total }
      }
      const readAll = () => readEverywhere(transport, fixture, person, accessible)

      await setExpiry('1 hour')
      for (const [reader, isAllowed] of Object.entries(await readAll())) t.true(isAllowed, reader)
      t.deepEqual(await countListed(), { share_count: 1, shares: 1, by_grantee: 1 })

      await setExpiry('0 seconds')
      for (const [reader, isAllowed] of Object.entries(await readAll())) t.false(isAllowed, reader)
      t.deepEqual(await countListed(), { share_count: 0, shares: 0, by_grantee: 0 })
    })
  }

  test.serial(`a share returns its expiry, and sharing again replaces it ${over}`, async (t) => {
    const { people, kind, as, ...fixture } = await createWorkspaceFixture(environment, transport)
    const { id: permission_id, resource_id } = await fixture.register(people.owner)
    const grant = { grantee_type: 'user', grantee_id: people.viewer.id, permission: 'view' }
    const share = async (message: object) =>
      expectOk(await transport.call('Share', { ...grant, ...message }, as(people.owner)))
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

    const first = await share({ permission_id, expires_at: inDays(1) })
    const later = inDays(2)
    const second = await share({ ...kind, resource_id, expires_at: later })
    t.like(second, { id: first.id, expires_at: later })
    t.is((await fixture.readResource({ resource_id })).shares[0].expires_at, later)
    const shared = await listActivity(pool, permission_id)
    t.true(shared.some(({ detail }) => detail.expires_at === later))

    const permanent = await share({ permission_id })
    t.is(permanent.id, first.id)
    t.falsy(permanent.expires_at)
    const message = { permission_id, ...grant, expires_at: later }
    t.is(expectOk(await admin.call(transport, 'Share', message)).expires_at, later)
  })

  test.serial(`expires_at must be within the next 10 years ${over}`, async (t) => {
    const { people, kind, as, ...fixture } = await createWorkspaceFixture(environment, transport)
    const { id: permission_id, resource_id } = await fixture.register(people.owner)
    const grant = { grantee_type: 'user', grantee_id: people.viewer.id, permission: 'view' }
    const year = new Date().getUTCFullYear()
    for (const [expires_at, text] of [
      [new Date(Date.now() - 1000).toISOString(), 'must be in the future'],
      ['0001-01-01T00:00:00.000Z', 'must be in the future'],
      [`${year + 11}-01-01T00:00:00.000Z`, 'must be at most 10 years in the future'],
      ['9999-12-31T23:59:59.999Z', 'must be at most 10 years in the future'],
    ]) {
      for (const names of [{ permission_id }, { ...kind, resource_id }]) {
        const message = { ...names, ...grant, expires_at }
        t.like(expectError(await transport.call('Share', message, as(people.owner))), {
          code: 'invalid_argument',
          violations: [{ field: 'expires_at', message: text }],
        })
      }
    }
    t.deepEqual(await listActivity(pool, permission_id), [])
  })

  test.serial(`expired shares are deleted and recorded once ${over}`, async (t) => {
    const { workspace, people, kind, ...fixture } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const record = await fixture.register(people.owner)
    const group = await environment.seed.group(workspace)
    await fixture.share(people.owner, record, { user: people.viewer.id }, 'view')
    await fixture.share(people.owner, record, { group }, 'edit')
    const permanent = await fixture.share(people.owner, record, { user: people.editor.id }, 'view')
    const expires_at = new Date(Date.now() - 1000).toISOString()
    await sql(
      'update shares set expires_at = $1 where resource_id = $2 and id <> $3',
      expires_at,
      record.resource_id,
      permanent.id,
    )
    await Promise.all(
      Array.from({ length: 3 }, () => deleteExpiredShares(createStores(database.fork()))),
    )
    const { rows } = await sql('select id from shares where resource_id = $1', record.resource_id)
    t.deepEqual(rows, [{ id: permanent.id }])
    const entries = await listActivity(pool, record.id)
    const expired = entries.filter(({ action }) => action === 'permission.share_expired')
    const { resource_id } = record
    const viewer = { grantee_type: 'user', grantee_id: people.viewer.id, permission: 'view' }
    const writers = { grantee_type: 'group', grantee_id: group, permission: 'edit' }
    const byType = expired.toSorted((a, b) => (a.detail.permission < b.detail.permission ? 1 : -1))
    t.deepEqual(
      byType,
      [viewer, writers].map((grantee) => ({
        action: 'permission.share_expired',
        target_type: 'permission',
        actor_id: null,
        workspace_id: workspace,
        detail: { ...kind, resource_id, ...grantee, expires_at },
      })),
    )
  })

  test.serial(
    `an expired share cannot be revoked; sharing again records its expiry ${over}`,
    async (t) => {
      const { people, key, ...fixture } = await createWorkspaceFixture(environment, transport)
      const record = await fixture.register(people.owner)
      const grantee = { user: people.viewer.id }
      const first = await fixture.share(people.owner, record, grantee, 'edit')
      await sql('update shares set expires_at = now() where id = $1', first.id)
      const grant = { grantee_type: 'user', grantee_id: people.viewer.id, permission: 'edit' }
      const revocation = { permission_id: record.id, ...grant }
      t.like(expectError(await transport.call('RevokeShare', revocation, { key })), {
        code: 'not_found',
        reason: 'SHARE_NOT_FOUND',
      })
      const second = await fixture.share(people.owner, record, grantee, 'view')
      t.not(second.id, first.id)
      t.falsy(second.expires_at)
      const actions = (await listActivity(pool, record.id)).map(({ action }) => action)
      t.deepEqual(actions.toSorted(), [
        'permission.share_expired',
        'permission.shared',
        'permission.shared',
      ])
    },
  )
}

test.serial('decisions are correct throughout 1,000 expiries within a second', async (t) => {
  const transport = environment.transports[0] as Transport
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, kind, key, service, people, as } = fixture
  const person = await fixture.addMember('viewer')
  const group = await environment.seed.group(workspace, [person.id])
  await fixture.register(people.owner)
  await fixture.register(people.owner, { resource_type: 'folder' })
  const { rows: kinds } = await sql(
    'select id, resource_type from resource_kinds where service_name = $1',
    service,
  )
  const kindIds = new Map(kinds.map(({ id, resource_type }) => [resource_type, id]))
  const ids = Array.from({ length: 1000 }, () => randomUUID())
  const insertResources = `
    insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility, is_parent, parent_id)
    select gen_random_uuid(), $1, id, $2, $3, 'private', $4, (
      select p.id from resources p where p.kind_id = $6 and p.resource_id = item.id)
    from unnest($5::uuid[]) item(id)`
  const [document, folder] = [kindIds.get('document'), kindIds.get('folder')]
  // Every third resource has a parent with the same ID, which is shared in its place.
  const inFolders = ids.filter((_, index) => index % 3 === 0)
  await sql(insertResources, folder, workspace, people.owner.id, true, inFolders, null)
  await sql(insertResources, document, workspace, people.owner.id, false, ids, folder)
  const { rows } = await sql(
    `insert into shares (id, kind_id, resource_id, workspace_id, user_id, group_id, permission, expires_at)
     select gen_random_uuid(), case when position % 3 = 1 then $1::int else $2::int end, id, $3,
       case when position % 2 = 0 then $4::uuid end, case when position % 2 = 1 then $5::uuid end, 'view',
       start.at + interval '1 second' + position * interval '1 millisecond'
     from unnest($6::uuid[]) with ordinality item(id, position),
       (select clock_timestamp() as at) start
     returning resource_id, extract(epoch from expires_at)::float8 as expiry`,
    folder,
    document,
    workspace,
    person.id,
    group,
    ids,
  )
  const expiries = new Map<string, number>(
    rows.map(({ resource_id, expiry }) => [resource_id, expiry]),
  )
  const last = Math.max(...expiries.values())
  const readClock = async (): Promise<number> =>
    (await sql('select extract(epoch from clock_timestamp())::float8 as now')).rows[0].now

  const subject = { type: 'user', id: person.id }
  const action = { name: 'view' }
  const type = kind.resource_type
  const call = async (method: string, message: object, credentials: object = { key }) =>
    expectOk(await transport.call(method, message, credentials))
  const allowedIds = (decisions: boolean[]) => ids.filter((_, index) => decisions[index])
  const readers: Record<string, () => Promise<string[]>> = {
    Check: async () => {
      const checks = ids.map((resource_id) => ({ ...kind, resource_id, action: 'view' }))
      const { results } = await call('Check', { checks }, as(person))
      return allowedIds(results.map(({ allowed }: { allowed: boolean }) => allowed))
    },
    EvaluateBatch: async () => {
      const items = ids.map((id) => ({ resource: { type, id } }))
      const message = { subject, action, evaluations: items }
      const { evaluations } = await call('EvaluateBatch', message)
      return allowedIds(evaluations.map(({ decision }: { decision: boolean }) => decision))
    },
    Accessible: async () => {
      const message = { ...kind, action: 'view', workspace_id: workspace, limit: 10_000 }
      return (await call('Accessible', message, as(person))).resource_ids
    },
    SearchResources: async () => {
      const { results } = await call('SearchResources', { subject, action, resource: { type } })
      return results.map(({ id }: { id: string }) => id)
    },
  }

  /** Reads until all shares have expired, and compares each result with the clock. */
  const watch = async (name: string, read: () => Promise<string[]>) => {
    for (;;) {
      const before = await readClock()
      const allowed = new Set(await read())
      const after = await readClock()
      for (const [id, expiry] of expiries) {
        if (expiry < before && allowed.has(id)) t.fail(`${name} returned an expired share`)
        if (expiry > after && !allowed.has(id)) t.fail(`${name} ignored a share before its expiry`)
      }
      if (before > last) return allowed.size
    }
  }
  const remaining = await Promise.all(
    Object.entries(readers).map(([name, read]) => watch(name, read)),
  )
  t.deepEqual(remaining, [0, 0, 0, 0])
})
