// Threat: machine tokens outlive their purpose, and clients revoke or read the tokens of others.
import test from 'ava'
import { createAdmin } from '../../support/admin.ts'
import { asserting, jwk, signAssertion } from '../../support/client-assertions.ts'
import { createManagementApp, issueManagementToken } from '../../support/management-apps.ts'
import { expectError, expectOk } from '../../support/outcome.ts'
import { seedServiceAccount } from '../../support/request-fixture.ts'
import { startTestEnvironment } from '../../support/test-environment.ts'
import type { Transport } from '../../support/transports.ts'
import { createWorkspaceFixture } from '../../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const other = await environment.addNode()
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

/** Tells nothing about a token. */
const inactive = { active: false, sub: undefined, client_id: undefined, scope: undefined }

/** A client with its ways to authenticate, and what its tokens are for. */
type Machine = {
  credentials: Record<string, () => object | Promise<object>>
  issue(): Promise<string>
  use(token: string, on: Transport): ReturnType<Transport['call']>
}

const post = (client_id: string, client_secret: string) => () => ({ client_id, client_secret })
const basic = (id: string, secret: string) => () => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

async function createClientApp(transport: Transport): Promise<Machine> {
  const { workspace } = await createWorkspaceFixture(environment, transport)
  const message = {
    name: 'Exporter',
    type: 'confidential',
    redirect_uris: [],
    service_account_id: await seedServiceAccount(environment, workspace),
    jwks: { keys: [jwk] },
  }
  const app = expectOk(await admin.call(transport, 'CreateClientApp', message))
  const client = { client_id: app.id as string, client_secret: app.client_secret as string }
  const grant = { grant_type: 'client_credentials', ...client }
  return {
    credentials: {
      client_secret_post: post(client.client_id, client.client_secret),
      client_secret_basic: basic(client.client_id, client.client_secret),
      private_key_jwt: async () => asserting(await signAssertion(client.client_id)),
    },
    issue: async () => expectOk(await transport.call('IssueToken', grant)).access_token,
    use: (token, on) => on.call('GetMe', {}, { token }),
  }
}

async function createManager(transport: Transport): Promise<Machine> {
  const { id, secret } = await createManagementApp(transport, admin, 'stats:read', 'users:write')
  return {
    credentials: {
      client_secret_post: post(id, secret),
      client_secret_basic: basic(id, secret),
    },
    issue: () => issueManagementToken(transport, { id, secret }),
    use: (token, on) => on.call('GetStats', {}, { token }),
  }
}

const machines = { 'client app': createClientApp, 'management app': createManager }

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const onOtherNode = other.transports.find(({ name }) => name === transport.name) ?? transport
  const nodes = [transport, onOtherNode]

  for (const [kind, create] of Object.entries(machines)) {
    test(`a ${kind} revokes its token on every node, by every method ${over}`, async (t) => {
      const { credentials, issue, use } = await create(transport)
      for (const [method, authenticate] of Object.entries(credentials)) {
        const [token, kept] = [await issue(), await issue()]
        const introspect = async (on: Transport) =>
          expectOk(await on.call('IntrospectToken', { token, ...(await authenticate()) })).active
        for (const on of nodes) {
          expectOk(await use(token, on))
          t.true(await introspect(on), method)
        }
        for (const _ of ['first', 'repeated']) {
          const revocation = { token, ...(await authenticate()) }
          t.deepEqual(expectOk(await transport.call('RevokeToken', revocation)), {})
        }
        for (const on of nodes) {
          t.is(expectError(await use(token, on)).reason, 'TOKEN_REVOKED', method)
          t.false(await introspect(on), method)
          expectOk(await use(kept, on))
        }
      }
    })

    test(`nobody else revokes the token of a ${kind}, or learns that it is active ${over}`, async (t) => {
      const { issue, use, credentials } = await create(transport)
      const token = await issue()
      for (const createOther of Object.values(machines)) {
        const stranger = await createOther(transport)
        for (const authenticate of Object.values(stranger.credentials)) {
          const revoked = await transport.call('RevokeToken', { token, ...(await authenticate()) })
          t.is(expectError(revoked).reason, 'UNAUTHORIZED_CLIENT')
          const message = { token, ...(await authenticate()) }
          t.like(expectOk(await transport.call('IntrospectToken', message)), inactive)
        }
      }
      const own = (await credentials.client_secret_post?.()) as Record<string, string>
      for (const [name, wrong] of Object.entries({
        'no client': {},
        'a wrong secret': { ...own, client_secret: `${own.client_secret?.slice(0, -1)}~` },
        'no secret': { client_id: own.client_id },
      })) {
        const outcome = await transport.call('RevokeToken', { token, ...wrong })
        t.is(expectError(outcome).reason, 'INVALID_CLIENT', name)
      }
      for (const on of nodes) expectOk(await use(token, on))
    })

    test(`a ${kind} may revoke a token that is unknown ${over}`, async (t) => {
      const { credentials, issue } = await create(transport)
      const token = await issue()
      for (const authenticate of Object.values(credentials)) {
        for (const unknown of ['x', `${token.slice(0, -8)}AAAAAAAA`]) {
          const message = { token: unknown, ...(await authenticate()) }
          expectOk(await transport.call('RevokeToken', message))
        }
        const missing = await transport.call('RevokeToken', { ...(await authenticate()) })
        t.is(expectError(missing).reason, 'INVALID_REQUEST')
      }
    })
  }

  test(`the introspection of a management token has its current scopes ${over}`, async (t) => {
    const { id, secret } = await createManagementApp(transport, admin, 'stats:read', 'users:write')
    const client = { client_id: id, client_secret: secret }
    const introspect = async (scope?: string) => {
      const token = await issueManagementToken(transport, { id, secret }, { scope })
      return expectOk(await transport.call('IntrospectToken', { token, ...client }))
    }
    const all = await introspect()
    t.like(all, { active: true, sub: id, client_id: id, token_type: 'Bearer' })
    t.is(all.scope, 'stats:read users:write')
    t.is((await introspect('stats:read')).scope, 'stats:read')
    const { key } = await createWorkspaceFixture(environment, transport)
    const token = await issueManagementToken(transport, { id, secret })
    const toService = await transport.call('IntrospectToken', { token }, { key })
    t.like(expectOk(toService), inactive)
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
