import { randomUUID } from 'node:crypto'
import test from 'ava'
import pg from 'pg'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { seed, pool } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

/** A document in a folder, a guest in a group in a group, and someone who is no member. */
async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { people, kind, key, workspace, service, register, addMember } = fixture
  const publish = await seed.serviceAction(service, 'publish')
  const declare = (resource_type: string, more: object = {}) =>
    transport.call(
      'PutResourceType',
      {
        service_name: service,
        resource_type,
        roles: [
          { name: 'publisher', actions: ['publish'] },
          { name: 'manager', actions: ['manage'] },
        ],
        conditions: [
          {
            name: 'small',
            description: '',
            expression: 'context.amount <= params.limit',
            parameters: { limit: 'int' },
          },
          {
            name: 'editors',
            description: '',
            expression: "subject.role == 'editor'",
            parameters: {},
          },
        ],
        ...more,
      },
      { key },
    )
  for (const type of ['document', 'folder']) expectOk(await declare(type))
  const guest = await addMember('viewer')
  const stranger = await seed.user(`stranger-${randomUUID()}`)
  const inner = await seed.group(workspace, [guest.id], 'Inner')
  const outer = await seed.group(workspace, [], 'Outer')
  await seed.childGroup(workspace, outer, inner)
  await pool.query(
    `insert into group_members (group_id, user_id, workspace_id, is_direct)
     values ($1, $2, $3, false)`,
    [outer, guest.id, workspace],
  )
  const others = await seed.group(workspace, [people.editor.id], 'Others')
  const folder = await register(people.owner, { resource_type: 'folder' })
  const document = await register(people.owner, {
    parent: { resource_type: 'folder', resource_id: folder.resource_id },
  })
  const ask = (message: object, subject: object = { type: 'user', id: guest.id }) =>
    admin.call(transport, 'WhatIf', {
      permission_id: document.id,
      subject,
      action: 'view',
      with: [],
      ...message,
    })
  /** Returns whether the guest may perform the action, as a check says. */
  const check = async (action: string, person = guest) => {
    const checks = [{ ...kind, resource_id: document.resource_id, action }]
    const credentials = { token: person.token, key }
    return expectOk(await transport.call('Check', { checks }, credentials)).results[0].allowed
  }
  const toGuest = { grantee_type: 'user', grantee_id: guest.id }
  const toGroup = (grantee_id: string) => ({ grantee_type: 'group', grantee_id })
  return {
    ...fixture,
    ...{ publish, declare, guest, stranger, inner, outer, others, folder, document, ask, check },
    ...{ toGuest, toGroup },
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`assumed shares count like real ones, and nothing is written ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { ask, check, document, folder, inner, outer, others, people, key } = scene
    const { toGuest, toGroup } = scene
    const count = async () => {
      const tables = ['shares', 'members', 'activity', 'custom_role_members', 'group_members']
      const counts = tables.map(
        (table) => `(select count(*)::int from ${table} where workspace_id = $1)`,
      )
      const sql = `select json_build_array(${counts.join()}) as counts`
      return (await pool.query(sql, [scene.workspace])).rows[0].counts
    }
    t.like(expectOk(await ask({})), { decision: false, reasons: [{ rule: 'no_grant' }] })
    const assumed: [share: object, action: string, decision: boolean, reason: object][] = [
      [{ ...toGuest, permission: 'view' }, 'view', true, { rule: 'share', permission: 'view' }],
      [{ ...toGuest, permission: 'view' }, 'edit', false, { rule: 'no_grant' }],
      [{ ...toGuest, permission: 'edit' }, 'edit', true, { rule: 'share', permission: 'edit' }],
      [{ ...toGuest, role: 'publisher' }, 'publish', true, { rule: 'share', role: 'publisher' }],
      [{ ...toGuest, role: 'publisher' }, 'view', false, { rule: 'no_grant' }],
      [{ ...toGuest, role: 'manager' }, 'manage', true, { rule: 'share', role: 'manager' }],
      [{ ...toGroup(inner), permission: 'view' }, 'view', true, { rule: 'group_share' }],
      [{ ...toGroup(outer), permission: 'view' }, 'view', true, { via: [inner] }],
      [{ ...toGroup(others), permission: 'view' }, 'view', false, { rule: 'no_grant' }],
    ]
    for (const [share, action, decision, reason] of assumed) {
      const before = await count()
      const message = { action, with: [{ share }] }
      t.like(expectOk(await ask(message)), { decision, reasons: [reason] }, JSON.stringify(message))
      t.deepEqual(await count(), before)
      t.false(await check(action))
      // A real share decides the same.
      const request = { permission_id: document.id, ...share }
      const credentials = { key, token: people.owner.token }
      expectOk(await transport.call('Share', request, credentials))
      t.is(await check(action), decision)
      expectOk(await transport.call('RevokeShare', request, credentials))
    }
    const ofFolder = { ...toGuest, permission: 'edit', permission_id: folder.id }
    const inherited = expectOk(await ask({ action: 'edit', with: [{ share: ofFolder }] }))
    t.like(inherited, {
      decision: true,
      reasons: [{ rule: 'share', inherited_from: { permission_id: folder.id } }],
    })
    t.regex(inherited.sentence, /may edit document .*: the folder .* above it is shared with/)
    const group = expectOk(
      await ask(
        { with: [{ share: { ...toGroup(outer), permission: 'view' } }] },
        {
          type: 'group',
          id: inner,
        },
      ),
    )
    t.like(group, { decision: true, reasons: [{ rule: 'group_share', group_id: outer }] })
  })

  test(`conditions and requirements are judged as if the share existed ${over}`, async (t) => {
    const { ask, toGuest, declare, guest } = await createScene(transport)
    const condition = { name: 'small', params: { limit: 10 } }
    const share = { ...toGuest, permission: 'view', condition }
    const decide = async (message: object) => expectOk(await ask({ with: [{ share }], ...message }))
    t.like(await decide({ context: { amount: 10 } }), {
      decision: true,
      reasons: [{ rule: 'share', condition: 'small' }],
    })
    t.like(await decide({ context: { amount: 11 } }), { decision: false })
    t.like(await decide({}), {
      reasons: [{ rule: 'context_missing', missing: ['context.amount'] }],
    })
    // The role of the subject is the assumed one.
    const forEditors = { share: { ...share, condition: { name: 'editors' } } }
    t.like(await decide({ with: [forEditors] }), { decision: false })
    t.like(await decide({ with: [forEditors, { membership: { role: 'editor' } }] }), {
      decision: true,
    })
    expectOk(
      await declare('document', { requirements: [{ action: 'view', condition: 'editors' }] }),
    )
    const unmet = { reasons: [{ rule: 'requirement_not_met', condition: 'editors' }] }
    t.like(await decide({ context: { amount: 1 } }), unmet)
    const violations = async (message: object) =>
      expectError(await ask(message)).violations.map(({ field }) => field)
    t.deepEqual(
      await violations({
        with: [
          { share: { ...share, condition: { name: 'small', params: {} } } },
          { share: { ...toGuest, role: 'unknown' } },
          { share: { ...toGuest, permission: 'view', expires_at: '2020-01-01T00:00:00Z' } },
          { share: { ...share, grantee_id: randomUUID() } },
          { share: { ...share, permission_id: randomUUID() } },
        ],
      }),
      [
        'with[0].share.condition.params.limit',
        'with[1].share.role',
        'with[2].share.expires_at',
        'with[3].share.grantee_id',
        'with[4].share.permission_id',
      ],
    )
    t.deepEqual(await violations({ with: [{}] }), ['with[0].share'])
    t.deepEqual(await violations({ with: [{ share: toGuest }] }), ['with[0].share.permission'])
    t.is(guest.id, toGuest.grantee_id)
  })

  test(`a requirement can refuse agents ${over}`, async (t) => {
    const { ask, declare, people } = await createScene(transport)
    const condition = { name: 'person', description: '', parameters: {} }
    const conditions = [{ ...condition, expression: "agent.type == ''" }]
    const requirements = [{ action: 'publish', condition: 'person' }]
    expectOk(await declare('document', { conditions, requirements }))
    const owner = { type: 'user', id: people.owner.id }
    const id = randomUUID()
    for (const type of ['service_account', 'client']) {
      const agent = { type, id }
      t.like(expectOk(await ask({ action: 'publish', agent }, owner)), {
        decision: false,
        reasons: [{ rule: 'requirement_not_met', condition: 'person' }],
      })
      t.true(expectOk(await ask({ action: 'edit', agent }, owner)).decision)
    }
    t.true(expectOk(await ask({ action: 'publish' }, owner)).decision)
    // A condition can also name one agent.
    conditions[0] = { ...condition, expression: `agent.id == '${id}' && agent.type == 'client'` }
    expectOk(await declare('document', { conditions, requirements }))
    const decide = async (agent?: object) =>
      expectOk(await ask({ action: 'publish', agent }, owner)).decision
    t.deepEqual(
      [
        await decide({ type: 'client', id }),
        await decide({ type: 'client', id: randomUUID() }),
        await decide({ type: 'service_account', id }),
        await decide(),
      ],
      [true, false, false, false],
    )
    const unknown = await ask({ action: 'publish', agent: { type: 'user', id: 'x' } }, owner)
    const { violations } = expectError(unknown)
    t.deepEqual(
      violations.map(({ field }) => field),
      ['agent.type', 'agent.id'],
    )
  })

  test(`assumed roles and memberships count like real ones ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { ask, check, workspace, publish, stranger, people, inner } = scene
    const role = await seed.customRole(workspace, [publish], [])
    const empty = await seed.customRole(workspace, [], [])
    const edit = { role: { role_id: role } }
    const shared = { share: { ...scene.toGuest, permission: 'view' } }
    const decide = async (message: object, subject?: object) =>
      expectOk(await ask({ action: 'publish', ...message }, subject))
    // A custom role counts on what the user may view.
    t.false((await decide({ with: [edit] })).decision)
    const both = await decide({ with: [edit, shared] })
    t.true(both.decision)
    t.deepEqual(both.reasons.map(({ rule }: { rule: string }) => rule).toSorted(), [
      'custom_role',
      'share',
    ])
    t.false((await decide({ with: [{ role: { role_id: empty } }, shared] })).decision)
    t.true((await decide({ with: [{ membership: { role: 'admin' } }] })).decision)
    t.false(await check('publish'))
    const member = { type: 'user', id: stranger }
    t.like(await decide({ action: 'view' }, member), { reasons: [{ rule: 'not_a_member' }] })
    t.like(await decide({ action: 'view', with: [{ membership: { role: 'owner' } }] }, member), {
      decision: true,
      reasons: [{ rule: 'workspace_role', role: 'owner' }],
    })
    t.like(await decide({ action: 'view', with: [{ membership: { role: 'viewer' } }] }, member), {
      decision: false,
      reasons: [{ rule: 'no_grant' }],
    })
    // Owners who would become viewers lose what the role gave.
    const owner = { type: 'user', id: people.admin.id }
    t.true((await decide({ action: 'edit' }, owner)).decision)
    t.false(
      (await decide({ action: 'edit', with: [{ membership: { role: 'viewer' } }] }, owner))
        .decision,
    )
    const asGroup = await ask(
      { with: [{ membership: { role: 'owner' } }] },
      {
        type: 'group',
        id: inner,
      },
    )
    t.is(expectError(asGroup).violations[0]?.field, 'with[0].membership.role')
    for (const [message, reason] of [
      [{ with: [{ role: { role_id: randomUUID() } }] }, 'ROLE_NOT_FOUND'],
      [
        { with: [{ share: { ...scene.toGroup(randomUUID()), permission: 'view' } }] },
        'GRANTEE_NOT_FOUND',
      ],
      [{ permission_id: randomUUID() }, 'RESOURCE_NOT_FOUND'],
    ] as const)
      t.is(expectError(await ask(message)).reason, reason)
    const unknown = await ask(
      { with: [{ membership: { role: 'owner' } }] },
      {
        type: 'user',
        id: randomUUID(),
      },
    )
    t.is(expectError(unknown).reason, 'USER_NOT_FOUND')
  })
}

test('a condition about agents is refused while an older node is connected', async (t) => {
  const separate = await startTestEnvironment()
  t.teardown(() => separate.stop())
  const { connectionString } = separate.pool.options as { connectionString: string }
  for (const transport of separate.transports) {
    const { kind, key } = await createWorkspaceFixture(separate, transport)
    const put = (expression: string) => {
      const conditions = [{ name: 'person', description: '', parameters: {}, expression }]
      return transport.call('PutResourceType', { ...kind, roles: [], conditions }, { key })
    }
    const older = new pg.Client({ connectionString })
    older.on('error', () => {})
    await older.connect()
    await older.query(`select set_config('application_name', 'daikon/104', false)`)
    for (const expression of ["agent.type == ''", 'context.a || agent == {}']) {
      const refused = expectError(await put(expression))
      t.like(refused, { code: 'already_exists', reason: 'ROLLOUT_IN_PROGRESS' })
      t.regex(refused.detail, /^A condition about agents is refused/)
    }
    expectOk(await put("context.agent == ''"))
    await older.query(`set application_name = 'psql'`)
    await older.end()
    expectOk(await put("agent.type == ''"))
  }
})
