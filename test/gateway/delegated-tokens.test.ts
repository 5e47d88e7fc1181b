import { randomUUID } from 'node:crypto'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import test from 'ava'
import {
  AuthorizationService,
  type CheckResponse,
} from '../../gen/envoy/service/auth/v3/external_auth.ts'
import { createDelegatedMember, type DelegatedMember } from '../support/delegated-member.ts'
import { expectOk } from '../support/outcome.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool } = environment
const remembering = await environment.addNode({ MAX_FACTS_CACHE_BYTES: 1024 * 1024 })
const [grpc] = environment.transports as [Transport]
test.after.always(() => environment.stop())

const names = ['user', 'email', 'workspace', 'role', 'agent', 'delegation']

/** What a gateway learns: a status, a reason, and the values of the six headers. */
type Answer = { result: string; headers: unknown[] }

type Asked = { token: string; uri: string; action?: string; id?: string; method?: string }

/** Creates a fixture with functions that ask as gateways do, about routes and about an action. */
async function createGateways(node: Pick<typeof environment, 'httpPort' | 'grpcPort'>) {
  const fixture = await createWorkspaceFixture(environment, grpc)
  const { key, service: service_name } = fixture
  const routes = [
    { methods: [], path: '/', allow: 'anyone' },
    { methods: [], path: '/account', allow: 'authenticated' },
    { methods: ['GET'], path: '/documents/{id}', action: 'view', resource_type: 'document' },
    { methods: [], path: '/documents/{id}', action: 'edit', resource_type: 'document' },
  ]
  expectOk(await grpc.call('PutRoutes', { service_name, routes }, { key }))
  const client = new Client(`127.0.0.1:${node.grpcPort}`, credentials.createInsecure())

  async function send(path: string, token: string, more: Record<string, string> = {}) {
    const headers = { 'x-service-key': key, authorization: `Bearer ${token}`, ...more }
    const { status, json, headers: sent } = await sendRawHttp(node.httpPort, { path, headers })
    const result = json ? `${status} ${(json as any).reason}` : String(status)
    return { result, headers: names.map((name) => sent[`x-auth-${name}`] ?? '') }
  }

  function envoy(http: object, context_extensions: Record<string, string>): Promise<Answer> {
    const { path, requestSerialize, responseDeserialize } = AuthorizationService.check
    const metadata = new Metadata()
    metadata.set('x-service-key', key)
    const request = { attributes: { request: { http }, context_extensions } } as never
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest<any, CheckResponse>(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        metadata,
        (error, response) => {
          if (error || !response) return reject(error)
          const { denied_response: denied, ok_response } = response
          if (denied) {
            const { reason } = JSON.parse(denied.body)
            const headers = names.map(() => '')
            return resolve({ result: `${denied.status?.code} ${reason}`, headers })
          }
          const values = new Map(
            ok_response?.headers.map(({ header }) => [header?.key, header?.value]),
          )
          resolve({ result: '204', headers: names.map((name) => values.get(`x-auth-${name}`)) })
        },
      )
    })
  }

  const asks: Record<string, (asked: Asked) => Promise<Answer>> = {
    forwarded: ({ token, uri, method = 'GET' }) =>
      send('/access/v1/authorize/request', token, {
        'x-forwarded-method': method,
        'x-forwarded-uri': uri,
      }),
    'Envoy by routes': ({ token, uri, method = 'GET' }) =>
      envoy({ method, path: uri, headers: { authorization: `Bearer ${token}` } }, {}),
    action: ({ token, action = 'view', id = '' }) => {
      const query = new URLSearchParams({ action, resource_type: 'document', resource_id: id })
      return send(`/access/v1/authorize?${query}`, token)
    },
    'Envoy by extensions': ({ token, action = 'view', id = '' }) =>
      envoy(
        { method: 'GET', path: '/', headers: { authorization: `Bearer ${token}` } },
        { action, resource_type: 'document', resource_id: id },
      ),
  }
  return { ...fixture, asks }
}

