import { randomUUID } from 'node:crypto'
import test from 'ava'
import pg from 'pg'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type ResourceRecord } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const remembering = await environment.addNode({ MAX_FACTS_CACHE_BYTES: 8 * 1024 * 1024 })
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

/** A service whose documents may be public, and a stranger who owns another workspace. */
async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { kind, key } = fixture
  const call = async (method: string, message: object, credentials: object = { key }) =>
    expectOk(await transport.call(method, message, credentials))
  const declare = (declaration: object = {}) =>
    transport.call('PutResourceType', { ...kind, roles: [], ...declaration }, { key })
  expectOk(await declare({ allow_public: true }))
  const elsewhere = await seed.workspace()
  const stranger = await seed.newMember(elsewhere, 'owner')
  const setVisibility = ({ id }: ResourceRecord, visibility: string, credentials: object = {}) =>
    transport.call('UpdateVisibility', { permission_id: id, visibility }, { key, ...credentials })
  const evaluate = async (
    subject: object,
    action: string,
    { resource_id }: { resource_id: string },
  ) => {
    const message = {
      subject,
      action: { name: action },
      resource: { type: kind.resource_type, id: resource_id },
      context: { explain: true },
    }
    const { decision, context } = await call('Evaluate', message)
    const rules = context.reasons.map(({ rule }: { rule: string }) => rule)
    return { decision, rules, sentence: context.reason_admin.en }
  }
  const token = await environment.token(stranger, elsewhere)
  return { ...fixture, call, declare, elsewhere, stranger, token, setVisibility, evaluate }
}

