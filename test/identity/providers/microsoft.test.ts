import test, { type ExecutionContext } from 'ava'
import type { ProviderSettings } from '../../../src/identity/providers/provider-settings.ts'
import {
  expectProviderError,
  expectSuccess,
} from '../../support/providers/expect-provider-error.ts'
import {
  type Claims,
  consumerTenant,
  oid,
  signIn,
  startMockAuthority,
  tenant,
} from '../../support/providers/mock-authority.ts'
import { createTestProvider } from '../../support/providers/test-provider.ts'

const person = {
  tid: tenant,
  oid,
  email: 'Ann@Example.com',
  name: 'Ann',
  given_name: 'Ann',
  xms_edov: true,
}

/**
 * Starts an authority whose discovery document names `issuer`, and a provider for one of its
 * tenants.
 */
async function start(
  t: ExecutionContext,
  { as = 'common', issuer = '{tenantid}', ...settings }: Start = {},
) {
  const mock = await startMockAuthority(t, `/${as}/v2.0`)
  mock.document = {
    issuer: `${mock.url}/${issuer}/v2.0`,
    code_challenge_methods_supported: undefined,
  }
  mock.claims = { ...person, iss: `${mock.url}/${tenant}/v2.0` }
  const microsoft = createTestProvider('microsoft', {
    MICROSOFT_ISSUER: `${mock.url}/{tenant}/v2.0`,
    MICROSOFT_TENANT: as,
    ...settings,
  })
  const claim = (claims: Claims, id?: string) =>
    Object.assign(mock.claims, claims, id && { tid: id, iss: `${mock.url}/${id}/v2.0` })
  return { mock, microsoft, claim }
}
type Start = { as?: string; issuer?: string } & Partial<ProviderSettings>

test('a valid ID token yields an identity with tenant and object ID as subject', async (t) => {
  const { microsoft } = await start(t)
  t.deepEqual(expectSuccess(await signIn(microsoft)), {
    provider: 'microsoft',
    subject: `${tenant}:${oid}`,
    email: 'ann@example.com',
    emailVerified: true,
    name: 'Ann',
    givenName: 'Ann',
    familyName: '',
    avatarUrl: '',
    authentication: {},
  })
})

test('PKCE and nonce are sent although discovery does not announce PKCE', async (t) => {
  const { microsoft } = await start(t)
  const { url, secrets } = expectSuccess(await microsoft.begin('http://localhost/callback'))
  const sent = new URL(url).searchParams
  t.is(sent.get('code_challenge_method'), 'S256')
  t.is(sent.get('nonce'), secrets.nonce as string)
  t.is(sent.get('scope'), 'openid profile email')
})

for (const edov of [true, 1, '1', 'true']) {
  test(`xms_edov ${JSON.stringify(edov)} verifies the address`, async (t) => {
    const { microsoft, claim } = await start(t)
    claim({ xms_edov: edov })
    t.true(expectSuccess(await signIn(microsoft)).emailVerified)
  })
}

for (const edov of [undefined, false, 0, '0', 'false', '', null, 'TRUE', 2, [true], {}]) {
  test(`xms_edov ${JSON.stringify(edov)} does not verify the address`, async (t) => {
    const { microsoft, claim } = await start(t)
    const others = { email_verified: true, verified_primary_email: ['ann@example.com'] }
    claim({ xms_edov: edov, ...others })
    const { email, emailVerified } = expectSuccess(await signIn(microsoft))
    t.deepEqual({ email, emailVerified }, { email: 'ann@example.com', emailVerified: false })
  })
}

test('preferred_username and upn are not used as e-mail', async (t) => {
  const { microsoft, claim } = await start(t)
  claim({ email: undefined, preferred_username: 'a@example.com', upn: 'a@example.com' })
  t.like(expectSuccess(await signIn(microsoft)), { email: undefined, emailVerified: false })
})

