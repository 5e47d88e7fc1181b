// Threat: a token of one API at another, at daikon itself, and after its session has ended.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { createOAuthClient, signInWithOAuth } from '../support/oauth.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import type { PresentedCredentials, Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment()
const { pool, seed } = environment
const client = await createOAuthClient(environment)
const confidential = await createOAuthClient(environment, { type: 'confidential' })
const own = await createService()
const other = await createService()
test.after.always(() => environment.stop())

async function createService() {
  const service_name = `s-${randomUUID()}`
  const { id, key } = await seed.serviceApp(service_name)
  const uri = `https://${randomUUID()}.example.com/mcp`
  await seed.apiResource(id, uri, ['read'])
  return { service_name, key, uri, kind: { service_name, resource_type: 'document' } }
}

/** Signs a new user in for the API of `own`, and registers a resource that they own. */
async function signIn(transport: Transport, by = client) {
  const request = { scope: undefined, resource: own.uri }
  const { tokens, ...rest } = await signInWithOAuth(environment, transport, { client: by, request })
  const { access_token: token, refresh_token, workspace_id } = tokens
  const owner_id = decodeJwt(token).sub as string
  const resource_id = randomUUID()
  const registration = { ...own.kind, resource_id, workspace_id, owner_id }
  expectOk(await transport.call('Register', registration, { key: own.key }))
  return { ...rest, token, refresh_token, user: owner_id, resource_id, workspace: workspace_id }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const call = (method: string, message: object, credentials: PresentedCredentials = {}) =>
    transport.call(method, message, credentials)

  test(`the token counts with a key of its service as the user's ${over}`, async (t) => {
    const { token, resource_id, workspace, user } = await signIn(transport)
    const checks = [{ ...own.kind, resource_id, action: 'manage' }]
    const allowed = async () =>
      expectOk(await call('Check', { checks }, { token, key: own.key })).results[0].allowed
    t.true(await allowed())
    const list = { ...own.kind, action: 'view', workspace_id: workspace }
    const found = expectOk(await call('Accessible', list, { token, key: own.key }))
    t.deepEqual(found.resource_ids, [resource_id])
    const registered = { ...own.kind, resource_id: randomUUID(), workspace_id: workspace }
    const owned = { ...registered, owner_id: user }
    expectOk(await call('Register', owned, { token, key: own.key }))
    // What it may do is what its user may, now.
    await pool.query('update users set is_active = false where id = $1', [user])
    t.is(
      expectError(await call('Check', { checks }, { token, key: own.key })).code,
      'unauthenticated',
    )
  })

  test(`the token is refused everywhere else ${over}`, async (t) => {
    const { token, resource_id, workspace } = await signIn(transport)
    const checks = [{ ...other.kind, resource_id, action: 'view' }]
    const list = { action: 'view', workspace_id: workspace }
    const refused = [
      await call('Check', { checks }, { token, key: other.key }),
      await call('Accessible', { ...list, ...other.kind }, { token, key: other.key }),
      await call('GetMe', {}, { token }),
      await call('GetMe', {}, { token, key: own.key }),
      await call('ListSessions', {}, { token, key: own.key }),
      await call('Logout', {}, { token, key: own.key }),
      await call('GetWorkspace', { workspace_id: workspace }, { token, key: own.key }),
    ]
    for (const outcome of refused) {
      t.is(expectError(outcome).code, 'unauthenticated')
      t.is(expectError(outcome).reason, 'WRONG_AUDIENCE')
    }
    const info = expectError(await call('GetUserInfo', {}, { token }))
    t.is(info.code, 'unauthenticated')
  })

  test(`as a subject of the Access API, it counts for its service alone ${over}`, async (t) => {
    const { token, resource_id } = await signIn(transport)
    const evaluation = {
      subject: { type: 'access_token', id: token },
      action: { name: 'view' },
      resource: { type: 'document', id: resource_id },
    }
    const decided = expectOk(await call('Evaluate', evaluation, { key: own.key }))
    t.like(decided, { decision: true })
    const wrong = expectOk(await call('Evaluate', evaluation, { key: other.key }))
    t.false(wrong.decision)
    t.is(wrong.context.subject_error.reason, 'WRONG_AUDIENCE')
    const explained = { ...evaluation, context: { explain: true } }
    const sentence = expectOk(await call('Evaluate', explained, { key: other.key }))
    t.is(sentence.context.reasons[0].rule, 'wrong_audience')
    const batch = { evaluations: [evaluation, { ...evaluation, action: { name: 'edit' } }] }
    const { evaluations } = expectOk(await call('EvaluateBatch', batch, { key: other.key }))
    for (const { decision, context } of evaluations) {
      t.false(decision)
      t.is(context.subject_error.reason, 'WRONG_AUDIENCE')
    }
    const search = { subject: evaluation.subject, action: evaluation.action }
    const types = { ...search, resource: { type: 'document' } }
    const results = async (key: string) =>
      expectOk(await call('SearchResources', types, { key })).results.length
    t.is(await results(own.key), 1)
    t.is(await results(other.key), 0)
  })

  test(`introspection tells its service more, and others nothing ${over}`, async (t) => {
    const { token, refresh_token, workspace, email } = await signIn(transport)
    const introspect = async (token: string, key: string) =>
      expectOk(await call('IntrospectToken', { token }, { key }))
    t.like(await introspect(token, own.key), {
      active: true,
      aud: own.uri,
      scope: 'read',
      wid: workspace,
      username: email,
      token_type: 'Bearer',
      client_id: client.client_id,
    })
    t.true((await introspect(refresh_token, own.key)).active)
    for (const secret of [token, refresh_token]) {
      const { active, ...rest } = await introspect(secret, other.key)
      t.false(active)
      t.deepEqual(Object.values(rest).filter(Boolean), [])
    }
  })

  test(`its client introspects and revokes it ${over}`, async (t) => {
    const { token, refresh_token, resource_id } = await signIn(transport, confidential)
    const state = async () => expectOk(await call('IntrospectToken', { token, ...confidential }))
    t.like(await state(), { active: true, aud: own.uri })
    const foreign = await call('RevokeToken', { token, ...client })
    t.is(expectError(foreign).reason, 'UNAUTHORIZED_CLIENT')
    expectOk(await call('RevokeToken', { token, ...confidential }))
    t.false((await state()).active)
    const checks = [{ ...own.kind, resource_id, action: 'view' }]
    const check = async (token: string) =>
      expectError(await call('Check', { checks }, { token, key: own.key })).reason
    t.is(await check(token), 'TOKEN_REVOKED')

    const grant = { grant_type: 'refresh_token', refresh_token, ...confidential }
    const next = expectOk(await call('IssueToken', grant))
    expectOk(await call('RevokeToken', { token: next.refresh_token, ...confidential }))
    t.is(await check(next.access_token), 'TOKEN_REVOKED')
  })

  test(`the end of the user's sessions ends it ${over}`, async (t) => {
    const { token, refresh_token, email, resource_id } = await signIn(transport)
    const plain = await signInWithOAuth(environment, transport, { client, email })
    expectOk(await call('EndOtherSessions', {}, { token: plain.tokens.access_token }))
    const checks = [{ ...own.kind, resource_id, action: 'view' }]
    const checked = await call('Check', { checks }, { token, key: own.key })
    t.is(expectError(checked).reason, 'TOKEN_REVOKED')
    const grant = { grant_type: 'refresh_token', refresh_token, ...client }
    t.is(expectError(await call('IssueToken', grant)).reason, 'INVALID_GRANT')
  })
}

