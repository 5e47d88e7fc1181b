import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type ResourceRecord } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment({ MAX_FACTS_CACHE_BYTES: 8 * 1024 * 1024 })
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

/** A guest, and folders and documents, of which only the documents may be public. */
async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, service, kind, key, people, addMember, register } = fixture
  const publish = await seed.serviceAction(service, 'publish')
  const call = async (method: string, message: object) =>
    expectOk(await transport.call(method, message, { key }))
  const declare = (resource_type: string, more: object) => {
    const nothing = { roles: [], conditions: [], requirements: [] }
    return call('PutResourceType', { service_name: service, resource_type, ...nothing, ...more })
  }
  const insider = { name: 'insider', description: '', expression: '!subject.guest' }
  await declare('document', {
    allow_public: true,
    conditions: [{ ...insider, parameters: {} }],
  })
  await declare('folder', { allow_public: true })
  const guest = await addMember('viewer')
  const setGuest = async (id: string, guest: boolean) =>
    expectOk(
      await transport.call(
        'UpdateMember',
        { workspace_id: workspace, user_id: id, guest, role: '' },
        { token: people.admin.token },
      ),
    )
  await setGuest(guest.id, true)
  const user = { type: 'user', id: guest.id }
  const evaluate = async (
    subject: object,
    name: string,
    { resource_id, resource_type = 'document' }: { resource_id: string; resource_type?: string },
  ) => {
    const { decision, context } = await call('Evaluate', {
      subject,
      action: { name },
      resource: { type: resource_type, id: resource_id },
      context: { explain: true },
    })
    return { decision, reasons: context.reasons }
  }
  return {
    ...fixture,
    ...{ publish, call, declare, guest, setGuest, user, evaluate },
    below: (folder: ResourceRecord, more: object = {}) =>
      register(people.owner, {
        parent: { resource_type: 'folder', resource_id: folder.resource_id },
        ...more,
      }),
    /** Returns what the guest may perform an action on, and whether that is everything. */
    async list(action: string, person = guest) {
      const message = { ...kind, action, workspace_id: workspace }
      const credentials = { token: person.token, key }
      const { resource_ids, has_full_access } = expectOk(
        await transport.call('Accessible', message, credentials),
      )
      return { ids: resource_ids, has_full_access }
    },
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`visibility workspace is nothing to a guest, at once, on the resource and by inheritance ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { people, register, evaluate, user, guest, setGuest, list, below, isAllowed } = scene
    const explain = async ({ id: permission_id }: ResourceRecord, subject = user) =>
      expectOk(
        await admin.call(transport, 'WhatIf', { permission_id, subject, action: 'view', with: [] }),
      )
    const open = await register(people.owner, { visibility: 'workspace' })
    const folder = await register(people.owner, {
      resource_type: 'folder',
      visibility: 'workspace',
      display_name: 'Plans',
    })
    const child = await below(folder)
    t.false(await isAllowed(guest, 'view', open))
    const denied = await evaluate(user, 'view', open)
    t.like(denied, { decision: false, reasons: [{ rule: 'guest' }] })
    t.is(denied.reasons.length, 1)
    t.falsy(denied.reasons[0].inherited_from)
    const { rows } = await pool.query(
      `select (select name from workspaces where id = $1) as workspace,
         (select coalesce(nullif(name, ''), email) from users where id = $2) as name`,
      [scene.workspace, guest.id],
    )
    const [{ name, workspace }] = rows
    const { sentence } = await explain(open)
    t.is(
      sentence,
      `${name} may not view document ${open.resource_id}: ${name} is a guest of ${workspace}, and the document is visible to members only.`,
    )
    t.like(await evaluate(user, 'view', child), {
      decision: false,
      reasons: [{ rule: 'guest', inherited_from: { permission_id: folder.id } }],
    })
    // The visibility would not let a viewer edit.
    t.like(await evaluate(user, 'edit', open), { reasons: [{ rule: 'no_grant' }] })
    t.deepEqual(await list('view'), { ids: [], has_full_access: false })
    await setGuest(guest.id, false)
    t.true(await isAllowed(guest, 'view', open))
    t.true(await isAllowed(guest, 'view', child))
    const all = [open, child].map(({ resource_id }) => resource_id).toSorted()
    t.deepEqual((await list('view')).ids, all)
    await setGuest(guest.id, true)
    t.false(await isAllowed(guest, 'view', open))
    t.deepEqual((await list('view')).ids, [])
    const found = await scene.call('SearchSubjects', {
      subject: { type: 'user' },
      action: { name: 'view' },
      resource: { type: 'document', id: open.resource_id },
    })
    t.false(found.results.some(({ id }: { id: string }) => id === guest.id))
    t.true(found.results.some(({ id }: { id: string }) => id === people.viewer.id))
  })

  test(`what is public, shared or owned counts for a guest, and a custom role on it ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { people, register, evaluate, user, guest, list, below, share, publish } = scene
    await seed.customRole(scene.workspace, [publish], [guest.id])
    const open = await register(people.owner, { visibility: 'workspace' })
    const everybodys = await register(people.owner, { visibility: 'public' })
    const shared = await register(people.owner, { visibility: 'workspace' })
    await share(people.owner, shared, { user: guest.id }, 'view')
    const own = await register(guest)
    const folder = await register(people.owner, { resource_type: 'folder', visibility: 'public' })
    const child = await below(folder)
    const seen = [everybodys, shared, own, child].map(({ resource_id }) => resource_id)
    for (const action of ['view', 'publish']) {
      t.deepEqual(await list(action), { ids: seen.toSorted(), has_full_access: false })
      t.false((await evaluate(user, action, open)).decision)
      for (const resource_id of seen)
        t.true((await evaluate(user, action, { resource_id })).decision, action)
    }
    t.like(await evaluate(user, 'publish', open), { reasons: [{ rule: 'guest' }] })
    t.like(await evaluate(user, 'publish', everybodys), {
      reasons: [{ rule: 'public' }, { rule: 'custom_role' }],
    })
    t.like(await evaluate(user, 'view', child), {
      reasons: [{ rule: 'public', inherited_from: { permission_id: folder.id } }],
    })
    t.deepEqual((await list('edit')).ids, [own.resource_id])
    // Below a public folder, a type that does not allow it counts as visible to the workspace.
    await scene.declare('note', {})
    const note = await below(folder, { resource_type: 'note' })
    t.like(await evaluate(user, 'view', note), {
      decision: false,
      reasons: [{ rule: 'guest', inherited_from: { permission_id: folder.id } }],
    })
    t.true((await evaluate({ type: 'user', id: people.viewer.id }, 'view', note)).decision)
    const notes = expectOk(
      await transport.call(
        'Accessible',
        {
          service_name: scene.service,
          resource_type: 'note',
          action: 'view',
          workspace_id: scene.workspace,
        },
        { token: guest.token, key: scene.key },
      ),
    )
    t.deepEqual(notes.resource_ids, [])
  })

  test(`a share that a condition withholds is explained beside the visibility ${over}`, async (t) => {
    const { people, register, evaluate, user, guest, key, declare } = await createScene(transport)
    const expression = 'context.inside || !subject.guest'
    await declare('document', {
      conditions: [{ name: 'insider', description: '', expression, parameters: {} }],
    })
    const open = await register(people.owner, { visibility: 'workspace' })
    const condition = { name: 'insider', params: {} }
    const message = { permission_id: open.id, grantee_type: 'user', grantee_id: guest.id }
    const credentials = { key, token: people.owner.token }
    const shared = { ...message, permission: 'view', condition }
    expectOk(await transport.call('Share', shared, credentials))
    t.like(await evaluate(user, 'view', open), {
      decision: false,
      reasons: [{ rule: 'guest' }, { rule: 'context_missing', missing: ['context.inside'] }],
    })
  })

  test(`a group counts the workspace's visibility while no effective member is a guest ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { people, register, evaluate, guest, workspace, key, call, declare } = scene
    const outer = await seed.group(workspace, [people.viewer.id])
    const inner = await seed.group(workspace, [guest.id])
    const inGroup = { workspace_id: workspace, group_id: outer, child_id: inner }
    const open = await register(people.owner, { visibility: 'workspace' })
    const group = { type: 'group', id: outer }
    t.true((await evaluate(group, 'view', open)).decision)
    const byAdmin = { token: people.admin.token }
    expectOk(await transport.call('AddChildGroup', inGroup, byAdmin))
    t.like(await evaluate(group, 'view', open), { decision: false, reasons: [{ rule: 'guest' }] })
    const explained = await admin.call(transport, 'WhatIf', {
      permission_id: open.id,
      subject: group,
      action: 'view',
      with: [],
    })
    t.regex(
      expectOk(explained).sentence,
      /: Group .* has a guest of .* among its members, and the document is visible to members only\.$/,
    )
    const search = async () => {
      const message = {
        subject: { type: 'group' },
        action: { name: 'view' },
        resource: { type: 'document', id: open.resource_id },
      }
      return (await call('SearchSubjects', message)).results
    }
    t.deepEqual(await search(), [])
    const setActive = (is_active: boolean) =>
      pool.query('update users set is_active = $2 where id = $1', [guest.id, is_active])
    await setActive(false)
    t.true((await evaluate(group, 'view', open)).decision)
    await setActive(true)
    t.false((await evaluate(group, 'view', open)).decision)
    // An invited guest counts, too.
    await pool.query('update members set joined_at = null where user_id = $1', [guest.id])
    t.false((await evaluate(group, 'view', open)).decision)

    // A condition about guests has no value for both of them.
    const condition = { name: 'insider', params: {} }
    const message = { permission_id: open.id, grantee_type: 'group', grantee_id: outer }
    const shared = { ...message, permission: 'edit', condition }
    const byOwner = { key, token: people.owner.token }
    expectOk(await transport.call('Share', shared, byOwner))
    const withheld = await evaluate(group, 'edit', open)
    t.like(withheld, { decision: false, reasons: [{ rule: 'condition_failed' }] })
    expectOk(await transport.call('RemoveChildGroup', inGroup, byAdmin))
    t.true((await evaluate(group, 'edit', open)).decision)
    await declare('document', {
      allow_public: true,
      conditions: [
        { name: 'insider', description: '', expression: '!subject.guest', parameters: {} },
        {
          name: 'whole',
          description: '',
          expression: "subject.type == 'group' || subject.guest || true",
          parameters: {},
        },
      ],
      requirements: [{ action: 'edit', condition: 'whole' }],
    })
    t.true((await evaluate(group, 'edit', open)).decision)
    expectOk(await transport.call('AddChildGroup', inGroup, byAdmin))
    t.false((await evaluate(group, 'edit', open)).decision)
  })

  test(`a condition takes no link, anonymous subject or service account for a guest ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { people, register, evaluate, user, declare, workspace } = scene
    const open = await register(people.owner, { visibility: 'public' })
    const { token } = expectOk(
      await transport.call(
        'CreateLink',
        { permission_id: open.id, permission: 'view' },
        scene.as(people.owner),
      ),
    )
    const byAdmin = { token: people.admin.token }
    const account = { workspace_id: workspace, name: 'robot', role: 'viewer' }
    const { id } = expectOk(await transport.call('CreateServiceAccount', account, byAdmin))
    const named = { workspace_id: workspace, service_account_id: id, name: 'key' }
    const { key } = expectOk(await transport.call('CreateKey', named, byAdmin))
    await declare('document', {
      allow_public: true,
      conditions: [
        { name: 'insider', description: '', expression: '!subject.guest', parameters: {} },
      ],
      requirements: [{ action: 'view', condition: 'insider' }],
    })
    for (const subject of [
      { type: 'link', id: token },
      { type: 'anonymous', id: '-' },
      { type: 'api_key', id: key },
      { type: 'user', id: people.viewer.id },
    ])
      t.true((await evaluate(subject, 'view', open)).decision, subject.type)
    t.like(await evaluate(user, 'view', open), {
      decision: false,
      reasons: [{ rule: 'requirement_not_met' }],
    })
  })

  test(`what would be if someone were a guest, or were none ${over}`, async (t) => {
    const { people, register, guest, user } = await createScene(transport)
    const open = await register(people.owner, { visibility: 'workspace' })
    const ask = (subject: object, membership: object) =>
      admin.call(transport, 'WhatIf', {
        permission_id: open.id,
        subject,
        action: 'view',
        with: [{ membership }],
      })
    t.true(expectOk(await ask(user, { role: 'viewer' })).decision)
    t.true(expectOk(await ask(user, { role: 'viewer', guest: false })).decision)
    const viewer = { type: 'user', id: people.viewer.id }
    t.like(expectOk(await ask(viewer, { role: 'viewer', guest: true })), {
      decision: false,
      reasons: [{ rule: 'guest' }],
    })
    const refused = expectError(await ask(viewer, { role: 'editor', guest: true }))
    t.like(refused, {
      code: 'invalid_argument',
      violations: [{ field: 'with[0].membership.role' }],
    })
    t.truthy(guest)
  })

  test(`a guest views the workspace itself, and a custom role counts there ${over}`, async (t) => {
    const { evaluate, user, guest, workspace, publish } = await createScene(transport)
    const resource = { resource_type: 'workspace', resource_id: workspace }
    t.true((await evaluate(user, 'view', resource)).decision)
    t.false((await evaluate(user, 'publish', resource)).decision)
    await seed.customRole(workspace, [publish], [guest.id])
    t.true((await evaluate(user, 'publish', resource)).decision)
  })

  test(`a guest of one workspace is none in another ${over}`, async (t) => {
    const { guest, user, evaluate, key, kind } = await createScene(transport)
    const elsewhere = await seed.workspace()
    await seed.member(elsewhere, guest.id, 'viewer')
    const owner = await seed.newMember(elsewhere, 'owner')
    const resource_id = randomUUID()
    const facts = { ...kind, resource_id, workspace_id: elsewhere, owner_id: owner }
    const message = { ...facts, visibility: 'workspace' }
    expectOk(await transport.call('Register', message, { key }))
    t.true((await evaluate(user, 'view', { resource_id })).decision)
  })
}

test('a condition reads who is a guest, in a sample, too', async (t) => {
  const [transport] = environment.transports as [Transport]
  const evaluate = async (subject: object) =>
    expectOk(
      await admin.call(transport, 'EvaluateCondition', {
        expression: 'subject.guest',
        parameters: {},
        params: {},
        sample: { subject },
      }),
    ).result
  t.true(await evaluate({ guest: true }))
  t.false(await evaluate({}))
})