test('MICROSOFT_TRUST_EMAIL is allowed for a single tenant only', async (t) => {
  const trust = { as: tenant, issuer: tenant, MICROSOFT_TRUST_EMAIL: true }
  const { microsoft, claim } = await start(t, trust)
  claim({ xms_edov: undefined })
  t.true(expectSuccess(await signIn(microsoft)).emailVerified)
  for (const shared of ['common', 'organizations', 'consumers', 'Common']) {
    const settings = { MICROSOFT_TRUST_EMAIL: true, MICROSOFT_TENANT: shared }
    t.throws(() => createTestProvider('microsoft', settings), {
      message: /^MICROSOFT_TRUST_EMAIL /,
    })
  }
})

const invalidClaims: Record<string, (url: string) => Claims> = {
  'the issuer of another tenant': (url) => ({ iss: `${url}/${consumerTenant}/v2.0` }),
  'the tenant of another issuer': () => ({ tid: consumerTenant }),
  'the template as issuer': (url) => ({ iss: `${url}/{tenantid}/v2.0` }),
  'the template as issuer and tenant': (url) => ({
    iss: `${url}/{tenantid}/v2.0`,
    tid: '{tenantid}',
  }),
  'the issuer of version 1': () => ({ iss: `https://sts.windows.net/${tenant}/` }),
  'an issuer on another host': () => ({ iss: `https://evil.example/${tenant}/v2.0` }),
  'an issuer that contains the right one': (url) => ({ iss: `https://evil.example/${url}` }),
  'no tenant': () => ({ tid: undefined }),
  'a tenant that is not a UUID': (url) => ({ tid: 'common', iss: `${url}/common/v2.0` }),
  'a tenant with a parent path': (url) => ({
    tid: `x/../${tenant}`,
    iss: `${url}/x/../${tenant}/v2.0`,
  }),
  'a tenant that is an array': () => ({ tid: [tenant] }),
  'no object id': () => ({ oid: undefined }),
  'another audience': () => ({ aud: 'another-client' }),
  'an expiry in the past': () => ({ exp: Math.floor(Date.now() / 1000) - 60 }),
  'another nonce': () => ({ nonce: 'another' }),
}
for (const [what, claims] of Object.entries(invalidClaims)) {
  test(`an ID token with ${what} is rejected`, async (t) => {
    const { mock, microsoft, claim } = await start(t)
    claim(claims(mock.url))
    await expectProviderError(t, signIn(microsoft), 'invalid_response')
  })
}

test('keys are loaded from the configured authority, never from the issuer of a token', async (t) => {
  const { mock, microsoft } = await start(t)
  const evil = await startMockAuthority(t, `/${tenant}/v2.0`)
  const requests: string[] = []
  evil.server.service.on('beforeWellKnownOpenIdConfiguration', () => requests.push('discovery'))
  mock.claims.iss = `${evil.url}/${tenant}/v2.0`
  await expectProviderError(t, signIn(microsoft), 'invalid_response', /not an issuer of/)
  t.deepEqual(requests, [])
})

test('common accepts every tenant and personal accounts', async (t) => {
  const { microsoft, claim } = await start(t)
  claim({}, consumerTenant)
  t.is(expectSuccess(await signIn(microsoft)).subject, `${consumerTenant}:${oid}`)
})

test('organizations refuses personal accounts', async (t) => {
  const { microsoft, claim } = await start(t, { as: 'organizations' })
  t.is(expectSuccess(await signIn(microsoft)).subject, `${tenant}:${oid}`)
  claim({}, consumerTenant)
  await expectProviderError(t, signIn(microsoft), 'tenant_refused')
})

for (const issuer of [consumerTenant, '{tenantid}']) {
  test(`consumers requires a personal account when discovery names ${issuer}`, async (t) => {
    const { microsoft, claim } = await start(t, { as: 'consumers', issuer })
    claim({}, consumerTenant)
    t.is(expectSuccess(await signIn(microsoft)).subject, `${consumerTenant}:${oid}`)
    claim({}, tenant)
    const code = issuer === consumerTenant ? 'invalid_response' : 'tenant_refused'
    await expectProviderError(t, signIn(microsoft), code)
  })
}

