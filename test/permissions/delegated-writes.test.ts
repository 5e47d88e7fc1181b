// Threat: an agent that changes more than its delegation covers, or more than its user may change.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { type DelegationRow, insertDelegation } from '../support/delegation-rows.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { PresentedCredentials, Transport } from '../support/transports.ts'
import {
  createWorkspaceFixture,
  type Member,
  type ResourceRecord,
} from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed, app } = environment
test.after.always(() => environment.stop())

const notCovered = { code: 'permission_denied', reason: 'DELEGATION_DOES_NOT_COVER' }

async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, service, key, people, register } = fixture
  /** Returns the credentials of an agent that acts for a person by a new delegation. */
  async function actFor(
    { id }: Member,
    row: Partial<DelegationRow>,
  ): Promise<PresentedCredentials> {
    const agent_id = randomUUID()
    const of = { user_id: id, workspace_id: workspace, service_name: service, agent_id }
    const delegation_id = await insertDelegation(pool, { ...of, ...row })
    const act = { sub: agent_id, typ: 'service_account' as const }
    const claims = { sub: id, jti: randomUUID(), wid: workspace, act, delegation_id }
    const token = await app.tokens.signDelegated(claims, undefined, 900, new Date())
    return { token, key }
  }
  const call = (method: string, message: object, credentials: PresentedCredentials) =>
    transport.call(method, message, credentials)
  /** Returns everything that the writes below change. */
  async function readAll({ id, resource_id }: ResourceRecord) {
    const found = await call('GetResource', { ...fixture.kind, resource_id }, { key })
    const resource = found.ok ? found.message : found.reason
    const { rows } = await pool.query(
      `select l.id from resource_links l join resources r using (kind_id, resource_id) where r.id = $1`,
      [id],
    )
    return { resource, links: rows.length }
  }
  const registerFolder = () => register(people.editor, { resource_type: 'folder' })
  return { ...fixture, actFor, call, readAll, registerFolder }
}

type Scene = Awaited<ReturnType<typeof createScene>>
type Write = (scene: Scene, resource: ResourceRecord) => Promise<object> | object

const grantee = ({ people }: Scene) => ({
  grantee_type: 'user',
  grantee_id: people.viewer.id,
  permission: 'view',
})

/** Every change of a resource that takes the token of a user, as its message. All need `manage`. */
const writes: Record<string, Write> = {
  Share: grantee,
  ShareBatch: (scene, { id }) => ({ shares: [{ permission_id: id, ...grantee(scene) }] }),
  async RevokeShare(scene, resource) {
    await scene.share(scene.people.editor, resource, { user: scene.people.viewer.id }, 'view')
    return grantee(scene)
  },
  UpdateVisibility: () => ({ visibility: 'workspace' }),
  UpdateResource: () => ({ display_name: 'Plan' }),
  UpdateAttributes: () => ({ attributes: { stage: 'draft' } }),
  TransferOwnership: ({ people }) => ({ owner_id: people.viewer.id }),
  UpdateParent: () => ({ inherits: false }),
  CreateLink: () => ({ permission: 'view' }),
  ListLinks: () => ({}),
  async DeleteLink({ people, as, call }, { id }) {
    const created = await call(
      'CreateLink',
      { permission_id: id, permission: 'view' },
      as(people.editor),
    )
    return { link_id: expectOk(created).id }
  },
  Unregister: () => ({}),
}

