import { randomUUID } from 'node:crypto'
import test from 'ava'
import { answered } from '../support/ending.ts'
import { type Office, openOffice, type Person } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
test.after.always(() => world.stop())

for (const door of world.doors) {
  const through = `through ${door.name}`

  const list = async (office: Office, person: Person, action: string, more: object = {}) => {
    const message = { ...office.kind, action, workspace_id: office.workspace, ...more }
    return answered(await door.call('Accessible', message, office.as(person)))
  }
  const registerMany = async (office: Office, owner: Person, count: number, more: object = {}) => {
    const all = Array.from({ length: count }, () => office.register(owner, { ...more }))
    return (await Promise.all(all)).map(({ resource_id }) => resource_id).toSorted()
  }

  test(`every ground is listed once, ascending ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { staff } = office
    const { viewer, owner } = staff
    const group = await world.seed.group(office.workspace, [viewer.id])
    const other = await world.seed.group(office.workspace, [viewer.id])
    const own = await office.register(viewer)
    const open = await office.register(owner, { visibility: 'workspace' })
    const hidden = await office.register(owner)
    const direct = await office.register(owner)
    const grouped = await office.register(owner, { visibility: 'workspace' })
    await office.share(owner, own, { group }, 'edit')
    await office.share(owner, direct, { user: viewer.id }, 'view')
    await office.share(owner, direct, { group }, 'view')
    await office.share(owner, grouped, { group }, 'edit')
    await office.share(owner, grouped, { group: other }, 'view')
    const ids = (...records: { resource_id: string }[]) =>
      records.map(({ resource_id }) => resource_id).toSorted()

    const viewed = await list(office, viewer, 'view')
    t.deepEqual(viewed.resource_ids, ids(own, open, direct, grouped))
    t.false(viewed.has_full_access)
    t.deepEqual((await list(office, viewer, 'edit')).resource_ids, ids(own, grouped))
    t.deepEqual((await list(office, staff.editor, 'edit')).resource_ids, ids(open, grouped))
    t.deepEqual(
      (await list(office, staff.admin, 'view')).resource_ids,
      ids(own, open, hidden, direct, grouped),
    )
    t.deepEqual((await list(office, viewer, 'view', { resource_type: 'folder' })).resource_ids, [])
  })

  test(`an action of the service is listed by the custom role that gives it ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { viewer, editor, owner } = office.staff
    const publish = await world.seed.serviceAction(office.service, 'publish')
    await world.seed.customRole(office.workspace, [publish], [viewer.id])
    const open = await office.register(owner, { visibility: 'workspace' })
    await office.register(owner)
    const own = await office.register(editor)
    const listed = await list(office, viewer, 'publish')
    t.like(listed, { resource_ids: [open.resource_id], has_full_access: false })
    t.deepEqual((await list(office, editor, 'publish')).resource_ids, [own.resource_id])
    t.deepEqual((await list(office, viewer, 'unheard-of')).resource_ids, [])
  })

  test(`has_full_access is owner's and admin's for any known action ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { owner, admin, editor, viewer } = office.staff
    await world.seed.serviceAction(office.service, 'publish')
    for (const action of ['view', 'edit', 'publish']) {
      for (const person of [owner, admin])
        t.true((await list(office, person, action)).has_full_access)
      for (const person of [editor, viewer])
        t.false((await list(office, person, action)).has_full_access)
    }
    const ids = await registerMany(office, viewer, 2)
    for (const action of ['view', 'edit', 'publish'])
      t.like(await list(office, admin, action), { resource_ids: ids, has_full_access: true })
    t.like(await list(office, owner, 'unheard-of'), { resource_ids: [], has_full_access: false })
  })

  test(`has_full_access is any member's for view when there are resources and all are open ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { viewer, editor } = office.staff
    const full = async (person: Person, action: string) =>
      (await list(office, person, action)).has_full_access
    t.false(await full(viewer, 'view'))
    const open = await registerMany(office, editor, 2, { visibility: 'workspace' })
    t.like(await list(office, viewer, 'view'), { resource_ids: open, has_full_access: true })
    t.false(await full(viewer, 'edit'))
    t.false(await full(editor, 'edit'))
    // Another type and another workspace have no say.
    await office.register(editor, { resource_type: 'folder' })
    t.true(await full(viewer, 'view'))
    const closed = await office.register(viewer)
    t.like(await list(office, viewer, 'view'), {
      resource_ids: [...open, closed.resource_id].toSorted(),
      has_full_access: false,
    })
  })

  test(`a cut list says so, and its pages together are the whole ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { viewer } = office.staff
    const ids = await registerMany(office, viewer, 7)
    t.deepEqual((await list(office, viewer, 'view', { limit: 7 })).next_page_token ?? null, null)
    for (const limit of [1, 3, 6]) {
      const seen: string[] = []
      let page_token: string | undefined
      do {
        const page = await list(office, viewer, 'view', {
          limit,
          ...(page_token && { page_token }),
        })
        t.true(page.resource_ids.length <= limit)
        seen.push(...page.resource_ids)
        page_token = page.next_page_token ?? undefined
      } while (page_token)
      t.deepEqual(seen, ids)
    }
  })

  test(`without a limit a page has 1,000 ids ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { viewer } = office.staff
    await office.register(viewer)
    await world.pool.query(
      `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
       select gen_random_uuid(), id, gen_random_uuid(), $2, $3, 'private'
       from resource_kinds, generate_series(1, 1001) where service_name = $1`,
      [office.service, office.workspace, viewer.id],
    )
    const first = await list(office, viewer, 'view')
    t.is(first.resource_ids.length, 1000)
    const rest = await list(office, viewer, 'view', { page_token: first.next_page_token })
    t.is(rest.resource_ids.length, 2)
    t.is(rest.next_page_token ?? null, null)
    t.is(new Set([...first.resource_ids, ...rest.resource_ids]).size, 1002)
  })

  test(`walking while others register and unregister loses and repeats nothing that stayed ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { viewer, owner } = office.staff
    const stayed = await registerMany(office, viewer, 20)
    const passing = await Promise.all(Array.from({ length: 20 }, () => office.register(viewer)))
    const seen: string[] = []
    let page_token: string | undefined
    do {
      const gone = passing.pop()
      await Promise.all([
        gone && door.call('Unregister', { permission_id: gone.id }, { key: office.key }),
        office.register(viewer),
        office.register(owner, { visibility: 'workspace' }),
      ])
      const more = { limit: 3, ...(page_token && { page_token }) }
      const page = await list(office, viewer, 'view', more)
      seen.push(...page.resource_ids)
      page_token = page.next_page_token ?? undefined
    } while (page_token)
    t.deepEqual(seen, seen.toSorted())
    t.is(new Set(seen).size, seen.length)
    for (const id of stayed) t.true(seen.includes(id))
  })

  test(`a page token outlives the id it begins with ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { viewer } = office.staff
    const records = await Promise.all(Array.from({ length: 4 }, () => office.register(viewer)))
    const sorted = records.toSorted((a, b) => (a.resource_id < b.resource_id ? -1 : 1))
    const { next_page_token: page_token } = await list(office, viewer, 'view', { limit: 2 })
    const permission_id = sorted[2]?.id
    answered(await door.call('Unregister', { permission_id }, { key: office.key }))
    const rest = await list(office, viewer, 'view', { limit: 2, page_token })
    t.deepEqual(rest.resource_ids, [sorted[3]?.resource_id])
  })

  test(`a page token that came from no answer is 422 ${through}`, async (t) => {
    const { kind, workspace: workspace_id, staff, as } = await openOffice(world, door)
    for (const page_token of ['x', '%', `${'A'.repeat(21)}=`, 'A'.repeat(23), randomUUID(), '🦊']) {
      const message = { ...kind, workspace_id, action: 'view', page_token }
      const ending = await door.call('Accessible', message, as(staff.owner))
      t.like(ending, { ok: false, kind: 'invalid', problems: [{ field: 'page_token' }] })
    }
  })

  test(`a token for another workspace is 403, whatever its spelling ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { kind, staff, as } = office
    const elsewhere = await world.seed.workspace()
    await world.seed.member(elsewhere, staff.owner.id, 'owner')
    for (const workspace_id of [elsewhere, randomUUID()]) {
      const message = { ...kind, workspace_id, action: 'view' }
      const ending = await door.call('Accessible', message, as(staff.owner))
      t.like(ending, { ok: false, kind: 'forbidden', reason: 'OTHER_WORKSPACE' })
    }
    const upper = { workspace_id: office.workspace.toUpperCase() }
    t.true((await list(office, staff.owner, 'view', upper)).has_full_access)
  })
}
