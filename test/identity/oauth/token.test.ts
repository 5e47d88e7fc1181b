// Threat: code and refresh races, token type confusion, on the standard token endpoint.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import {
  createAuthorizationRequest,
  createOAuthClient,
  issuer,
  oauthUri,
  signInAtAuthorize,
  signInWithOAuth,
} from '../../support/oauth.ts'
import { expectError, expectOk } from '../../support/outcome.ts'
import { createSignInEnvironment, obtainCode, signIn, signInToApp } from '../../support/sign-in.ts'

const environment = await createSignInEnvironment()
const { pool, seed } = environment
const client = await createOAuthClient(environment)
const confidential = await createOAuthClient(environment, { type: 'confidential' })
test.after.always(() => environment.stop())

const keySet = createRemoteJWKSet(
  new URL(`http://127.0.0.1:${environment.httpPort}/.well-known/jwks.json`),
  { timeoutDuration: 60_000 },
)
const post = (path: string, body: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${environment.httpPort}${path}`, {
    method: 'POST',
    body: new URLSearchParams(body),
    headers,
  })

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const call = (method: string, message: object, credentials = {}) =>
    transport.call(method, message, credentials)
  const redeem = (message: object) => call('IssueToken', message)
  const reasonOf = async (message: object) => expectError(await redeem(message)).reason

  test.serial(`the ID token describes the sign-in ${over}`, async (t) => {
    const { tokens, email } = await signInWithOAuth(environment, transport, { client })
    const { payload, protectedHeader } = await jwtVerify(tokens.id_token, keySet, {
      issuer,
      audience: client.client_id,
    })
    t.is(protectedHeader.typ, 'JWT')
    t.like(payload, {
      email,
      email_verified: true,
      name: 'Ann',
      nonce: 'nonce of the client',
      wid: tokens.workspace_id,
    })
    t.true(Math.abs(Number(payload.auth_time) - Date.now() / 1000) < 60)
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(tokens.access_token))
    t.is(payload.at_hash, Buffer.from(digest).subarray(0, 16).toString('base64url'))
    const access = decodeJwt(tokens.access_token)
    t.is(decodeProtectedHeader(tokens.access_token).typ, 'at+jwt')
    t.like(access, {
      sub: payload.sub as string,
      client_id: client.client_id,
      scope: 'openid profile email',
      aud: 'daikon',
    })
    const sessions = expectOk(await call('ListSessions', {}, { token: tokens.access_token }))
    t.true(sessions.sessions.some(({ id }: { id: string }) => id === payload.sid))
    const refreshed = expectOk(
      await redeem({
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
        ...client,
      }),
    )
    const next = decodeJwt(refreshed.id_token)
    t.like(next, { sid: payload.sid as string, auth_time: payload.auth_time as number })
    t.is(next.nonce, undefined)
  })

  test.serial(`an ID token is not accepted as an access token ${over}`, async (t) => {
    const { tokens } = await signInWithOAuth(environment, transport, { client })
    for (const token of [tokens.id_token, tokens.refresh_token])
      t.is(expectError(await call('GetMe', {}, { token })).code, 'unauthenticated')
    t.is(
      await reasonOf({
        grant_type: 'refresh_token',
        refresh_token: tokens.access_token,
        ...client,
      }),
      'INVALID_GRANT',
    )
  })

  test.serial(
    `without scope openid there is no ID token, and userinfo is rejected ${over}`,
    async (t) => {
      const request = { scope: 'email unknown' }
      const { tokens } = await signInWithOAuth(environment, transport, { client, request })
      t.is(tokens.scope, 'email')
      t.falsy(tokens.id_token)
      const credentials = { token: tokens.access_token }
      t.is(expectError(await call('GetUserInfo', {}, credentials)).reason, 'INSUFFICIENT_SCOPE')
    },
  )

  test.serial(`userinfo returns the claims of the scope ${over}`, async (t) => {
    const request = { scope: 'openid email' }
    const { tokens, email } = await signInWithOAuth(environment, transport, { client, request })
    const info = expectOk(await call('GetUserInfo', {}, { token: tokens.access_token }))
    const { sub } = decodeJwt(tokens.id_token)
    t.like(info, { sub: sub as string, email, email_verified: true, wrole: 'owner' })
    t.falsy(info.name)
    t.is(expectError(await call('GetUserInfo', {})).code, 'unauthenticated')
    const direct = await signIn(transport, environment.addProviderUser(), 'github')
    const full = await call('GetUserInfo', {}, { token: direct.tokens.access_token })
    t.is(expectOk(full).name, 'Ann')
  })

  test.serial(
    `every invalid grant returns its error from RFC 6749, section 5.2 ${over}`,
    async (t) => {
      const { exchange } = await signInWithOAuth(environment, transport, { client })
      const fresh = { ...exchange, code: randomUUID() }
      t.is(await reasonOf(fresh), 'INVALID_GRANT')
      t.is(await reasonOf({ ...fresh, grant_type: undefined }), 'INVALID_REQUEST')
      t.is(await reasonOf({ ...fresh, grant_type: 'password' }), 'UNSUPPORTED_GRANT_TYPE')
      t.is(await reasonOf({ ...fresh, code: undefined }), 'INVALID_REQUEST')
      t.is(await reasonOf({ ...fresh, code_verifier: undefined }), 'INVALID_REQUEST')
      t.is(await reasonOf({ ...client, grant_type: 'refresh_token' }), 'INVALID_REQUEST')
      for (const client_id of [undefined, '', 'x', randomUUID()])
        t.is(await reasonOf({ ...fresh, client_id }), 'INVALID_CLIENT')
      t.is(await reasonOf({ ...fresh, client_secret: 'x' }), 'INVALID_CLIENT')
    },
  )

  test.serial(
    `a code is bound to client, redirect URI and verifier, and can be used once ${over}`,
    async (t) => {
      const signInOnce = async () => {
        const own = await createOAuthClient(environment)
        const { exchange, tokens } = await signInWithOAuth(environment, transport, { client: own })
        return { exchange, tokens }
      }
      const { exchange, tokens } = await signInOnce()
      t.is(await reasonOf({ ...exchange, code_verifier: 'x'.repeat(43) }), 'INVALID_GRANT')
      t.is(await reasonOf({ ...exchange, redirect_uri: `${oauthUri}x` }), 'INVALID_GRANT')
      t.is(await reasonOf({ ...exchange, ...client }), 'INVALID_GRANT')
      // None of these attempts was a replay by the right client with the right verifier.
      t.true((await call('GetMe', {}, { token: tokens.access_token })).ok)
      t.is(await reasonOf(exchange), 'INVALID_GRANT')
      t.is(
        expectError(await call('GetMe', {}, { token: tokens.access_token })).reason,
        'TOKEN_REVOKED',
      )
    },
  )

  test.serial(`a reused refresh token ends the session ${over}`, async (t) => {
    const { tokens } = await signInWithOAuth(environment, transport, { client })
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, ...client }
    const next = expectOk(await redeem(refresh))
    const other = await createOAuthClient(environment)
    const stolen = { ...refresh, refresh_token: next.refresh_token, ...other }
    t.is(await reasonOf(stolen), 'INVALID_GRANT')
    t.is(await reasonOf({ ...stolen, ...client, scope: 'admin' }), 'INVALID_SCOPE')
    t.true((await call('GetMe', {}, { token: next.access_token })).ok)
    t.is(await reasonOf(refresh), 'INVALID_GRANT')
    t.is(expectError(await call('GetMe', {}, { token: next.access_token })).reason, 'TOKEN_REVOKED')
  })

  test.serial(`of 20 parallel exchanges, one succeeds, and the session ends ${over}`, async (t) => {
    const { request, verifier } = createAuthorizationRequest(client.client_id)
    const email = environment.addProviderUser()
    const { location } = await signInAtAuthorize(transport, email, request)
    const exchange = {
      grant_type: 'authorization_code',
      code: new URL(location).searchParams.get('code'),
      redirect_uri: oauthUri,
      code_verifier: verifier,
      ...client,
    }
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => redeem(exchange)))
    const winners = outcomes.filter(({ ok }) => ok)
    t.is(winners.length, 1)
    const [winner] = winners
    const token = winner?.ok ? winner.message.access_token : ''
    t.is(expectError(await call('GetMe', {}, { token })).code, 'unauthenticated')
  })

  test.serial(`a confidential client must authenticate ${over}`, async (t) => {
    const { client_id, client_secret = '' } = confidential
    const { tokens, exchange } = await signInWithOAuth(environment, transport, {
      client: confidential,
    })
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id }
    t.is(await reasonOf(refresh), 'INVALID_CLIENT')
    t.is(await reasonOf({ ...refresh, client_secret: 'wrong' }), 'INVALID_CLIENT')
    const basic = (id: string, secret: string) =>
      `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`
    const { client_id: _, ...anonymous } = refresh
    t.is(
      await reasonOf({ ...anonymous, authorization: basic(client_id, 'wrong') }),
      'INVALID_CLIENT',
    )
    t.is(await reasonOf({ ...anonymous, authorization: 'Basic x' }), 'INVALID_CLIENT')
    const twice = { ...refresh, client_secret, authorization: basic(client_id, client_secret) }
    t.is(await reasonOf(twice), 'INVALID_REQUEST')
    // Routes without client authentication reject codes and refresh tokens without consuming
    // them.
    const { refresh_token, workspace_id } = tokens
    const { code, code_verifier } = exchange
    t.is(
      expectError(await call('RefreshToken', { refresh_token })).reason,
      'CLIENT_AUTHENTICATION_REQUIRED',
    )
    t.is(
      expectError(await call('SwitchWorkspace', { refresh_token, workspace_id })).reason,
      'CLIENT_AUTHENTICATION_REQUIRED',
    )
    t.is(
      expectError(await call('ExchangeToken', { code, code_verifier, workspace_id })).reason,
      'CLIENT_AUTHENTICATION_REQUIRED',
    )
    const headers = { ...anonymous, authorization: basic(client_id, client_secret) }
    t.truthy(expectOk(await redeem(headers)).id_token)
  })

  test.serial(`a rotated secret works until its overlap ends ${over}`, async (t) => {
    const own = await createOAuthClient(environment, { type: 'confidential' })
    const probe = { grant_type: 'refresh_token', refresh_token: 'x', ...own }
    t.is(await reasonOf(probe), 'INVALID_GRANT')
    await pool.query(
      "update client_secrets set expires_at = now() - interval '1 second' where app_id = $1",
      [own.client_id],
    )
    t.is(await reasonOf(probe), 'INVALID_CLIENT')
  })

  test.serial(
    `a code of /auth/login for a confidential app can be redeemed only at /oauth/token ${over}`,
    async (t) => {
      const uri = `https://backend.example.com/${randomUUID()}`
      const own = await createOAuthClient(environment, { type: 'confidential' }, [uri])
      const email = environment.addProviderUser()
      const { redirect, verifier } = await signInToApp(transport, 'github', email, {
        redirect_uri: uri,
      })
      const code = redirect.searchParams.get('code') ?? ''
      const [{ id: workspace_id }] = expectOk(await call('ListCodeWorkspaces', { code }))
        .workspaces as [{ id: string }]
      const refused = await call('ExchangeToken', { code, code_verifier: verifier, workspace_id })
      t.is(expectError(refused).reason, 'CLIENT_AUTHENTICATION_REQUIRED')
      const grant = { grant_type: 'authorization_code', code, code_verifier: verifier }
      const tokens = expectOk(await redeem({ ...grant, ...own }))
      t.is(tokens.workspace_id, workspace_id)
      t.falsy(tokens.id_token)
    },
  )

  test.serial(
    `ExchangeToken accepts codes of public clients; /oauth/token rejects codes of /auth/login ${over}`,
    async (t) => {
      const { request, verifier } = createAuthorizationRequest(client.client_id)
      const email = environment.addProviderUser()
      const { location } = await signInAtAuthorize(transport, email, request)
      const code = new URL(location).searchParams.get('code') ?? ''
      const { workspaces } = expectOk(await call('ListCodeWorkspaces', { code }))
      const other = await seed.workspace()
      const exchange = { code, code_verifier: verifier }
      t.is(
        expectError(await call('ExchangeToken', { ...exchange, workspace_id: other })).reason,
        'CODE_REFUSED',
      )
      const workspace_id = workspaces[0].id
      const tokens = expectOk(await call('ExchangeToken', { ...exchange, workspace_id }))
      const refresh_token = tokens.refresh_token
      const refreshed = expectOk(await call('RefreshToken', { refresh_token }))
      t.truthy(refreshed.access_token)
      // A code of /auth/login belongs to no client.
      const { exchange: direct } = await obtainCode(transport, environment.addProviderUser())
      const { code: directCode, code_verifier } = direct
      const grant = { grant_type: 'authorization_code', code: directCode, code_verifier }
      t.is(await reasonOf({ ...grant, ...client }), 'INVALID_GRANT')
    },
  )

  test.serial(`a session switches between workspaces of its user ${over}`, async (t) => {
    const { tokens, email } = await signInWithOAuth(environment, transport, { client })
    const { rows } = await pool.query('select id from users where email = $1', [email])
    const workspace = await seed.workspace('Second')
    const { refresh_token } = tokens
    const switchRequest = { refresh_token, workspace_id: workspace }
    t.is(expectError(await call('SwitchWorkspace', switchRequest)).reason, 'NOT_A_MEMBER')
    await seed.member(workspace, rows[0].id, 'viewer')
    const switched = expectOk(await call('SwitchWorkspace', switchRequest))
    t.is(switched.workspace_id, workspace)
    t.like(decodeJwt(switched.access_token), { wid: workspace, wrole: 'viewer' })
    const old = expectError(await call('GetMe', {}, { token: tokens.access_token }))
    t.is(old.reason, 'TOKEN_REVOKED')
    const grant = { grant_type: 'refresh_token', refresh_token: switched.refresh_token, ...client }
    const back = expectOk(await redeem({ ...grant, workspace_id: tokens.workspace_id }))
    t.is(back.workspace_id, tokens.workspace_id)
    // Reuse of a consumed token counts as theft on every route.
    t.is(expectError(await call('SwitchWorkspace', switchRequest)).code, 'unauthenticated')
    t.is(expectError(await call('GetMe', {}, { token: back.access_token })).code, 'unauthenticated')
  })

  test.serial(
    `revocation ends the session of a refresh token and denies an access token ${over}`,
    async (t) => {
      const { tokens } = await signInWithOAuth(environment, transport, { client })
      const revoke = (token: string | undefined, more: object = {}) =>
        call('RevokeToken', { token, ...client, ...more })
      t.true((await revoke('x')).ok)
      t.is(expectError(await revoke(undefined)).reason, 'INVALID_REQUEST')
      const other = await createOAuthClient(environment)
      for (const token of [tokens.access_token, tokens.refresh_token])
        t.is(expectError(await revoke(token, other)).reason, 'UNAUTHORIZED_CLIENT')
      t.true((await revoke(tokens.access_token)).ok)
      t.is(
        expectError(await call('GetMe', {}, { token: tokens.access_token })).reason,
        'TOKEN_REVOKED',
      )
      const { refresh_token } = tokens
      const next = expectOk(await redeem({ grant_type: 'refresh_token', refresh_token, ...client }))
      t.true((await revoke(next.refresh_token)).ok)
      t.is(
        expectError(await call('GetMe', {}, { token: next.access_token })).reason,
        'TOKEN_REVOKED',
      )
      const again = { grant_type: 'refresh_token', refresh_token: next.refresh_token, ...client }
      t.is(await reasonOf(again), 'INVALID_GRANT')
      t.is(expectError(await revoke('x', { client_id: randomUUID() })).reason, 'INVALID_CLIENT')
    },
  )

  test.serial(`a narrower scope at a refresh narrows the access token only ${over}`, async (t) => {
    const { tokens, email } = await signInWithOAuth(environment, transport, { client })
    const { key } = await seed.serviceApp(`s-${randomUUID()}`)
    const refresh = async (refresh_token: string, scope?: string) =>
      redeem({ grant_type: 'refresh_token', refresh_token, ...client, ...(scope && { scope }) })
    const narrow = expectOk(await refresh(tokens.refresh_token, ' email  openid '))
    t.is(narrow.scope, 'openid email')
    t.is(decodeJwt(narrow.access_token).scope, 'openid email')
    const info = expectOk(await call('GetUserInfo', {}, { token: narrow.access_token }))
    t.is(info.email, email)
    t.falsy(info.name)
    const { name, email: claimed } = decodeJwt(narrow.id_token)
    t.deepEqual([name, claimed], [undefined, email])
    const scopeOf = async (token: string) =>
      expectOk(await call('IntrospectToken', { token }, { key })).scope
    t.is(await scopeOf(narrow.access_token), 'openid email')
    t.is(await scopeOf(narrow.refresh_token), 'openid profile email')
    const narrowest = expectOk(await refresh(narrow.refresh_token, 'email'))
    t.is(narrowest.scope, 'email')
    t.falsy(narrowest.id_token)
    const denied = await call('GetUserInfo', {}, { token: narrowest.access_token })
    t.is(expectError(denied).reason, 'INSUFFICIENT_SCOPE')
    const broader = await refresh(narrowest.refresh_token, 'openid offline_access')
    t.is(expectError(broader).reason, 'INVALID_SCOPE')
    // Without a scope, the access token has the scope of the session again.
    const full = expectOk(await refresh(narrowest.refresh_token))
    t.is(full.scope, 'openid profile email')
    t.is(expectOk(await call('GetUserInfo', {}, { token: full.access_token })).name, 'Ann')
  })

  test.serial(`introspection reports whether a token is active ${over}`, async (t) => {
    const { key } = await seed.serviceApp(`s-${randomUUID()}`)
    const { tokens, email } = await signInWithOAuth(environment, transport, { client })
    const introspect = async (token: string) =>
      expectOk(await call('IntrospectToken', { token }, { key }))
    const access = await introspect(tokens.access_token)
    t.like(access, {
      active: true,
      username: email,
      client_id: client.client_id,
      scope: 'openid profile email',
      token_type: 'Bearer',
      iss: issuer,
      wid: tokens.workspace_id,
      wrole: 'owner',
    })
    t.like(await introspect(tokens.refresh_token), { active: true, token_type: 'refresh_token' })
    for (const token of ['x', tokens.id_token]) t.false((await introspect(token)).active)
    const { refresh_token } = tokens
    expectOk(await redeem({ grant_type: 'refresh_token', refresh_token, ...client }))
    t.false((await introspect(refresh_token)).active)
    expectOk(await call('Logout', {}, { token: tokens.access_token }))
    t.false((await introspect(tokens.access_token)).active)
    const missing = await call('IntrospectToken', { token: 'x' })
    t.is(expectError(missing).code, 'unauthenticated')
  })
}

