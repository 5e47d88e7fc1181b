import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import {
  type PresentedCredentials,
  repeatLockTimeouts,
  type Transport,
} from '../support/transports.ts'
import { createWorkspaceFixture, type ResourceRecord } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment({ MAX_SHARES_PER_RESOURCE: 1100 })
const { pool, seed } = environment
test.after.always(() => environment.stop())

const roles = [
  { name: 'triage', description: '', actions: ['view'] },
  { name: 'steward', description: '', actions: ['view', 'manage'] },
]
const conditions = [
  {
    name: 'small',
    description: '',
    expression: 'context.amount < params.limit',
    parameters: { limit: 'int' },
  },
]

/** A service with roles and conditions, a resource, and people and a group with all their names. */
async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { kind, key, workspace } = fixture
  const declaration = { ...kind, roles, conditions }
  expectOk(await transport.call('PutResourceType', declaration, { key }))
  const owner = await fixture.addMember('viewer')
  const record = await fixture.register(owner, {
    external_id: `e-${randomUUID()}`,
    resource_id: undefined,
  })
  const [email, external_id] = [`${randomUUID()}@example.com`, `hr-${randomUUID()}`]
  const named = await seed.user('Named', { email })
  await pool.query('update users set external_id = $1 where id = $2', [external_id, named])
  await seed.member(workspace, named, 'viewer')
  const group_name = `writers ${randomUUID()}`
  const group = await seed.group(workspace, [named])
  await pool.query('update groups set name = $1 where id = $2', [group_name, group])
  const shareBatch = (shares: object[], credentials: PresentedCredentials = { key }) =>
    transport.call('ShareBatch', { shares }, credentials)
  const violationsOf = async (shares: object[], credentials?: PresentedCredentials) => {
    const { code, violations } = expectError(await shareBatch(shares, credentials))
    return {
      code,
      ...Object.fromEntries(violations.map(({ field, message }) => [field, message])),
    }
  }
  const sharesOf = async (resource: ResourceRecord) => (await fixture.readResource(resource)).shares
  return {
    ...fixture,
    owner,
    record,
    named: { id: named, email, external_id },
    group: { id: group, name: group_name },
    shareBatch,
    violationsOf,
    sharesOf,
  }
}

