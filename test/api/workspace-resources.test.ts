import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment({ MAX_FACTS_CACHE_BYTES: 10_000_000 })
const development = await startTestEnvironment()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => Promise.all([environment.stop(), development.stop()]))

const actions = ['edit', 'manage', 'publish', 'unheard-of', 'view']

/** A workspace whose viewer and a group with the editor have a custom role with `publish`. */
async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, people, key, service } = fixture
  const publish = await seed.serviceAction(service, 'publish')
  const role = await seed.customRole(workspace, [publish], [people.viewer.id])
  const group = await seed.group(workspace, [people.editor.id])
  const plainGroup = await seed.group(workspace, [people.owner.id])
  await pool.query(
    'insert into custom_role_groups (role_id, workspace_id, group_id) values ($1, $2, $3)',
    [role, workspace, group],
  )
  const member = await fixture.addMember('editor')
  const inactive = await seed.newMember(workspace, 'owner')
  await pool.query('update users set is_active = false where id = $1', [inactive])
  const elsewhere = await seed.workspace()
  const stranger = await seed.newMember(elsewhere, 'owner')
  const { rows } = await pool.query('select slug from workspaces where id = $1', [workspace])
  const call = async (method: string, message: object) =>
    expectOk(await transport.call(method, message, { key }))
  const decide = async (subject: object, id = workspace, type = 'workspace') => {
    const evaluations = actions.map((name) => ({
      subject,
      action: { name },
      resource: { type, id },
    }))
    const { evaluations: results } = await call('EvaluateBatch', { evaluations })
    return actions.filter((_, index) => results[index].decision)
  }
  const explain = async (subject: object, name: string, id = workspace) => {
    const resource = { type: 'workspace', id }
    const message = { subject, action: { name }, resource, context: { explain: true } }
    const { decision, context } = await call('Evaluate', message)
    return { decision, reasons: context.reasons, sentence: context.reason_admin.en }
  }
  /** Returns all results of a search, read in pages of one. */
  const search = async (method: string, message: object) => {
    const results: string[] = []
    let token = ''
    do {
      const page = token ? { token } : { limit: 1 }
      const found = await call(method, { ...message, page })
      results.push(...found.results.map(({ id, name }: any) => id ?? name))
      token = found.page.next_token
    } while (token)
    return results
  }
  return {
    ...fixture,
    group,
    plainGroup,
    member,
    inactive,
    elsewhere,
    stranger,
    slug: rows[0].slug as string,
    call,
    decide,
    explain,
    search,
  }
}

