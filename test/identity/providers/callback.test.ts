import test from 'ava'
import { type ProviderName, providerNames } from '../../../src/identity/providers/provider.ts'
import { followRedirects } from '../../support/providers/browser-flow.ts'
import {
  expectProviderError,
  expectSuccess,
} from '../../support/providers/expect-provider-error.ts'
import { ann, redirectUri, startMockProvider } from '../../support/providers/mock-provider.ts'
import { createTestProvider } from '../../support/providers/test-provider.ts'

type Alter = (callback: URLSearchParams) => unknown

const states: Record<string, Alter> = {
  altered: (callback) => callback.set('state', `${callback.get('state')?.slice(0, -1)}~`),
  lengthened: (callback) => callback.set('state', `${callback.get('state')}a`),
  shortened: (callback) => callback.set('state', String(callback.get('state')).slice(0, -1)),
  missing: (callback) => callback.delete('state'),
  empty: (callback) => callback.set('state', ''),
  'repeated with another first': (callback) => {
    const state = String(callback.get('state'))
    callback.set('state', 'other')
    callback.append('state', state)
  },
  'repeated with another last': (callback) => callback.append('state', 'other'),
  'repeated with itself': (callback) => callback.append('state', String(callback.get('state'))),
}

const others: Record<string, Alter> = {
  'without a code': (callback) => callback.delete('code'),
  'with an empty code': (callback) => callback.set('code', ''),
  'with a repeated code': (callback) => callback.append('code', String(callback.get('code'))),
  'with a wrong iss': (callback) => callback.set('iss', 'https://evil.example'),
  'with an empty iss': (callback) => callback.set('iss', ''),
  'with a repeated iss': (callback) => callback.append('iss', String(callback.get('iss'))),
}

for (const name of providerNames) {
  test(`${name}: a callback whose state does not match the cookie is rejected`, async (t) => {
    const { provider, callback, secrets } = await visitProvider(t, name)
    for (const [what, alter] of Object.entries(states)) {
      const altered = new URLSearchParams(callback)
      alter(altered)
      const sign = provider.complete(altered, redirectUri, secrets)
      await expectProviderError(t, sign, 'state_mismatch', /state/, what)
    }
    // No request was sent to the provider, so the code is still valid.
    t.is(expectSuccess(await provider.complete(callback, redirectUri, secrets)).name, ann.name)
  })

  test(`${name}: a cookie without a state is rejected, even with an empty state`, async (t) => {
    const { provider, callback, secrets } = await visitProvider(t, name)
    callback.set('state', '')
    const sign = provider.complete(callback, redirectUri, { ...secrets, state: '' })
    await expectProviderError(t, sign, 'state_mismatch')
  })

  test(`${name}: a malformed callback is rejected without a request to the provider`, async (t) => {
    const { provider, callback, secrets } = await visitProvider(t, name)
    for (const [what, alter] of Object.entries(others)) {
      const altered = new URLSearchParams(callback)
      alter(altered)
      const sign = provider.complete(altered, redirectUri, secrets)
      await expectProviderError(t, sign, 'invalid_response', /code|iss/, what)
    }
    t.is(expectSuccess(await provider.complete(callback, redirectUri, secrets)).name, ann.name)
  })

  test(`${name}: an error in the callback is mapped to its code, only with the right state`, async (t) => {
    const { provider, secrets } = await visitProvider(t, name)
    const sign = (parameters: Record<string, string>) =>
      provider.complete(new URLSearchParams(parameters), redirectUri, secrets)
    const { state } = secrets
    await expectProviderError(t, sign({ state, error: 'access_denied' }), 'access_denied')
    await expectProviderError(
      t,
      sign({ state, error: 'temporarily_unavailable' }),
      'provider_unavailable',
    )
    await expectProviderError(
      t,
      sign({ state, error: 'constructor' }),
      'provider_error',
      /constructor/,
    )
    await expectProviderError(t, sign({ state, error: '', code: 'x' }), 'provider_error')
    await expectProviderError(t, sign({ error: 'access_denied' }), 'state_mismatch')
  })

  test(`${name}: the callback of one login does not complete another`, async (t) => {
    const { provider, callback } = await visitProvider(t, name)
    const { secrets } = expectSuccess(await provider.begin(redirectUri))
    await expectProviderError(
      t,
      provider.complete(callback, redirectUri, secrets),
      'state_mismatch',
    )
  })

  test(`${name}: a code of another login is rejected by PKCE or nonce`, async (t) => {
    const { provider, callback } = await visitProvider(t, name, { GITHUB_PKCE: true })
    const { secrets } = expectSuccess(await provider.begin(redirectUri))
    callback.set('state', secrets.state)
    await expectProviderError(
      t,
      provider.complete(callback, redirectUri, secrets),
      'provider_error',
    )
  })
}

test('github: a missing iss is accepted, because older installations send none', async (t) => {
  const { provider, callback, secrets } = await visitProvider(t, 'github')
  callback.delete('iss')
  t.is(expectSuccess(await provider.complete(callback, redirectUri, secrets)).name, ann.name)
})

test('google: a missing iss is rejected, because discovery announces it', async (t) => {
  const { provider, callback, secrets } = await visitProvider(t, 'google')
  callback.delete('iss')
  await expectProviderError(
    t,
    provider.complete(callback, redirectUri, secrets),
    'invalid_response',
    /iss/,
  )
})

/** Signs Ann in up to the callback. */
async function visitProvider(
  t: Parameters<typeof startMockProvider>[0],
  name: ProviderName,
  settings: { GITHUB_PKCE?: boolean } = {},
) {
  const local = await startMockProvider(t)
  const provider = createTestProvider(name, { ...local.environment, ...settings })
  const { url, secrets } = expectSuccess(await provider.begin(redirectUri))
  const { callback } = await followRedirects(url, redirectUri, { hint: ann.email })
  return { provider, callback, secrets }
}
