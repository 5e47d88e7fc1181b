// Threat: a token that says too much, a document that changes, a code or session of another client.
import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { hostRule } from '../../src/client-metadata/host-rules.ts'
import { hostPattern } from '../../src/config/parsers.ts'
import { externalClientId } from '../../src/identity/external-client-id.ts'
import { createAdmin } from '../support/admin.ts'
import { asserting, jwk, signAssertion } from '../support/client-assertions.ts'
import { redirectUri, startDocumentServer } from '../support/client-documents.ts'
import { createConsentSteps } from '../support/consent.ts'
import { createAuthorizationRequest, createOAuthClient } from '../support/oauth.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import type { Outcome, Transport } from '../support/transports.ts'

const documents = await startDocumentServer()
const allowed = [hostPattern('127.0.0.1')]
const environment = await createSignInEnvironment({
  options: { CLIENT_METADATA_HOSTS: [hostRule('*')], CLIENT_METADATA_ALLOWED_HOSTS: allowed },
})
const { pool, seed } = environment
const elsewhere = await environment.addNode({ CLIENT_METADATA_HOSTS: [hostRule('example.com')] })
const admin = await createAdmin(environment)
const registered = await createOAuthClient(environment)
const service = await seed.serviceApp('documents-service')
const other = await seed.serviceApp('other-service')
const resource = 'https://documents.example.com'
const resourceId = await seed.apiResource(service.id, resource, ['read', 'write'])
test.after.always(async () => {
  await environment.stop()
  await documents.stop()
})

/** Returns the exchange of a code to which a new user has consented. */
async function consent(transport: Transport, url: string) {
  const steps = createConsentSteps(environment, transport)
  const api = { ...service, service: 'documents-service', uri: resource, resourceId }
  const client = { client_id: url }
  const { request, verifier, session, email } = await steps.begin(
    { redirect_uri: redirectUri, nonce: undefined },
    { api, client },
  )
  const page = await steps.open(request, session)
  const { code } = steps.endOf(expectOk(await steps.choose(page, 'allow', session)))
  environment.clock.now = undefined
  const { rows } = await pool.query(
    'select u.id, m.workspace_id from users u join members m on m.user_id = u.id where u.email = $1',
    [email],
  )
  const exchange = { grant_type: 'authorization_code', code, code_verifier: verifier }
  return { ...exchange, ...client, redirect_uri: redirectUri, member: rows[0] }
}