for (const [where, node] of Object.entries({ '': environment, ' with memory': remembering })) {
  test.serial(`gateways decide about agents as Check does${where}`, async (t) => {
    const { asks, people, workspace, ...fixture } = await createGateways(node)
    const { owner, viewer } = people
    const covered = await fixture.register(owner)
    const other = await fixture.register(owner)
    const hidden = await fixture.register(await fixture.addMember('viewer'))
    const createAgent = (person = owner, terms = {}) =>
      createDelegatedMember(environment, grpc, { ...fixture, people, workspace }, person, terms)
    const viewing = await createAgent(owner, { actions: ['view'] })
    const limited = await createAgent(owner, { resources: [covered.id] })
    const ofViewer = await createAgent(viewer, { actions: ['view'] })
    const ended = await createAgent()
    await pool.query('update delegations set ended_at = now() where id = $1', [ended.delegationId])
    const expired = await createAgent()
    await pool.query(
      `update delegations set expires_at = now() - interval '1 second' where id = $1`,
      [expired.delegationId],
    )
    const cases: [agent: DelegatedMember, id: string, action: string, result: string][] = [
      [viewing, covered.resource_id, 'view', '204'],
      [viewing, covered.resource_id, 'edit', '403 DELEGATION_DENIED'],
      [limited, covered.resource_id, 'edit', '204'],
      [limited, other.resource_id, 'view', '403 DELEGATION_DENIED'],
      [ofViewer, hidden.resource_id, 'view', '403 ACCESS_DENIED'],
      [viewing, randomUUID(), 'view', '403 ACCESS_DENIED'],
      [ended, covered.resource_id, 'view', '403 DELEGATION_DENIED'],
      [expired, covered.resource_id, 'view', '403 DELEGATION_DENIED'],
    ]
    for (const [agent, id, action, result] of cases) {
      const asked = {
        token: agent.token,
        uri: `/documents/${id}`,
        method: action === 'view' ? 'GET' : 'PUT',
        action,
        id,
      }
      const allowed = await fixture.isAllowed(agent, action, { resource_id: id })
      t.is(allowed, result === '204', 'as Check')
      for (const [name, ask] of Object.entries(asks)) {
        const answer = await ask(asked)
        t.is(answer.result, result, `${name}: ${action}`)
        const named = `service_account:${agent.agent.id}`
        const headers = [agent.id, '', workspace, '', named, agent.delegationId]
        if (allowed) t.deepEqual(answer.headers, headers, name)
        else t.deepEqual(answer.headers.join(''), '')
      }
    }
  })

  test.serial(`an agent is nobody where no action is required${where}`, async (t) => {
    const { asks, people, workspace, ...fixture } = await createGateways(node)
    const agent = await createDelegatedMember(
      environment,
      grpc,
      { ...fixture, people, workspace },
      people.owner,
      { actions: ['view', 'edit', 'manage'] },
    )
    for (const name of ['forwarded', 'Envoy by routes']) {
      const ask = asks[name] as (asked: Asked) => Promise<Answer>
      const open = await ask({ token: agent.token, uri: '/' })
      t.deepEqual(open, { result: '204', headers: ['', '', '', '', '', ''] }, name)
      t.is((await ask({ token: agent.token, uri: '/account' })).result, '403 DELEGATION_DENIED')
      const alone = await ask({ token: people.owner.token, uri: '/account' })
      t.is(alone.result, '204')
      t.deepEqual(alone.headers.slice(-3), ['owner', '', ''])
    }
  })

  test.serial(`the token of an agent is not valid when its user has left${where}`, async (t) => {
    const { asks, people, workspace, ...fixture } = await createGateways(node)
    const member = await fixture.addMember('editor')
    const agent = await createDelegatedMember(
      environment,
      grpc,
      { ...fixture, people, workspace },
      member,
    )
    const { resource_id: id } = await fixture.register(people.owner, { visibility: 'workspace' })
    const asked = { token: agent.token, uri: `/documents/${id}`, id }
    for (const ask of Object.values(asks)) t.is((await ask(asked)).result, '204')
    const removal = { workspace_id: workspace, user_id: member.id }
    const { token } = people.owner
    expectOk(await grpc.call('RemoveMember', removal, { token }))
    for (const [name, ask] of Object.entries(asks))
      t.regex((await ask(asked)).result, /^401 /, name)
  })
}