const anonymous = { type: 'anonymous', id: 'anyone' }

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a resource can be public only if its type allows it ${over}`, async (t) => {
    const { declare, people, register, setVisibility, kind, key, workspace, ...scene } =
      await createScene(transport)
    const { types } = await scene.call('ListResourceTypes', { service_name: kind.service_name })
    t.true(types[0].allow_public)
    const record = await register(people.viewer, { visibility: 'public' })
    t.is((await scene.readResource(record)).visibility, 'public')
    const used = {
      ok: false,
      code: 'already_exists',
      reason: 'PUBLIC_RESOURCES',
      detail: '1 resource of the type is public',
    }
    t.like(await declare({}), used)
    t.like(await transport.call('DeleteResourceType', kind, { key }), used)
    const other = await register(people.viewer)
    // Whoever may manage a resource may make it public, and nobody else.
    t.is(
      expectError(await setVisibility(other, 'public', { token: people.editor.token })).code,
      'permission_denied',
    )
    expectOk(await setVisibility(other, 'public', { token: people.viewer.token }))
    t.like(await declare({ description: 'Documents' }), {
      detail: '2 resources of the type are public',
    })
    expectOk(await declare({ description: 'Documents', allow_public: true }))
    for (const one of [record, other]) expectOk(await setVisibility(one, 'private'))
    expectOk(await declare({}))

    const message = 'must not be public: the declaration of document does not allow it'
    const refused = expectError(await setVisibility(record, 'public'))
    t.deepEqual(
      [refused.code, refused.violations],
      ['invalid_argument', [{ field: 'visibility', message }]],
    )
    const registration = {
      ...kind,
      resource_id: randomUUID(),
      workspace_id: workspace,
      owner_id: people.viewer.id,
      visibility: 'public',
    }
    const single = expectError(await transport.call('Register', registration, { key }))
    t.deepEqual(single.violations, [{ field: 'visibility', message }])
    const resources = [
      { ...registration, visibility: 'private' },
      { ...registration, resource_id: randomUUID() },
    ]
    const batch = expectError(await transport.call('RegisterBatch', { resources }, { key }))
    t.deepEqual(batch.violations, [{ field: 'resources[1].visibility', message }])
    const asAdmin = { permission_id: record.id, visibility: 'public' }
    const byAdmin = expectError(await admin.call(transport, 'UpdateVisibility', asAdmin))
    t.deepEqual(byAdmin.violations, [{ field: 'visibility', message }])
    t.is((await scene.readResource(record)).visibility, 'private')
    const { resource_id } = registration
    const missing = await transport.call('GetResource', { ...kind, resource_id }, { key })
    t.is(expectError(missing).code, 'not_found')
  })

  test(`everybody may view a public resource, and nothing else ${over}`, async (t) => {
    const { people, register, setVisibility, evaluate, stranger, token, kind, ...scene } =
      await createScene(transport)
    const record = await register(people.viewer, { visibility: 'public' })
    const hidden = await register(people.viewer)
    const inactive = await seed.newMember(scene.workspace, 'admin')
    await pool.query('update users set is_active = false where id = $1', [inactive])
    const subjects = {
      anonymous,
      unknown: { type: 'user', id: randomUUID() },
      address: { type: 'user', id: `${randomUUID()}@example.com` },
      stranger: { type: 'user', id: stranger },
      token: { type: 'access_token', id: token },
    }
    for (const [name, subject] of Object.entries(subjects)) {
      t.like(await evaluate(subject, 'view', record), { decision: true, rules: ['public'] }, name)
      for (const action of ['edit', 'manage', 'publish'])
        t.false((await evaluate(subject, action, record)).decision, `${name} ${action}`)
      t.false((await evaluate(subject, 'view', hidden)).decision, name)
    }
    const denied = {
      inactive: { type: 'user', id: inactive },
      'not a token': { type: 'access_token', id: 'x.y.z' },
      'an unknown group': { type: 'group', id: randomUUID() },
      'an unknown type': { type: 'robot', id: stranger },
    }
    for (const [name, subject] of Object.entries(denied))
      t.false((await evaluate(subject, 'view', record)).decision, name)

    const { sentence } = await evaluate(anonymous, 'view', record)
    t.is(
      sentence,
      `An anonymous visitor may view document ${record.resource_id}: the document is public.`,
    )
    t.is(
      (await evaluate(anonymous, 'view', hidden)).sentence,
      `An anonymous visitor may not view document ${hidden.resource_id}: the document is not public.`,
    )
    t.regex(
      (await evaluate(anonymous, 'edit', record)).sentence,
      /may view only public resources\.$/,
    )
    const edit = await evaluate({ type: 'user', id: people.editor.id }, 'edit', record)
    t.deepEqual(edit.rules, ['public'])
    t.regex(edit.sentence, /the document is public, and .* is an editor of/)

    // Revoked tokens are denied.
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    await pool.query(`insert into denied_tokens values ($1, now() + interval '1 hour')`, [jti])
    t.false((await evaluate(subjects.token, 'view', record)).decision)
  })

  test(`a search for anonymous visitors lists what is public in all workspaces ${over}`, async (t) => {
    const { people, register, workspace, kind, key, stranger, elsewhere, call } =
      await createScene(transport)
    const folder = await register(people.viewer, { resource_type: 'folder' })
    expectOk(
      await transport.call(
        'PutResourceType',
        { ...kind, resource_type: 'folder', roles: [], allow_public: true },
        { key },
      ),
    )
    const parent = { resource_type: 'folder', resource_id: folder.resource_id }
    const inside = await register(people.viewer, { parent })
    const note = await register(people.viewer, { parent, resource_type: 'note' })
    expectOk(
      await transport.call(
        'UpdateVisibility',
        { permission_id: folder.id, visibility: 'public' },
        { key },
      ),
    )
    const own = await register(people.viewer, { visibility: 'public' })
    await register(people.viewer, { visibility: 'workspace' })
    const foreign = await register(
      { id: stranger, token: '' },
      { visibility: 'public', workspace_id: elsewhere },
    )
    const search = async (
      subject: object,
      resource_type: string,
      context?: object,
      action = 'view',
    ) => {
      const found: string[] = []
      let token = ''
      do {
        const page = token ? { token } : { limit: 1 }
        const message = {
          subject,
          action: { name: action },
          resource: { type: resource_type },
          page,
        }
        const answer = await call('SearchResources', { ...message, ...(context && { context }) })
        found.push(...answer.results.map(({ id }: { id: string }) => id))
        token = answer.page.next_token
      } while (token)
      return found
    }
    const here = [inside.resource_id, own.resource_id].toSorted()
    const there = [foreign.resource_id]
    const all = workspace < elsewhere ? [...here, ...there] : [...there, ...here]
    t.deepEqual(await search(anonymous, 'document'), all)
    t.deepEqual(await search(anonymous, 'document', { workspace_id: workspace }), here)
    t.deepEqual(await search(anonymous, 'document', undefined, 'edit'), [])
    t.deepEqual(await search(anonymous, 'folder'), [folder.resource_id])
    // Notes may not be public, so they are only visible to the workspace.
    t.deepEqual(await search(anonymous, 'note'), [])
    t.deepEqual(await search({ type: 'user', id: people.viewer.id }, 'note'), [note.resource_id])
    t.deepEqual(await search({ type: 'user', id: stranger }, 'document'), there)
    t.deepEqual(await search({ type: 'user', id: randomUUID() }, 'document'), [])
  })
}

test('a node that remembers facts sees at once that a resource of another workspace is public or not', async (t) => {
  for (const transport of environment.transports) {
    const scene = await createScene(transport)
    const { people, register, setVisibility, kind, key, token, declare, stranger } = scene
    const cached = remembering.transports.find(({ name }) => name === transport.name) as Transport
    const root = await register(people.viewer)
    const middle = await register(people.viewer, {
      parent: { resource_type: root.resource_type, resource_id: root.resource_id },
    })
    const leaf = await register(people.viewer, {
      resource_type: 'page',
      parent: { resource_type: middle.resource_type, resource_id: middle.resource_id },
    })
    const declarePages = (allow_public: boolean) =>
      transport.call(
        'PutResourceType',
        { ...kind, resource_type: 'page', description: 'Pages', roles: [], allow_public },
        { key },
      )
    expectOk(await declare({ allow_public: true }))
    expectOk(await declarePages(true))
    const view = async ({ resource_type, resource_id }: ResourceRecord) => {
      const check = { ...kind, resource_type, resource_id, action: 'view' }
      const { results } = expectOk(await cached.call('Check', { checks: [check] }, { token, key }))
      const evaluation = {
        subject: { type: 'user', id: stranger },
        action: { name: 'view' },
        resource: { type: resource_type, id: resource_id },
      }
      const { decision } = expectOk(await cached.call('Evaluate', evaluation, { key }))
      t.is(decision, results[0].allowed)
      return decision
    }
    const expectAll = async (expected: boolean[]) => {
      for (let time = 0; time < 2; time += 1)
        t.deepEqual([await view(root), await view(middle), await view(leaf)], expected)
    }
    await expectAll([false, false, false])
    expectOk(await setVisibility(root, 'public'))
    await expectAll([true, true, true])
    const detached = { permission_id: middle.id, inherits: false }
    expectOk(await transport.call('UpdateParent', detached, { key }))
    await expectAll([true, false, false])
    expectOk(await transport.call('UpdateParent', { ...detached, inherits: true }, { key }))
    await expectAll([true, true, true])
    expectOk(await declarePages(false))
    await expectAll([true, true, false])
    expectOk(await declarePages(true))
    await expectAll([true, true, true])
    const pages = { ...kind, resource_type: 'page' }
    expectOk(await transport.call('DeleteResourceType', pages, { key }))
    await expectAll([true, true, false])
    expectOk(await setVisibility(root, 'workspace'))
    await expectAll([false, false, false])
  }
})

test('no resource can become public while a concurrent declaration forbids it', async (t) => {
  const transport = environment.transports[0] as Transport
  const { people, register, declare, setVisibility } = await createScene(transport)
  const record = await register(people.viewer)
  for (let round = 0; round < 15; round += 1) {
    const [opened, forbidden] = await Promise.all([
      setVisibility(record, 'public'),
      declare({ description: 'Documents' }),
    ])
    t.true(opened.ok !== forbidden.ok, `round ${round}`)
    expectOk(await setVisibility(record, 'private'))
    expectOk(await declare({ allow_public: true }))
  }
})

test('public is refused while a node of an older version is connected', async (t) => {
  const separate = await startTestEnvironment()
  t.teardown(() => separate.stop())
  for (const transport of separate.transports) {
    const { people, kind, key, register, workspace } = await createWorkspaceFixture(
      separate,
      transport,
    )
    const declaration = { ...kind, roles: [], allow_public: true }
    expectOk(await transport.call('PutResourceType', declaration, { key }))
    const record = await register(people.owner)
    const change = { permission_id: record.id, visibility: 'public' }
    const registration = {
      ...kind,
      resource_id: randomUUID(),
      workspace_id: workspace,
      owner_id: people.owner.id,
      visibility: 'public',
    }
    const { connectionString } = separate.pool.options as { connectionString: string }
    const older = new pg.Client({ connectionString })
    older.on('error', (error) => t.log(error.message))
    await older.connect()
    await older.query(`select set_config('application_name', 'daikon/33', false)`)
    const expected = { ok: false, code: 'already_exists', reason: 'ROLLOUT_IN_PROGRESS' }
    t.like(await transport.call('UpdateVisibility', change, { key }), expected)
    t.like(await transport.call('Register', registration, { key }), expected)
    await older.query(`set application_name = 'psql'`)
    await older.end()
    expectOk(await transport.call('UpdateVisibility', change, { key }))
    expectOk(await transport.call('Register', registration, { key }))
  }
})
