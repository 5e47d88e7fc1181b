import test, { type ExecutionContext } from 'ava'
import {
  expectProviderError,
  expectSuccess,
} from '../../support/providers/expect-provider-error.ts'
import { type Claims, signIn, startMockAuthority } from '../../support/providers/mock-authority.ts'
import { jsonResponse, startStubServer } from '../../support/providers/stub-server.ts'
import { createTestProvider } from '../../support/providers/test-provider.ts'

const person = {
  sub: '1234567890',
  email: 'Ann@Example.com',
  email_verified: true,
  name: 'Ann',
  given_name: ' Ann\n',
  family_name: 'van Example',
}
const now = () => Math.floor(Date.now() / 1000)

async function start(t: ExecutionContext, claims: Claims = {}) {
  const mock = await startMockAuthority(t)
  mock.claims = { ...person, ...claims }
  return { mock, google: createTestProvider('google', { GOOGLE_ISSUER: mock.url }) }
}

test('a valid ID token yields an identity', async (t) => {
  const picture = 'https://lh3.googleusercontent.com/a/x=s96-c'
  const { google } = await start(t, { picture, hd: 'example.com' })
  t.deepEqual(expectSuccess(await signIn(google)), {
    provider: 'google',
    subject: '1234567890',
    email: 'ann@example.com',
    emailVerified: true,
    name: 'Ann',
    givenName: 'Ann',
    familyName: 'van Example',
    avatarUrl: picture,
    hostedDomain: 'example.com',
    authentication: {},
  })
})

test('the issuer is accepted without its scheme, which Google has used', async (t) => {
  const { mock, google } = await start(t)
  mock.claims.iss = mock.url.slice('http://'.length)
  t.is(expectSuccess(await signIn(google)).subject, '1234567890')
})

const invalidClaims: Record<string, (mock: { url: string }) => Claims> = {
  'another issuer': () => ({ iss: 'https://evil.example' }),
  'an issuer that starts with the right one': ({ url }) => ({ iss: `${url}.evil.example` }),
  'an issuer with another path': ({ url }) => ({ iss: `${url}/other` }),
  'no issuer': () => ({ iss: undefined }),
  'an issuer that is an array': ({ url }) => ({ iss: [url] }),
  'another audience': () => ({ aud: 'another-client' }),
  'no audience': () => ({ aud: undefined }),
  'a second audience and no azp': () => ({ aud: ['daikon', 'another-client'] }),
  'another azp': () => ({ aud: ['daikon', 'other'], azp: 'other' }),
  'an expiry in the past': () => ({ exp: now() - 60 }),
  'no expiry': () => ({ exp: undefined }),
  'an expiry that is a string': () => ({ exp: '9999999999' }),
  'an nbf in the future': () => ({ nbf: now() + 3600 }),
  'another nonce': () => ({ nonce: 'another' }),
  'no nonce': () => ({ nonce: undefined }),
  'no subject': () => ({ sub: undefined }),
  'an empty subject': () => ({ sub: '' }),
  'a subject with a NUL': () => ({ sub: '1\0' }),
  'a subject that is a number': () => ({ sub: 1 }),
}
for (const [what, claims] of Object.entries(invalidClaims)) {
  test(`an ID token with ${what} is rejected`, async (t) => {
    const { mock, google } = await start(t)
    Object.assign(mock.claims, claims(mock))
    await expectProviderError(t, signIn(google), 'invalid_response')
  })
}

test('a nonce that does not match the cookie is rejected', async (t) => {
  const { google } = await start(t)
  const sign = signIn(google, (secrets) => ({ ...secrets, nonce: 'x'.repeat(43) }))
  await expectProviderError(t, sign, 'invalid_response', /nonce/)
})

test('a cookie without a nonce is rejected', async (t) => {
  const { google } = await start(t)
  const sign = signIn(google, ({ nonce: _, ...secrets }) => secrets)
  await expectProviderError(t, sign, 'state_mismatch', /nonce/)
})

test('a signature by another key is rejected, with the same kid and with an unknown one', async (t) => {
  const { mock, google } = await start(t)
  const other = await startMockAuthority(t)
  mock.document.jwks_uri = `${other.url}/jwks`
  await expectProviderError(t, signIn(google), 'invalid_response', /signature/)

  const emptyKeySet = await startStubServer(t, { '/jwks': jsonResponse({ keys: [] }) })
  mock.document.jwks_uri = `${emptyKeySet.url}/jwks`
  const restarted = createTestProvider('google', { GOOGLE_ISSUER: mock.url })
  await expectProviderError(t, signIn(restarted), 'invalid_response', /no signing key/)
})