for (const transport of environment.transports) {
  const over = `over ${transport.name}`

  for (const [method, write] of Object.entries(writes)) {
    test(`${method} needs a delegation that covers manage ${over}`, async (t) => {
      const scene = await createScene(transport)
      const { people, register, actFor, call, readAll } = scene
      const { editor, viewer } = people
      const resource = await register(editor)
      const other = await register(editor)
      const message = {
        ...(method !== 'ShareBatch' && { permission_id: resource.id }),
        ...(await write(scene, resource)),
      }
      const before = await readAll(resource)
      const manage = { actions: ['manage'] }
      for (const row of [
        { actions: ['view', 'edit', 'Manage'] },
        { actions: null, resource_types: ['document'] },
        { ...manage, resource_types: ['folder'] },
        { ...manage, resources: [other.id] },
        { ...manage, resources: [] },
        { ...manage, service_name: 'another' },
        { ...manage, ended_at: new Date() },
        { ...manage, expires_at: new Date(Date.now() - 1000) },
      ])
        t.like(
          { row, ...(await call(method, message, await actFor(editor, row))) },
          { row, ...notCovered },
        )
      // What the user may not do, no delegation allows.
      const own = await call(method, message, await actFor(viewer, manage))
      t.like(own, { code: 'permission_denied', reason: 'NOT_THE_OWNER' })
      t.deepEqual(await readAll(resource), before)

      const covering = { ...manage, resource_types: ['document'], resources: [resource.id] }
      const outcome = await call(method, message, await actFor(editor, covering))
      t.true(outcome.ok, outcome.ok ? '' : outcome.detail)
      if (method !== 'ListLinks') t.notDeepEqual(await readAll(resource), before)
    })
  }

  test(`a new parent needs a delegation that covers edit on it, too ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { people, register, registerFolder, actFor, call, readAll } = scene
    const resource = await register(people.editor)
    const folder = await registerFolder()
    const before = await readAll(resource)
    const { resource_type, resource_id } = folder
    const message = { permission_id: resource.id, parent: { resource_type, resource_id } }
    const both = { actions: ['manage', 'edit'] }
    for (const row of [
      { actions: ['manage'] },
      { actions: ['edit'] },
      { ...both, resources: [resource.id] },
      { ...both, resources: [folder.id] },
      { ...both, resource_types: ['document'] },
    ])
      t.like(
        { row, ...(await call('UpdateParent', message, await actFor(people.editor, row))) },
        { row, ...notCovered },
      )
    t.deepEqual(await readAll(resource), before)
    const covering = { ...both, resources: [resource.id, folder.id] }
    expectOk(await call('UpdateParent', message, await actFor(people.editor, covering)))
    // The resource inherits from the folder now, which stands for it.
    const below = { actions: ['manage'], resources: [folder.id] }
    const share = { permission_id: resource.id, ...grantee(scene) }
    expectOk(await call('Share', share, await actFor(people.editor, below)))
    const inherits = { permission_id: resource.id, inherits: false }
    expectOk(await call('UpdateParent', inherits, await actFor(people.editor, below)))
    t.like(await call('Share', share, await actFor(people.editor, below)), notCovered)
  })

  test(`a batch of shares is granted only if the delegation covers each of them ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { people, register, actFor, call } = scene
    const [covered, other] = [await register(people.editor), await register(people.editor)]
    const shares = [covered, other].map(({ id }) => ({ permission_id: id, ...grantee(scene) }))
    const agent = await actFor(people.editor, { actions: ['manage'], resources: [covered.id] })
    const outcome = await call('ShareBatch', { shares }, agent)
    t.like(outcome, notCovered)
    t.regex(outcome.ok ? '' : outcome.detail, /shares\[1\]/)
    t.notRegex(outcome.ok ? '' : outcome.detail, /shares\[0\]/)
    t.deepEqual((await scene.readResource(covered)).shares, [])
    expectOk(await call('ShareBatch', { shares: shares.slice(0, 1) }, agent))
  })

  test(`a requirement of manage is asked of the user, and can refuse agents ${over}`, async (t) => {
    const { people, register, actFor, call, as, kind, key } = await createScene(transport)
    const conditions = [
      { name: 'by_a_person', description: '', expression: "agent.type == ''", parameters: {} },
    ]
    const requirements = [{ action: 'manage', condition: 'by_a_person' }]
    expectOk(
      await call('PutResourceType', { ...kind, roles: [], conditions, requirements }, { key }),
    )
    const resource = await register(people.editor)
    const message = { permission_id: resource.id, display_name: 'Plan' }
    const agent = await actFor(people.editor, { actions: ['manage'] })
    const refused = await call('UpdateResource', message, agent)
    t.like(refused, { code: 'permission_denied', reason: 'REQUIREMENT_NOT_MET' })
    expectOk(await call('UpdateResource', message, as(people.editor)))
  })

  test(`custom roles grant an agent the actions that its delegation covers ${over}`, async (t) => {
    const { people, workspace, service, actFor, call, as } = await createScene(transport)
    const ids = await Promise.all(
      ['publish', 'print'].map((name) => seed.serviceAction(service, name)),
    )
    await seed.customRole(workspace, ids, [people.viewer.id])
    const list = async (credentials: PresentedCredentials) =>
      expectOk(await call('ListGrantedActions', { service_name: service }, credentials)).actions
    const agent = (row: Partial<DelegationRow>) => actFor(people.viewer, row)
    t.deepEqual(await list(as(people.viewer)), ['print', 'publish'])
    t.deepEqual(await list(await agent({ actions: ['publish', 'view'] })), ['publish'])
    t.deepEqual(await list(await agent({ resource_types: ['document'] })), ['print', 'publish'])
    t.deepEqual(await list(await agent({ actions: ['publish'], ended_at: new Date() })), [])
    t.deepEqual(await list(await agent({ actions: ['publish'], service_name: 'other' })), [])
  })

  test(`a check by an agent is what its user may do and the delegation covers ${over}`, async (t) => {
    const { people, register, actFor, call, kind } = await createScene(transport)
    const resource = await register(people.editor)
    const check = async (credentials: PresentedCredentials) => {
      const { resource_id } = resource
      const checks = ['view', 'edit'].map((action) => ({ ...kind, resource_id, action }))
      const { results } = expectOk(await call('Check', { checks }, credentials))
      return results.map(({ allowed }: { allowed: boolean }) => allowed)
    }
    t.deepEqual(await check(await actFor(people.editor, { actions: ['edit'] })), [false, true])
    t.deepEqual(await check(await actFor(people.viewer, { actions: ['view'] })), [false, false])
    const ended = { actions: ['view'], ended_at: new Date() }
    t.deepEqual(await check(await actFor(people.editor, ended)), [false, false])
  })
}
