import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type ResourceRecord } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { key, kind, people } = fixture
  const call = async (method: string, message: object) =>
    expectOk(await transport.call(method, message, { key }))
  const share = async ({ id }: ResourceRecord, message: object) =>
    expectOk(
      await transport.call('Share', { permission_id: id, ...message }, fixture.as(people.owner)),
    )
  const may = async (subject: object, action: string, resource: object) => {
    const message = { subject, action: { name: action }, resource }
    return (await call('Evaluate', message)).decision as boolean
  }
  return {
    ...fixture,
    call,
    share,
    may,
    byAdmin: async (method: string, message: object) =>
      expectOk(await admin.call(transport, method, message)),
    viewer: { type: 'user', id: people.viewer.id },
    toViewer: { grantee_type: 'user', grantee_id: people.viewer.id },
    resourceOf: ({ resource_type, resource_id }: ResourceRecord) => ({
      type: resource_type,
      id: resource_id,
    }),
    declare: (declaration: object) =>
      call('PutResourceType', { ...kind, roles: [], ...declaration }),
  }
}

type Scene = Awaited<ReturnType<typeof createScene>>

/** What each row of the table promises: pairs of an expected decision and the actual one. */
const recipes: Record<string, (scene: Scene) => Promise<[expected: boolean, actual: boolean][]>> = {
  'Files in folders, as in Drive': async ({ register, people, share, may, call, ...scene }) => {
    const folder = await register(people.owner, { resource_type: 'folder' })
    const { resource_type, resource_id } = folder
    const parent = { resource_type, resource_id }
    const file = await register(people.owner, { parent })
    const exception = await register(people.owner, { parent })
    await share(folder, { ...scene.toViewer, permission: 'view' })
    await call('UpdateParent', { permission_id: exception.id, inherits: false })
    const mayView = (record: ResourceRecord) => may(scene.viewer, 'view', scene.resourceOf(record))
    return [
      [true, await mayView(file)],
      [false, await mayView(exception)],
    ]
  },
  'Roles on one repository, as on GitHub': async ({ register, people, share, may, ...scene }) => {
    const actions = [{ name: 'label' }]
    await scene.call('RegisterActions', { service_name: scene.service, actions })
    await scene.declare({ roles: [{ name: 'triage', actions: ['view', 'label'] }] })
    const record = await register(people.owner)
    await share(record, { ...scene.toViewer, role: 'triage' })
    return [
      [true, await may(scene.viewer, 'label', scene.resourceOf(record))],
      [false, await may(scene.viewer, 'edit', scene.resourceOf(record))],
    ]
  },
  'Open and closed channels, as in Slack': async ({ register, people, share, may, ...scene }) => {
    const open = await register(people.owner, { visibility: 'workspace' })
    const closed = await register(people.owner)
    const group = await environment.seed.group(scene.workspace, [people.editor.id])
    await share(closed, { grantee_type: 'group', grantee_id: group, permission: 'view' })
    const member = { type: 'user', id: people.editor.id }
    return [
      [true, await may(scene.viewer, 'view', scene.resourceOf(open))],
      [false, await may(scene.viewer, 'view', scene.resourceOf(closed))],
      [true, await may(member, 'view', scene.resourceOf(closed))],
    ]
  },
  'Anyone with the link': async ({ register, people, may, byAdmin, resourceOf }) => {
    const record = await register(people.owner)
    const link = { permission_id: record.id, permission: 'view' }
    const { token } = await byAdmin('CreateLink', link)
    return [
      [true, await may({ type: 'link', id: token }, 'view', resourceOf(record))],
      [false, await may({ type: 'link', id: token }, 'edit', resourceOf(record))],
    ]
  },
  'Published to everybody': async ({ register, people, may, declare, resourceOf }) => {
    await declare({ allow_public: true })
    const record = await register(people.owner, { visibility: 'public' })
    const visitor = { type: 'anonymous', id: '-' }
    return [
      [true, await may(visitor, 'view', resourceOf(record))],
      [false, await may(visitor, 'edit', resourceOf(record))],
    ]
  },
  'Until Friday': async ({ register, people, share, may, toViewer, viewer, resourceOf }) => {
    const record = await register(people.owner)
    await share(record, { ...toViewer, permission: 'view', expires_at: inAnHour() })
    const before = await may(viewer, 'view', resourceOf(record))
    await environment.pool.query('update shares set expires_at = now() where resource_id = $1', [
      record.resource_id,
    ])
    return [
      [true, before],
      [false, await may(viewer, 'view', resourceOf(record))],
    ]
  },
  'A contractor or customer sees only what is shared with them': async ({ register, ...scene }) => {
    const { people, share, may, byAdmin, resourceOf, workspace: workspace_id } = scene
    const seenByMembers = await register(people.owner, { visibility: 'workspace' })
    const shared = await register(people.owner)
    const email = `${randomUUID()}@example.com`
    const { user_id } = await byAdmin('InviteMember', {
      workspace_id,
      email,
      role: 'viewer',
      guest: true,
    })
    await share(shared, { grantee_type: 'user', grantee_id: user_id, permission: 'view' })
    const guest = { type: 'user', id: email }
    return [
      [true, await may(scene.viewer, 'view', resourceOf(seenByMembers))],
      [false, await may(guest, 'view', resourceOf(seenByMembers))],
      [true, await may(guest, 'view', resourceOf(shared))],
    ]
  },
  'Support may look into it today': async ({ register, people, may, byAdmin, ...scene }) => {
    const record = await register(people.owner, { visibility: 'workspace' })
    const email = `${randomUUID()}@example.com`
    const { workspace: workspace_id } = scene
    await byAdmin('InviteMember', { workspace_id, email, role: 'viewer', expires_at: inAnHour() })
    const before = await may({ type: 'user', id: email }, 'view', scene.resourceOf(record))
    await environment.pool.query(
      `update members set expires_at = now()
       where workspace_id = $1 and user_id = (select id from users where email = $2)`,
      [workspace_id, email],
    )
    return [
      [true, before],
      [false, await may({ type: 'user', id: email }, 'view', scene.resourceOf(record))],
    ]
  },
  'Teams of teams': async ({ register, people, share, may, workspace, ...scene }) => {
    const outer = await environment.seed.group(workspace)
    const inner = await environment.seed.group(workspace, [people.viewer.id])
    const record = await register(people.owner)
    await share(record, { grantee_type: 'group', grantee_id: outer, permission: 'edit' })
    const before = await may(scene.viewer, 'edit', scene.resourceOf(record))
    await scene.byAdmin('AddChildGroup', { group_id: outer, child_id: inner })
    return [
      [false, before],
      [true, await may(scene.viewer, 'edit', scene.resourceOf(record))],
    ]
  },
  'Roles that each tenant defines': async ({ register, people, may, viewer, ...scene }) => {
    const record = await register(people.owner, { visibility: 'workspace' })
    const before = await may(viewer, 'publish', scene.resourceOf(record))
    await grantAction(scene, people.viewer.id, 'publish')
    return [
      [false, before],
      [true, await may(viewer, 'publish', scene.resourceOf(record))],
    ]
  },
  'Only in office hours': async ({ register, people, may, declare, viewer, resourceOf }) => {
    const record = await register(people.owner, { visibility: 'workspace' })
    const { rows } = await environment.pool.query(
      "select extract(hour from now() at time zone 'utc')::int as hour",
    )
    const hours = async (from: number, until: number) => {
      const expression = `now.getHours() >= ${from} && now.getHours() < ${until}`
      const conditions = [{ name: 'hours', description: '', expression, parameters: {} }]
      await declare({ conditions, requirements: [{ action: 'view', condition: 'hours' }] })
      return may(viewer, 'view', resourceOf(record))
    }
    const { hour } = rows[0]
    // The hour may end between the two statements.
    return [
      [true, await hours(hour, hour + 2)],
      [false, await hours(hour + 2, hour + 3)],
    ]
  },
  'Up to an amount': async ({ register, people, share, call, declare, ...scene }) => {
    const expression = 'context.amount <= params.limit'
    await declare({
      conditions: [{ name: 'small', description: '', expression, parameters: { limit: 'int' } }],
    })
    const record = await register(people.owner)
    const condition = { name: 'small', params: { limit: 100 } }
    await share(record, { ...scene.toViewer, permission: 'edit', condition })
    const decide = async (context: object): Promise<boolean> => {
      const resource = scene.resourceOf(record)
      const message = { subject: scene.viewer, action: { name: 'edit' }, resource, context }
      return (await call('Evaluate', message)).decision
    }
    return [
      [true, await decide({ amount: 100 })],
      [false, await decide({ amount: 101 })],
      [false, await decide({})],
    ]
  },
  'Blocked people: on one document': async ({
    register,
    people,
    may,
    call,
    declare,
    viewer,
    resourceOf,
  }) => {
    const expression =
      '!has(resource.attributes.blocked) || !(subject.id in resource.attributes.blocked)'
    await declare({
      conditions: [{ name: 'welcome', description: '', expression, parameters: {} }],
      requirements: [{ action: 'view', condition: 'welcome' }],
    })
    const record = await register(people.owner, { visibility: 'workspace' })
    const before = await may(viewer, 'view', resourceOf(record))
    const attributes = { blocked: [people.viewer.id] }
    await call('UpdateAttributes', { permission_id: record.id, attributes })
    const editor = { type: 'user', id: people.editor.id }
    return [
      [true, before],
      [false, await may(viewer, 'view', resourceOf(record))],
      [true, await may(editor, 'view', resourceOf(record))],
    ]
  },
  'Blocked people: on a folder and all that is in it': async (scene) => {
    const { people, may, viewer, resourceOf } = scene
    const condition =
      '!has(resource.attributes.blocked) || !(subject.id in resource.attributes.blocked)'
    const { document, describe } = await createFolder(scene, condition, ['view', 'manage'])
    const before = await may(viewer, 'view', resourceOf(document))
    await describe({ blocked: [people.viewer.id] })
    const editor = { type: 'user', id: people.editor.id }
    return [
      [true, before],
      [false, await may(viewer, 'view', resourceOf(document))],
      [true, await may(editor, 'view', resourceOf(document))],
    ]
  },
  'A legal hold on a folder and all that is in it': async (scene) => {
    const { people, may, viewer, resourceOf } = scene
    const condition = '!has(resource.attributes.hold)'
    const { document, describe } = await createFolder(scene, condition, ['edit', 'manage'])
    const owner = { type: 'user', id: people.owner.id }
    const before = await may(owner, 'edit', resourceOf(document))
    await describe({ hold: 'case 7' })
    return [
      [true, before],
      [false, await may(owner, 'edit', resourceOf(document))],
      [false, await may(owner, 'manage', resourceOf(document))],
      [true, await may(viewer, 'view', resourceOf(document))],
    ]
  },
  'An embargo until a time on a folder and all that is in it': async (scene) => {
    const { may, viewer, resourceOf } = scene
    const condition =
      '!has(resource.attributes.embargo) || now >= timestamp(resource.attributes.embargo)'
    const { document, describe } = await createFolder(scene, condition, ['view'])
    const seen = async (embargo: string) => {
      await describe({ embargo })
      return may(viewer, 'view', resourceOf(document))
    }
    return [
      [false, await seen(inAnHour())],
      [true, await seen('2020-01-01T00:00:00Z')],
    ]
  },
  "Not one's own expense report": async ({ register, people, share, may, call, ...scene }) => {
    const expression = 'subject.id != resource.attributes.submitted_by'
    await scene.declare({
      conditions: [{ name: 'not_own', description: '', expression, parameters: {} }],
      requirements: [{ action: 'edit', condition: 'not_own' }],
    })
    const attributes = { submitted_by: people.viewer.id }
    const record = await register(people.viewer, { attributes })
    const before = await may(scene.viewer, 'edit', scene.resourceOf(record))
    const owner_id = people.editor.id
    await call('TransferOwnership', { permission_id: record.id, owner_id })
    const editor = { type: 'user', id: owner_id }
    await share(record, { ...scene.toViewer, permission: 'edit' })
    return [
      [false, before],
      [false, await may(scene.viewer, 'edit', scene.resourceOf(record))],
      [true, await may(editor, 'edit', scene.resourceOf(record))],
    ]
  },
  'Access for a machine': async ({ register, people, share, may, byAdmin, ...scene }) => {
    const { workspace: workspace_id } = scene
    const account = await byAdmin('CreateServiceAccount', {
      workspace_id,
      name: 'Nightly export',
      role: 'viewer',
    })
    const ofAccount = { workspace_id, service_account_id: account.id }
    const { key } = await byAdmin('CreateKey', { ...ofAccount, name: 'export' })
    const machine = { type: 'api_key', id: key }
    const record = await register(people.owner)
    const before = await may(machine, 'view', scene.resourceOf(record))
    const toAccount = { grantee_type: 'user', grantee_id: account.id }
    await share(record, { ...toAccount, permission: 'view' })
    return [
      [false, before],
      [true, await may(machine, 'view', scene.resourceOf(record))],
    ]
  },
  'May create projects': async ({ people, may, viewer, workspace, ...scene }) => {
    const resource = { type: 'workspace', id: workspace }
    const before = await may(viewer, 'create-project', resource)
    await grantAction({ ...scene, workspace }, people.viewer.id, 'create-project')
    return [
      [false, before],
      [true, await may(viewer, 'create-project', resource)],
    ]
  },
}

