// Threat: a page that shows less than an agent gets, or that sends the answer of a person to somebody else.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { expectError, expectOk } from '../support/outcome.ts'
import { seedServiceAccount } from '../support/request-fixture.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed, clock } = environment
test.after.always(() => environment.stop())

clock.now = new Date()

const values = (...items: unknown[]) => ({ values: items })
const callback = 'https://planner.example.com/callback?from=daikon'

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  async function createScene() {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { workspace, service, people } = fixture
    const agent_id = await seedServiceAccount(environment, workspace)
    const preview = (message: object, { token }: { token: string } = people.editor) => {
      const usual = { agent_id, service_name: service, actions: values('view') }
      const request = { ...usual, reason: 'Weekly report', expires_in: 3600, ...message }
      return transport.call('PreviewDelegation', request, { token })
    }
    return { ...fixture, agent_id, preview }
  }

  function createClient(row: object = {}, uris = [callback]): Promise<string> {
    return seed.clientApp(uris, { name: 'Planner', type: 'confidential', ...row })
  }

  test(`a person sees what a delegation would be, and nothing is made ${over}`, async (t) => {
    const { workspace, service, people, agent_id, register, preview } = await createScene()
    const external_id = `q4-${randomUUID()}`
    const named = { resource_id: undefined, external_id, display_name: 'Q4' }
    const { resource_id } = await register(people.editor, named)
    const previewed = expectOk(
      await preview({
        resource_types: values('document'),
        resources: values({ resource_type: 'document', external_id }),
      }),
    )
    t.like(previewed, {
      agent: { type: 'service_account', id: agent_id, name: 'robot' },
      workspaces: [{ id: workspace }],
      service_name: service,
      actions: values('view'),
      resource_types: values('document'),
      reason: 'Weekly report',
      expires_at: new Date(Number(clock.now) + 3_600_000).toISOString(),
    })
    t.is(previewed.workspaces.length, 1)
    t.deepEqual(previewed.resources.values, [
      { resource_type: 'document', resource_id, external_id, display_name: 'Q4' },
    ])
    t.falsy(previewed.host)
    t.falsy(previewed.return_to)
    const { rowCount } = await pool.query('select from delegations where agent_id = $1', [agent_id])
    t.is(rowCount, 0)
  })

  test(`an answer leads only to a redirect URI of the client ${over}`, async (t) => {
    const { agent_id, preview } = await createScene()
    const loopback = 'http://127.0.0.1/callback'
    const client = await createClient({}, [callback, loopback])
    const of = (return_to: string, agent = client) => preview({ agent_id: agent, return_to })
    t.like(expectOk(await of(callback)), { host: 'planner.example.com', return_to: callback })
    const local = expectOk(await of('http://127.0.0.1:4711/callback'))
    t.is(local.return_to, 'http://127.0.0.1:4711/callback')
    t.falsy(local.host)
    t.is(expectOk(await preview({ agent_id: client })).host, 'planner.example.com')
    const wrong = [
      ...['https://planner.example.com/callback', `${callback}&more=1`, `${callback}/`],
      ...['https://planner.example.com.evil.example/', 'https://evil.example.com/callback'],
      ...['https://u@planner.example.com/callback?from=daikon', 'javascript:alert(1)', '/', ' '],
    ]
    for (const uri of wrong) {
      const { code, violations } = expectError(await of(uri))
      t.is(code, 'invalid_argument', uri)
      t.deepEqual(
        violations.map(({ field }) => field),
        ['return_to'],
        uri,
      )
    }
    t.is(expectError(await of(callback, agent_id)).code, 'invalid_argument')
    const other = await createClient({}, ['https://other.example.com/'])
    t.is(expectError(await of(callback, other)).code, 'invalid_argument')
  })

  test(`what cannot be an agent of the person is not found ${over}`, async (t) => {
    const { workspace, people, agent_id, preview } = await createScene()
    const elsewhere = await createScene()
    const account = await seedServiceAccount(environment, workspace)
    await pool.query('update users set is_active = false where id = $1', [account])
    const agents = {
      unknown: randomUUID(),
      person: people.viewer.id,
      'service account of another workspace': elsewhere.agent_id,
      'inactive service account': account,
      'public client': await createClient({ type: 'public' }),
      'inactive client': await createClient({ is_active: false }),
      'client bound to another workspace': await createClient({
        workspace_id: elsewhere.workspace,
      }),
      'client bound to a service account': await createClient({ service_account_id: agent_id }),
    }
    for (const [name, id] of Object.entries(agents))
      t.is(expectError(await preview({ agent_id: id })).reason, 'AGENT_NOT_FOUND', name)
    const bound = await createClient({ workspace_id: workspace })
    t.is(expectOk(await preview({ agent_id: bound })).agent.type, 'client')
  })

  test(`resources that the person may not view are not found ${over}`, async (t) => {
    const { people, register, preview } = await createScene()
    const elsewhere = await createScene()
    const reference = ({ resource_id }: { resource_id: string }) => ({
      ...{ resource_type: 'document', resource_id },
    })
    const own = reference(await register(people.editor))
    const foreign = reference(
      await register(elsewhere.people.viewer, {
        ...{ workspace_id: elsewhere.workspace, owner_id: elsewhere.people.viewer.id },
      }),
    )
    const invisible = reference(await register(people.admin, { visibility: 'private' }))
    const unknown = { resource_type: 'document', external_id: 'unknown' }
    t.is(expectOk(await preview({ resources: values(own) })).resources.values.length, 1)
    for (const other of [foreign, invisible, unknown])
      for (const list of [[other], [own, other], [other, own]]) {
        const error = expectError(await preview({ resources: values(...list) }))
        t.is(error.reason, 'RESOURCE_NOT_FOUND', JSON.stringify(list))
      }
    const twice = expectError(await preview({ resources: values(own, own) }))
    t.deepEqual(twice.violations, [{ field: 'resources[1]', message: 'is duplicated' }])
  })

  test(`the workspaces are those that allow delegations and have the resources ${over}`, async (t) => {
    const { workspace, people, register, preview } = await createScene()
    const client = await createClient()
    const [open, closed, invited] = [
      await seed.workspace('Alpha'),
      await seed.workspace('Beta'),
      await seed.workspace('Gamma'),
    ]
    for (const id of [open, closed]) await seed.member(id, people.editor.id)
    await seed.member(invited, people.editor.id, 'viewer', { joined_at: null })
    await pool.query('update workspaces set delegations = false where id = $1', [closed])
    const list = async (message: object) =>
      expectOk(await preview({ agent_id: client, ...message })).workspaces.map(
        ({ id }: { id: string }) => id,
      )
    t.deepEqual(await list({}), [workspace, open])
    const { resource_id } = await register(people.editor)
    const resources = values({ resource_type: 'document', resource_id })
    t.deepEqual(await list({ resources }), [workspace])
    await pool.query('update workspaces set delegations = false where id = $1', [workspace])
    t.deepEqual(await list({}), [open])
    const off = expectError(await preview({}))
    t.is(off.reason, 'DELEGATIONS_OFF')
  })
}