const user = (id: string) => ({ type: 'user', id })

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`decisions, searches and actions about a workspace agree ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { workspace, people, group, plainGroup, member, elsewhere, stranger, slug } = scene
    const { token } = people.viewer
    const expected: [name: string, subject: { type: string; id: string }, allowed: string[]][] = [
      ['owner', user(people.owner.id), ['edit', 'manage', 'publish', 'view']],
      ['admin', user(people.admin.id), ['edit', 'manage', 'publish', 'view']],
      ['editor with the role of a group', user(people.editor.id), ['publish', 'view']],
      ['viewer with a custom role', user(people.viewer.id), ['publish', 'view']],
      ['editor', user(member.id), ['view']],
      ['token', { type: 'access_token', id: token }, ['publish', 'view']],
      ['group with a custom role', { type: 'group', id: group }, ['publish', 'view']],
      ['group', { type: 'group', id: plainGroup }, ['view']],
      ['inactive owner', user(scene.inactive), []],
      ['stranger', user(stranger), []],
      ['unknown user', user(randomUUID()), []],
      ['anonymous', { type: 'anonymous', id: '-' }, []],
      ['invalid token', { type: 'access_token', id: 'x.y.z' }, []],
    ]
    for (const [name, subject, allowed] of expected) {
      t.deepEqual(await scene.decide(subject), allowed, name)
      t.deepEqual(await scene.decide(subject, slug), allowed, `${name} by slug`)
      t.deepEqual(await scene.decide(subject, workspace.toUpperCase()), allowed, name)
      const prefixed = `${scene.service}:workspace`
      t.deepEqual(await scene.decide(subject, workspace, prefixed), allowed, name)
      for (const id of [randomUUID(), 'unknown'])
        t.deepEqual(await scene.decide(subject, id), [], `${name} ${id}`)
      const own = subject.id === stranger ? ['edit', 'manage', 'publish', 'view'] : []
      t.deepEqual(await scene.decide(subject, elsewhere), own, `${name} elsewhere`)
      const resource = { type: 'workspace', id: workspace }
      t.deepEqual(await scene.search('SearchActions', { subject, resource }), allowed, name)
      for (const action of actions) {
        const message = { subject, action: { name: action }, resource: { type: 'workspace' } }
        const found = await scene.search('SearchResources', message)
        const here = allowed.includes(action) ? [workspace] : []
        const there = own.includes(action) ? [elsewhere] : []
        t.deepEqual(found, [...here, ...there], `${name} ${action}`)
        const limited = { ...message, context: { workspace_id: elsewhere } }
        t.deepEqual(await scene.search('SearchResources', limited), there, `${name} ${action}`)
      }
    }
    for (const action of actions) {
      for (const id of [workspace, slug]) {
        const message = { action: { name: action }, resource: { type: 'workspace', id } }
        const idsOf = (type: string) =>
          expected
            .filter(([, subject, allowed]) => subject.type === type && allowed.includes(action))
            .map(([, subject]) => subject.id)
            .toSorted()
        for (const type of ['user', 'group']) {
          const found = await scene.search('SearchSubjects', { ...message, subject: { type } })
          t.deepEqual(found, idsOf(type), `${type} ${action}`)
        }
      }
    }
    const unknown = { action: { name: 'view' }, resource: { type: 'workspace', id: 'unknown' } }
    t.deepEqual(await scene.search('SearchSubjects', { ...unknown, subject: { type: 'user' } }), [])
  })

  test(`workspaces of a user are listed in order and in pages ${over}`, async (t) => {
    const { workspace, people, search } = await createScene(transport)
    const others = await Promise.all([seed.workspace(), seed.workspace()])
    for (const other of others) await seed.member(other, people.admin.id, 'viewer')
    const message = { subject: user(people.admin.id), resource: { type: 'workspace' } }
    const listed = (name: string) => search('SearchResources', { ...message, action: { name } })
    t.deepEqual(await listed('view'), [workspace, ...others].toSorted())
    t.deepEqual(await listed('manage'), [workspace])
  })

  test(`decisions about a workspace are explained ${over}`, async (t) => {
    const { people, group, member, stranger, explain, elsewhere, slug, ...scene } =
      await createScene(transport)
    const { rows } = await pool.query('select name from workspaces where id = $1', [
      scene.workspace,
    ])
    const { name } = rows[0]
    const role = await scene.call('SearchActions', {
      subject: user(people.viewer.id),
      resource: { type: 'workspace', id: slug },
    })
    t.is(role.results.length, 2)
    const rulesOf = async (id: string, action: string) =>
      (await explain(user(id), action)).reasons.map(({ rule, role, group_id }: any) =>
        [rule, rule === 'custom_role' ? group_id : role].filter(Boolean).join(' '),
      )
    t.deepEqual(await rulesOf(people.owner.id, 'manage'), ['workspace_role owner'])
    t.deepEqual(await rulesOf(member.id, 'view'), ['workspace_role editor'])
    const publish = await rulesOf(people.viewer.id, 'publish')
    t.deepEqual(publish, ['workspace_role viewer', 'custom_role'])
    const byGroup = await rulesOf(people.editor.id, 'publish')
    t.deepEqual(byGroup, ['workspace_role editor', `custom_role ${group}`])
    const denials: [string, string, string, RegExp][] = [
      [
        member.id,
        'edit',
        'no_grant',
        /is an editor of .*; only owners and admins may edit a workspace\.$/,
      ],
      [member.id, 'publish', 'no_grant', /has no role that includes publish\.$/],
      [people.owner.id, 'fly', 'action_unknown', /has not registered the action fly\.$/],
      [stranger, 'view', 'not_a_member', new RegExp(`is not a member of ${name}\\.$`)],
      [randomUUID(), 'view', 'user_unknown', /there is no such user\.$/],
    ]
    for (const [id, action, rule, sentence] of denials) {
      const found = await explain(user(id), action, slug)
      t.deepEqual(found.reasons, [{ rule }])
      t.regex(found.sentence, sentence)
    }
    const unknown = await explain(user(member.id), 'view', 'unknown')
    t.deepEqual(unknown.reasons, [{ rule: 'resource_unknown' }])
    t.regex(unknown.sentence, /there is no such workspace\.$/)
    const foreign = await explain({ type: 'access_token', id: member.token }, 'view', elsewhere)
    t.false(foreign.decision)
    t.regex(foreign.sentence, /the access token is not for a workspace of this name\.$/)
  })

  test(`a service cannot register or declare the type workspace ${over}`, async (t) => {
    const { workspace, people, key, service, decide, ...scene } = await createScene(transport)
    const kind = { service_name: service, resource_type: 'workspace' }
    const item = { ...kind, workspace_id: workspace, owner_id: people.viewer.id }
    const message = 'must not be workspace, which names the workspaces of daikon'
    const register = () =>
      transport.call('Register', { ...item, resource_id: randomUUID() }, { key })
    const refused = expectError(await register())
    t.is(refused.code, 'invalid_argument')
    t.deepEqual(refused.violations, [{ field: 'resource_type', message }])
    const resources = [{ ...item, resource_id: randomUUID() }]
    const batch = expectError(await transport.call('RegisterBatch', { resources }, { key }))
    t.deepEqual(batch.violations, [{ field: 'resources[0].resource_type', message }])
    const declaration = { ...kind, roles: [] }
    const unknown = { name: 'reader', actions: ['view', 'read'] }
    const wrong = await transport.call('PutResourceType', { ...kind, roles: [unknown] }, { key })
    const fields = expectError(wrong).violations.map(({ field }) => field)
    t.deepEqual(fields, ['resource_type', 'roles[0].actions[1]'])
    for (const declared of [
      await transport.call('PutResourceType', declaration, { key }),
      await admin.call(transport, 'PutResourceType', declaration),
    ])
      t.deepEqual(expectError(declared).violations, [{ field: 'resource_type', message }])

    // A service that had such resources keeps them and their meaning until it has none.
    const resource_id = randomUUID()
    await pool.query(
      `insert into resource_kinds (service_name, resource_type) values ($1, 'workspace')`,
      [service],
    )
    t.is(expectError(await register()).code, 'invalid_argument')
    await pool.query(
      `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
       select gen_random_uuid(), id, $1, $2, $3, 'private' from resource_kinds
       where service_name = $4 and resource_type = 'workspace'`,
      [resource_id, workspace, people.viewer.id, service],
    )
    t.deepEqual(await decide(user(people.viewer.id)), [])
    t.deepEqual(await decide(user(people.viewer.id), resource_id), [
      'edit',
      'manage',
      'publish',
      'view',
    ])
    const mine = { subject: user(people.viewer.id), resource: { type: 'workspace' } }
    const edit = { ...mine, action: { name: 'edit' } }
    t.deepEqual(await scene.search('SearchResources', edit), [resource_id])
    const subjects = {
      subject: { type: 'user' },
      action: { name: 'edit' },
      resource: { type: 'workspace', id: resource_id },
    }
    t.true((await scene.search('SearchSubjects', subjects)).includes(people.viewer.id))
    const second = expectOk(await register())
    for (const id of [resource_id, second.resource_id])
      expectOk(await transport.call('Unregister', { ...kind, resource_id: id }, { key }))
    t.deepEqual(await decide(user(people.viewer.id)), ['publish', 'view'])
    t.is(expectError(await register()).code, 'invalid_argument')
  })
}

test('in development mode, the type names the service whose actions count', async (t) => {
  for (const transport of development.transports) {
    const workspace = await development.seed.workspace()
    const owner = await development.seed.newMember(workspace, 'owner')
    const viewer = await development.seed.newMember(workspace, 'viewer')
    const service = `docs-${randomUUID().slice(0, 8)}`
    await development.seed.serviceAction(service, 'publish')
    const decide = async (id: string, action: string, type: string) => {
      const resource = { type, id: workspace }
      const message = { subject: user(id), action: { name: action }, resource }
      return expectOk(await transport.call('Evaluate', message)).decision
    }
    t.true(await decide(viewer, 'view', `${service}:workspace`))
    t.false(await decide(viewer, 'publish', `${service}:workspace`))
    t.true(await decide(owner, 'publish', `${service}:workspace`))
    t.false(await decide(owner, 'publish', 'other:workspace'))
    t.false(await decide(owner, 'view', 'workspace'))
  }
})

test('a decision about a workspace sees every change at once', async (t) => {
  const transport = environment.transports[0] as Transport
  const { workspace, member, decide } = await createScene(transport)
  const setRole = (role: string) =>
    pool.query('update members set role = $1 where workspace_id = $2 and user_id = $3', [
      role,
      workspace,
      member.id,
    ])
  t.deepEqual(await decide(user(member.id)), ['view'])
  await setRole('admin')
  t.deepEqual(await decide(user(member.id)), ['edit', 'manage', 'publish', 'view'])
  await setRole('viewer')
  t.deepEqual(await decide(user(member.id)), ['view'])
  await pool.query('delete from members where workspace_id = $1 and user_id = $2', [
    workspace,
    member.id,
  ])
  t.deepEqual(await decide(user(member.id)), [])
})
