import test from 'ava'
import { providerIds } from '../../../src/dev/mock-person.ts'
import { mockTenant } from '../../../src/dev/mock-providers.ts'
import { providerNames } from '../../../src/identity/providers/provider.ts'
import { followRedirects } from '../../support/providers/browser-flow.ts'
import {
  expectProviderError,
  expectSuccess,
} from '../../support/providers/expect-provider-error.ts'
import {
  ann,
  bob,
  nameless,
  redirectUri,
  startMockProvider,
} from '../../support/providers/mock-provider.ts'
import { createTestProvider } from '../../support/providers/test-provider.ts'

const identitiesOfAnn = (issuer: string) => ({
  google: {
    provider: 'google',
    subject: providerIds(ann).sub,
    email: 'ann@example.com',
    emailVerified: true,
    name: 'Ann Example',
    givenName: 'Ann',
    familyName: 'Example',
    avatarUrl: '',
    hostedDomain: 'example.com',
    authentication: {},
  },
  microsoft: {
    provider: 'microsoft',
    subject: `${mockTenant}:${providerIds(ann).oid}`,
    email: 'ann@example.com',
    emailVerified: true,
    name: 'Ann Example',
    givenName: '',
    familyName: '',
    avatarUrl: '',
    authentication: {},
  },
  github: {
    provider: 'github',
    subject: String(providerIds(ann).id),
    email: 'ann@example.com',
    emailVerified: true,
    name: 'Ann Example',
    givenName: '',
    familyName: '',
    avatarUrl: '',
  },
  oidc: {
    provider: 'oidc',
    subject: `${issuer}#${providerIds(ann).oid}`,
    email: 'ann@example.com',
    emailVerified: true,
    joinsNone: true,
    name: 'Ann Example',
    givenName: 'Ann',
    familyName: 'Example',
    avatarUrl: '',
    authentication: {},
  },
})

for (const name of providerNames) {
  test(`${name}: a sign-in returns the identity`, async (t) => {
    const local = await startMockProvider(t)
    const provider = createTestProvider(name, local.environment)
    const { url, secrets } = expectSuccess(await provider.begin(redirectUri))
    const { callback, redirects } = await followRedirects(url, redirectUri, { hint: ann.email })
    t.true(redirects <= 3)
    t.deepEqual(
      expectSuccess(await provider.complete(callback, redirectUri, secrets)),
      identitiesOfAnn(local.environment.OIDC_ISSUER)[name],
    )
  })

  test(`${name}: the page offers a choice of users at every sign-in`, async (t) => {
    const local = await startMockProvider(t)
    const provider = createTestProvider(name, local.environment)
    for (const person of [ann, bob]) {
      const { url, secrets } = expectSuccess(await provider.begin(redirectUri))
      const { callback, pages } = await followRedirects(url, redirectUri, { button: person.email })
      t.is(pages.length, 1)
      t.true(pages[0]?.includes(`value="${person.email}"`))
      t.false(pages[0]?.includes('<script'))
      const identity = expectSuccess(await provider.complete(callback, redirectUri, secrets))
      t.is(identity.name, person.name)
    }
  })

  test(`${name}: cancelling at the provider returns access_denied`, async (t) => {
    const local = await startMockProvider(t)
    const provider = createTestProvider(name, local.environment)
    const { url, secrets } = expectSuccess(await provider.begin(redirectUri))
    const { callback } = await followRedirects(url, redirectUri, { button: '' })
    await expectProviderError(t, provider.complete(callback, redirectUri, secrets), 'access_denied')
  })

  test(`${name}: an unverified address stays unverified`, async (t) => {
    const local = await startMockProvider(t)
    const provider = createTestProvider(name, local.environment)
    const { url, secrets } = expectSuccess(await provider.begin(redirectUri))
    const { callback } = await followRedirects(url, redirectUri, { hint: bob.email })
    const identity = expectSuccess(await provider.complete(callback, redirectUri, secrets))
    t.false(identity.emailVerified)
    t.is(identity.email, name === 'github' ? undefined : 'bob@example.com')
  })

  test(`${name}: the address is used when the name is missing`, async (t) => {
    const local = await startMockProvider(t)
    const provider = createTestProvider(name, local.environment)
    const { url, secrets } = expectSuccess(await provider.begin(redirectUri))
    const { callback } = await followRedirects(url, redirectUri, { hint: nameless.email })
    t.is(expectSuccess(await provider.complete(callback, redirectUri, secrets)).name, 'nameless')
  })

  test(`${name}: a code can be used once`, async (t) => {
    const local = await startMockProvider(t)
    const provider = createTestProvider(name, local.environment)
    const { url, secrets } = expectSuccess(await provider.begin(redirectUri))
    const { callback } = await followRedirects(url, redirectUri, { hint: ann.email })
    expectSuccess(await provider.complete(callback, redirectUri, secrets))
    await expectProviderError(
      t,
      provider.complete(callback, redirectUri, secrets),
      'provider_error',
    )
  })

  test(`${name}: concurrent sign-ins do not interfere with each other`, async (t) => {
    const local = await startMockProvider(t)
    const provider = createTestProvider(name, local.environment)
    const people = [ann, nameless]
    const logins = await Promise.all(people.map(() => provider.begin(redirectUri)))
    const names = await Promise.all(
      logins.map(async (started, index) => {
        const { url, secrets } = expectSuccess(started)
        const hint = people[index]?.email as string
        const { callback } = await followRedirects(url, redirectUri, { hint })
        return expectSuccess(await provider.complete(callback, redirectUri, secrets)).name
      }),
    )
    t.deepEqual(names, ['Ann Example', 'nameless'])
  })

  test(`${name}: a wrong client secret is reported as provider_error`, async (t) => {
    const local = await startMockProvider(t)
    const secret = { [`${name.toUpperCase()}_CLIENT_SECRET`]: 'wrong' }
    const provider = createTestProvider(name, { ...local.environment, ...secret })
    const { url, secrets } = expectSuccess(await provider.begin(redirectUri))
    const { callback } = await followRedirects(url, redirectUri, { hint: ann.email })
    const sign = provider.complete(callback, redirectUri, secrets)
    await expectProviderError(t, sign, 'provider_error', /client/)
  })
}

