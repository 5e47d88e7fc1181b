import { randomUUID } from 'node:crypto'
import test from 'ava'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`workspace owners and admins may view, edit and perform every registered action ${over}`, async (t) => {
    const { people, service, ...fixture } = await createWorkspaceFixture(environment, transport)
    await environment.seed.serviceAction(service, 'publish')
    const record = await fixture.register(await fixture.addMember('viewer'))
    for (const action of ['view', 'edit', 'manage', 'publish']) {
      t.true(await fixture.isAllowed(people.owner, action, record))
      t.true(await fixture.isAllowed(people.admin, action, record))
      t.false(await fixture.isAllowed(people.editor, action, record))
      t.false(await fixture.isAllowed(people.viewer, action, record))
    }
    t.false(await fixture.isAllowed(people.owner, 'unheard-of', record))
  })

  test(`a resource's owner may perform every action, whatever their role ${over}`, async (t) => {
    const { people, service, ...fixture } = await createWorkspaceFixture(environment, transport)
    await environment.seed.serviceAction(service, 'publish')
    const record = await fixture.register(people.viewer)
    for (const action of ['view', 'edit', 'manage', 'publish'])
      t.true(await fixture.isAllowed(people.viewer, action, record))
    t.false(await fixture.isAllowed(people.viewer, 'unheard-of', record))
  })

  test(`workspace visibility lets every member view and editors edit ${over}`, async (t) => {
    const { people, service, ...fixture } = await createWorkspaceFixture(environment, transport)
    await environment.seed.serviceAction(service, 'publish')
    const record = await fixture.register(people.owner, { visibility: 'workspace' })
    t.true(await fixture.isAllowed(people.viewer, 'view', record))
    t.false(await fixture.isAllowed(people.viewer, 'edit', record))
    t.true(await fixture.isAllowed(people.editor, 'view', record))
    t.true(await fixture.isAllowed(people.editor, 'edit', record))
    t.false(await fixture.isAllowed(people.editor, 'publish', record))
  })

  test(`a share with the user or their group grants view, or view and edit ${over}`, async (t) => {
    const { people, workspace, service, ...fixture } = await createWorkspaceFixture(
      environment,
      transport,
    )
    await environment.seed.serviceAction(service, 'publish')
    const { viewer } = people
    const viewerGroup = await environment.seed.group(workspace, [viewer.id])
    const others = await environment.seed.group(workspace, [people.editor.id])
    for (const grantee of [{ user: viewer.id }, { group: viewerGroup }]) {
      for (const permission of ['view', 'edit']) {
        const record = await fixture.register(people.owner)
        await fixture.share(people.owner, record, { group: others }, 'edit')
        t.false(await fixture.isAllowed(viewer, 'view', record))
        await fixture.share(people.owner, record, grantee, permission)
        t.true(await fixture.isAllowed(viewer, 'view', record))
        t.is(await fixture.isAllowed(viewer, 'edit', record), permission === 'edit')
        t.false(await fixture.isAllowed(viewer, 'publish', record))
      }
    }
  })

  test(`a custom role grants its actions on resources that the user may view ${over}`, async (t) => {
    const { people, workspace, service, ...fixture } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const publish = await environment.seed.serviceAction(service, 'publish')
    await environment.seed.serviceAction(service, 'print')
    await environment.seed.customRole(workspace, [publish], [people.viewer.id])
    const open = await fixture.register(people.owner, { visibility: 'workspace' })
    const closed = await fixture.register(people.owner)
    t.true(await fixture.isAllowed(people.viewer, 'publish', open))
    t.false(await fixture.isAllowed(people.viewer, 'print', open))
    t.false(await fixture.isAllowed(people.editor, 'publish', open))
    t.false(await fixture.isAllowed(people.viewer, 'publish', closed))
    await fixture.share(people.owner, closed, { user: people.viewer.id }, 'view')
    t.true(await fixture.isAllowed(people.viewer, 'publish', closed))
    t.false(await fixture.isAllowed(people.viewer, 'edit', closed))
  })

  test(`a custom role of another workspace, or with another service's action, grants nothing ${over}`, async (t) => {
    const { people, service, workspace, ...fixture } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const { viewer } = people
    const publish = await environment.seed.serviceAction(service, 'publish')
    const otherWorkspace = await environment.seed.workspace()
    await environment.seed.member(otherWorkspace, viewer.id)
    await environment.seed.customRole(otherWorkspace, [publish], [viewer.id])
    const foreign = await environment.seed.serviceAction(`${service}-other`, 'archive')
    await environment.seed.customRole(workspace, [foreign], [viewer.id])
    const record = await fixture.register(people.owner, { visibility: 'workspace' })
    t.false(await fixture.isAllowed(viewer, 'publish', record))
    t.false(await fixture.isAllowed(viewer, 'archive', record))
    t.false(await fixture.isAllowed(people.owner, 'archive', record))
  })

  test(`a custom role neither grants nor removes view and edit ${over}`, async (t) => {
    const { people, service, workspace, ...fixture } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const view = await environment.seed.serviceAction(service, 'view')
    const edit = await environment.seed.serviceAction(service, 'edit')
    await environment.seed.customRole(workspace, [view, edit], [people.viewer.id])
    const record = await fixture.register(people.owner)
    t.false(await fixture.isAllowed(people.viewer, 'view', record))
    await fixture.share(people.owner, record, { user: people.viewer.id }, 'view')
    t.false(await fixture.isAllowed(people.viewer, 'edit', record))
  })

  test(`a token for another workspace is denied on the resource, even for its owner ${over}`, async (t) => {
    const { people, key, ...fixture } = await createWorkspaceFixture(environment, transport)
    const record = await fixture.register(people.owner, { visibility: 'workspace' })
    const otherWorkspace = await environment.seed.workspace()
    await environment.seed.member(otherWorkspace, people.owner.id, 'owner')
    const token = await environment.token(people.owner.id, otherWorkspace)
    t.false(await fixture.isAllowed({ id: people.owner.id, token }, 'view', record))
    t.true(await fixture.isAllowed(people.owner, 'view', record))
  })

  test(`checks of unknown resources, types and actions are denied without an error ${over}`, async (t) => {
    const { people, kind, as, ...fixture } = await createWorkspaceFixture(environment, transport)
    const { resource_id } = await fixture.register(people.owner)
    const known = { ...kind, resource_id, action: 'view' }
    const checks = [
      known,
      { ...known, resource_id: randomUUID() },
      { ...known, resource_type: 'never-registered' },
      { ...known, action: 'never-registered' },
    ]
    const { results } = expectOk(await transport.call('Check', { checks }, as(people.owner)))
    t.deepEqual(
      results,
      checks.map((check, index) => ({ ...check, allowed: index === 0 })),
    )
  })

  test(`1,000 checks return results in order, with the fields of the request ${over}`, async (t) => {
    const { people, kind, as, ...fixture } = await createWorkspaceFixture(environment, transport)
    const records = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        fixture.register(index % 3 ? people.owner : people.viewer, {
          resource_type: `type ${index % 2}`,
        }),
      ),
    )
    const checks = Array.from({ length: 1000 }, (_, index) => {
      const { resource_id, resource_type } = records[(index * 7) % 10] as Record<string, any>
      const id = index % 4 ? resource_id : resource_id.toUpperCase()
      return { ...kind, resource_type, resource_id: id, action: index % 5 ? 'view' : 'edit' }
    })
    const outcome = await transport.call('Check', { checks }, as(people.viewer))
    t.deepEqual(
      expectOk(outcome).results,
      checks.map((check, index) => ({
        ...check,
        resource_id: check.resource_id.toLowerCase(),
        allowed: ((index * 7) % 10) % 3 === 0,
      })),
    )
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 200)
  })

  test(`near-identical resource types each get their own result ${over}`, async (t) => {
    const {
      people,
      service: service_name,
      as,
      ...fixture
    } = await createWorkspaceFixture(environment, transport)
    const resource_id = randomUUID()
    const similarNames = [
      'a,b',
      'a',
      'b',
      'a b',
      'A',
      '"a"',
      "'a'",
      'a\\',
      '\\"',
      '{a}',
      '{}',
      'NULL',
    ]
    similarNames.push(
      'null',
      '()',
      'a:b',
      'a/b',
      'a\u00a0b',
      'ä',
      'a\u0308',
      '🦊',
      '%',
      '_',
      'ａ',
      ' ',
    )
    const known = similarNames.filter((_, index) => index % 2 === 0)
    for (const resource_type of known)
      await fixture.register(people.viewer, { resource_id, resource_type })
    const checks = similarNames.map((resource_type) => {
      return { service_name, resource_type, resource_id, action: 'view' }
    })
    const { results } = expectOk(await transport.call('Check', { checks }, as(people.viewer)))
    t.deepEqual(
      results,
      checks.map((check) => ({ ...check, allowed: known.includes(check.resource_type) })),
    )
  })

  test(`actions with similar names are distinct ${over}`, async (t) => {
    const { people, service, kind, as, ...fixture } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const { resource_id } = await fixture.register(people.owner)
    const actions = ['view', 'VIEW', 'View', 'view ', ' view', 'view,edit', 'vieẇ', 'edit', 'NULL']
    await environment.seed.serviceAction(service, 'view,edit')
    const checks = actions.map((action) => ({ ...kind, resource_id, action }))
    const { results } = expectOk(await transport.call('Check', { checks }, as(people.owner)))
    t.deepEqual(
      results.filter(({ allowed }: { allowed: boolean }) => allowed),
      ['view', 'view,edit', 'edit'].map((action) => {
        return { ...kind, resource_id, action, allowed: true }
      }),
    )
  })

  test(`a check that appears twice in a batch gets two results ${over}`, async (t) => {
    const { people, kind, as, ...fixture } = await createWorkspaceFixture(environment, transport)
    const { resource_id } = await fixture.register(people.viewer)
    const check = { ...kind, resource_id, action: 'edit' }
    const { results } = expectOk(
      await transport.call('Check', { checks: [check, check] }, as(people.viewer)),
    )
    t.deepEqual(results, [
      { ...check, allowed: true },
      { ...check, allowed: true },
    ])
  })
}