for (const issuer of [tenant, '{tenantid}']) {
  test(`a configured tenant accepts no other when discovery names ${issuer}`, async (t) => {
    const { microsoft, claim } = await start(t, { as: tenant, issuer })
    t.is(expectSuccess(await signIn(microsoft)).subject, `${tenant}:${oid}`)
    claim({}, '22222222-2222-4333-8444-555555555555')
    await expectProviderError(t, signIn(microsoft), 'invalid_response')
  })
}

test('discovery cannot replace the configured tenant', async (t) => {
  const other = '22222222-2222-4333-8444-555555555555'
  const { microsoft, claim } = await start(t, { as: tenant, issuer: other })
  claim({}, other)
  await expectProviderError(t, signIn(microsoft), 'invalid_response')
})

test('discovery resolves a tenant configured by its domain', async (t) => {
  const { microsoft, claim } = await start(t, { as: 'contoso.onmicrosoft.com', issuer: tenant })
  t.is(expectSuccess(await signIn(microsoft)).subject, `${tenant}:${oid}`)
  claim({}, '22222222-2222-4333-8444-555555555555')
  await expectProviderError(t, signIn(microsoft), 'invalid_response')
})

test('a domain that discovery does not resolve accepts no tenant', async (t) => {
  const { microsoft } = await start(t, { as: 'contoso.onmicrosoft.com' })
  await expectProviderError(t, signIn(microsoft), 'invalid_response')
})

test('an issuer setting without {tenant} must match exactly', async (t) => {
  const mock = await startMockAuthority(t)
  mock.document.issuer = mock.url
  mock.claims = { ...person, iss: mock.url }
  const microsoft = createTestProvider('microsoft', { MICROSOFT_ISSUER: mock.url })
  t.is(expectSuccess(await signIn(microsoft)).subject, `${tenant}:${oid}`)
  mock.claims.iss = `${mock.url}/${tenant}/v2.0`
  await expectProviderError(t, signIn(microsoft), 'invalid_response')
})

test('a discovery document that names another issuer is rejected', async (t) => {
  for (const issuer of ['common', 'x', '..']) {
    const { microsoft } = await start(t, { issuer })
    await expectProviderError(
      t,
      microsoft.begin('http://localhost/callback'),
      'invalid_response',
      /names the issuer/,
    )
  }
})

test('a key verifies only tokens of the issuer that the key set names for it', async (t) => {
  const { mock, microsoft } = await start(t)
  const key = mock.server.issuer.keys.get('key') as Record<string, unknown>
  // The key set is loaded at the first sign-in and reloaded once when no key matches.
  key.issuer = `${mock.url}/${consumerTenant}/v2.0`
  await expectProviderError(t, signIn(microsoft), 'invalid_response', /no signing key/)
  for (const issuer of ['{tenantid}', tenant]) {
    key.issuer = `${mock.url}/${issuer}/v2.0`
    const provider = createTestProvider('microsoft', {
      MICROSOFT_ISSUER: `${mock.url}/{tenant}/v2.0`,
      MICROSOFT_TENANT: 'common',
    })
    t.is(expectSuccess(await signIn(provider)).subject, `${tenant}:${oid}`)
  }
})

test('keys that the provider replaces without overlap verify the next ID token', async (t) => {
  const { mock, microsoft } = await start(t)
  expectSuccess(await signIn(microsoft))
  const { keys } = mock.server.issuer
  await keys.generate('RS256', { kid: 'new' })
  // Keys are used in turn, so the new key signs next.
  keys.get('key')
  t.is(expectSuccess(await signIn(microsoft)).subject, `${tenant}:${oid}`)
})
