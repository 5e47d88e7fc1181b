import { randomUUID } from 'node:crypto'
import test from 'ava'
import { answered } from '../support/ending.ts'
import { openOffice } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
test.after.always(() => world.stop())

for (const door of world.doors) {
  const through = `through ${door.name}`

  test(`ground 1: owner and admin may view, edit and do every registered action ${through}`, async (t) => {
    const { staff, service, ...office } = await openOffice(world, door)
    await world.seed.serviceAction(service, 'publish')
    const record = await office.register(await office.hire('viewer'))
    for (const action of ['view', 'edit', 'publish']) {
      t.true(await office.may(staff.owner, action, record))
      t.true(await office.may(staff.admin, action, record))
      t.false(await office.may(staff.editor, action, record))
      t.false(await office.may(staff.viewer, action, record))
    }
    t.false(await office.may(staff.owner, 'unheard-of', record))
  })

  test(`ground 2: a resource's owner may do the same, whatever their role ${through}`, async (t) => {
    const { staff, service, ...office } = await openOffice(world, door)
    await world.seed.serviceAction(service, 'publish')
    const record = await office.register(staff.viewer)
    for (const action of ['view', 'edit', 'publish'])
      t.true(await office.may(staff.viewer, action, record))
    t.false(await office.may(staff.viewer, 'unheard-of', record))
  })

  test(`ground 3: what is open to the workspace every member views and editors edit ${through}`, async (t) => {
    const { staff, service, ...office } = await openOffice(world, door)
    await world.seed.serviceAction(service, 'publish')
    const record = await office.register(staff.owner, { visibility: 'workspace' })
    t.true(await office.may(staff.viewer, 'view', record))
    t.false(await office.may(staff.viewer, 'edit', record))
    t.true(await office.may(staff.editor, 'view', record))
    t.true(await office.may(staff.editor, 'edit', record))
    t.false(await office.may(staff.editor, 'publish', record))
  })

  test(`ground 4: a share with the user or their group gives view, or view and edit ${through}`, async (t) => {
    const { staff, workspace, service, ...office } = await openOffice(world, door)
    await world.seed.serviceAction(service, 'publish')
    const { viewer } = staff
    const mine = await world.seed.group(workspace, [viewer.id])
    const others = await world.seed.group(workspace, [staff.editor.id])
    for (const grantee of [{ user: viewer.id }, { group: mine }]) {
      for (const permission of ['view', 'edit']) {
        const record = await office.register(staff.owner)
        await office.share(staff.owner, record, { group: others }, 'edit')
        t.false(await office.may(viewer, 'view', record))
        await office.share(staff.owner, record, grantee, permission)
        t.true(await office.may(viewer, 'view', record))
        t.is(await office.may(viewer, 'edit', record), permission === 'edit')
        t.false(await office.may(viewer, 'publish', record))
      }
    }
  })

  test(`ground 5: a custom role's action on what the user may view ${through}`, async (t) => {
    const { staff, workspace, service, ...office } = await openOffice(world, door)
    const publish = await world.seed.serviceAction(service, 'publish')
    await world.seed.serviceAction(service, 'print')
    await world.seed.customRole(workspace, [publish], [staff.viewer.id])
    const open = await office.register(staff.owner, { visibility: 'workspace' })
    const closed = await office.register(staff.owner)
    t.true(await office.may(staff.viewer, 'publish', open))
    t.false(await office.may(staff.viewer, 'print', open))
    t.false(await office.may(staff.editor, 'publish', open))
    t.false(await office.may(staff.viewer, 'publish', closed))
    await office.share(staff.owner, closed, { user: staff.viewer.id }, 'view')
    t.true(await office.may(staff.viewer, 'publish', closed))
    t.false(await office.may(staff.viewer, 'edit', closed))
  })

  test(`a custom role of another workspace or another service's action gives nothing ${through}`, async (t) => {
    const { staff, service, workspace, ...office } = await openOffice(world, door)
    const { viewer } = staff
    const publish = await world.seed.serviceAction(service, 'publish')
    const elsewhere = await world.seed.workspace()
    await world.seed.member(elsewhere, viewer.id)
    await world.seed.customRole(elsewhere, [publish], [viewer.id])
    const foreign = await world.seed.serviceAction(`${service}-other`, 'archive')
    await world.seed.customRole(workspace, [foreign], [viewer.id])
    const record = await office.register(staff.owner, { visibility: 'workspace' })
    t.false(await office.may(viewer, 'publish', record))
    t.false(await office.may(viewer, 'archive', record))
    t.false(await office.may(staff.owner, 'archive', record))
  })

  test(`a custom role can neither give nor take view and edit ${through}`, async (t) => {
    const { staff, service, workspace, ...office } = await openOffice(world, door)
    const view = await world.seed.serviceAction(service, 'view')
    const edit = await world.seed.serviceAction(service, 'edit')
    await world.seed.customRole(workspace, [view, edit], [staff.viewer.id])
    const record = await office.register(staff.owner)
    t.false(await office.may(staff.viewer, 'view', record))
    await office.share(staff.owner, record, { user: staff.viewer.id }, 'view')
    t.false(await office.may(staff.viewer, 'edit', record))
  })

  test(`a resource of another workspace is false to everybody with another token ${through}`, async (t) => {
    const { staff, key, ...office } = await openOffice(world, door)
    const record = await office.register(staff.owner, { visibility: 'workspace' })
    const elsewhere = await world.seed.workspace()
    await world.seed.member(elsewhere, staff.owner.id, 'owner')
    const token = await world.token(staff.owner.id, elsewhere)
    t.false(await office.may({ id: staff.owner.id, token }, 'view', record))
    t.true(await office.may(staff.owner, 'view', record))
  })

  test(`unknown resources, types and actions are answers, and they are false ${through}`, async (t) => {
    const { staff, kind, as, ...office } = await openOffice(world, door)
    const { resource_id } = await office.register(staff.owner)
    const known = { ...kind, resource_id, action: 'view' }
    const checks = [
      known,
      { ...known, resource_id: randomUUID() },
      { ...known, resource_type: 'never-registered' },
      { ...known, action: 'never-registered' },
    ]
    const { results } = answered(await door.call('Check', { checks }, as(staff.owner)))
    t.deepEqual(
      results,
      checks.map((asked, at) => ({ ...asked, allowed: at === 0 })),
    )
  })

  test(`1,000 checks are answered in order, fields as they were asked ${through}`, async (t) => {
    const { staff, kind, as, ...office } = await openOffice(world, door)
    const records = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        office.register(at % 3 ? staff.owner : staff.viewer, { resource_type: `type ${at % 2}` }),
      ),
    )
    const checks = Array.from({ length: 1000 }, (_, at) => {
      const { resource_id, resource_type } = records[(at * 7) % 10] as Record<string, any>
      const id = at % 4 ? resource_id : resource_id.toUpperCase()
      return { ...kind, resource_type, resource_id: id, action: at % 5 ? 'view' : 'edit' }
    })
    const ending = await door.call('Check', { checks }, as(staff.viewer))
    t.deepEqual(
      answered(ending).results,
      checks.map((asked, at) => ({ ...asked, allowed: ((at * 7) % 10) % 3 === 0 })),
    )
    if (ending.ok && door.name === 'rest') t.is(ending.status, 200)
  })

  test(`near-identical items get each their own answer ${through}`, async (t) => {
    const { staff, service: service_name, as, ...office } = await openOffice(world, door)
    const resource_id = randomUUID()
    const near = ['a,b', 'a', 'b', 'a b', 'A', '"a"', "'a'", 'a\\', '\\"', '{a}', '{}', 'NULL']
    near.push('null', '()', 'a:b', 'a/b', 'a\u00a0b', 'ä', 'a\u0308', '🦊', '%', '_', 'ａ', ' ')
    const known = near.filter((_, at) => at % 2 === 0)
    for (const resource_type of known)
      await office.register(staff.viewer, { resource_id, resource_type })
    const checks = near.map((resource_type) => {
      return { service_name, resource_type, resource_id, action: 'view' }
    })
    const { results } = answered(await door.call('Check', { checks }, as(staff.viewer)))
    t.deepEqual(
      results,
      checks.map((asked) => ({ ...asked, allowed: known.includes(asked.resource_type) })),
    )
  })

  test(`actions that look alike are different actions ${through}`, async (t) => {
    const { staff, service, kind, as, ...office } = await openOffice(world, door)
    const { resource_id } = await office.register(staff.owner)
    const actions = ['view', 'VIEW', 'View', 'view ', ' view', 'view,edit', 'vieẇ', 'edit', 'NULL']
    await world.seed.serviceAction(service, 'view,edit')
    const checks = actions.map((action) => ({ ...kind, resource_id, action }))
    const { results } = answered(await door.call('Check', { checks }, as(staff.owner)))
    t.deepEqual(
      results.filter(({ allowed }: { allowed: boolean }) => allowed),
      ['view', 'view,edit', 'edit'].map((action) => {
        return { ...kind, resource_id, action, allowed: true }
      }),
    )
  })

  test(`the same check asked twice in a batch is answered twice ${through}`, async (t) => {
    const { staff, kind, as, ...office } = await openOffice(world, door)
    const { resource_id } = await office.register(staff.viewer)
    const asked = { ...kind, resource_id, action: 'edit' }
    const { results } = answered(
      await door.call('Check', { checks: [asked, asked] }, as(staff.viewer)),
    )
    t.deepEqual(results, [
      { ...asked, allowed: true },
      { ...asked, allowed: true },
    ])
  })
}
