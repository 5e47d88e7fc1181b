// An independent client: jose verifies tokens. Threat: alg confusion, kid.
import { randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { rotateKeys } from '../../src/identity/key-rotation.ts'
import { createKeyFiles, readKeys } from '../../src/identity/keys.ts'
import { expectOk } from '../support/outcome.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createSignInEnvironment, signIn } from '../support/sign-in.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const baseUrl = 'http://localhost:8000'
const folder = await mkdtemp(join(tmpdir(), 'daikon-keys-'))
const paths = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
createKeyFiles(paths)
const keys = await readKeys(paths)
const environment = await createSignInEnvironment({ dependencies: { currentKeys: () => keys } })
test.after.always(() => environment.stop())

const own = { issuer: baseUrl, audience: 'daikon', algorithms: ['RS256'] }
const setOf = ({ httpPort }: { httpPort: number }) =>
  createRemoteJWKSet(new URL(`http://127.0.0.1:${httpPort}/.well-known/jwks.json`), {
    timeoutDuration: 60_000,
  })

for (const transport of environment.transports) {
  test(`jose verifies tokens with the published key set over ${transport.label}`, async (t) => {
    const email = environment.addProviderUser()
    const { tokens } = await signIn(transport, email, 'github')
    const { payload } = await jwtVerify(tokens.access_token, setOf(environment), own)
    t.like(payload, { email, type: 'access' })
    const other = { ...own, audience: 'another' }
    await t.throwsAsync(jwtVerify(tokens.access_token, setOf(environment), other))
    const parts = String(tokens.access_token).split('.')
    const forged = [parts[0], Buffer.from('{"sub":"x"}').toString('base64url'), parts[2]].join('.')
    await t.throwsAsync(jwtVerify(forged, setOf(environment), own))
  })

  test(`the key set contains only public keys over ${transport.label}`, async (t) => {
    const { keys: set } = expectOk(await transport.call('GetKeySet', {}))
    t.is(set.length, 1)
    t.deepEqual(Object.keys(set[0]).toSorted(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
    t.like(set[0], { kty: 'RSA', use: 'sig', alg: 'RS256', kid: keys.signer.kid, e: 'AQAB' })
    t.is(Buffer.from(set[0].n, 'base64url').length, 256)
  })

  test(`the configuration names the issuer and the key set over ${transport.label}`, async (t) => {
    const configuration = expectOk(await transport.call('GetConfiguration', {}))
    t.like(configuration, {
      issuer: baseUrl,
      jwks_uri: `${baseUrl}/.well-known/jwks.json`,
      token_endpoint: `${baseUrl}/oauth/token`,
      code_challenge_methods_supported: ['S256'],
    })
  })
}

test('the documents are public JSON', async (t) => {
  for (const path of [
    '/.well-known/jwks.json',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
  ]) {
    const { status, headers } = await sendRawHttp(environment.httpPort, { path })
    t.is(status, 200)
    t.regex(String(headers['content-type']), /^application\/json/)
  }
})

test('after a rotation, the key set contains both keys and old tokens stay valid', async (t) => {
  const [transport] = environment.transports as [Transport]
  const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
  const copies = await mkdtemp(join(tmpdir(), 'daikon-keys-'))
  const rotated = {
    privatePath: join(copies, 'private.pem'),
    publicPath: join(copies, 'public.pem'),
  }
  await copyFile(paths.privatePath, rotated.privatePath)
  await copyFile(paths.publicPath, rotated.publicPath)
  t.is(rotateKeys(rotated), 1)
  t.is(((await readFile(rotated.publicPath, 'utf8')).match(/BEGIN PUBLIC/g) ?? []).length, 2)
  const newer = await readKeys(rotated)
  t.not(newer.signer.kid, keys.signer.kid)
  const node = await startTestEnvironment({}, environment.databaseUrl, {
    currentKeys: () => newer,
  })
  t.teardown(() => node.stop())

  for (const next of node.transports) {
    const set = expectOk(await next.call('GetKeySet', {})).keys
    t.deepEqual(
      set.map(({ kid }: { kid: string }) => kid),
      [newer.signer.kid, keys.signer.kid],
    )
    t.true((await next.call('GetMe', {}, { token: tokens.access_token })).ok)
  }
  await jwtVerify(tokens.access_token, setOf(node), own)
  const [next] = node.transports as [Transport]
  const { refresh_token } = tokens
  const fresh = expectOk(await next.call('RefreshToken', { refresh_token })).access_token
  t.is(decodeProtectedHeader(fresh).kid, newer.signer.kid)
  await jwtVerify(fresh, setOf(node), own)
  // A node that has not read the new key rejects its tokens.
  t.like(await transport.call('GetMe', {}, { token: fresh }), {
    ok: false,
    code: 'unauthenticated',
  })
})

test('a token signed with a removed key returns 401', async (t) => {
  const otherNode = await startTestEnvironment({}, environment.databaseUrl)
  t.teardown(() => otherNode.stop())
  const token = await otherNode.token(randomUUID(), randomUUID())
  for (const transport of environment.transports)
    t.like(await transport.call('GetMe', {}, { token }), { ok: false, code: 'unauthenticated' })
})

test('a token request sent as a form returns 415', async (t) => {
  const { status, json } = await sendRawHttp(environment.httpPort, {
    method: 'POST',
    path: '/auth/token',
    body: 'grant_type=authorization_code&code=x',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  t.is(status, 415)
  t.is(json.reason, 'NOT_JSON')
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
