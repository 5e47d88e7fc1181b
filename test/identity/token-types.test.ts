// Threat: token type confusion; alg confusion (refresh and admin tokens).
import { createHmac, createPrivateKey, randomUUID } from 'node:crypto'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import {
  CompactSign,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from 'jose'
import { createKeyFiles, readKeys } from '../../src/identity/keys.ts'
import { expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, signIn, signInAdmin } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const boss = { name: 'Boss', email: 'boss@example.com' }
const folder = await mkdtemp(join(tmpdir(), 'daikon-keys-'))
const paths = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
createKeyFiles(paths)
const keys = await readKeys(paths)
const privateKey = createPrivateKey(await readFile(paths.privatePath))
const environment = await createSignInEnvironment({
  people: [boss],
  options: { ADMIN_EMAILS: [boss.email] },
  dependencies: { currentKeys: () => keys },
})
const { key } = await environment.seed.serviceApp('docs')
test.after.always(() => environment.stop())

/** One call for each type of token. */
const callsByType: Record<
  string,
  (transport: Transport, token: string) => ReturnType<Transport['call']>
> = {
  access: (transport, token) => transport.call('GetMe', {}, { token }),
  refresh: (transport, refresh_token) => transport.call('RefreshToken', { refresh_token }),
  admin: (transport, admin) => transport.call('GetAdminMe', {}, { admin }),
}

async function getTokens(transport: Transport): Promise<Record<string, string>> {
  const { access_token, refresh_token } = (await signIn(transport, boss.email, 'github')).tokens
  const { admin } = await signInAdmin(transport, boss.email, 'github')
  return { access: access_token, refresh: refresh_token, admin: String(admin) }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`every method accepts only its own token type ${over}`, async (t) => {
    const tokens = await getTokens(transport)
    for (const [acceptedType, call] of Object.entries(callsByType)) {
      for (const [type, token] of Object.entries(tokens)) {
        if (type === acceptedType) continue
        const outcome = await call(transport, token)
        t.like(outcome, { ok: false, code: 'unauthenticated' }, `${type} as ${acceptedType}`)
      }
      t.true((await call(transport, tokens[acceptedType] as string)).ok, acceptedType)
    }
  })

  test(`a verifier that checks typ and aud accepts exactly one kind of token ${over}`, async (t) => {
    const tokens = await getTokens(transport)
    const { keys: jwks } = expectOk(await transport.call('GetKeySet', {})) as JSONWebKeySet
    const kinds = {
      access: { typ: 'at+jwt', audience: 'daikon' },
      refresh: { typ: 'refresh+jwt', audience: 'daikon:refresh' },
      admin: { typ: 'admin+jwt', audience: 'daikon:admin' },
    }
    for (const [kind, { typ, audience }] of Object.entries(kinds)) {
      for (const [type, token] of Object.entries(tokens)) {
        for (const options of [{ typ }, { audience }]) {
          const verified = jwtVerify(token, createLocalJWKSet({ keys: jwks }), options)
          if (type === kind) await t.notThrowsAsync(verified)
          else await t.throwsAsync(verified, { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' })
        }
      }
    }
  })

  test(`a token with another typ or audience returns 401 ${over}`, async (t) => {
    const { access = '' } = await getTokens(transport)
    const claims = decodeJwt(access)
    const sign = (typ: string | undefined, aud: string | string[]) =>
      new SignJWT({ ...claims, aud })
        .setProtectedHeader({ alg: 'RS256', kid: keys.signer.kid, ...(typ && { typ }) })
        .sign(privateKey)
    const uses = async (token: string) => (await transport.call('GetMe', {}, { token })).ok
    t.true(await uses(await sign('at+jwt', 'daikon')))
    for (const typ of [undefined, 'JWT', 'AT+JWT', 'application/at+jwt', 'refresh+jwt', 'id+jwt'])
      t.false(await uses(await sign(typ, 'daikon')), typ)
    for (const aud of [['daikon'], ['daikon', 'x'], 'Daikon', 'daikon:refresh', 'x'])
      t.false(await uses(await sign('at+jwt', aud)), String(aud))
  })

  test(`only an access token is accepted with a service key, and no token is accepted as the key ${over}`, async (t) => {
    const tokens = await getTokens(transport)
    const resource_id = randomUUID()
    const item = { service_name: 'docs', resource_type: 'a', resource_id, action: 'view' }
    const check = (credentials: object) => transport.call('Check', { checks: [item] }, credentials)
    t.true((await check({ key, token: tokens.access })).ok)
    for (const token of [tokens.refresh, tokens.admin, key])
      t.like(await check({ key, token }), { ok: false, code: 'unauthenticated' })
    for (const token of Object.values(tokens))
      t.like(await check({ key: token, token: tokens.access }), { code: 'unauthenticated' })
    const { action: _, ...resource } = item
    for (const token of Object.values(tokens)) {
      t.like(await transport.call('GetResource', resource, { token }), { code: 'unauthenticated' })
      t.like(await transport.call('GetResource', resource, { admin: token }), { ok: false })
    }
  })

  test(`no verifier of other tokens accepts the token of an agent ${over}`, async (t) => {
    const { access = '' } = await getTokens(transport)
    const { sub = '', wid } = decodeJwt<{ wid: string }>(access)
    const ids = { sub, jti: randomUUID(), wid, delegation_id: randomUUID() }
    const claims = { ...ids, act: { sub: randomUUID(), typ: 'client' as const } }
    const issue = (uri?: string) =>
      environment.app.tokens.signDelegated(claims, uri, 900, new Date())
    const { keys: jwks } = expectOk(await transport.call('GetKeySet', {})) as JSONWebKeySet
    const { tokens } = environment.app
    for (const token of [
      await issue(),
      await issue('https://api.example.com'),
      await issue('daikon'),
    ]) {
      for (const typ of ['at+jwt', 'refresh+jwt', 'admin+jwt', 'JWT'])
        await t.throwsAsync(jwtVerify(token, createLocalJWKSet({ keys: jwks }), { typ }), {
          code: 'ERR_JWT_CLAIM_VALIDATION_FAILED',
        })
      for (const type of ['access', 'refresh', 'admin_access', 'management'] as const)
        await t.throwsAsync(tokens.verify(type, token), undefined, type)
      await t.throwsAsync(tokens.verifyForResource(token))
      t.is(await tokens.readIdToken(token), undefined)
      t.like(await transport.call('GetAdminMe', {}, { admin: token }), { ok: false })
      const refreshed = await transport.call('RefreshToken', { refresh_token: token })
      t.like(refreshed, { ok: false, code: 'unauthenticated' })
      t.is((await tokens.verifyDelegated(token)).sub, sub)
    }
    const verifyFor = (audience: string, token: string) =>
      jwtVerify(token, createLocalJWKSet({ keys: jwks }), { audience })
    await t.throwsAsync(verifyFor('daikon', await issue()))
    // Neither is an access token the token of an agent, nor one with an agent that is none.
    const sign = (more: object, typ = 'dt+jwt') =>
      new SignJWT({ ...decodeJwt(access), type: 'delegated', ...claims, ...more })
        .setProtectedHeader({ alg: 'RS256', kid: keys.signer.kid, typ })
        .sign(privateKey)
    t.truthy(await tokens.verifyDelegated(await sign({})))
    await t.throwsAsync(tokens.verifyDelegated(access))
    const malformed = [
      { type: 'access' },
      { act: undefined },
      { act: { sub: 'x', typ: 'client' } },
      { act: { sub: randomUUID(), typ: 'user' } },
      { delegation_id: undefined },
      { aud: ['daikon:delegated'] },
      { sub: 'x' },
      { exp: undefined },
    ]
    for (const more of malformed)
      await t.throwsAsync(tokens.verifyDelegated(await sign(more)), undefined, JSON.stringify(more))
    for (const typ of ['at+jwt', 'application/dt+jwt', 'DT+JWT'])
      await t.throwsAsync(tokens.verifyDelegated(await sign({}, typ)), undefined, typ)
  })

  test(`a token in the wrong header or cookie is not accepted ${over}`, async (t) => {
    const { access = '', admin = '' } = await getTokens(transport)
    const asBearer = { headers: { authorization: `Bearer ${admin}` } }
    t.like(await transport.call('GetAdminMe', {}, asBearer), { ok: false, reason: 'TOKEN_INVALID' })
    const asCookie = { headers: { cookie: `access_token=${access}; admin_token=${access}` } }
    t.like(await transport.call('GetMe', {}, asCookie), { ok: false, reason: 'TOKEN_MISSING' })
    const otherCase = { headers: { cookie: `Admin_Token=${admin}` } }
    t.like(await transport.call('GetAdminMe', {}, otherCase), { ok: false })
    const among = { headers: { cookie: `a=b; admin_token=${admin}; xadmin_token=x` } }
    t.true((await transport.call('GetAdminMe', {}, among)).ok)
  })

  test(`a forged refresh or admin token returns 401 ${over}`, async (t) => {
    const tokens = await getTokens(transport)
    const pem = await readFile(paths.publicPath, 'utf8')
    const attacker = await generateKeyPair('RS256', { extractable: true })
    for (const type of ['refresh', 'admin']) {
      const token = tokens[type] as string
      const [, body = '', signature] = token.split('.')
      const { kid, typ = '' } = decodeProtectedHeader(token)
      const head = (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url')
      const hs256 = `${head({ alg: 'HS256', typ, kid })}.${body}`
      const payload = Buffer.from(body, 'base64url')
      const forged = [
        `${head({ alg: 'none', typ, kid })}.${body}.`,
        `${head({ alg: 'none', typ, kid })}.${body}.${signature}`,
        `${hs256}.${createHmac('sha256', pem).update(hs256).digest('base64url')}`,
        `${token.slice(0, token.lastIndexOf('.'))}.`,
        await new CompactSign(payload)
          .setProtectedHeader({ alg: 'RS512', typ, ...(kid && { kid }) })
          .sign(privateKey),
        await new CompactSign(payload)
          .setProtectedHeader({ alg: 'RS256', typ, ...(kid && { kid }) })
          .sign(attacker.privateKey),
      ]
      for (const each of forged)
        t.like(await callsByType[type]?.(transport, each), {
          ok: false,
          code: 'unauthenticated',
        })
    }
  })

  test(`an admin token without the claim admin=true returns 403 ${over}`, async (t) => {
    const { rows } = await environment.pool.query('select id from users where is_admin')
    const sub = rows[0]?.id ?? (await environment.seed.user('admin', { is_admin: true }))
    for (const admin of [false, undefined, 'true', 1]) {
      const claims = { sub, jti: randomUUID(), email: 'x', name: 'x', type: 'admin_access', admin }
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', typ: 'admin+jwt', kid: keys.signer.kid })
        .setIssuer('http://localhost:8000')
        .setAudience('daikon:admin')
        .setExpirationTime('1h')
        .sign(privateKey)
      t.like(await transport.call('GetAdminMe', {}, { admin: token }), {
        ok: false,
        code: 'permission_denied',
      })
    }
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
