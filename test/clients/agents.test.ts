import test from 'ava'
import {
  type Agent,
  createDaikon,
  InvalidArgumentError,
  InvalidTokenError,
  UnauthenticatedError,
} from '../../clients/typescript/src/daikon.ts'
import { createDaikon as createFetchDaikon } from '../../clients/typescript/src/fetch.ts'
import { createGuards } from '../../clients/typescript/src/web.ts'
import { createApiKey } from '../../src/identity/api-keys.ts'
import { hashSecret } from '../../src/identity/secret.ts'
import { insertDelegation } from '../support/delegation-rows.ts'
import { createOAuthClient } from '../support/oauth.ts'
import { seedServiceAccount } from '../support/request-fixture.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await createSignInEnvironment()
const { pool } = environment
const [transport] = environment.transports as [Transport]
test.after.always(() => environment.stop())

const address = `127.0.0.1:${environment.grpcPort}`
const url = `http://127.0.0.1:${environment.httpPort}`
const deadlineMs = 30_000

/** Viewing documents of an editor, delegated to a service account and to a client app. */
async function createScene() {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, service, people, kind } = fixture
  const account = await seedServiceAccount(environment, workspace)
  const apiKey = createApiKey()
  await pool.query(
    `insert into api_keys (id, user_id, name, key_hash, key_prefix)
     values (gen_random_uuid(), $1, 'key', $2, 'da_')`,
    [account, hashSecret(apiKey)],
  )
  const app = await createOAuthClient(environment, { type: 'confidential' })
  const row = { user_id: people.editor.id, workspace_id: workspace, service_name: service }
  const document = await fixture.register(people.owner, { visibility: 'workspace' })
  return {
    ...fixture,
    account,
    agents: {
      'service account': {
        agent: { apiKey },
        delegationId: await insertDelegation(pool, { ...row, agent_id: account }),
      },
      'client app': {
        agent: { clientId: app.client_id, clientSecret: app.client_secret },
        delegationId: await insertDelegation(pool, {
          ...row,
          agent_type: 'client',
          agent_id: app.client_id,
        }),
      },
    },
    daikon: createDaikon({ address, service, serviceKey: fixture.key, deadlineMs }),
    resource: { type: kind.resource_type, id: document.resource_id as string },
  }
}

const transports = {
  gRPC: (options: { service: string; agent: Agent }) =>
    createDaikon({ address, deadlineMs, ...options }),
  fetch: (options: { service: string; agent: Agent }) =>
    createFetchDaikon({ url, deadlineMs, ...options }),
}

for (const type of ['service account', 'client app'] as const)
  for (const [name, connect] of Object.entries(transports))
    test(`a ${type} obtains tokens for a user over ${name}`, async (t) => {
      const { agents, daikon, resource, people, service } = await createScene()
      const { agent, delegationId } = agents[type]
      const client = connect({ service, agent })
      t.teardown(() => client.close())
      const [token, same] = await Promise.all([
        client.exchange({ delegationId }),
        client.exchange({ delegationId }),
      ])
      t.is(same, token)
      t.is(await client.exchange({ delegationId }), token)
      t.true(await daikon.check({ token: token.token }, 'view', resource))
      t.false(await daikon.check({ token: token.token }, 'edit', resource))
      const atHand = await client.exchange({ subjectToken: people.editor.token })
      t.true(await daikon.check({ token: atHand.token }, 'view', resource))

      await t.throwsAsync(daikon.verifyAccessToken(token.token), { instanceOf: InvalidTokenError })
      const claims = await daikon.verifyAccessToken(token.token, { delegated: true })
      t.is(claims.sub, people.editor.id)
      t.is(claims.delegation_id, delegationId)
      const { wid } = await daikon.verifyAccessToken(people.editor.token, { delegated: true })
      t.is(wid, claims.wid)

      await pool.query('update delegations set ended_at = now() where id = $1', [delegationId])
      t.false(await daikon.check({ token: token.token }, 'view', resource))
      const { reasons } = await daikon.explain({ token: token.token }, 'view', resource)
      t.is(reasons.at(-1)?.rule, 'delegation_ended')
    })

test('a delegation is a subject', async (t) => {
  const { agents, daikon, resource } = await createScene()
  const delegation = agents['client app'].delegationId
  t.true(await daikon.check({ delegation }, 'view', resource))
  t.false(await daikon.check({ delegation }, 'edit', resource))
  const { reasons } = await daikon.explain({ delegation }, 'edit', resource)
  t.like(reasons.at(-1), {
    rule: 'delegation_does_not_cover',
    uncovered: 'action',
    delegationId: delegation,
    agent: { type: 'client', name: 'report-bot' },
  })
  const ids: string[] = []
  for await (const id of daikon.accessible({ delegation }, 'view', resource.type)) ids.push(id)
  t.deepEqual(ids, [resource.id])
})

test('guards take the tokens of agents only if asked to, and name the agent', async (t) => {
  const { agents, daikon, resource, account, service } = await createScene()
  const { agent, delegationId } = agents['service account']
  const client = createDaikon({ address, service, agent, deadlineMs })
  t.teardown(() => client.close())
  const { token } = await client.exchange({ delegationId })
  const send = (guards: ReturnType<typeof createGuards>, action: string) =>
    guards.requirePermission(
      action,
      () => resource,
      (request) => Response.json(guards.userOf(request).agent),
    )(new Request('http://localhost/', { headers: { authorization: `Bearer ${token}` } }))
  t.is((await send(createGuards(daikon), 'view')).status, 401)
  const guards = createGuards(daikon, { agents: true })
  const response = await send(guards, 'view')
  t.deepEqual(await response.json(), { type: 'service_account', id: account, delegationId })
  t.is((await send(guards, 'edit')).status, 403)
})

test('wrong agents and requests are refused', async (t) => {
  const { service, agents } = await createScene()
  const options = { address, service, deadlineMs }
  for (const agent of [{}, { apiKey: '' }, { clientId: 'a' }, { apiKey: 'a', clientId: 'b' }])
    t.throws(() => createDaikon({ ...options, agent: agent as never }), {
      instanceOf: InvalidArgumentError,
    })
  const { agent, delegationId } = agents['client app']
  const client = createDaikon({ ...options, agent: { ...agent, clientSecret: 'wrong' } })
  t.teardown(() => client.close())
  const error = await t.throwsAsync(client.exchange({ delegationId }), {
    instanceOf: UnauthenticatedError,
  })
  t.false(JSON.stringify(error).includes('wrong'))
  for (const request of [{}, { delegationId: '' }, { delegationID: delegationId }])
    await t.throwsAsync(client.exchange(request as never), { instanceOf: InvalidArgumentError })
  const other = createDaikon({ ...options, developmentMode: true })
  t.teardown(() => other.close())
  await t.throwsAsync(other.exchange({ delegationId }), { message: /agent/ })
})