test('token responses and errors are not cached, and have the exact JSON of RFC 6749', async (t) => {
  const failed = await post('/oauth/token', { grant_type: 'password', ...client })
  t.is(failed.status, 400)
  t.is(failed.headers.get('cache-control'), 'no-store')
  t.deepEqual(await failed.json(), {
    error: 'unsupported_grant_type',
    error_description:
      'grant_type must be one of authorization_code, refresh_token, client_credentials, urn:ietf:params:oauth:grant-type:token-exchange',
  })
  const unknown = await post('/oauth/token', { client_id: randomUUID() })
  t.is(unknown.status, 401)
  t.is(unknown.headers.get('www-authenticate'), 'Basic realm="daikon"')
  const json = await fetch(`http://127.0.0.1:${environment.httpPort}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  t.is(json.status, 400)
  t.is(((await json.json()) as { error: string }).error, 'invalid_request')
  const twice = await fetch(`http://127.0.0.1:${environment.httpPort}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `client_id=${client.client_id}&grant_type=refresh_token&grant_type=password`,
  })
  t.is(twice.status, 400)
  t.is(((await twice.json()) as { error: string }).error, 'invalid_request')
  const unpaid = await post('/oauth/token', { ...client, grant_type: 'client_credentials' })
  t.regex(
    ((await unpaid.json()) as { error_description: string }).error_description,
    /has no service account, which client_credentials requires.*grant_type=authorization_code/,
  )
  const info = await fetch(`http://127.0.0.1:${environment.httpPort}/oauth/userinfo`)
  t.is(info.status, 401)
  t.is(info.headers.get('www-authenticate'), 'Bearer realm="daikon"')
  const invalid = await post('/oauth/userinfo', {}, { authorization: 'Bearer x' })
  t.regex(invalid.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/)
  const key = await post('/oauth/introspect', { token: 'x' }, { authorization: 'Bearer dk_x' })
  t.is(key.status, 401)
})

test('userinfo accepts the access token in a form', async (t) => {
  const [transport] = environment.transports
  if (!transport) throw new Error('no transport')
  const { tokens } = await signInWithOAuth(environment, transport)
  const access_token = String(tokens.access_token)
  const found = await post('/oauth/userinfo', { access_token })
  t.is(found.status, 200)
  t.is(((await found.json()) as { sub: string }).sub, String(decodeJwt(access_token).sub))
  const authorization = `Bearer ${access_token}`
  t.is((await post('/oauth/userinfo', { other: 'x' }, { authorization })).status, 200)
  const twice = await post('/oauth/userinfo', { access_token }, { authorization })
  t.is(twice.status, 400)
  t.is(((await twice.json()) as { error: string }).error, 'invalid_request')
  const invalid = await post('/oauth/userinfo', { access_token: 'x' })
  t.is(invalid.status, 401)
  t.regex(invalid.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/)
  t.is((await post('/oauth/userinfo', {})).status, 401)
  // A token in a form is for this endpoint alone.
  const url = `http://127.0.0.1:${environment.httpPort}/users/me?access_token=${access_token}`
  t.is((await fetch(url)).status, 401)
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