for (const name of ['google', 'microsoft', 'github with GITHUB_PKCE'] as const) {
  test(`${name}: the PKCE verifier is sent and checked`, async (t) => {
    const local = await startMockProvider(t)
    const [id = 'github'] = name.split(' ') as ['google' | 'microsoft' | 'github']
    const provider = createTestProvider(id, { ...local.environment, GITHUB_PKCE: true })
    const { url, secrets } = expectSuccess(await provider.begin(redirectUri))
    const sent = new URL(url).searchParams
    t.is(sent.get('code_challenge_method'), 'S256')
    t.regex(sent.get('code_challenge') ?? '', /^[\w-]{43}$/)
    t.false(url.includes(secrets.codeVerifier as string))

    const { callback } = await followRedirects(url, redirectUri, { hint: ann.email })
    const invalid = { ...secrets, codeVerifier: 'x'.repeat(43) }
    await expectProviderError(
      t,
      provider.complete(callback, redirectUri, invalid),
      'provider_error',
    )
    const { codeVerifier: _, ...lost } = secrets
    await expectProviderError(
      t,
      provider.complete(callback, redirectUri, lost),
      'state_mismatch',
      /verifier/,
    )
  })
}

test('google and microsoft: the mock provider requires a PKCE challenge', async (t) => {
  const local = await startMockProvider(t)
  for (const name of ['google', 'microsoft'] as const) {
    const provider = createTestProvider(name, local.environment)
    const url = new URL(expectSuccess(await provider.begin(redirectUri)).url)
    url.searchParams.delete('code_challenge')
    url.searchParams.delete('code_challenge_method')
    const { callback } = await followRedirects(url.href, redirectUri, { hint: ann.email })
    t.is(callback.get('error'), 'invalid_request')
    t.regex(callback.get('error_description') ?? '', /PKCE/)
  }
})

test('github: a login uses only a state unless PKCE is configured', async (t) => {
  const provider = createTestProvider('github', {})
  const { url, secrets } = expectSuccess(await provider.begin(redirectUri))
  t.deepEqual(Object.keys(secrets), ['state'])
  t.deepEqual(Object.fromEntries(new URL(url).searchParams), {
    response_type: 'code',
    client_id: 'daikon',
    redirect_uri: redirectUri,
    scope: 'read:user user:email',
    state: secrets.state,
  })
  t.true(url.startsWith('https://github.com/login/oauth/authorize?'))
})

test('every login has new secrets', async (t) => {
  const local = await startMockProvider(t)
  const provider = createTestProvider('google', local.environment)
  const logins = await Promise.all(Array.from({ length: 10 }, () => provider.begin(redirectUri)))
  const secrets = logins.flatMap((login) => Object.values(expectSuccess(login).secrets))
  t.is(new Set(secrets).size, 30)
  for (const secret of secrets) t.regex(secret, /^[\w-]{43}$/)
})