/** Creates a document in a folder, whose type requires a condition of all that is in it. */
async function createFolder(
  { register, people, call, kind }: Scene,
  expression: string,
  actions: string[],
) {
  await call('PutResourceType', {
    ...kind,
    resource_type: 'folder',
    roles: [],
    conditions: [{ name: 'open', description: '', expression, parameters: {} }],
    requirements: actions.map((action) => ({ action, condition: 'open', inherited: true })),
  })
  const { id, resource_type, resource_id } = await register(people.owner, {
    resource_type: 'folder',
  })
  const parent = { resource_type, resource_id }
  const document = await register(people.owner, { parent, visibility: 'workspace' })
  const describe = (attributes: object) =>
    call('UpdateAttributes', { permission_id: id, attributes })
  return { document, describe }
}

/** Gives a user a custom role with an action. */
async function grantAction(
  { call, byAdmin, service, workspace }: Pick<Scene, 'call' | 'byAdmin' | 'service' | 'workspace'>,
  user_id: string,
  name: string,
): Promise<void> {
  const actions = [{ name }]
  const { actions: registered } = await call('RegisterActions', { service_name: service, actions })
  const role = await byAdmin('CreateRole', { workspace_id: workspace, name: 'Publishers' })
  const service_action_ids = [registered[0].id]
  await byAdmin('AddRoleActions', { role_id: role.id, service_action_ids })
  await byAdmin('AddRoleMember', { role_id: role.id, user_id })
}

for (const transport of environment.transports) {
  for (const [title, recipe] of Object.entries(recipes)) {
    test(`${title} over ${transport.label}`, async (t) => {
      for (const [expected, actual] of await recipe(await createScene(transport)))
        t.is(actual, expected)
    })
  }
}

test('every row of "How do I say …" is run', async (t) => {
  const page = await readFile(join(import.meta.dirname, '../../docs/permission-model.md'), 'utf8')
  const [, section = ''] = /\n## How do I say …\n(.*?)\n## /s.exec(page) ?? []
  const titles = [...section.matchAll(/^\| ([^|]+?) \|/gm)].map(([, title]) => title)
  t.deepEqual(titles.slice(2), Object.keys(recipes))
})
