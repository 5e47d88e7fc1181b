import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { repeatLockTimeouts } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

for (const transport of environment.transports.map(repeatLockTimeouts)) {
  const over = `over ${transport.label}`

  test(`sharing a resource returns 201 with the share and records an event ${over}`, async (t) => {
    const { workspace, people, kind, as, ...fixture } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const record = await fixture.register(people.viewer)
    const { id: permission_id, resource_id } = record
    const grant = { grantee_type: 'user', grantee_id: people.editor.id, permission: 'view' }
    const outcome = await transport.call('Share', { permission_id, ...grant }, as(people.viewer))
    const { id, granted_at, ...rest } = expectOk(outcome)
    const { expires_at, role, condition, grantee_name, grantee_email, ...expected } = rest
    t.falsy(expires_at)
    t.falsy(condition)
    t.falsy(role)
    t.falsy(grantee_name ?? grantee_email)
    t.deepEqual(expected, { ...grant, granted_by: people.viewer.id })
    t.regex(id, /^[0-9a-f-]{36}$/)
    t.true(Math.abs(Date.parse(granted_at) - Date.now()) < 600_000)
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 201)
    t.deepEqual((await fixture.readResource(record)).shares, [outcome.ok && outcome.message])

    t.deepEqual(await listActivity(environment.pool, permission_id), [
      {
        action: 'permission.shared',
        target_type: 'permission',
        actor_id: people.viewer.id,
        workspace_id: workspace,
        detail: { ...kind, resource_id, ...grant, expires_at: 'never', condition: 'none' },
      },
    ])
  })

  test(`sharing a resource that is removed concurrently reports the resource as not found ${over}`, async (t) => {
    const { people, kind, as, ...fixture } = await createWorkspaceFixture(environment, transport)
    const grant = { grantee_type: 'user', grantee_id: people.editor.id, permission: 'view' }
    for (let round = 0; round < 40; round += 1) {
      const { id: permission_id } = await fixture.register(people.owner)
      const [outcome] = await Promise.all([
        transport.call('Share', { permission_id, ...grant }, as(people.owner)),
        transport.call('Unregister', { permission_id }, as(people.owner)),
      ])
      if (!outcome.ok) t.is(outcome.reason, 'RESOURCE_NOT_FOUND')
    }
    t.pass()
  })

  test(`workspace owners and admins may share the resources of others; other members get 403 ${over}`, async (t) => {
    const { people, as, ...fixture } = await createWorkspaceFixture(environment, transport)
    const owner = await fixture.addMember('viewer')
    const record = await fixture.register(owner, { visibility: 'workspace' })
    const { id: permission_id } = record
    const grant = { grantee_type: 'user', grantee_id: people.viewer.id, permission: 'edit' }
    for (const person of [people.viewer, people.editor]) {
      const outcome = await transport.call('Share', { permission_id, ...grant }, as(person))
      t.like(outcome, { ok: false, code: 'permission_denied', reason: 'NOT_THE_OWNER' })
    }
    // Edit permission does not include sharing.
    await fixture.share(owner, record, { user: people.editor.id }, 'edit')
    t.like(await transport.call('Share', { permission_id, ...grant }, as(people.editor)), {
      ok: false,
      code: 'permission_denied',
    })
    for (const person of [people.admin, people.owner]) {
      const outcome = await transport.call('Share', { permission_id, ...grant }, as(person))
      t.like(expectOk(outcome), { ...grant, granted_by: person.id })
    }
  })

  test(`a resource of another workspace returns 404 like an unknown one, even for its owner ${over}`, async (t) => {
    const { people, key, ...fixture } = await createWorkspaceFixture(environment, transport)
    const { id } = await fixture.register(people.owner)
    const otherWorkspace = await environment.seed.workspace()
    await environment.seed.member(otherWorkspace, people.owner.id, 'owner')
    const token = await environment.token(people.owner.id, otherWorkspace)
    const grant = { grantee_type: 'user', grantee_id: people.owner.id, permission: 'view' }
    const [foreignOutcome, unknownOutcome] = await Promise.all(
      [id, randomUUID()].map(async (permission_id) => {
        const outcome = await transport.call('Share', { permission_id, ...grant }, { token, key })
        return { ...outcome, headers: undefined }
      }),
    )
    t.like(foreignOutcome, { ok: false, code: 'not_found', detail: 'Resource not found' })
    t.deepEqual(foreignOutcome, unknownOutcome)
  })

  test(`every mistake in a share is named ${over}`, async (t) => {
    const { people, as, ...fixture } = await createWorkspaceFixture(environment, transport)
    const { id: permission_id } = await fixture.register(people.owner)
    const grantee = { grantee_type: 'user', grantee_id: people.editor.id }
    const mistakes = { ...grantee, expires_at: '2000-01-01T00:00:00Z' }
    const outcome = await transport.call('Share', { permission_id, ...mistakes }, as(people.owner))
    const fields = expectError(outcome).violations.map(({ field }) => field)
    t.deepEqual(fields, ['permission', 'expires_at'])
  })

  test(`a grantee that is not a member or group of the workspace returns 404 ${over}`, async (t) => {
    const { people, as, ...fixture } = await createWorkspaceFixture(environment, transport)
    const { id: permission_id } = await fixture.register(people.viewer)
    const otherWorkspace = await environment.seed.workspace()
    const outsider = await environment.seed.newMember(otherWorkspace)
    const group = await environment.seed.group(otherWorkspace, [outsider])
    for (const [grantee_type, grantee_id] of [
      ['user', outsider],
      ['user', randomUUID()],
      ['user', group],
      ['group', group],
      ['group', randomUUID()],
      ['group', people.editor.id],
    ]) {
      const message = { permission_id, grantee_type, grantee_id, permission: 'view' }
      const outcome = await transport.call('Share', message, as(people.viewer))
      t.like(outcome, { ok: false, code: 'not_found', reason: 'GRANTEE_NOT_FOUND' })
    }
    t.deepEqual(await listActivity(environment.pool, permission_id), [])
  })

  test(`sharing again replaces the permission and keeps the ID of the share ${over}`, async (t) => {
    const { workspace, people, ...fixture } = await createWorkspaceFixture(environment, transport)
    const record = await fixture.register(people.viewer)
    const group = await environment.seed.group(workspace, [people.editor.id])
    for (const grantee of [{ user: people.editor.id }, { group }]) {
      const first = await fixture.share(people.viewer, record, grantee, 'edit')
      t.true(await fixture.isAllowed(people.editor, 'edit', record))
      const second = await fixture.share(people.admin, record, grantee, 'view')
      t.like(second, { id: first.id, permission: 'view', granted_by: people.admin.id })
      t.false(await fixture.isAllowed(people.editor, 'edit', record))
      t.true(await fixture.isAllowed(people.editor, 'view', record))
    }
    t.is((await fixture.readResource(record)).shares.length, 2)
  })

  test(`50 concurrent shares of one resource cause neither duplicates nor errors ${over}`, async (t) => {
    const { workspace, people, key, ...fixture } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const record = await fixture.register(people.viewer)
    const group = await environment.seed.group(workspace)
    const grantees = [{ user: people.editor.id }, { group }, { user: people.admin.id }]
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const grantee = grantees[index % 3] as { user: string }
        return fixture.share(people.viewer, record, grantee, index % 2 ? 'view' : 'edit')
      }),
    )
    t.is((await fixture.readResource(record)).shares.length, 3)

    const revocation = { grantee_type: 'user', grantee_id: people.editor.id, permission: 'view' }
    const message = { permission_id: record.id, ...revocation }
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => transport.call('RevokeShare', message, { key })),
    )
    t.is(outcomes.filter(({ ok }) => ok).length, 1)
    t.is(outcomes.filter((outcome) => !outcome.ok && outcome.code === 'not_found').length, 19)
  })

  test(`concurrent shares each return their own result ${over}`, async (t) => {
    const { people, as, ...fixture } = await createWorkspaceFixture(environment, transport)
    const records = await Promise.all(
      Array.from({ length: 5 }, () => fixture.register(people.viewer)),
    )
    const grantees = [people.editor.id, randomUUID(), people.admin.id, people.owner.id]
    const requests = records.flatMap(({ id }) =>
      grantees.map((grantee_id, index) => ({
        permission_id: id,
        grantee_type: 'user',
        grantee_id,
        permission: index % 2 ? 'view' : 'edit',
      })),
    )
    const outcomes = await Promise.all(
      requests.map((message) => transport.call('Share', message, as(people.viewer))),
    )
    for (const [index, { permission_id, ...grant }] of requests.entries()) {
      const outcome = outcomes[index]
      if (grant.grantee_id === grantees[1])
        t.like(outcome, { ok: false, code: 'not_found', reason: 'GRANTEE_NOT_FOUND' })
      else t.like(outcome, { ok: true, message: { ...grant, granted_by: people.viewer.id } })
    }
    for (const record of records) {
      const { shares } = await fixture.readResource(record)
      const [editor, , admin, owner] = grantees
      t.deepEqual(
        shares.map(({ grantee_id }: any) => grantee_id).sort(),
        [editor, admin, owner].sort(),
      )
      const recorded = await listActivity(environment.pool, record.id)
      t.deepEqual(
        recorded.map(({ detail }) => detail.grantee_id).sort(),
        [editor, admin, owner].sort(),
      )
    }
  })

  test(`sharing and revoking during the removal of the resource succeed or return 404 ${over}`, async (t) => {
    const { people, key, as, ...fixture } = await createWorkspaceFixture(environment, transport)
    for (let round = 0; round < 5; round += 1) {
      const { id: permission_id } = await fixture.register(people.viewer)
      const grant = { grantee_type: 'user', grantee_id: people.editor.id, permission: 'view' }
      const outcomes = await Promise.all([
        transport.call('Share', { permission_id, ...grant }, as(people.viewer)),
        transport.call('Share', { permission_id, ...grant }, as(people.admin)),
        transport.call('Unregister', { permission_id }, { key }),
        transport.call('RevokeShare', { permission_id, ...grant }, { key }),
      ])
      for (const outcome of outcomes) t.true(outcome.ok || outcome.code === 'not_found')
    }
  })

  test(`revoking a share removes access at once and records the share ${over}`, async (t) => {
    const { workspace, people, kind, key, ...fixture } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const record = await fixture.register(people.viewer)
    const { id: permission_id, resource_id } = record
    const group = await environment.seed.group(workspace, [people.editor.id])
    await fixture.share(people.viewer, record, { user: people.editor.id }, 'view')
    await fixture.share(people.viewer, record, { group }, 'edit')
    t.true(await fixture.isAllowed(people.editor, 'edit', record))

    // `permission` is required, and the share is found without it.
    const revocation = {
      permission_id,
      grantee_type: 'group',
      grantee_id: group,
      permission: 'view',
    }
    const outcome = await transport.call('RevokeShare', revocation, { key })
    t.deepEqual(expectOk(outcome), { status: 'ok' })
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 200)
    t.false(await fixture.isAllowed(people.editor, 'edit', record))
    t.true(await fixture.isAllowed(people.editor, 'view', record))
    const { shares } = await fixture.readResource(record)
    t.deepEqual(
      shares.map((share: { grantee_id: string }) => share.grantee_id),
      [people.editor.id],
    )
    t.like((await listActivity(environment.pool, permission_id)).at(-1), {
      action: 'permission.share_revoked',
      actor_id: null,
      workspace_id: workspace,
      detail: {
        ...kind,
        resource_id,
        grantee_type: 'group',
        grantee_id: group,
        permission: 'edit',
      },
    })
    t.like(await transport.call('RevokeShare', revocation, { key }), {
      ok: false,
      code: 'not_found',
      detail: 'Share not found',
    })
    t.is((await listActivity(environment.pool, permission_id)).length, 3)
  })

  test(`revoking a share requires a permission or role, whichever it is ${over}`, async (t) => {
    const { people, key, as, ...fixture } = await createWorkspaceFixture(environment, transport)
    const record = await fixture.register(people.viewer)
    const { id: permission_id } = record
    const grantee = { grantee_type: 'user', grantee_id: people.editor.id }
    const revoke = (rest: object) =>
      transport.call('RevokeShare', { permission_id, ...grantee, ...rest }, { key })
    const share = { permission_id, ...grantee, permission: 'edit' }
    expectOk(await transport.call('Share', share, as(people.viewer)))
    t.like(await revoke({}), {
      ok: false,
      code: 'invalid_argument',
      violations: [{ field: 'permission', message: 'is required, or role' }],
    })
    const problems = await revoke({ grantee_type: '' })
    t.deepEqual(
      expectError(problems).violations.map(({ field }) => field),
      ['grantee_type', 'permission'],
    )
    t.true(await fixture.isAllowed(people.editor, 'edit', record))
    expectOk(await revoke({ permission: 'view' }))
    expectOk(await transport.call('Share', share, as(people.viewer)))
    expectOk(await revoke({ role: 'approver' }))
  })

  test(`revoking a share of an unknown permission_id or grantee returns 404 ${over}`, async (t) => {
    const { people, key, ...fixture } = await createWorkspaceFixture(environment, transport)
    const { id } = await fixture.register(people.viewer)
    const grantee = { grantee_type: 'user', grantee_id: people.editor.id, permission: 'view' }
    for (const permission_id of [id, randomUUID()]) {
      const outcome = await transport.call('RevokeShare', { permission_id, ...grantee }, { key })
      t.like(outcome, { ok: false, code: 'not_found' })
    }
  })

  test(`upper-case IDs are accepted and recorded in lower case ${over}`, async (t) => {
    const { people, key, as, ...fixture } = await createWorkspaceFixture(environment, transport)
    const record = await fixture.register(people.viewer)
    const message = {
      permission_id: record.id.toUpperCase(),
      grantee_type: 'user',
      grantee_id: people.editor.id.toUpperCase(),
      permission: 'view',
    }
    const shared = expectOk(await transport.call('Share', message, as(people.viewer)))
    t.is(shared.grantee_id, people.editor.id)
    t.true(await fixture.isAllowed(people.editor, 'view', record))
    expectOk(await transport.call('RevokeShare', message, { key }))
    t.false(await fixture.isAllowed(people.editor, 'view', record))
    const entries = await listActivity(environment.pool, record.id)
    t.deepEqual(
      entries.map(({ detail }) => detail.grantee_id),
      [people.editor.id, people.editor.id],
    )
  })
}