function errorOf(outcome: Outcome): string {
  const { reason } = expectError(outcome)
  return reason.toLowerCase()
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const issue = ({ member: _, ...message }: Record<string, unknown>) =>
    transport.call('IssueToken', message)
  const refresh = (client_id: string, refresh_token: string, more: object = {}) =>
    issue({ grant_type: 'refresh_token', client_id, refresh_token, ...more })
  const introspect = async (token: string, key = service.key) =>
    expectOk(await transport.call('IntrospectToken', { token }, { key }))

  test.serial(
    `tokens name the client by its URL, and say nothing about the person ${over}`,
    async (t) => {
      const client = documents.publish({ redirect_uris: [redirectUri, 'https://e.example.com/2'] })
      const exchange = await consent(transport, client)
      const tokens = expectOk(await issue(exchange))
      t.like(tokens, { scope: 'read', expires_in: 900, token_type: 'Bearer' })
      t.falsy(tokens.id_token)
      const claims = decodeJwt(tokens.access_token)
      t.deepEqual(Object.keys(claims).sort(), [
        ...['aud', 'auth_time', 'auth_time_unconfirmed', 'client_id', 'exp', 'gid', 'iat', 'iss'],
        ...['jti', 'scope', 'sub', 'type', 'wid'],
      ])
      t.like(claims, { aud: resource, client_id: client, scope: 'read', sub: exchange.member.id })
      const active = { active: true, client_id: client, aud: resource }
      t.like(await introspect(tokens.access_token), active)
      t.like(await introspect(tokens.refresh_token), { active: true, client_id: client })
      t.false((await introspect(tokens.access_token, other.key)).active)

      const refreshed = expectOk(await refresh(client, tokens.refresh_token, { resource }))
      t.is(decodeJwt(refreshed.access_token).client_id, client)
      t.is(documents.countOf(client), 1)
      t.is(
        errorOf(await refresh(client, refreshed.refresh_token, { resource: 'https://x.example' })),
        'invalid_target',
      )
      // A second use ends the session.
      t.is(errorOf(await refresh(client, tokens.refresh_token)), 'invalid_grant')
      t.is(errorOf(await refresh(client, refreshed.refresh_token)), 'invalid_grant')
      t.false((await introspect(refreshed.access_token)).active)
    },
  )

  test.serial(
    `nothing is fetched without a live code or session of the client ${over}`,
    async (t) => {
      const [client, another] = [documents.publish(), documents.publish()]
      const { member: _, ...exchange } = await consent(transport, client)
      // A node that has not fetched the document yet.
      const node = await environment.addNode()
      const fresh = node.transports.find(({ name }) => name === transport.name) as Transport
      const ask = async (message: object) => errorOf(await fresh.call('IssueToken', message))
      const before = documents.countOf(client)
      t.is(await ask({ ...exchange, client_id: another }), 'invalid_grant')
      t.is(await ask({ ...exchange, code: 'unknown' }), 'invalid_grant')
      t.is(await ask({ ...exchange, code: '' }), 'invalid_grant')
      t.is(await ask({ client_id: client }), 'invalid_request')
      t.is(await ask({ client_id: client, grant_type: 'password' }), 'unsupported_grant_type')
      t.is(
        await ask({ client_id: client, grant_type: 'client_credentials' }),
        'unauthorized_client',
      )
      const refreshing = {
        grant_type: 'refresh_token',
        client_id: client,
        refresh_token: 'unknown',
      }
      t.is(await ask(refreshing), 'invalid_grant')
      const { refresh_token } = expectOk(await issue(exchange))
      t.is(await ask({ ...refreshing, refresh_token, client_id: another }), 'invalid_grant')
      // A second use of the code ends its session. Then neither is live.
      t.is(errorOf(await issue(exchange)), 'invalid_grant')
      t.is(await ask(exchange), 'invalid_grant')
      t.is(await ask({ ...refreshing, refresh_token }), 'invalid_grant')
      t.is(documents.countOf(client), before)
      t.is(documents.countOf(another), 0)
      const { member: __, ...live } = await consent(transport, client)
      expectOk(await fresh.call('IssueToken', live))
      t.is(documents.countOf(client), before + 1)
    },
  )

  test.serial(
    `the code verifier, the redirect URI and the ID must be those of the request ${over}`,
    async (t) => {
      const client = documents.publish()
      const exchange = await consent(transport, client)
      t.is(errorOf(await issue({ ...exchange, code_verifier: undefined })), 'invalid_request')
      t.is(errorOf(await issue({ ...exchange, code_verifier: 'x'.repeat(43) })), 'invalid_grant')
      t.is(errorOf(await issue({ ...exchange, redirect_uri: `${redirectUri}/` })), 'invalid_grant')
      const byId = { ...exchange, client_id: externalClientId(client) }
      t.is(errorOf(await issue(byId)), 'invalid_client')
      const asApp = { ...exchange, client_id: registered.client_id }
      t.is(errorOf(await issue(asApp)), 'invalid_grant')
      const ofAuth = { code: exchange.code, code_verifier: exchange.code_verifier }
      const exchanged = await transport.call('ExchangeToken', {
        ...ofAuth,
        workspace_id: exchange.member.workspace_id,
      })
      t.is(errorOf(exchanged), 'code_refused')
      const { refresh_token } = expectOk(await issue(exchange))
      t.is(errorOf(await transport.call('RefreshToken', { refresh_token })), 'wrong_audience')
      const { request } = createAuthorizationRequest(externalClientId(client))
      t.false((await transport.call('Authorize', request)).ok)
    },
  )

  test.serial(`a client with keys in its document authenticates by them ${over}`, async (t) => {
    const client = documents.createUrl()
    const keysUrl = `${client}/keys`
    documents.serve(keysUrl, (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/jwk-set+json' })
        .end(JSON.stringify({ keys: [jwk] })),
    )
    const method = { token_endpoint_auth_method: 'private_key_jwt' }
    documents.publish({ ...method, jwks: { keys: [jwk] } }, {}, client)
    const remote = documents.createUrl()
    documents.publish({ ...method, jwks_uri: remote.replace('client.json', 'keys') }, {}, remote)
    documents.serve(remote.replace('client.json', 'keys'), (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/jwk-set+json' })
        .end(JSON.stringify({ keys: [jwk] })),
    )
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    for (const url of [client, remote]) {
      const { client_id, ...exchange } = await consent(transport, url)
      t.is(errorOf(await issue({ ...exchange, client_id })), 'invalid_client')
      const forged = await signAssertion(url, {}, privateKey)
      t.is(errorOf(await issue({ ...exchange, ...asserting(forged) })), 'invalid_client')
      const foreign = await signAssertion(documents.publish())
      t.is(
        errorOf(await issue({ ...exchange, client_id, ...asserting(foreign) })),
        'invalid_request',
      )
      const assertion = await signAssertion(url)
      const tokens = expectOk(await issue({ ...exchange, ...asserting(assertion) }))
      t.is(decodeJwt(tokens.access_token).client_id, url)
      const { refresh_token } = tokens
      t.is(errorOf(await refresh(url, refresh_token)), 'invalid_client')
      t.is(errorOf(await refresh(url, refresh_token, asserting(assertion))), 'invalid_client')
      expectOk(await refresh(url, refresh_token, asserting(await signAssertion(url))))
    }
  })

  test.serial(`a client without keys proves nothing but its ID ${over}`, async (t) => {
    const client = documents.publish()
    const exchange = await consent(transport, client)
    const assertion = asserting(await signAssertion(client))
    t.is(errorOf(await issue({ ...exchange, ...assertion })), 'invalid_client')
    t.is(errorOf(await issue({ ...exchange, client_secret: 'secret' })), 'invalid_client')
    expectOk(await issue(exchange))
  })

  test.serial(`a document that changes counts from the next fetch on ${over}`, async (t) => {
    const client = documents.publish()
    const { refresh_token } = expectOk(await issue(await consent(transport, client)))
    const method = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } }
    documents.publish(method, {}, client)
    const next = expectOk(await refresh(client, refresh_token))
    environment.clock.now = new Date(Date.now() + 600_000)
    try {
      t.is(errorOf(await refresh(client, next.refresh_token)), 'invalid_client')
      documents.serve(client, (_request, response) => response.writeHead(500).end())
      environment.clock.now = new Date(Date.now() + 1_200_000)
      t.is(errorOf(await refresh(client, next.refresh_token)), 'invalid_client')
      documents.publish({}, {}, client)
      expectOk(await refresh(client, next.refresh_token))
    } finally {
      environment.clock.now = undefined
    }
  })

  test.serial(`a host that is not allowed any more gets no tokens ${over}`, async (t) => {
    const client = documents.publish()
    const exchange = await consent(transport, client)
    const node = elsewhere.transports.find(({ name }) => name === transport.name) as Transport
    const { member: _, ...message } = exchange
    t.is(errorOf(await node.call('IssueToken', message)), 'invalid_client')
    expectOk(await issue(exchange))
  })

  test.serial(`a client revokes its own tokens ${over}`, async (t) => {
    const [client, another] = [documents.publish(), documents.publish()]
    const tokens = expectOk(await issue(await consent(transport, client)))
    const revoke = (token: string, client_id = client) =>
      transport.call('RevokeToken', { token, client_id })
    expectOk(await revoke('unknown'))
    t.is(errorOf(await revoke(tokens.refresh_token, another)), 'unauthorized_client')
    t.is(errorOf(await revoke(tokens.access_token, registered.client_id)), 'unauthorized_client')
    t.is(documents.countOf(another), 0)
    expectOk(await revoke(tokens.access_token))
    t.false((await introspect(tokens.access_token)).active)
    expectOk(await revoke(tokens.refresh_token))
    t.is(errorOf(await refresh(client, tokens.refresh_token)), 'invalid_grant')
    expectOk(await revoke(tokens.access_token))
    const asClient = { token: tokens.access_token, client_id: client }
    t.is(errorOf(await transport.call('IntrospectToken', asClient)), 'invalid_client')
  })

  test.serial(`administrators see registered client apps alone ${over}`, async (t) => {
    const client = documents.publish()
    await consent(transport, client)
    const id = externalClientId(client)
    const listed = expectOk(await admin.call(transport, 'ListClientApps', {}))
    const apps: { id: string }[] = listed.client_apps ?? listed
    t.false(apps.some((app) => app.id === id))
    const found = await admin.call(transport, 'GetClientApp', { client_app_id: id })
    t.is(expectError(found).code, 'not_found')
  })
}
