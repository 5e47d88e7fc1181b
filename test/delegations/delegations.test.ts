// Threat: an agent gets more than its user gave, or keeps it.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import pg from 'pg'
import {
  createAccountToken,
  createDelegationEnvironment,
  createDelegationScene,
  inSeconds,
} from '../support/delegations.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { seedServiceAccount } from '../support/request-fixture.ts'

const environment = await createDelegationEnvironment()
const { pool, seed, mails } = environment
test.after.always(() => environment.stop())

const values = (...names: unknown[]) => ({ values: names })

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a person lets an agent do what they name ${over}`, async (t) => {
    const scene = await createDelegationScene(environment, transport)
    const { person, workspace, service, agent, delegate, call } = scene
    const external_id = `handbook-${randomUUID()}`
    const first = await scene.register(person, { resource_id: undefined, external_id })
    const second = await scene.register(person)
    const expires_at = inSeconds(3600)
    const created = await delegate({
      actions: values('view', 'publish'),
      resource_types: values('document'),
      resources: values(
        { resource_type: 'document', external_id },
        { resource_type: 'document', resource_id: second.resource_id },
      ),
      expires_at,
    })
    t.like(created, {
      user_id: person.id,
      agent: { ...agent, name: 'robot' },
      workspace_id: workspace,
      service_name: service,
      actions: values('view', 'publish'),
      resource_types: values('document'),
      reason: 'Write the weekly report',
      expires_at,
    })
    t.like(created.resources.values[0], { resource_id: first.resource_id, external_id })
    t.is(created.resources.values[1].resource_id, second.resource_id)
    t.falsy(created.resources.values[1].external_id)
    t.falsy(created.last_used_at)
    const { id: delegation_id } = created
    t.deepEqual(expectOk(await call('GetMyDelegation', { delegation_id })), created)
    t.deepEqual(expectOk(await call('ListMyDelegations')).delegations, [created])
  })

  test(`lists that are absent stand for all ${over}`, async (t) => {
    const { delegate, call } = await createDelegationScene(environment, transport)
    const { id: delegation_id } = await delegate({
      actions: undefined,
      resource_types: values('document'),
    })
    const { actions, resource_types, resources } = expectOk(
      await call('GetMyDelegation', { delegation_id }),
    )
    t.falsy(actions)
    t.falsy(resources)
    t.deepEqual(resource_types, values('document'))
  })

  test(`every problem of a request is named ${over}`, async (t) => {
    const { create, register, person } = await createDelegationScene(environment, transport)
    const { resource_id } = await register(person)
    const resource = { resource_type: 'document', resource_id }
    const problems = async (more: object) => {
      const { code, violations } = expectError(await create(more))
      t.is(code, 'invalid_argument')
      return violations.map(({ field, message }) => `${field} ${message}`)
    }
    t.deepEqual(await problems({ actions: undefined }), [
      'actions is required, or resource_types or resources',
    ])
    t.deepEqual(
      await problems({ actions: values(), resource_types: values(), resources: values() }),
      ['actions', 'resource_types', 'resources'].map(
        (field) => `${field} must contain at least 1 item`,
      ),
    )
    const many = (count: number) => values(...Array.from({ length: count }, (_, i) => `a${i}`))
    const manyResources = Array.from({ length: 101 }, () => ({ ...resource }))
    t.deepEqual(await problems({ actions: many(51) }), ['actions must contain at most 50 items'])
    t.deepEqual(await problems({ resource_types: many(51) }), [
      'resource_types must contain at most 50 items',
    ])
    t.deepEqual(await problems({ resources: values(...manyResources) }), [
      'resources must contain at most 100 items',
    ])
    t.deepEqual(await problems({ reason: 'x'.repeat(501) }), [
      'reason must be at most 500 characters long',
    ])
    t.deepEqual(
      await problems({ actions: values('view', ''), resources: values({ resource_type: '' }) }),
      [
        'actions[1] is required',
        'resources[0].resource_type is required',
        'resources[0].resource_id is required, or external_id',
      ],
    )
    t.deepEqual(await problems({ resources: values({ ...resource, external_id: 'a' }) }), [
      'resources[0].external_id must not be combined with resource_id',
    ])
    t.deepEqual(
      await problems({
        actions: values('view', 'edit', 'view'),
        resource_types: values('document', 'document'),
        resources: values(
          resource,
          { ...resource, resource_id: resource_id.toUpperCase() },
          { resource_type: 'document', external_id: randomUUID() },
        ),
        expires_at: inSeconds(-1),
      }),
      [
        'actions[2] is duplicated',
        'resource_types[1] is duplicated',
        'resources[1] is duplicated',
        'resources[2].external_id must not be a UUID; use resource_id',
        'expires_at must be in the future',
      ],
    )
    const days = 24 * 3600
    t.deepEqual(await problems({ expires_at: inSeconds(90 * days + 60) }), [
      'expires_at must be at most 90 days in the future',
    ])
    expectOk(await create({ expires_at: inSeconds(90 * days - 60), ...{ actions: many(50) } }))
    const missing = await problems({ agent: undefined, expires_at: undefined, reason: '' })
    t.deepEqual(missing.toSorted(), [
      'agent is required',
      'expires_at is required',
      'reason is required',
    ])
    t.deepEqual(await problems({ agent: { type: 'user', id: person.id } }), [
      'agent.type must be one of service_account, client',
    ])
  })

  test(`only agents that may act in the workspace can be named ${over}`, async (t) => {
    const scene = await createDelegationScene(environment, transport)
    const { create, workspace, agent, people } = scene
    const elsewhere = await seed.workspace()
    const app = async (row: object) => ({
      type: 'client',
      id: await seed.clientApp([], { type: 'confidential', ...row }),
    })
    const account = (id: string) => ({ type: 'service_account', id })
    const change = async (sql: string, id: string) => {
      await pool.query(sql, [id])
      return account(id)
    }
    const own = () => seedServiceAccount(environment, workspace)
    const refused = {
      unknown: account(randomUUID()),
      'of the other type': { type: 'client', id: agent.id },
      'a person': account(people.viewer.id),
      'of another workspace': account(await seedServiceAccount(environment, elsewhere)),
      inactive: await change('update users set is_active = false where id = $1', await own()),
      ended: await change(
        "update members set expires_at = now() - interval '1 second' where user_id = $1",
        await own(),
      ),
      'a public app': await app({ type: 'public' }),
      'an inactive app': await app({ is_active: false }),
      'an app of another workspace': await app({ workspace_id: elsewhere }),
      'an app of a service account': await app({ service_account_id: agent.id }),
    }
    for (const [name, one] of Object.entries(refused)) {
      const error = expectError(await create({ agent: one }))
      t.is(`${error.code} ${error.reason}`, 'not_found AGENT_NOT_FOUND', name)
    }
    for (const one of [agent, await app({}), await app({ workspace_id: workspace })])
      t.like(expectOk(await create({ agent: one })).agent, one)
  })

  test(`resources that the person cannot view do not exist for a delegation ${over}`, async (t) => {
    const scene = await createDelegationScene(environment, transport)
    const { create, person, people, register, share } = scene
    const other = await createDelegationScene(environment, transport)
    const own = await register(person)
    const hidden = await register(people.owner)
    const attempt = async (...resources: object[]) => {
      const references = resources.map((one) => ({ resource_type: 'document', ...one }))
      const outcome = await create({ resources: values(...references) })
      return outcome.ok ? 'created' : outcome.reason
    }
    const ofOther = await other.register(other.people.viewer)
    await seed.member(scene.workspace, other.people.viewer.id, 'viewer')
    const byId = ({ resource_id }: { resource_id: string }) => ({ resource_id })
    t.is(await attempt(byId(own)), 'created')
    for (const missing of [
      byId(hidden),
      byId(ofOther),
      { resource_id: randomUUID() },
      { external_id: 'unknown' },
      { resource_type: 'folder', ...byId(own) },
      { resource_type: 'workspace', resource_id: scene.workspace },
    ])
      t.is(await attempt(byId(own), missing), 'RESOURCE_NOT_FOUND')
    // Of another service, even with the same ID.
    const foreign = await create({
      service_name: other.service,
      resources: values({ resource_type: 'document', ...byId(own) }),
    })
    t.is(expectError(foreign).reason, 'RESOURCE_NOT_FOUND')
    await share(people.owner, hidden, { user: person.id }, 'view')
    t.is(await attempt(byId(hidden)), 'created')
  })

  test(`a delegation is for a workspace of the person ${over}`, async (t) => {
    const { create, person, workspace } = await createDelegationScene(environment, transport)
    const elsewhere = await seed.workspace()
    const agent = {
      type: 'service_account',
      id: await seedServiceAccount(environment, elsewhere),
    }
    const attempt = (workspace_id: string) => create({ workspace_id, agent })
    const reasonOf = async (workspace_id: string) => expectError(await attempt(workspace_id)).reason
    t.is(await reasonOf(elsewhere), 'WORKSPACE_NOT_FOUND')
    t.is(await reasonOf(randomUUID()), 'WORKSPACE_NOT_FOUND')
    // An invitation that was not accepted.
    await seed.member(elsewhere, person.id, 'viewer', { joined_at: null })
    t.is(await reasonOf(elsewhere), 'WORKSPACE_NOT_FOUND')
    await pool.query(
      `update members set joined_at = now(), expires_at = now() - interval '1 second'
       where user_id = $1 and workspace_id = $2`,
      [person.id, elsewhere],
    )
    t.is(await reasonOf(elsewhere), 'WORKSPACE_NOT_FOUND')
    await pool.query('update members set expires_at = null where user_id = $1', [person.id])
    t.is(expectOk(await attempt(elsewhere)).workspace_id, elsewhere)
    // The agent is not one of the token's workspace.
    t.is(expectError(await create({ agent })).reason, 'AGENT_NOT_FOUND')
    t.is(expectOk(await create({})).workspace_id, workspace)
  })

  test(`only a person who has just signed in on the account page delegates ${over}`, async (t) => {
    const { terms, person, workspace, agent } = await createDelegationScene(environment, transport)
    const attempt = (token: string) => transport.call('CreateDelegation', terms(), { token })
    t.is(expectError(await attempt(person.token)).reason, 'ACCOUNT_PAGE_ONLY')
    const old = await createAccountToken(environment, person.id, workspace, { age: 3600 })
    t.is(expectError(await attempt(old)).reason, 'SIGN_IN_TOO_OLD')
    const ofAgent = await createAccountToken(environment, agent.id, workspace)
    t.false((await attempt(ofAgent)).ok)
    const ended = await createAccountToken(environment, person.id, workspace)
    await pool.query('delete from refresh_families where user_id = $1', [person.id])
    t.is(expectError(await attempt(ended)).code, 'unauthenticated')
  })

  test(`the person gets a mail that says what they allowed ${over}`, async (t) => {
    const { delegate, person } = await createDelegationScene(environment, transport)
    const { rows } = await pool.query('select email from users where id = $1', [person.id])
    await delegate({ reason: '<b>Reports</b> & more' })
    const [mail, ...others] = mails.filter(({ to }) => to === rows[0].email)
    t.is(others.length, 0)
    t.is(mail?.subject, 'An agent may act for you at localhost:8000')
    t.true(mail?.text.includes('"robot"'))
    t.true(mail?.text.includes('"<b>Reports</b> & more"'))
    t.true(mail?.html?.includes('&#60;b&#62;Reports'))
    t.false(mail?.html?.includes('<b>'))
  })

  test(`a workspace can refuse delegations, which ends them for good ${over}`, async (t) => {
    const scene = await createDelegationScene(environment, transport)
    const { create, delegate, list, people, workspace } = scene
    const { id } = await delegate()
    const update = (delegations: boolean, by = people.owner) =>
      scene.call('UpdateWorkspace', { workspace_id: workspace, delegations }, by)
    t.is(expectError(await update(false, people.admin)).reason, 'OWNER_REQUIRED')
    t.deepEqual(await list(), [id])
    const refusing = expectOk(await update(false))
    t.false(refusing.delegations)
    t.deepEqual(await list(), [])
    const error = expectError(await create())
    t.is(`${error.code} ${error.reason}`, 'permission_denied DELEGATIONS_OFF')
    const allowing = expectOk(await update(true))
    t.true(allowing.delegations)
    t.not(allowing.etag, refusing.etag)
    t.deepEqual(await list(), [])
    expectOk(await create())
    const { rows } = await pool.query(
      `select action, detail ->> 'allowed' as allowed, actor_id, target_id from activity
       where workspace_id = $1 and action in ('delegation.ended', 'workspace.delegations_changed')
       order by id`,
      [workspace],
    )
    const actor_id = people.owner.id
    const changed = { action: 'workspace.delegations_changed', target_id: workspace, actor_id }
    t.deepEqual(rows, [
      { ...changed, allowed: 'false' },
      { action: 'delegation.ended', allowed: null, actor_id, target_id: id },
      { ...changed, allowed: 'true' },
    ])
  })

  test(`nobody but the person and the owners and admins of the workspace see and end it ${over}`, async (t) => {
    const scene = await createDelegationScene(environment, transport)
    const { delegate, list, call, people, person, workspace, agent } = scene
    const ids = [await delegate(), await delegate(), await delegate()].map(({ id }) => id)
    const [first, second, third] = ids
    const stranger = await createDelegationScene(environment, transport)
    const refused = async (method: string, message: object, by = people.viewer) =>
      expectError(await transport.call(method, message, { token: by.token }))
    const notFound = 'not_found DELEGATION_NOT_FOUND'
    for (const method of ['GetMyDelegation', 'DeleteMyDelegation']) {
      for (const by of [people.viewer, people.owner]) {
        const { code, reason } = await refused(method, { delegation_id: first }, by)
        t.is(`${code} ${reason}`, notFound)
      }
    }
    const inWorkspace = { workspace_id: workspace, delegation_id: first }
    const ofWorkspace = { workspace_id: workspace }
    t.is((await refused('ListWorkspaceDelegations', ofWorkspace)).code, 'permission_denied')
    t.is((await refused('DeleteWorkspaceDelegation', inWorkspace)).code, 'permission_denied')
    const elsewhere = { workspace_id: stranger.workspace, delegation_id: first }
    const foreign = await refused('DeleteWorkspaceDelegation', elsewhere, stranger.people.owner)
    t.is(`${foreign.code} ${foreign.reason}`, notFound)

    const filtered = async (filter: object) => {
      const message = { workspace_id: workspace, ...filter }
      const listed = expectOk(await call('ListWorkspaceDelegations', message, people.admin))
      return listed.delegations.map(({ id }: { id: string }) => id)
    }
    t.deepEqual(await filtered({}), ids.toReversed())
    t.deepEqual(await filtered({ user_id: person.id }), ids.toReversed())
    t.deepEqual(await filtered({ user_id: people.viewer.id }), [])
    t.deepEqual(await filtered({ agent_id: agent.id }), ids.toReversed())
    t.deepEqual(await filtered({ agent_id: randomUUID() }), [])

    expectOk(await call('DeleteMyDelegation', { delegation_id: first }))
    expectOk(
      await call(
        'DeleteWorkspaceDelegation',
        { ...inWorkspace, delegation_id: second },
        people.admin,
      ),
    )
    t.deepEqual(await list(), [third])
    for (const delegation_id of [first, second]) {
      t.is(
        (await refused('DeleteMyDelegation', { delegation_id }, person)).reason,
        'DELEGATION_NOT_FOUND',
      )
      t.is(
        (await refused('GetMyDelegation', { delegation_id }, person)).reason,
        'DELEGATION_NOT_FOUND',
      )
    }
    const { rows } = await pool.query(
      `select target_id, actor_id, detail from activity
       where workspace_id = $1 and action = 'delegation.ended' order by id`,
      [workspace],
    )
    t.deepEqual(
      rows.map(({ target_id, actor_id }) => [target_id, actor_id]),
      [
        [first, person.id],
        [second, people.admin.id],
      ],
    )
    t.like(rows[0].detail, {
      user_id: person.id,
      agent_type: agent.type,
      agent_id: agent.id,
      service_name: scene.service,
    })
  })

  test(`a resource that is unregistered leaves the list, which stays a list ${over}`, async (t) => {
    const scene = await createDelegationScene(environment, transport)
    const { delegate, call, register, person, kind, key } = scene
    const records = [await register(person), await register(person)]
    const { id: delegation_id } = await delegate({
      actions: undefined,
      resources: values(
        ...records.map(({ resource_id }) => ({ resource_type: 'document', resource_id })),
      ),
    })
    const listed = async () => {
      const { resources } = expectOk(await call('GetMyDelegation', { delegation_id }))
      return resources.values.map(({ resource_id }: { resource_id: string }) => resource_id)
    }
    t.deepEqual(await listed(), [records[0]?.resource_id, records[1]?.resource_id])
    for (const [index, { resource_id }] of records.entries()) {
      expectOk(await transport.call('Unregister', { ...kind, resource_id }, { key }))
      t.is((await listed()).length, 1 - index)
      await register(person, { resource_id })
      t.is((await listed()).length, 1 - index)
    }
    t.deepEqual(expectOk(await call('GetMyDelegation', { delegation_id })).resources, values())
  })

  test.serial(`delegations are refused while an older node is connected ${over}`, async (t) => {
    const { create } = await createDelegationScene(environment, transport)
    const older = new pg.Client({ connectionString: environment.databaseUrl })
    await older.connect()
    try {
      await older.query(`select set_config('application_name', 'daikon/104', false)`)
      const error = expectError(await create())
      t.is(`${error.code} ${error.reason}`, 'already_exists ROLLOUT_IN_PROGRESS')
    } finally {
      await older.end()
    }
    expectOk(await create())
  })
}