test('an unsigned token and one signed with the client secret are rejected', async (t) => {
  const { mock, google } = await start(t)
  for (const alg of ['none', 'HS256']) {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = { ...person, iss: mock.url, aud: 'daikon', iat: now(), exp: now() + 60 }
    const id_token = `${part({ alg })}.${part(claims)}.${alg === 'none' ? '' : 'c2ln'}`
    mock.token.body = { access_token: 'x', token_type: 'bearer', id_token }
    await expectProviderError(t, signIn(google), 'invalid_response', /alg/)
  }
})

const bodies: Record<string, Record<string, unknown>> = {
  'no ID token': { access_token: 'x', token_type: 'bearer' },
  'a malformed ID token': { access_token: 'x', token_type: 'bearer', id_token: 'a.b.c' },
  'an ID token that is a number': { access_token: 'x', token_type: 'bearer', id_token: 1 },
  'an encrypted ID token': { access_token: 'x', token_type: 'bearer', id_token: 'a.b.c.d.e' },
  nothing: {},
}
for (const [what, body] of Object.entries(bodies)) {
  test(`a token response with ${what} is rejected`, async (t) => {
    const { mock, google } = await start(t)
    mock.token = { body }
    await expectProviderError(t, signIn(google), 'invalid_response')
  })
}

test('an error of the token endpoint is reported as provider_error, and its text is only logged', async (t) => {
  const { mock, google } = await start(t)
  const body = { error: 'invalid_grant', error_description: 'Code was already redeemed.' }
  mock.token = { status: 400, body }
  await expectProviderError(
    t,
    signIn(google),
    'provider_error',
    /invalid_grant: Code was already redeemed/,
  )
})

test('only email_verified: true verifies an address, as boolean or text', async (t) => {
  const { mock, google } = await start(t)
  for (const email_verified of [false, 'True', 1, 'false', null, undefined]) {
    Object.assign(mock.claims, { email_verified })
    const { email, emailVerified } = expectSuccess(await signIn(google))
    t.deepEqual({ email, emailVerified }, { email: 'ann@example.com', emailVerified: false })
  }
  for (const email_verified of [true, 'true']) {
    Object.assign(mock.claims, { email_verified })
    t.true(expectSuccess(await signIn(google)).emailVerified)
  }
})

test('an address that only UserInfo has is read there', async (t) => {
  const { mock, google } = await start(t)
  Object.assign(mock.claims, { email: undefined, email_verified: undefined })
  mock.userInfo = { body: { email: 'ann@example.com', email_verified: true } }
  const { email, emailVerified } = expectSuccess(await signIn(google))
  t.deepEqual({ email, emailVerified }, { email: 'ann@example.com', emailVerified: true })
  const body = { ...mock.userInfo.body, sub: 'another' }
  mock.userInfo = { body }
  await expectProviderError(t, signIn(google), 'invalid_response', /sub/)
})

test('an invalid address is never verified', async (t) => {
  const { mock, google } = await start(t)
  for (const email of ['ann@evil.example@example.com', 'an\u212a@example.com', 7, '', undefined]) {
    Object.assign(mock.claims, { email })
    const identity = expectSuccess(await signIn(google))
    t.is(identity.email, undefined)
    t.false(identity.emailVerified)
  }
})

test('name and picture are sanitized', async (t) => {
  const { mock, google } = await start(t)
  Object.assign(mock.claims, { name: ' Ann\0\n\u001b[31m ', picture: 'javascript:alert(1)' })
  t.like(expectSuccess(await signIn(google)), { name: 'Ann [31m', avatarUrl: '' })
  Object.assign(mock.claims, { name: 'x'.repeat(10_000), picture: `https://x/${'y'.repeat(9999)}` })
  const { name, avatarUrl } = expectSuccess(await signIn(google))
  t.deepEqual([name.length, avatarUrl], [200, ''])
  Object.assign(mock.claims, { name: { toString: 'x' }, picture: ['https://x'], hd: 'a\n' })
  const identity = expectSuccess(await signIn(google))
  t.like(identity, { name: 'ann', avatarUrl: '' })
  t.false('hostedDomain' in identity)
})

test('the subject does not change with the address', async (t) => {
  const { mock, google } = await start(t)
  const before = expectSuccess(await signIn(google))
  mock.claims.email = 'married@example.com'
  const after = expectSuccess(await signIn(google))
  t.is(after.subject, before.subject)
  t.is(after.email, 'married@example.com')
})