test('UserInfo refuses the token as RFC 6750 says', async (t) => {
  const { token } = await signIn(environment.transports[0] as Transport)
  const response = await fetch(`http://127.0.0.1:${environment.httpPort}/oauth/userinfo`, {
    headers: { authorization: `Bearer ${token}` },
  })
  t.is(response.status, 401)
  t.is(((await response.json()) as { error: string }).error, 'invalid_token')
  t.regex(response.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/)
})

test('a gateway takes the token of another API for none', async (t) => {
  const [transport] = environment.transports as [Transport]
  const { token, user } = await signIn(transport)
  for (const { service_name, key } of [own, other]) {
    const routes = [
      { methods: [], path: '/public', allow: 'anyone' },
      { methods: [], path: '/private', allow: 'authenticated' },
    ]
    expectOk(await transport.call('PutRoutes', { service_name, routes }, { key }))
  }
  const ask = (uri: string, key: string) =>
    transport.call('AuthorizeForwarded', { method: 'GET', uri }, { token, key })
  t.is(expectOk(await ask('/private', own.key)).user_id, user)
  t.is(expectOk(await ask('/public', own.key)).user_id, user)
  t.is(expectOk(await ask('/public', other.key)).user_id, '')
  t.is(expectError(await ask('/private', other.key)).reason, 'WRONG_AUDIENCE')
})

test('a token with a list of audiences, or one of another type, is refused', async (t) => {
  const [transport] = environment.transports as [Transport]
  const { token } = await signIn(transport)
  const { app } = environment
  const { iss: _, iat: __, exp: ___, aud: ____, ...claims } = decodeJwt(token)
  const list = [own.uri, other.uri] as unknown as string
  const forged = [
    await app.tokens.signForResource(claims as never, list, 900, new Date()),
    await app.tokens.signForClient('id', claims, own.uri, 900),
    await app.tokens.signForResource(
      claims as never,
      'https://unknown.example.com',
      900,
      new Date(),
    ),
  ]
  const checks = [{ ...own.kind, resource_id: randomUUID(), action: 'view' }]
  for (const token of forged) {
    const outcome = await transport.call('Check', { checks }, { token, key: own.key })
    t.is(expectError(outcome).code, 'unauthenticated')
  }
})