for (const transport of environment.transports.map(repeatLockTimeouts)) {
  const over = `over ${transport.label}`

  test(`resources and grantees can be named in every way, and the shares are returned in order ${over}`, async (t) => {
    const { record, named, group, owner, kind, people, ...scene } = await createScene(transport)
    const other = await scene.register(owner)
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    const outcome = await scene.shareBatch([
      {
        permission_id: record.id,
        grantee_email: ` ${named.email.toUpperCase()}`,
        permission: 'view',
      },
      { ...kind, external_id: record.external_id, group_name: ` ${group.name} `, role: 'triage' },
      {
        ...kind,
        resource_id: record.external_id,
        grantee_type: 'user',
        grantee_id: people.editor.id.toUpperCase(),
        permission: 'edit',
        expires_at,
        condition: { name: 'small', params: { limit: 5 } },
      },
      {
        ...kind,
        resource_id: other.resource_id.toUpperCase(),
        grantee_type: 'user',
        grantee_external_id: named.external_id,
        permission: 'edit',
      },
    ])
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 201)
    const { shares } = expectOk(outcome)
    t.deepEqual(
      shares.map((share: any) => [
        share.grantee_type,
        share.grantee_id,
        share.permission || share.role,
      ]),
      [
        ['user', named.id, 'view'],
        ['group', group.id, 'triage'],
        ['user', people.editor.id, 'edit'],
        ['user', named.id, 'edit'],
      ],
    )
    t.is(shares[2].expires_at, expires_at)
    t.deepEqual(shares[2].condition, { name: 'small', params: { limit: 5 } })
    const byId = (a: any, b: any) => (a.id < b.id ? -1 : 1)
    t.deepEqual((await scene.sharesOf(record)).sort(byId), shares.slice(0, 3).sort(byId))
    t.deepEqual(await scene.sharesOf(other), shares.slice(3))
    t.false(await scene.isAllowed(people.editor, 'view', other))

    const events = await listActivity(pool, record.id)
    const shared = events.filter(({ action }) => action === 'permission.shared')
    t.deepEqual(
      shared.map(({ detail }) => [detail.grantee_id, detail.permission, detail.condition]).sort(),
      [
        [named.id, 'view', 'none'],
        [group.id, 'triage', 'none'],
        [people.editor.id, 'edit', 'small {"limit":5}'],
      ].sort(),
    )
    t.true(shared.every(({ actor_id }) => actor_id === null))
  })

  test(`sharing again replaces the shares and keeps their IDs ${over}`, async (t) => {
    const { record, named, group, shareBatch, sharesOf } = await createScene(transport)
    const batch = (permission: string) => [
      { permission_id: record.id, grantee_email: named.email, permission },
      { permission_id: record.id, group_name: group.name, permission },
    ]
    const first = expectOk(await shareBatch(batch('view'))).shares
    const second = expectOk(await shareBatch(batch('edit'))).shares
    t.deepEqual(
      second.map((share: any) => [share.id, share.permission]),
      first.map((share: any) => [share.id, 'edit']),
    )
    t.is((await sharesOf(record)).length, 2)
  })

  test(`every problem is named, and nothing is shared ${over}`, async (t) => {
    const { record, named, group, kind, people, violationsOf, sharesOf } =
      await createScene(transport)
    const valid = { permission_id: record.id, grantee_email: named.email, permission: 'view' }
    const to = { grantee_type: 'user', grantee_id: people.viewer.id }
    const elsewhere = await seed.workspace()
    const outsider = `${randomUUID()}@example.com`
    await seed.member(elsewhere, await seed.user('Outsider', { email: outsider }), 'owner')
    const foreignGroup = await seed.group(elsewhere, [])

    // Problems that need no data.
    t.deepEqual(
      await violationsOf([
        valid,
        { ...to, permission: 'view' },
        { ...kind, permission_id: record.id, ...to, permission: 'view' },
        { resource_id: record.resource_id, ...to, permission: 'view' },
        { ...kind, external_id: randomUUID(), ...to, permission: 'view' },
      ]),
      {
        code: 'invalid_argument',
        'shares[1].permission_id': 'is required, or resource_id or external_id',
      },
    )
    t.deepEqual(
      await violationsOf([
        valid,
        { ...kind, permission_id: record.id, ...to, permission: 'view' },
        { resource_id: record.resource_id, ...to, permission: 'view' },
        { ...kind, external_id: randomUUID(), ...to, permission: 'view' },
        { permission_id: record.id, grantee_id: people.viewer.id, permission: 'view' },
        { permission_id: record.id, ...to, permission: 'view', role: 'triage' },
        { permission_id: record.id, ...to, expires_at: '2001-01-01T00:00:00Z' },
        { permission_id: record.id, grantee_type: 'user', group_name: group.name, role: 'view' },
      ]),
      {
        code: 'invalid_argument',
        'shares[1].service_name': 'must not be combined with permission_id',
        'shares[1].resource_type': 'must not be combined with permission_id',
        'shares[2].service_name': 'is required with resource_id',
        'shares[2].resource_type': 'is required with resource_id',
        'shares[3].external_id': 'must not be a UUID; use resource_id',
        'shares[4].grantee_type': 'is required with grantee_id',
        'shares[5].role': 'must not be combined with permission',
        'shares[6].permission': 'is required, or role',
        'shares[6].expires_at': 'must be in the future',
        'shares[7].grantee_type': 'must be group with group_name',
        'shares[7].role': 'must not be view; use permission',
      },
    )
    const notMember = 'must be a member of the workspace'
    t.deepEqual(
      await violationsOf([
        valid,
        { permission_id: randomUUID(), ...to, permission: 'view' },
        { ...kind, resource_id: randomUUID(), ...to, permission: 'view' },
        { ...kind, external_id: 'unknown', ...to, permission: 'view' },
        { permission_id: record.id, grantee_email: 'unknown@example.com', permission: 'view' },
        { permission_id: record.id, grantee_email: outsider, permission: 'view' },
        { permission_id: record.id, grantee_external_id: 'unknown', permission: 'view' },
        {
          permission_id: record.id,
          grantee_type: 'user',
          grantee_id: group.id,
          permission: 'view',
        },
        { permission_id: record.id, group_name: 'unknown', permission: 'view' },
        {
          permission_id: record.id,
          grantee_type: 'group',
          grantee_id: foreignGroup,
          permission: 'view',
        },
        { permission_id: record.id, grantee_external_id: named.external_id, permission: 'edit' },
        { permission_id: record.id, ...to, role: 'unknown' },
        {
          permission_id: record.id,
          group_name: group.name,
          permission: 'view',
          condition: { name: 'small' },
        },
      ]),
      {
        code: 'invalid_argument',
        'shares[1].permission_id': 'is not a registered resource',
        'shares[2].resource_id': 'is not a registered resource',
        'shares[3].external_id': 'is not a registered resource',
        'shares[4].grantee_email': notMember,
        'shares[5].grantee_email': notMember,
        'shares[6].grantee_external_id': notMember,
        'shares[7].grantee_id': notMember,
        'shares[8].group_name': 'must be a group of the workspace',
        'shares[9].grantee_id': 'must be a group of the workspace',
        'shares[10].grantee_external_id': 'is duplicated',
        'shares[11].role': 'is not a role of document: unknown',
        'shares[12].condition.params.limit': 'is required',
      },
    )
    t.deepEqual(await sharesOf(record), [])
    t.deepEqual(await listActivity(pool, record.id), [])
  })

  test(`the name of another service returns 403, and its resources are unknown ${over}`, async (t) => {
    const { kind, named, record, violationsOf, shareBatch } = await createScene(transport)
    const other = await createScene(transport)
    const to = { grantee_email: named.email, permission: 'view' }
    const foreign = { service_name: other.service, resource_type: 'document' }
    const outcome = await shareBatch([
      { permission_id: record.id, ...to },
      { ...foreign, resource_id: other.record.resource_id, ...to },
    ])
    t.like(outcome, { ok: false, code: 'permission_denied', reason: 'OTHER_SERVICE' })
    t.deepEqual(
      await violationsOf([
        { permission_id: other.record.id, ...to },
        { ...kind, resource_id: other.record.resource_id, ...to },
      ]),
      {
        code: 'invalid_argument',
        'shares[0].permission_id': 'is not a registered resource',
        'shares[1].resource_id': 'is not a registered resource',
      },
    )
  })

  test(`a user's token must be of someone who may manage each resource ${over}`, async (t) => {
    const { record, named, group, owner, people, as, ...scene } = await createScene(transport)
    const others = await scene.register(people.owner)
    const own = { permission_id: record.id, grantee_email: named.email, permission: 'view' }
    const refused = await scene.shareBatch([own, { ...own, permission_id: others.id }], as(owner))
    const error = expectError(refused)
    t.like(error, { code: 'permission_denied', reason: 'NOT_THE_OWNER' })
    t.regex(error.detail, /^shares\[1\]: Only the resource's owner/)
    t.deepEqual(await scene.sharesOf(record), [])
    const [shared] = expectOk(await scene.shareBatch([own], as(owner))).shares
    t.is(shared.granted_by, owner.id)
    const both = await scene.shareBatch(
      [own, { ...own, permission_id: others.id }],
      as(people.admin),
    )
    t.is(expectOk(both).shares.length, 2)

    // A role that contains `manage` may be used to share, but not to grant such a role.
    const steward = { ...own, role: 'steward', permission: undefined }
    expectOk(await scene.shareBatch([{ ...steward, permission_id: others.id }], as(people.owner)))
    const token = await environment.token(named.id, scene.workspace)
    const byNamed = { token, key: scene.key }
    const toGroup = { permission_id: others.id, group_name: group.name }
    expectOk(await scene.shareBatch([{ ...toGroup, permission: 'view' }], byNamed))
    const granted = await scene.shareBatch([{ ...toGroup, role: 'steward' }], byNamed)
    t.like(granted, { ok: false, code: 'permission_denied', reason: 'NOT_THE_OWNER' })

    // Resources of other workspaces are unknown.
    const elsewhere = await seed.workspace()
    await seed.member(elsewhere, owner.id, 'owner')
    const credentials = { token: await environment.token(owner.id, elsewhere), key: scene.key }
    t.deepEqual(await scene.violationsOf([own], credentials), {
      code: 'invalid_argument',
      'shares[0].permission_id': 'is not a registered resource',
    })
  })

  test(`sharing again replaces an expired share and records its expiry ${over}`, async (t) => {
    const { record, named, group, shareBatch, sharesOf } = await createScene(transport)
    const shares = [
      { permission_id: record.id, group_name: group.name, permission: 'view' },
      { permission_id: record.id, grantee_email: named.email, permission: 'view' },
    ]
    const first = expectOk(await shareBatch(shares)).shares
    await pool.query(
      "update shares set expires_at = now() - interval '1 minute' where user_id = $1",
      [named.id],
    )
    const second = expectOk(await shareBatch(shares)).shares
    t.is(second[0].id, first[0].id)
    t.not(second[1].id, first[1].id)
    t.is((await sharesOf(record)).length, 2)
    const actions = (await listActivity(pool, record.id)).map(({ action }) => action)
    t.is(actions.filter((action) => action === 'permission.share_expired').length, 1)
  })

  test(`1,000 shares of a resource are granted at once, but not more than its quota ${over}`, async (t) => {
    const { record, named, workspace, shareBatch, sharesOf } = await createScene(transport)
    const { rows } = await pool.query(
      `with u as (
        insert into users (id, email, name)
        select gen_random_uuid(), gen_random_uuid() || '@example.com', 'U' from generate_series(1, 1101)
        returning id
      )
      insert into members (user_id, workspace_id, role, joined_at)
      select id, $1, 'viewer', now() from u returning user_id`,
      [workspace],
    )
    const shares = rows.map(({ user_id }) => ({
      permission_id: record.id,
      grantee_type: 'user',
      grantee_id: user_id,
      permission: 'view',
    }))
    t.is(expectOk(await shareBatch(shares.slice(0, 1000))).shares.length, 1000)
    const tooMany = expectError(await shareBatch(shares.slice(1000)))
    t.like(tooMany, { code: 'resource_exhausted', reason: 'QUOTA_EXCEEDED', retryAfter: 60 })
    t.regex(tooMany.detail, /^shares\[100\]: Exceeds the quota of 1100 shares/)
    t.is((await sharesOf(record)).length, 1000)
    t.is(expectError(await shareBatch(shares.slice(0, 1001))).code, 'invalid_argument')
    const same = { permission_id: record.id, grantee_email: named.email, permission: 'view' }
    t.is(expectError(await shareBatch([same, same])).code, 'invalid_argument')
  })

  test(`concurrent batches of the same shares all succeed ${over}`, async (t) => {
    const { owner, named, group, register, shareBatch, sharesOf } = await createScene(transport)
    const records = await Promise.all(Array.from({ length: 20 }, () => register(owner)))
    const shares = records.flatMap(({ id: permission_id }) => [
      { permission_id, grantee_email: named.email, permission: 'view' },
      { permission_id, group_name: group.name, permission: 'edit' },
    ])
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => shareBatch(index % 2 ? shares : shares.toReversed())),
    )
    for (const outcome of outcomes) t.is(expectOk(outcome).shares.length, 40)
    for (const record of records) t.is((await sharesOf(record)).length, 2)
  })

  test(`Share and RevokeShare take the names of grantees, too ${over}`, async (t) => {
    const { record, named, group, as, owner, sharesOf } = await createScene(transport)
    const { id: permission_id } = record
    // Protobuf represents absent fields as empty strings.
    const absent = transport.name === 'grpc' ? { grantee_type: '', grantee_id: '' } : {}
    const names = [
      [{ grantee_email: named.email.toUpperCase() }, named.id],
      [{ grantee_external_id: named.external_id, grantee_type: 'user' }, named.id],
      [{ group_name: group.name }, group.id],
    ] as const
    for (const [name, id] of names) {
      const message = { permission_id, ...absent, ...name, permission: 'view' }
      const shared = await transport.call('Share', message, as(owner))
      t.is(expectOk(shared).grantee_id, id)
      t.is((await sharesOf(record)).length, 1)
      const event = (await listActivity(pool, permission_id)).at(-1)
      t.is(event?.detail.grantee_id, id)
      expectOk(await transport.call('RevokeShare', message, as(owner)))
      t.deepEqual(await sharesOf(record), [])
    }
    const invalid: [name: object, field: string, message: string][] = [
      [{}, 'grantee_id', 'is required, or grantee_email or grantee_external_id or group_name'],
      [
        { grantee_email: named.email, group_name: group.name },
        'group_name',
        'must not be combined with grantee_email',
      ],
      [{ grantee_id: named.id }, 'grantee_type', 'is required with grantee_id'],
      [
        { grantee_type: 'group', grantee_email: named.email },
        'grantee_type',
        'must be user with grantee_email',
      ],
    ]
    for (const [name, field, message] of invalid) {
      for (const method of ['Share', 'RevokeShare']) {
        const request = { permission_id, permission: 'view', ...absent, ...name }
        const error = expectError(await transport.call(method, request, as(owner)))
        t.deepEqual(error.violations, [{ field, message }])
      }
    }
    for (const name of [{ grantee_email: 'unknown@example.com' }, { group_name: 'unknown' }]) {
      const message = { permission_id, ...absent, ...name, permission: 'view' }
      const outcome = await transport.call('Share', message, as(owner))
      t.like(outcome, { ok: false, code: 'not_found', reason: 'GRANTEE_NOT_FOUND' })
    }
  })
}
