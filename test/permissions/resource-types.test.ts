import { randomUUID } from 'node:crypto'
import test from 'ava'
import pg from 'pg'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import {
  createWorkspaceFixture,
  type Member,
  type ResourceRecord,
} from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const triage = { name: 'triage', description: 'Sorts issues', actions: ['view', 'label'] }
const commenter = { name: 'commenter', description: '', actions: ['comment'] }
const maintainer = { name: 'maintainer', description: '', actions: ['manage', 'edit'] }
const roles = [triage, commenter, maintainer]

/** A service with the actions `label` and `comment`, and roles for its documents. */
async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { kind, key, people } = fixture
  for (const name of ['label', 'comment']) await seed.serviceAction(kind.service_name, name)
  const call = async (method: string, message: object, credentials: object = { key }) =>
    expectOk(await transport.call(method, message, credentials))
  const declare = (declaration: object = {}) =>
    transport.call('PutResourceType', { ...kind, roles: [], ...declaration }, { key })
  expectOk(await declare({ roles }))
  const owner = await fixture.addMember('viewer')
  const guest = await fixture.addMember('viewer')
  const shareAs = (by: Member, { id }: ResourceRecord, message: object) =>
    transport.call(
      'Share',
      { permission_id: id, grantee_type: 'user', grantee_id: guest.id, ...message },
      { token: by.token, key },
    )
  /** Returns the actions that the guest may perform. */
  const allowed = async (resource: ResourceRecord, person = guest) => {
    const { resource_type, resource_id } = resource
    const actions = ['view', 'edit', 'manage', 'label', 'comment']
    const checks = actions.map((action) => ({ ...kind, resource_type, resource_id, action }))
    const { results } = await call('Check', { checks }, { token: person.token, key })
    return actions.filter((_, index) => results[index].allowed)
  }
  return { ...fixture, call, declare, owner, guest, shareAs, allowed, admin: people.admin }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a service declares a type, replaces and removes the declaration ${over}`, async (t) => {
    const { kind, key, declare, call } = await createScene(transport)
    const list = () => call('ListResourceTypes', { service_name: kind.service_name })
    t.like((await list()).types[0], { ...kind, description: '', roles })
    const outcome = await declare({ roles })
    const own = {
      ...kind,
      description: '',
      allow_public: false,
      roles,
      roles_used: null,
      conditions: [],
      conditions_used: null,
      requirements: [],
      resources: null,
      resources_below: null,
    }
    if (transport.name === 'rest') t.deepEqual(expectOk(outcome), own)
    const renamed = {
      description: 'Issues',
      roles: [commenter, { name: 'reader', actions: ['view'] }],
    }
    expectOk(await declare(renamed))
    const [declared] = (await list()).types
    t.is(declared.description, 'Issues')
    t.deepEqual(
      declared.roles.map(({ name }: { name: string }) => name),
      ['commenter', 'reader'],
    )
    // A declaration with nothing in it is the same as none.
    expectOk(await declare({}))
    t.deepEqual((await list()).types, [])
    t.like(await transport.call('DeleteResourceType', kind, { key }), {
      ok: false,
      code: 'not_found',
      reason: 'RESOURCE_TYPE_NOT_FOUND',
    })
    expectOk(await declare({ roles }))
    expectOk(await transport.call('DeleteResourceType', kind, { key }))
    t.deepEqual((await list()).types, [])
    const { rows } = await pool.query(
      `select target_id, detail from activity
        where action = 'resource_type.declared' and detail ->> 'service_name' = $1 order by created_at`,
      [kind.service_name],
    )
    t.deepEqual(
      rows.map(({ detail: { service_name: _, resource_type, ...detail } }) => {
        t.is(resource_type, 'document')
        return detail
      }),
      [
        {
          allow_public: 'false',
          roles: '3',
          conditions: '0',
          requirements: '0',
          added: 'triage: view, label\ncommenter: comment\nmaintainer: manage, edit',
          removed: 'none',
        },
        {
          allow_public: 'false',
          roles: '2',
          conditions: '0',
          requirements: '0',
          added: 'reader: view',
          removed: 'triage: view, label\nmaintainer: manage, edit',
        },
        {
          allow_public: 'false',
          roles: '0',
          conditions: '0',
          requirements: '0',
          added: 'none',
          removed: 'commenter: comment\nreader: view',
        },
        {
          allow_public: 'false',
          roles: '3',
          conditions: '0',
          requirements: '0',
          added: 'triage: view, label\ncommenter: comment\nmaintainer: manage, edit',
          removed: 'none',
        },
        {
          allow_public: 'false',
          roles: '0',
          conditions: '0',
          requirements: '0',
          added: 'none',
          removed: 'triage: view, label\ncommenter: comment\nmaintainer: manage, edit',
        },
      ],
    )
  })

  test(`administrators declare, list and remove types ${over}`, async (t) => {
    const service_name = `crm-${randomUUID().slice(0, 8)}`
    const kind = { service_name, resource_type: 'deal' }
    const role = { name: 'closer', description: '', actions: ['edit'] }
    const put = await admin.call(transport, 'PutResourceType', { ...kind, roles: [role] })
    t.like(expectOk(put), { ...kind, roles: [role] })
    const { types } = expectOk(await admin.call(transport, 'ListResourceTypes', {}))
    t.like(
      types.find((type: any) => type.service_name === service_name),
      { roles: [role] },
    )
    expectOk(await admin.call(transport, 'DeleteResourceType', kind))
    const after = expectOk(await admin.call(transport, 'ListResourceTypes', {}))
    t.false(after.types.some((type: any) => type.service_name === service_name))
  })

  test(`errors of a declaration name the fields and change nothing ${over}`, async (t) => {
    const { declare, call, kind } = await createScene(transport)
    const cases: [declaration: object, field: string, message: string][] = [
      [{ roles: [triage, triage] }, 'roles[1].name', 'is duplicated'],
      [
        { roles: [{ name: 'a', actions: ['view', 'view'] }] },
        'roles[0].actions[1]',
        'is duplicated',
      ],
      [
        { roles: [{ name: 'a', actions: ['fly'] }] },
        'roles[0].actions[0]',
        `is not an action that ${kind.service_name} has registered`,
      ],
    ]
    for (const [declaration, field, message] of cases)
      t.deepEqual(expectError(await declare(declaration)).violations, [{ field, message }])
    for (const name of ['view', 'edit', 'Triage', '1st', ''])
      t.is(
        expectError(await declare({ roles: [{ name, actions: ['view'] }] })).code,
        'invalid_argument',
      )
    const many = Array.from({ length: 51 }, (_, index) => ({
      name: `r${index}`,
      actions: ['view'],
    }))
    t.is(expectError(await declare({ roles: many })).code, 'invalid_argument')
    t.is(
      expectError(await declare({ roles: [{ name: 'a', actions: [] }] })).code,
      'invalid_argument',
    )
    if (transport.name === 'rest')
      t.is(expectError(await declare({ roles, rules: [] })).violations[0]?.field, 'rules')
    const { types } = await call('ListResourceTypes', { service_name: kind.service_name })
    t.is(types[0].roles.length, 3)
  })

  test(`a share with a role gives exactly the actions of the role ${over}`, async (t) => {
    const { owner, guest, shareAs, allowed, readResource, declare, ...scene } =
      await createScene(transport)
    const record = await scene.register(owner)
    const shared = expectOk(await shareAs(owner, record, { role: 'triage' }))
    t.is(shared.role, 'triage')
    t.falsy(shared.permission)
    t.deepEqual(await allowed(record), ['view', 'label'])
    expectOk(await shareAs(owner, record, { role: 'commenter' }))
    t.deepEqual(await allowed(record), ['comment'])
    // `edit` and `manage` bring `view`.
    expectOk(await shareAs(owner, record, { role: 'maintainer' }))
    t.deepEqual(await allowed(record), ['view', 'edit', 'manage'])
    // Sharing again replaces the role with a permission.
    expectOk(await shareAs(owner, record, { permission: 'view' }))
    t.deepEqual(await allowed(record), ['view'])
    t.is((await readResource(record)).shares.length, 1)

    // A changed declaration holds for shares that exist.
    expectOk(await shareAs(owner, record, { role: 'commenter' }))
    expectOk(await declare({ roles: [{ ...commenter, actions: ['edit'] }, triage, maintainer] }))
    t.deepEqual(await allowed(record), ['view', 'edit'])

    // A role is inherited, with the meaning that it has where it was shared.
    const parent = { resource_type: record.resource_type, resource_id: record.resource_id }
    const child = await scene.register(owner, { resource_type: 'page', parent })
    t.deepEqual(await allowed(child), ['view', 'edit'])
    const revoked = {
      permission_id: record.id,
      grantee_type: 'user',
      grantee_id: guest.id,
      role: 'commenter',
    }
    expectOk(await transport.call('RevokeShare', revoked, { key: scene.key }))
    t.deepEqual(await allowed(record), [])
    t.deepEqual(await allowed(child), [])
    const events = await listActivity(pool, record.id)
    const roles = events.map(({ detail }: any) => detail.permission)
    t.deepEqual(roles, ['triage', 'commenter', 'maintainer', 'view', 'commenter', 'commenter'])
  })

  test(`sharing requires a permission or a role of the type ${over}`, async (t) => {
    const { owner, shareAs, register, kind } = await createScene(transport)
    const record = await register(owner)
    const cases: [object, string, string][] = [
      [{}, 'permission', 'is required, or role'],
      [{ permission: 'view', role: 'triage' }, 'role', 'must not be combined with permission'],
      [{ role: 'view' }, 'role', 'must not be view; use permission'],
      [{ role: 'janitor' }, 'role', `is not a role of ${kind.resource_type}: janitor`],
    ]
    for (const [message, field, text] of cases) {
      const error = expectError(await shareAs(owner, record, message))
      t.deepEqual([error.code, error.violations], ['invalid_argument', [{ field, message: text }]])
    }
    const page = await register(owner, { resource_type: 'page' })
    const error = expectError(await shareAs(owner, page, { role: 'triage' }))
    t.deepEqual(error.violations, [{ field: 'role', message: 'is not a role of page: triage' }])
  })

  test(`a role with manage lets its holder manage, but neither transfer nor pass manage on ${over}`, async (t) => {
    const { owner, guest, shareAs, register, key, people, ...scene } = await createScene(transport)
    const record = await register(owner)
    const other = await scene.addMember('viewer')
    const toOther = { grantee_id: other.id }
    t.is(
      expectError(await shareAs(guest, record, { ...toOther, permission: 'view' })).code,
      'permission_denied',
    )
    expectOk(await shareAs(owner, record, { role: 'maintainer' }))
    expectOk(await shareAs(guest, record, { ...toOther, permission: 'edit' }))
    expectOk(await shareAs(guest, record, { ...toOther, role: 'triage' }))
    const byGuest = { token: guest.token, key }
    const change = { permission_id: record.id, visibility: 'workspace' }
    expectOk(await transport.call('UpdateVisibility', change, byGuest))
    const denied = [
      await shareAs(guest, record, { ...toOther, role: 'maintainer' }),
      await transport.call(
        'TransferOwnership',
        { permission_id: record.id, owner_id: guest.id },
        byGuest,
      ),
    ]
    for (const outcome of denied)
      t.like(outcome, { ok: false, code: 'permission_denied', reason: 'NOT_THE_OWNER' })
    expectOk(await shareAs(people.admin, record, { ...toOther, role: 'maintainer' }))
    // The owner of an ancestor may do both.
    const parent = { resource_type: record.resource_type, resource_id: record.resource_id }
    const child = await register(guest, { parent })
    expectOk(await shareAs(owner, child, { ...toOther, role: 'maintainer' }))
    const transfer = { permission_id: child.id, owner_id: other.id }
    expectOk(await transport.call('TransferOwnership', transfer, { token: owner.token, key }))
    expectOk(await transport.call('Unregister', { permission_id: record.id }, byGuest))
  })

  test(`a role that shares use cannot be removed; a dry run counts the shares ${over}`, async (t) => {
    const { owner, shareAs, register, declare, kind, key, workspace, ...scene } =
      await createScene(transport)
    const record = await register(owner)
    const group = await seed.group(workspace, [scene.guest.id])
    expectOk(await shareAs(owner, record, { role: 'triage' }))
    expectOk(
      await shareAs(owner, record, { role: 'triage', grantee_type: 'group', grantee_id: group }),
    )
    const expected = {
      code: 'already_exists',
      reason: 'ROLE_IN_USE',
      detail: 'Shares or links use roles that the declaration would remove: triage (2)',
    }
    const refused = [
      await declare({ roles: [commenter] }),
      await declare({}),
      await transport.call('DeleteResourceType', kind, { key }),
    ]
    for (const outcome of refused) t.like(outcome, { ok: false, ...expected })
    const dry = await transport.call(
      'PutResourceType',
      { ...kind, roles: [], dry_run: true },
      { key },
    )
    t.like(expectOk(dry), {
      roles_used: { triage: 2, commenter: 0, maintainer: 0 },
      resources: 1,
    })
    t.deepEqual(await scene.allowed(record), ['view', 'label'])
    expectOk(await declare({ roles: [triage] }))
  })

  test(`explanations name the role of a share ${over}`, async (t) => {
    const { owner, guest, shareAs, register, call, kind } = await createScene(transport)
    const record = await register(owner, {
      external_id: `doc-${randomUUID()}`,
      resource_id: undefined,
    })
    const { id: share_id } = expectOk(await shareAs(owner, record, { role: 'triage' }))
    const explain = async (action: string) => {
      const subject = { type: 'user', id: guest.id }
      const resource = { type: kind.resource_type, id: record.resource_id }
      const message = { subject, action: { name: action }, resource, context: { explain: true } }
      const { decision, context } = await call('Evaluate', message)
      return [decision, context.reasons, context.reason_admin.en.replace(/^.*?: /, '')]
    }
    const { rows } = await pool.query(
      'select u.name, w.name as workspace from users u, workspaces w where u.id = $1 and w.id = $2',
      [guest.id, record.workspace_id],
    )
    const [{ name, workspace }] = rows
    const reason = { rule: 'share', role: 'triage', share_id }
    t.deepEqual(await explain('label'), [
      true,
      [reason],
      `the document is shared with ${name} as triage.`,
    ])
    t.deepEqual(await explain('edit'), [
      false,
      [{ rule: 'no_grant' }],
      `${name} is a viewer of ${workspace}; the document is private; the document is shared with ${name} as triage, which does not include edit.`,
    ])
    t.deepEqual(await explain('manage'), [
      false,
      [{ rule: 'no_grant' }],
      `${name} is a viewer of ${workspace}; ${name} does not own the document; the document is shared with ${name} as triage, which does not include manage; no share gives manage.`,
    ])
    const { reasons } = expectOk(
      await admin.call(transport, 'ExplainPermission', {
        permission_id: record.id,
        user_id: guest.id,
        action: 'label',
      }),
    )
    t.like(reasons[0], { rule: 'share', role: 'triage' })
    const data = expectOk(await admin.call(transport, 'ExportUser', { user_id: guest.id }))
    t.is(data.shares[0].role, 'triage')
    t.falsy(data.shares[0].permission)
  })
}

test('a role is refused while a node of an older version is connected', async (t) => {
  const separate = await startTestEnvironment()
  t.teardown(() => separate.stop())
  for (const transport of separate.transports) {
    const { people, kind, key, register, isAllowed } = await createWorkspaceFixture(
      separate,
      transport,
    )
    expectOk(
      await transport.call(
        'PutResourceType',
        { ...kind, roles: [{ ...triage, actions: ['view'] }] },
        { key },
      ),
    )
    const record = await register(people.owner)
    const share = (message: object) => {
      const grantee = { grantee_type: 'user', grantee_id: people.viewer.id }
      const request = { permission_id: record.id, ...grantee, ...message }
      return transport.call('Share', request, { token: people.owner.token, key })
    }
    const { connectionString } = separate.pool.options as { connectionString: string }
    for (const application_name of ['', 'daikon/30', 'daikon/next', 'billing']) {
      const older = new pg.Client({ connectionString })
      await older.connect()
      await older.query(`select set_config('application_name', $1, false)`, [application_name])
      t.like(await share({ role: 'triage' }), {
        ok: false,
        code: 'already_exists',
        reason: 'ROLLOUT_IN_PROGRESS',
      })
      expectOk(await share({ permission: 'view' }))
      // The session ends after its client has closed the connection.
      await older.query(`set application_name = 'psql'`)
      await older.end()
    }
    expectOk(await share({ role: 'triage' }))
    t.true(await isAllowed(people.viewer, 'view', record))
  }
})

test('no share can have a role that a concurrent declaration removes', async (t) => {
  const transport = environment.transports[0] as Transport
  const { owner, shareAs, register, declare } = await createScene(transport)
  for (let round = 0; round < 15; round += 1) {
    expectOk(await declare({ roles }))
    const record = await register(owner)
    const [shared, removed] = await Promise.all([
      shareAs(owner, record, { role: 'triage' }),
      declare({ roles: [commenter] }),
    ])
    t.true(shared.ok !== removed.ok, `round ${round}`)
    if (removed.ok) continue
    t.is(removed.reason, 'ROLE_IN_USE')
    await pool.query('delete from shares where resource_id = $1', [record.resource_id])
  }
})
