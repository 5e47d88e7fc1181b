import { randomUUID } from 'node:crypto'
import test from 'ava'
import { type DelegationRow, insertDelegation } from '../support/delegation-rows.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type Member } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { seed, pool } = environment
test.after.always(() => environment.stop())

/** A folder with documents, and others beside it, all of which the owner of the workspace may see. */
async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, service, key, people, kind } = fixture
  const folder = await fixture.register(people.viewer, { resource_type: 'folder' })
  const parent = { resource_type: 'folder', resource_id: folder.resource_id }
  const inside = []
  for (let count = 0; count < 3; count += 1)
    inside.push(await fixture.register(people.viewer, { parent }))
  const loose = await fixture.register(people.viewer)
  const hidden = await fixture.register(people.admin, { parent })
  await pool.query('update resources set inherits = false where id = $1', [hidden.id])
  const other = await fixture.register(people.admin)
  const documents = [...inside, loose, hidden, other].map(({ resource_id }) => resource_id)
  /** Creates a delegation and signs a token of its agent. */
  async function delegate({ id }: Member, row: Partial<DelegationRow>) {
    const agent = { type: 'client' as const, id: randomUUID() }
    const delegation_id = await insertDelegation(pool, {
      ...{ user_id: id, workspace_id: workspace, service_name: service },
      ...{ agent_type: agent.type, agent_id: agent.id, ...row },
    })
    const jti = randomUUID()
    const act = { sub: agent.id, typ: agent.type }
    const claims = { sub: id, jti, wid: workspace, act, delegation_id }
    const { tokens } = environment.app
    const token = await tokens.signDelegated(claims, undefined, 900, new Date())
    return { id: delegation_id, token, jti, agent }
  }
  type Asking = { token: string }
  const check = async ({ token }: Asking, action: string, ids = documents) => {
    const checks = ids.map((resource_id) => ({ ...kind, resource_id, action }))
    const own = expectOk(await transport.call('CheckMyPermissions', { checks }, { token }))
    const { results } = expectOk(await transport.call('Check', { checks }, { token, key }))
    const allowed = (all: { allowed: boolean; resource_id: string }[]) =>
      all.flatMap(({ allowed, resource_id }) => (allowed ? resource_id : [])).toSorted()
    if (JSON.stringify(own.results) !== JSON.stringify(results))
      throw new Error('The checks of the service and of the agent differ')
    return allowed(results)
  }
  /** Returns all pages of a list, which both methods return alike. */
  const list = async ({ token }: Asking, action: string, limit: number, type = 'document') => {
    const found: string[] = []
    let page_token: string | undefined
    do {
      const message = {
        ...{ ...kind, resource_type: type, workspace_id: workspace },
        ...{ action, limit, page_token },
      }
      const page = expectOk(await transport.call('Accessible', message, { token, key }))
      const own = expectOk(await transport.call('ListMyAccessibleResources', message, { token }))
      if (JSON.stringify(page) !== JSON.stringify(own)) throw new Error('The lists differ')
      if (page.has_full_access) throw new Error('A delegation has no full access')
      found.push(...page.resource_ids)
      page_token = page.next_page_token
    } while (page_token)
    return found
  }
  return { ...fixture, folder, inside, loose, hidden, documents, delegate, check, list }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`agents list what their checks allow, page by page ${over}`, async (t) => {
    const { people, folder, loose, inside, delegate, check, list } = await createScene(transport)
    const inFolder = inside.map(({ resource_id }) => resource_id).toSorted()
    const rows: [row: Partial<DelegationRow>, person: Member, view: number][] = [
      [{ actions: ['view'] }, people.viewer, 4],
      [{ actions: ['view'] }, people.owner, 6],
      [{ actions: ['edit'] }, people.owner, 0],
      [{ resource_types: ['document', 'folder'] }, people.owner, 6],
      [{ resource_types: ['folder'] }, people.owner, 0],
      [{ resources: [folder.id] }, people.viewer, 3],
      [{ resources: [folder.id] }, people.owner, 3],
      [{ resources: [folder.id, loose.id], actions: ['view'] }, people.viewer, 4],
      [{ resources: [folder.id] }, people.editor, 0],
      [{ resources: [] }, people.owner, 0],
      [{ resources: [randomUUID()] }, people.owner, 0],
    ]
    for (const [row, person, count] of rows) {
      const agent = await delegate(person, row)
      for (const action of ['view', 'edit', 'manage']) {
        const allowed = await check(agent, action)
        if (action === 'view') t.is(allowed.length, count, JSON.stringify(row))
        for (const limit of [1, 2, 100]) t.deepEqual(await list(agent, action, limit), allowed)
      }
    }
    const ofFolder = await delegate(people.viewer, { resources: [folder.id] })
    t.deepEqual(await list(ofFolder, 'view', 2), inFolder)
    t.deepEqual(await list(ofFolder, 'view', 2, 'folder'), [folder.resource_id])
  })

  test(`a list of an agent ends with its delegation, and with the rights of the user ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { people, folder, delegate, check, list, key, kind, inside } = scene
    const rows = [{ actions: ['view', 'edit'] }, { resources: [folder.id] }]
    for (const row of rows) {
      const agent = await delegate(people.viewer, row)
      // Often enough that memory returns the last ones.
      for (let round = 0; round < 3; round += 1) {
        t.true((await list(agent, 'edit', 100)).length >= 3)
        t.true((await check(agent, 'edit')).length >= 3)
      }
      const moved = inside[0]?.id
      await pool.query('update resources set owner_id = $1 where id = any($2)', [
        people.admin.id,
        [moved, folder.id],
      ])
      t.false((await list(agent, 'edit', 100)).includes(String(inside[0]?.resource_id)))
      await pool.query('update resources set owner_id = $1 where id = any($2)', [
        people.viewer.id,
        [moved, folder.id],
      ])
      t.true((await list(agent, 'edit', 100)).includes(String(inside[0]?.resource_id)))
      await pool.query('update delegations set ended_at = now() where id = $1', [agent.id])
      t.deepEqual(await list(agent, 'edit', 100), [])
      t.deepEqual(await check(agent, 'edit'), [])
    }
    const agent = await delegate(people.viewer, { actions: ['view'] })
    t.is((await list(agent, 'view', 100)).length, 4)
    await pool.query('delete from members where user_id = $1', [people.viewer.id])
    const message = { ...kind, action: 'view', workspace_id: scene.workspace }
    const gone = await transport.call('Accessible', message, { token: agent.token, key })
    t.is(expectError(gone).code, 'unauthenticated')
  })

  test(`an agent's token is a subject of the Access API ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { people, folder, inside, loose, delegate, key, workspace } = scene
    const types = { resource_types: ['document', 'workspace'] }
    const agent = await delegate(people.viewer, { actions: ['view'], ...types })
    const ofFolder = await delegate(people.viewer, { resources: [folder.id] })
    const call = async (method: string, message: object) =>
      expectOk(await transport.call(method, message, { key }))
    const subjectOf = ({ token }: { token: string }) => ({ type: 'access_token', id: token })
    const evaluate = (asking: { token: string }, action: string, id: string, context = {}) =>
      call('Evaluate', {
        subject: subjectOf(asking),
        action: { name: action },
        resource: { type: 'document', id },
        context,
      })
    const search = async (asking: { token: string }, type: string) => {
      const message = { action: { name: 'view' }, resource: { type } }
      const { results } = await call('SearchResources', { subject: subjectOf(asking), ...message })
      return results.map(({ id }: { id: string }) => id)
    }
    const ids = inside.map(({ resource_id }) => resource_id).toSorted()
    t.true((await evaluate(agent, 'view', loose.resource_id)).decision)
    t.false((await evaluate(agent, 'edit', loose.resource_id)).decision)
    t.false((await evaluate(ofFolder, 'view', loose.resource_id)).decision)
    t.true((await evaluate(ofFolder, 'edit', String(ids[0]))).decision)
    const explained = await evaluate(agent, 'edit', loose.resource_id, { explain: true })
    t.like(explained.context.reasons, [
      {
        rule: 'delegation_does_not_cover',
        uncovered: 'action',
        agent: { ...agent.agent, name: 'report-bot' },
      },
    ])
    t.deepEqual(await search(ofFolder, 'document'), ids)
    t.is((await search(agent, 'document')).length, 4)
    t.deepEqual(await search(agent, 'workspace'), [workspace])
    t.deepEqual(await search(ofFolder, 'workspace'), [])
    const other = await seed.serviceApp(`other-${randomUUID().slice(0, 8)}`)
    const resource = { type: 'document', id: loose.resource_id }
    const asked = { subject: subjectOf(agent), action: { name: 'view' }, resource }
    t.false(expectOk(await transport.call('Evaluate', asked, { key: other.key })).decision)
    // A revoked token allows nothing, whatever the delegation covers.
    for (const { jti } of [agent, ofFolder])
      await pool.query(
        `insert into denied_tokens (token_id, expires_at) values ($1, now() + interval '1 hour')`,
        [jti],
      )
    t.false((await evaluate(agent, 'view', loose.resource_id)).decision)
    for (const revoked of [agent, ofFolder])
      for (const type of ['document', 'workspace']) t.deepEqual(await search(revoked, type), [])
  })

  test(`no agent passes a requirement that refuses agents, with its token either ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { people, delegate, check, list, key, kind, as } = scene
    const condition = { name: 'person', description: '', parameters: {} }
    const message = {
      ...{ ...kind, roles: [], requirements: [{ action: 'edit', condition: 'person' }] },
      conditions: [{ ...condition, expression: "agent.type == ''" }],
    }
    const agent = await delegate(people.owner, { actions: ['view', 'edit'] })
    t.is((await list(agent, 'edit', 2)).length, 6)
    expectOk(await transport.call('PutResourceType', message, { key }))
    t.deepEqual(await check(agent, 'edit'), [])
    t.deepEqual(await list(agent, 'edit', 2), [])
    t.is((await list(agent, 'view', 2)).length, 6)
    const asked = { ...kind, action: 'edit', workspace_id: scene.workspace }
    const person = await transport.call('Accessible', asked, as(people.owner))
    t.is(expectOk(person).resource_ids.length, 6)
  })

  test(`an agent shares nothing where managing takes a person ${over}`, async (t) => {
    const { people, delegate, key, kind, as, loose, addMember } = await createScene(transport)
    const condition = { name: 'person', description: '', parameters: {} }
    const declare = (action: string) =>
      transport.call(
        'PutResourceType',
        {
          ...{ ...kind, roles: [], requirements: [{ action, condition: 'person' }] },
          conditions: [{ ...condition, expression: "agent.type == ''" }],
        },
        { key },
      )
    const agent = await delegate(people.viewer, { actions: ['manage'] })
    const guest = await addMember('viewer')
    const grantee = { grantee_type: 'user', grantee_id: guest.id }
    const message = { permission_id: loose.id, ...grantee, permission: 'view' }
    expectOk(await declare('manage'))
    const refused = await transport.call('Share', message, { key, token: agent.token })
    t.is(expectError(refused).reason, 'REQUIREMENT_NOT_MET')
    expectOk(await transport.call('Share', message, as(people.viewer)))
    expectOk(await declare('edit'))
    expectOk(await transport.call('Share', message, { key, token: agent.token }))
  })
}
