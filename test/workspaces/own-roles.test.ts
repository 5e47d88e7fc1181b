import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type Member } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

async function createFixture(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const workspace = { workspace_id: fixture.workspace }
  return {
    ...fixture,
    call: (by: Member, method: string, message: object = {}) =>
      transport.call(`${method}`, { ...workspace, ...message }, { token: by.token }),
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`an admin of a workspace builds a role that takes effect ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const { people, call, service } = fixture
    const by = people.admin
    const action = await seed.serviceAction(service, 'publish')
    const services = expectOk(await call(by, 'RoleService/ListServiceActions')).services
    const own = services.find(({ service_name }: any) => service_name === service)
    t.like(own.actions[0], { id: action, name: 'publish' })

    const created = expectOk(await call(by, 'RoleService/CreateRole', { name: 'Publishers' }))
    const role = { role_id: created.id }
    const group = await seed.group(fixture.workspace, [people.editor.id])
    const document = await fixture.register(people.owner, { visibility: 'workspace' })
    const add = { ...role, service_action_ids: [action] }
    expectOk(await call(by, 'RoleService/AddRoleActions', add))
    t.false(await fixture.isAllowed(people.viewer, 'publish', document))
    const viewer = { ...role, user_id: people.viewer.id }
    expectOk(await call(by, 'RoleService/AddRoleMember', viewer))
    expectOk(await call(by, 'RoleService/AddRoleGroup', { ...role, group_id: group }))
    t.true(await fixture.isAllowed(people.viewer, 'publish', document))
    t.true(await fixture.isAllowed(people.editor, 'publish', document))

    const twin = expectOk(await admin.call(transport, 'GetRole', role))
    t.deepEqual(expectOk(await call(by, 'RoleService/GetRole', role)), twin)
    expectOk(await call(by, 'RoleService/UpdateRole', { ...role, name: 'Editors in chief' }))
    const { roles } = expectOk(await call(by, 'RoleService/ListRoles'))
    t.deepEqual(
      roles.map(({ name }: any) => name),
      ['Editors in chief'],
    )
    const members = expectOk(await call(by, 'RoleService/ListRoleMembers', role)).members
    t.is(members[0].user_id, people.viewer.id)
    t.is(expectOk(await call(by, 'RoleService/ListRoleGroups', role)).groups[0].id, group)
    t.is(expectOk(await call(by, 'RoleService/ListRoleActions', role)).actions[0].id, action)

    expectOk(await call(by, 'RoleService/RemoveRoleMember', viewer))
    t.false(await fixture.isAllowed(people.viewer, 'publish', document))
    expectOk(await call(by, 'RoleService/RemoveRoleGroup', { ...role, group_id: group }))
    t.false(await fixture.isAllowed(people.editor, 'publish', document))
    expectOk(await call(by, 'RoleService/DeleteRole', role))
    const gone = await call(by, 'RoleService/GetRole', role)
    t.like(expectError(gone), { code: 'not_found', reason: 'ROLE_NOT_FOUND' })
  })

  test(`editors and viewers neither see nor change roles and activity ${over}`, async (t) => {
    const { people, call } = await createFixture(transport)
    for (const person of [people.editor, people.viewer]) {
      for (const [method, message] of [
        ['RoleService/ListRoles', {}],
        ['RoleService/CreateRole', { name: 'Mine' }],
        ['RoleService/ListServiceActions', {}],
        ['ListWorkspaceActivity', {}],
      ] as const) {
        t.is(expectError(await call(person, method, message)).reason, 'ROLE_TOO_LOW', method)
      }
    }
  })

  test(`owners read the events of their workspace alone, with the addresses of members ${over}`, async (t) => {
    const { people, call, workspace, ...fixture } = await createFixture(transport)
    const elsewhere = await createFixture(transport)
    expectOk(await elsewhere.call(elsewhere.people.owner, 'RoleService/CreateRole', { name: 'X' }))
    expectOk(await call(people.admin, 'RoleService/CreateRole', { name: 'By a member' }))
    const request = { workspace_id: workspace, name: 'By an administrator' }
    expectOk(await admin.call(transport, 'CreateRole', request))
    await fixture.register(people.owner)
    await pool.query(`update activity set ip = '203.0.113.7' where workspace_id = $1`, [workspace])

    const read = async (message: object) =>
      expectOk(await call(people.owner, 'ListWorkspaceActivity', message))
    const { items } = await read({ action: 'role.created' })
    t.deepEqual(
      items.map(({ workspace_id, detail, actor_id, ip }: any) => [
        workspace_id,
        detail.name,
        actor_id,
        ip ?? undefined,
      ]),
      [
        [workspace, 'By an administrator', admin.id, undefined],
        [workspace, 'By a member', people.admin.id, '203.0.113.7'],
      ],
    )
    const first = await read({ action: 'role.created', limit: 1 })
    const second = await read({ action: 'role.created', limit: 1, before: first.next_before })
    t.deepEqual([...first.items, ...second.items], items)
    const foreign = { workspace_id: elsewhere.workspace }
    t.is(
      expectError(await call(people.owner, 'ListWorkspaceActivity', foreign)).reason,
      'OTHER_WORKSPACE',
    )
  })
}
