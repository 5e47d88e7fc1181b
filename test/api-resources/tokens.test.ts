// Threat: a token that says too much, a token of one API at another, refresh with another resource.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { createAdmin } from '../support/admin.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  issuer,
  signInAtAuthorize,
  signInWithOAuth,
} from '../support/oauth.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'

const environment = await createSignInEnvironment({ options: { MAX_SESSIONS_PER_USER: 2 } })
const { pool, seed } = environment
const admin = await createAdmin(environment)
const client = await createOAuthClient(environment)
test.after.always(() => environment.stop())

const read = { name: 'read', description: 'Read' }
const write = { name: 'write', description: 'Write' }

/** Creates a service app with an API at a new origin. */
async function createApi(scopes = ['read', 'write']) {
  const service = `s-${randomUUID()}`
  const app = await seed.serviceApp(service)
  const uri = `https://${randomUUID()}.example.com`
  const id = await seed.apiResource(app.id, uri, scopes)
  return { ...app, service, uri, resourceId: id }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const signIn = (resource: string, request: Record<string, unknown> = {}) =>
    signInWithOAuth(environment, transport, {
      client,
      request: { scope: undefined, resource, ...request },
    })
  const refresh = (refresh_token: string, more: object = {}) =>
    transport.call('IssueToken', { grant_type: 'refresh_token', refresh_token, ...client, ...more })
  const update = async (service_app_id: string, message: object) =>
    expectOk(await admin.call(transport, 'UpdateServiceApp', { service_app_id, ...message }))
  /** Returns the parameters with which a request ends in the browser. */
  const authorize = async (more: Record<string, unknown>) => {
    const { request } = createAuthorizationRequest(client.client_id, more)
    const email = environment.addProviderUser()
    const begun = await transport.call('Authorize', { ...request, provider: 'google' })
    const { location } = expectOk(begun)
    if (!location.includes('error=')) return signInAtAuthorize(transport, email, request)
    return Object.fromEntries(new URL(location).searchParams)
  }

  test.serial(
    `a token is for the API alone, and says nothing about the person ${over}`,
    async (t) => {
      const { uri } = await createApi()
      const { tokens } = await signIn(`${uri}/`, { scope: 'read openid email unknown' })
      t.falsy(tokens.id_token)
      t.is(tokens.scope, 'read')
      t.is(tokens.expires_in, 900)
      t.is(decodeProtectedHeader(tokens.access_token).typ, 'at+jwt')
      const { iat, exp, jti, sub, auth_time, ...claims } = decodeJwt(tokens.access_token)
      t.is(Number(exp) - Number(iat), 900)
      t.true([jti, sub].every((id) => typeof id === 'string'))
      t.is(typeof auth_time, 'number')
      const { auth_time_unconfirmed: _, ...others } = claims
      t.deepEqual(others, {
        iss: issuer,
        aud: uri,
        wid: tokens.workspace_id,
        client_id: client.client_id,
        scope: 'read',
        type: 'resource_access',
      })
    },
  )

  test.serial(`without a scope, a token has all of them ${over}`, async (t) => {
    const { uri } = await createApi()
    for (const scope of [undefined, ''])
      t.is((await signIn(uri, { scope })).tokens.scope, 'read write')
  })

  test.serial(`a resource without a value counts as absent ${over}`, async (t) => {
    const { tokens } = await signIn('', { scope: 'openid' })
    t.is(decodeJwt(tokens.access_token).aud, 'daikon')
    t.truthy(tokens.id_token)
  })

  test.serial(`an unknown resource and scopes that it lacks are refused ${over}`, async (t) => {
    const { uri, id } = await createApi()
    const none = await authorize({ resource: uri, scope: 'openid unknown' })
    t.is(none.error, 'invalid_scope')
    for (const resource of [`${uri}/x`, 'x', `${uri}?a`, uri.toUpperCase()])
      t.is((await authorize({ resource })).error, 'invalid_target', resource)
    await pool.query('update service_apps set is_active = false where id = $1', [id])
    t.is((await authorize({ resource: uri })).error, 'invalid_target')
  })

  test.serial(`another resource than the authorized one uses nothing up ${over}`, async (t) => {
    const { uri } = await createApi()
    const other = await createApi()
    const { tokens } = await signInWithOAuth(environment, transport, {
      client,
      request: { scope: undefined, resource: uri },
    })
    for (const resource of [other.uri, `${uri}/x`, 'x'])
      t.is(expectError(await refresh(tokens.refresh_token, { resource })).reason, 'INVALID_TARGET')
    const next = expectOk(await refresh(tokens.refresh_token, { resource: `${uri}/` }))
    const { aud, scope, client_id } = decodeJwt(next.access_token)
    t.deepEqual({ aud, scope, client_id }, { aud: uri, scope: 'read write', ...client })
    const last = expectOk(await refresh(next.refresh_token))
    t.is(decodeJwt(last.access_token).aud, uri)

    // A session without a resource gets none later.
    const plain = await signIn('', { scope: 'openid' })
    const refused = await refresh(plain.tokens.refresh_token, { resource: uri })
    t.is(expectError(refused).reason, 'INVALID_TARGET')
    expectOk(await refresh(plain.tokens.refresh_token))
  })

  test.serial(`a code is used up neither by another resource ${over}`, async (t) => {
    const { uri } = await createApi()
    const other = await createApi()
    const { request, verifier } = createAuthorizationRequest(client.client_id, {
      resource: uri,
      scope: 'read',
    })
    const email = environment.addProviderUser()
    const { location } = await signInAtAuthorize(transport, email, request)
    const exchange = {
      grant_type: 'authorization_code',
      code: new URL(location).searchParams.get('code') ?? '',
      redirect_uri: request.redirect_uri,
      code_verifier: verifier,
      ...client,
    }
    const refused = await transport.call('IssueToken', { ...exchange, resource: other.uri })
    t.is(expectError(refused).reason, 'INVALID_TARGET')
    // The other endpoint for codes issues tokens for everything.
    const { rows } = await pool.query(
      'select workspace_id from authorization_codes where redirect_uri = $1 order by expires_at desc limit 1',
      [request.redirect_uri],
    )
    const elsewhere = { code: exchange.code, code_verifier: verifier, ...rows[0] }
    t.is(expectError(await transport.call('ExchangeToken', elsewhere)).reason, 'CODE_REFUSED')
    const tokens = expectOk(await transport.call('IssueToken', { ...exchange, resource: uri }))
    t.is(decodeJwt(tokens.access_token).aud, uri)
  })

  test.serial(
    `a refresh token for a resource is good at the token endpoint alone ${over}`,
    async (t) => {
      const { uri } = await createApi()
      const { tokens } = await signIn(uri)
      const { refresh_token, workspace_id } = tokens
      const refreshed = await transport.call('RefreshToken', { refresh_token })
      t.is(expectError(refreshed).reason, 'WRONG_AUDIENCE')
      const switched = await transport.call('SwitchWorkspace', { refresh_token, workspace_id })
      t.is(expectError(switched).reason, 'WRONG_AUDIENCE')
      const moved = await refresh(refresh_token, { workspace_id: randomUUID() })
      t.is(expectError(moved).reason, 'INVALID_REQUEST')
      const same = expectOk(await refresh(refresh_token, { workspace_id }))
      t.is(decodeJwt(same.access_token).aud, uri)
    },
  )

  test.serial(`a refresh can narrow the scope, and never widen it ${over}`, async (t) => {
    const { uri } = await createApi()
    const { tokens } = await signIn(uri)
    const narrow = expectOk(await refresh(tokens.refresh_token, { scope: 'write' }))
    t.is(narrow.scope, 'write')
    t.is(decodeJwt(narrow.access_token).scope, 'write')
    const wider = await refresh(narrow.refresh_token, { scope: 'write openid' })
    t.is(expectError(wider).reason, 'INVALID_SCOPE')
    t.is(expectOk(await refresh(narrow.refresh_token)).scope, 'read write')
  })

  test.serial(`a removed scope is gone at the next refresh ${over}`, async (t) => {
    const { uri, id } = await createApi()
    const { tokens } = await signIn(uri)
    const replace = (...scopes: object[]) =>
      update(id, { api_resources: [{ uri, name: 'API', scopes }] })
    await replace(write)
    const next = expectOk(await refresh(tokens.refresh_token))
    t.is(next.scope, 'write')
    await replace({ ...read, name: 'other' })
    t.is(expectError(await refresh(next.refresh_token)).reason, 'INVALID_GRANT')
    // A scope that somebody granted before comes back with it.
    await replace(write)
    t.is(expectOk(await refresh(next.refresh_token)).scope, 'write')
  })

  test.serial(`a deactivated app's resource is refused while it lasts ${over}`, async (t) => {
    const { uri, id } = await createApi()
    const { tokens } = await signIn(uri)
    await update(id, { is_active: false, force: true })
    t.is(expectError(await refresh(tokens.refresh_token)).reason, 'INVALID_TARGET')
    await update(id, { is_active: true })
    expectOk(await refresh(tokens.refresh_token))
  })

  test.serial(`a removed resource ends its tokens, a renamed one keeps them ${over}`, async (t) => {
    const { uri, id, key, service } = await createApi()
    const kept = `${uri}/kept`
    const resource = (uri: string) => ({ uri, name: 'API', scopes: [read] })
    await update(id, { api_resources: [resource(uri), resource(kept)] })
    const [gone, stays] = [await signIn(uri), await signIn(kept)]
    const check = async (token: string) => {
      const checks = [
        {
          service_name: service,
          resource_type: 'document',
          resource_id: randomUUID(),
          action: 'view',
        },
      ]
      const outcome = await transport.call('Check', { checks }, { key, token })
      return outcome.ok ? 'accepted' : outcome.reason
    }
    t.is(await check(gone.tokens.access_token), 'accepted')
    await update(id, { api_resources: [{ ...resource(kept), name: 'Renamed' }] })
    t.is(await check(gone.tokens.access_token), 'TOKEN_REVOKED')
    t.is(expectError(await refresh(gone.tokens.refresh_token)).reason, 'INVALID_GRANT')
    t.is(await check(stays.tokens.access_token), 'accepted')
    expectOk(await refresh(stays.tokens.refresh_token))

    // The URI of the removed one may belong to another service, whose keys the old tokens do not count with.
    const other = await createApi()
    await update(other.id, { api_resources: [resource(uri)] })
    const { workspace_id, access_token: token } = gone.tokens
    const kind = { service_name: other.service, resource_type: 'document', action: 'view' }
    const list = { ...kind, workspace_id }
    const outcome = await transport.call('Accessible', list, { key: other.key, token })
    t.is(expectError(outcome).code, 'unauthenticated')
    const deleted = { service_app_id: id, force: true }
    expectOk(await admin.call(transport, 'DeleteServiceApp', deleted))
    t.is(expectError(await refresh(stays.tokens.refresh_token)).code, 'failed_precondition')
  })

  test.serial(`sessions for resources and others are counted separately ${over}`, async (t) => {
    const { uri } = await createApi()
    const plain = await signIn('', { scope: 'openid' })
    const { email } = plain
    const again = () =>
      signInWithOAuth(environment, transport, {
        client,
        email,
        request: { scope: undefined, resource: uri },
      })
    const first = await again()
    for (let index = 0; index < 2; index += 1) await again()
    expectOk(await refresh(plain.tokens.refresh_token))
    t.is(expectError(await refresh(first.tokens.refresh_token)).reason, 'INVALID_GRANT')
  })

  test.serial(`client credentials are for no resource ${over}`, async (t) => {
    const { uri } = await createApi()
    const confidential = await createOAuthClient(environment, { type: 'confidential' })
    const message = { grant_type: 'client_credentials', resource: uri, ...confidential }
    t.is(expectError(await transport.call('IssueToken', message)).reason, 'INVALID_TARGET')
  })
}

test('a repeated resource is refused at both endpoints', async (t) => {
  const { uri } = await createApi()
  const base = `http://127.0.0.1:${environment.httpPort}`
  const { request } = createAuthorizationRequest(client.client_id, { resource: uri })
  const query = new URLSearchParams(request)
  query.append('resource', uri)
  const response = await fetch(`${base}/oauth/authorize?${query}`, { redirect: 'manual' })
  const location = new URL(response.headers.get('location') ?? '')
  t.is(location.searchParams.get('error'), 'invalid_target')
  for (const [name, error] of [
    ['resource', 'invalid_target'],
    ['code', 'invalid_request'],
  ] as const) {
    const body = new URLSearchParams({ grant_type: 'authorization_code', ...client })
    for (const value of ['a', 'b']) body.append(name, value)
    const refused = await fetch(`${base}/oauth/token`, { method: 'POST', body })
    t.is(refused.status, 400)
    t.is(((await refused.json()) as { error: string }).error, error)
  }
})
