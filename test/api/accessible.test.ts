import { randomUUID } from 'node:crypto'
import test from 'ava'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import {
  createWorkspaceFixture,
  type Member,
  type WorkspaceFixture,
} from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  const list = async (
    fixture: WorkspaceFixture,
    person: Member,
    action: string,
    more: object = {},
  ) => {
    const message = { ...fixture.kind, action, workspace_id: fixture.workspace, ...more }
    return expectOk(await transport.call('Accessible', message, fixture.as(person)))
  }
  const registerMany = async (
    fixture: WorkspaceFixture,
    owner: Member,
    count: number,
    more: object = {},
  ) => {
    const all = Array.from({ length: count }, () => fixture.register(owner, { ...more }))
    return (await Promise.all(all)).map(({ resource_id }) => resource_id).toSorted()
  }

  test(`resources accessible through any grant are listed once, in ascending order ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people } = fixture
    const { viewer, owner } = people
    const group = await environment.seed.group(fixture.workspace, [viewer.id])
    const other = await environment.seed.group(fixture.workspace, [viewer.id])
    const own = await fixture.register(viewer)
    const open = await fixture.register(owner, { visibility: 'workspace' })
    const hidden = await fixture.register(owner)
    const direct = await fixture.register(owner)
    const grouped = await fixture.register(owner, { visibility: 'workspace' })
    await fixture.share(owner, own, { group }, 'edit')
    await fixture.share(owner, direct, { user: viewer.id }, 'view')
    await fixture.share(owner, direct, { group }, 'view')
    await fixture.share(owner, grouped, { group }, 'edit')
    await fixture.share(owner, grouped, { group: other }, 'view')
    const ids = (...records: { resource_id: string }[]) =>
      records.map(({ resource_id }) => resource_id).toSorted()

    const viewed = await list(fixture, viewer, 'view')
    t.deepEqual(viewed.resource_ids, ids(own, open, direct, grouped))
    t.false(viewed.has_full_access)
    t.deepEqual((await list(fixture, viewer, 'edit')).resource_ids, ids(own, grouped))
    t.deepEqual((await list(fixture, people.editor, 'edit')).resource_ids, ids(open, grouped))
    t.deepEqual(
      (await list(fixture, people.admin, 'view')).resource_ids,
      ids(own, open, hidden, direct, grouped),
    )
    t.deepEqual((await list(fixture, viewer, 'view', { resource_type: 'folder' })).resource_ids, [])
  })

  test(`a custom role lists the resources on which it grants a service action ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { viewer, editor, owner } = fixture.people
    const publish = await environment.seed.serviceAction(fixture.service, 'publish')
    await environment.seed.customRole(fixture.workspace, [publish], [viewer.id])
    const open = await fixture.register(owner, { visibility: 'workspace' })
    await fixture.register(owner)
    const own = await fixture.register(editor)
    const listed = await list(fixture, viewer, 'publish')
    t.like(listed, { resource_ids: [open.resource_id], has_full_access: false })
    t.deepEqual((await list(fixture, editor, 'publish')).resource_ids, [own.resource_id])
    t.deepEqual((await list(fixture, viewer, 'unheard-of')).resource_ids, [])
  })

  test(`has_full_access is true for owners and admins for every known action ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { owner, admin, editor, viewer } = fixture.people
    await environment.seed.serviceAction(fixture.service, 'publish')
    for (const action of ['view', 'edit', 'manage', 'publish']) {
      for (const person of [owner, admin])
        t.true((await list(fixture, person, action)).has_full_access)
      for (const person of [editor, viewer])
        t.false((await list(fixture, person, action)).has_full_access)
    }
    const ids = await registerMany(fixture, viewer, 2)
    for (const action of ['view', 'edit', 'manage', 'publish'])
      t.like(await list(fixture, admin, action), { resource_ids: ids, has_full_access: true })
    t.like(await list(fixture, owner, 'unheard-of'), { resource_ids: [], has_full_access: false })
  })

  test(`has_full_access for view is true for members when all resources are visible to the workspace ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { viewer, editor } = fixture.people
    const full = async (person: Member, action: string) =>
      (await list(fixture, person, action)).has_full_access
    t.false(await full(viewer, 'view'))
    const open = await registerMany(fixture, editor, 2, { visibility: 'workspace' })
    t.like(await list(fixture, viewer, 'view'), { resource_ids: open, has_full_access: true })
    t.false(await full(viewer, 'edit'))
    t.false(await full(editor, 'edit'))
    // Resources of another type do not count.
    await fixture.register(editor, { resource_type: 'folder' })
    t.true(await full(viewer, 'view'))
    const closed = await fixture.register(viewer)
    t.like(await list(fixture, viewer, 'view'), {
      resource_ids: [...open, closed.resource_id].toSorted(),
      has_full_access: false,
    })
  })

  test(`a truncated list has a page token, and its pages together contain every resource ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { viewer } = fixture.people
    const ids = await registerMany(fixture, viewer, 7)
    t.deepEqual((await list(fixture, viewer, 'view', { limit: 7 })).next_page_token ?? null, null)
    for (const limit of [1, 3, 6]) {
      const listed: string[] = []
      let page_token: string | undefined
      do {
        const page = await list(fixture, viewer, 'view', {
          limit,
          ...(page_token && { page_token }),
        })
        t.true(page.resource_ids.length <= limit)
        listed.push(...page.resource_ids)
        page_token = page.next_page_token ?? undefined
      } while (page_token)
      t.deepEqual(listed, ids)
    }
  })

  test(`a page has 1,000 IDs by default ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { viewer } = fixture.people
    await fixture.register(viewer)
    await environment.pool.query(
      `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
       select gen_random_uuid(), id, gen_random_uuid(), $2, $3, 'private'
       from resource_kinds, generate_series(1, 1001) where service_name = $1`,
      [fixture.service, fixture.workspace, viewer.id],
    )
    const first = await list(fixture, viewer, 'view')
    t.is(first.resource_ids.length, 1000)
    const rest = await list(fixture, viewer, 'view', { page_token: first.next_page_token })
    t.is(rest.resource_ids.length, 2)
    t.is(rest.next_page_token ?? null, null)
    t.is(new Set([...first.resource_ids, ...rest.resource_ids]).size, 1002)
  })

  test(`paging during registrations and removals neither skips nor repeats remaining resources ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { viewer, owner } = fixture.people
    const stayed = await registerMany(fixture, viewer, 20)
    const temporary = await Promise.all(Array.from({ length: 20 }, () => fixture.register(viewer)))
    const listed: string[] = []
    let page_token: string | undefined
    do {
      const removed = temporary.pop()
      await Promise.all([
        removed &&
          transport.call('Unregister', { permission_id: removed.id }, { key: fixture.key }),
        fixture.register(viewer),
        fixture.register(owner, { visibility: 'workspace' }),
      ])
      const more = { limit: 3, ...(page_token && { page_token }) }
      const page = await list(fixture, viewer, 'view', more)
      listed.push(...page.resource_ids)
      page_token = page.next_page_token ?? undefined
    } while (page_token)
    t.deepEqual(listed, listed.toSorted())
    t.is(new Set(listed).size, listed.length)
    for (const id of stayed) t.true(listed.includes(id))
  })

  test(`a page token stays valid when the resource it starts at is removed ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { viewer } = fixture.people
    const records = await Promise.all(Array.from({ length: 4 }, () => fixture.register(viewer)))
    const sorted = records.toSorted((a, b) => (a.resource_id < b.resource_id ? -1 : 1))
    const { next_page_token: page_token } = await list(fixture, viewer, 'view', { limit: 2 })
    const permission_id = sorted[2]?.id
    expectOk(await transport.call('Unregister', { permission_id }, { key: fixture.key }))
    const rest = await list(fixture, viewer, 'view', { limit: 2, page_token })
    t.deepEqual(rest.resource_ids, [sorted[3]?.resource_id])
  })

  test(`a page token that the server did not issue returns 422 ${over}`, async (t) => {
    const {
      kind,
      workspace: workspace_id,
      people,
      as,
    } = await createWorkspaceFixture(environment, transport)
    for (const page_token of ['x', '%', `${'A'.repeat(21)}=`, 'A'.repeat(23), randomUUID(), '🦊']) {
      const message = { ...kind, workspace_id, action: 'view', page_token }
      const outcome = await transport.call('Accessible', message, as(people.owner))
      t.like(outcome, {
        ok: false,
        code: 'invalid_argument',
        violations: [{ field: 'page_token' }],
      })
    }
  })

  test(`a token for another workspace returns 403, and workspace IDs are case-insensitive ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { kind, people, as } = fixture
    const otherWorkspace = await environment.seed.workspace()
    await environment.seed.member(otherWorkspace, people.owner.id, 'owner')
    for (const workspace_id of [otherWorkspace, randomUUID()]) {
      const message = { ...kind, workspace_id, action: 'view' }
      const outcome = await transport.call('Accessible', message, as(people.owner))
      t.like(outcome, { ok: false, code: 'permission_denied', reason: 'OTHER_WORKSPACE' })
    }
    const upper = { workspace_id: fixture.workspace.toUpperCase() }
    t.true((await list(fixture, people.owner, 'view', upper)).has_full_access)
  })
}
