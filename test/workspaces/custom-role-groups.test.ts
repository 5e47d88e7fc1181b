import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type Member } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment({ MAX_FACTS_CACHE_BYTES: 10_000_000 })
const other = await environment.addNode()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

/**
 * A fixture with the role `Publishers`, the group `Writers` and its child group, in which the editor
 * is, and a document visible to the workspace.
 */
async function createFixture(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, service, people, kind } = fixture
  const otherTransport = other.transports.find(({ name }) => name === transport.name) ?? transport
  const call = (method: string, message: object = {}) => admin.call(transport, method, message)
  const action = await seed.serviceAction(service, 'publish')
  const created = expectOk(
    await call('CreateRole', { workspace_id: workspace, name: 'Publishers' }),
  )
  const role = { role_id: created.id as string }
  expectOk(await call('AddRoleActions', { ...role, service_action_ids: [action] }))
  const createGroup = async (name: string) => {
    const message = { workspace_id: workspace, name }
    return expectOk(await call('CreateGroup', message)).id as string
  }
  const writers = await createGroup('Writers')
  const interns = await createGroup('Interns')
  const link = { group_id: writers, child_id: interns }
  expectOk(await call('AddChildGroup', link))
  const { editor } = people
  expectOk(await call('AddGroupMember', { group_id: interns, user_id: editor.id }))
  const open = await fixture.register(people.owner, { visibility: 'workspace' })
  const closed = await fixture.register(people.owner)
  const resource = { type: kind.resource_type, id: open.resource_id }
  const search = async (method: string, message: object) =>
    expectOk(await otherTransport.call(method, message, { key: fixture.key })).results.map(
      ({ id, name }: any) => id ?? name,
    )
  return {
    ...fixture,
    call,
    role,
    writers,
    interns,
    open,
    add: (group_id: string) => call('AddRoleGroup', { ...role, group_id }),
    remove: (group_id: string) => call('RemoveRoleGroup', { ...role, group_id }),
    findRole: async () =>
      expectOk(await call('ListRoles', { workspace_id: workspace })).roles.find(
        ({ id }: any) => id === role.role_id,
      ),
    explain: async (person: Member) => {
      const subject = { type: 'user', id: person.id }
      const message = { subject, action: { name: 'publish' }, resource, context: { explain: true } }
      return expectOk(await transport.call('Evaluate', message, { key: fixture.key })).context
    },
    /** Whether a user may publish, in every way and on another node. */
    publishes: async (person: Member): Promise<boolean> => {
      const credentials = fixture.as(person)
      const checks = [open, closed].map(({ resource_id }) => ({
        ...kind,
        resource_id,
        action: 'publish',
      }))
      const { results } = expectOk(await otherTransport.call('Check', { checks }, credentials))
      const list = { ...kind, action: 'publish', workspace_id: workspace }
      const { resource_ids } = expectOk(await otherTransport.call('Accessible', list, credentials))
      const subject = { type: 'user', id: person.id }
      const publish = { action: { name: 'publish' } }
      const subjects = await search('SearchSubjects', {
        ...publish,
        resource,
        subject: { type: 'user' },
      })
      const resources = await search('SearchResources', {
        ...publish,
        subject,
        resource: { type: kind.resource_type },
      })
      const actions = await search('SearchActions', { subject, resource })
      const granted = expectOk(
        await otherTransport.call('ListGrantedActions', { service_name: service }, credentials),
      )
      if (results[1].allowed) throw new Error('A custom role needs no view')
      const answers = [
        results[0].allowed,
        resource_ids.join() === open.resource_id,
        subjects.includes(person.id),
        resources.join() === open.resource_id,
        actions.includes('publish'),
        granted.actions.includes('publish'),
      ]
      if (new Set(answers).size > 1) throw new Error(`The answers disagree: ${answers}`)
      return answers[0]
    },
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`effective members of a group have the actions of its custom roles ${over}`, async (t) => {
    const { people, ...fixture } = await createFixture(transport)
    const { editor, viewer } = people
    t.false(await fixture.publishes(editor))
    const added = await fixture.add(fixture.writers)
    t.deepEqual(expectOk(added), { status: 'ok' })
    if (added.ok && transport.name === 'rest') t.is(added.status, 201)
    t.true(await fixture.publishes(editor))
    t.false(await fixture.publishes(viewer))

    const join = { group_id: fixture.writers, user_id: viewer.id }
    expectOk(await fixture.call('AddGroupMember', join))
    t.true(await fixture.publishes(viewer))
    expectOk(await fixture.call('RemoveGroupMember', join))
    t.false(await fixture.publishes(viewer))

    expectOk(
      await fixture.call('RemoveChildGroup', {
        group_id: fixture.writers,
        child_id: fixture.interns,
      }),
    )
    t.false(await fixture.publishes(editor))
    expectOk(await fixture.add(fixture.interns))
    t.true(await fixture.publishes(editor))
    expectOk(await fixture.remove(fixture.interns))
    t.false(await fixture.publishes(editor))
    expectOk(await fixture.add(fixture.interns))
    expectOk(await fixture.call('DeleteGroup', { group_id: fixture.interns }))
    t.false(await fixture.publishes(editor))
  })

  test(`reasons name the role, the group and the path to it ${over}`, async (t) => {
    const { people, writers, interns, ...fixture } = await createFixture(transport)
    expectOk(await fixture.add(writers))
    const { reasons, reason_admin } = await fixture.explain(people.editor)
    const ofRoles = reasons.filter(({ rule }: any) => rule === 'custom_role')
    t.deepEqual(ofRoles, [
      { rule: 'custom_role', role: 'Publishers', group_id: writers, via: [interns] },
    ])
    const sentence = /has the role Publishers, which includes publish, through the group Writers/
    t.regex(reason_admin.en, sentence)
  })

  test(`the groups of a role are listed, counted and recorded once ${over}`, async (t) => {
    const { role, writers, workspace, ...fixture } = await createFixture(transport)
    for (const spelled of [writers.toUpperCase(), writers]) expectOk(await fixture.add(spelled))
    const { groups } = expectOk(await fixture.call('ListRoleGroups', role))
    t.deepEqual(
      groups.map(({ id, name }: any) => ({ id, name })),
      [{ id: writers, name: 'Writers' }],
    )
    t.like(await fixture.findRole(), { group_count: 1, member_count: 0 })
    expectOk(await fixture.remove(writers))
    t.like(await fixture.findRole(), { group_count: 0 })
    t.is(expectError(await fixture.remove(writers)).reason, 'GROUP_NOT_FOUND')
    const events = (await listActivity(pool, role.role_id)).filter(({ action }) =>
      action.startsWith('role.group'),
    )
    const detail = { name: 'Publishers', group_id: writers }
    t.deepEqual(
      events.map(({ action, detail, workspace_id }) => ({ action, detail, workspace_id })),
      [
        { action: 'role.group_added', detail, workspace_id: workspace },
        { action: 'role.group_removed', detail, workspace_id: workspace },
      ],
    )
  })

  test(`unknown roles and groups, and groups of other workspaces, are 404 ${over}`, async (t) => {
    const { writers, ...fixture } = await createFixture(transport)
    const foreign = await seed.group(await seed.workspace())
    for (const group of [foreign, randomUUID()]) {
      t.is(expectError(await fixture.add(group)).reason, 'GROUP_NOT_FOUND')
      t.is(expectError(await fixture.remove(group)).reason, 'GROUP_NOT_FOUND')
    }
    const unknown = { role_id: randomUUID(), group_id: writers }
    for (const outcome of [
      await fixture.call('AddRoleGroup', unknown),
      await fixture.call('RemoveRoleGroup', unknown),
      await fixture.call('ListRoleGroups', { role_id: unknown.role_id }),
    ])
      t.is(expectError(outcome).reason, 'ROLE_NOT_FOUND')
  })

  test(`a person's roles include those of their groups ${over}`, async (t) => {
    const { people, writers, role, ...fixture } = await createFixture(transport)
    expectOk(await fixture.add(writers))
    const person = expectOk(await fixture.call('GetUser', { user_id: people.editor.id }))
    t.deepEqual(
      person.roles.map(({ id }: any) => id),
      [role.role_id],
    )
  })
}
