import test, { type ExecutionContext } from 'ava'
import {
  expectProviderError,
  expectSuccess,
} from '../../support/providers/expect-provider-error.ts'
import { redirectUri } from '../../support/providers/mock-provider.ts'
import {
  jsonResponse,
  type StubResponse,
  startStubServer,
} from '../../support/providers/stub-server.ts'
import { createTestProvider } from '../../support/providers/test-provider.ts'

const user = {
  id: 583231,
  login: 'octocat',
  name: 'The Octocat',
  email: 'public@example.com',
  avatar_url: 'https://avatars.example/u/583231',
}
const primary = { email: 'Octo@Example.com', primary: true, verified: true, visibility: null }
const token = { access_token: 'gho_x', token_type: 'bearer', scope: 'read:user,user:email' }

/** Starts a GitHub with prepared responses. */
async function start(t: ExecutionContext, responses: { [path: string]: StubResponse } = {}) {
  const stub = await startStubServer(t, {
    '/login/oauth/access_token': jsonResponse(token),
    '/user': jsonResponse(user),
    '/user/emails': jsonResponse([
      { ...primary, email: 'old@example.com', primary: false },
      primary,
    ]),
    ...responses,
  })
  const github = createTestProvider('github', { GITHUB_URL: stub.url, GITHUB_API_URL: stub.url })
  const signIn = async () => {
    const { secrets } = expectSuccess(await github.begin(redirectUri))
    const callback = new URLSearchParams({ code: 'c', state: secrets.state })
    return github.complete(callback, redirectUri, secrets)
  }
  return { stub, signIn }
}

test('a valid response yields an identity with the numeric ID as subject', async (t) => {
  const { signIn } = await start(t)
  t.deepEqual(expectSuccess(await signIn()), {
    provider: 'github',
    subject: '583231',
    email: 'octo@example.com',
    emailVerified: true,
    name: 'The Octocat',
    givenName: '',
    familyName: '',
    avatarUrl: user.avatar_url,
  })
})

test('requests to GitHub ask for JSON and have a User-Agent and a Bearer token', async (t) => {
  const { stub, signIn } = await start(t)
  expectSuccess(await signIn())
  t.is(stub.requests.length, 3)
  for (const { path, headers } of stub.requests) {
    t.is(headers['user-agent'], 'daikon')
    t.regex(headers.accept ?? '', /json/)
    t.is(headers.authorization, path.startsWith('/user') ? 'Bearer gho_x' : undefined)
  }
  const exchange = new URLSearchParams(stub.requests[0]?.body)
  t.deepEqual(Object.fromEntries(exchange), {
    grant_type: 'authorization_code',
    code: 'c',
    redirect_uri: redirectUri,
    client_id: 'daikon',
    client_secret: 'secret',
  })
})

for (const error of ['bad_verification_code', 'incorrect_client_credentials', 'slow_down']) {
  test(`the error ${error} with status 200 fails`, async (t) => {
    const body = { error, error_description: 'The code passed is incorrect or expired.' }
    const { stub, signIn } = await start(t, { '/login/oauth/access_token': jsonResponse(body) })
    await expectProviderError(
      t,
      signIn(),
      'provider_error',
      new RegExp(`${error}: The code passed`),
    )
    t.is(stub.requests.length, 1)
  })
}

test('a response with both an error and a token fails', async (t) => {
  const body = { ...token, error: 'bad_verification_code' }
  const { signIn } = await start(t, { '/login/oauth/access_token': jsonResponse(body) })
  await expectProviderError(t, signIn(), 'provider_error')
})

for (const scope of ['', 'read:user', 'user:email:x', 'user:emails', undefined]) {
  test(`a token granted ${JSON.stringify(scope)} lacks the e-mail scope`, async (t) => {
    const body = { ...token, scope }
    const { stub, signIn } = await start(t, { '/login/oauth/access_token': jsonResponse(body) })
    await expectProviderError(t, signIn(), 'email_scope_missing')
    t.is(stub.requests.length, 1)
  })
}

for (const scope of ['user:email', 'repo, user', 'read:user user:email']) {
  test(`a token granted ${JSON.stringify(scope)} has the e-mail scope`, async (t) => {
    const body = { ...token, scope }
    const { signIn } = await start(t, { '/login/oauth/access_token': jsonResponse(body) })
    t.true(expectSuccess(await signIn()).emailVerified)
  })
}

const noEmail: Record<string, unknown[]> = {
  'an unverified primary': [{ ...primary, verified: false }],
  'an unverified primary beside a verified other': [
    { ...primary, verified: false },
    { ...primary, email: 'old@example.com', primary: false },
  ],
  'a verified address that is not primary': [{ ...primary, primary: false }],
  'a noreply address of GitHub': [{ ...primary, email: '583231+o@users.noreply.github.com' }],
  'an invalid address': [{ ...primary, email: 'a@b@example.com' }],
  'no address': [],
}
for (const [what, emails] of Object.entries(noEmail)) {
  test(`${what} yields no e-mail, not even the public one`, async (t) => {
    const { signIn } = await start(t, { '/user/emails': jsonResponse(emails) })
    t.like(expectSuccess(await signIn()), {
      subject: '583231',
      email: undefined,
      emailVerified: false,
    })
  })
}

test('the login is used when the name is missing', async (t) => {
  for (const name of [null, '', '  ', undefined]) {
    const { signIn } = await start(t, { '/user': jsonResponse({ ...user, name }) })
    t.is(expectSuccess(await signIn()).name, 'octocat')
  }
})

test('the subject survives a rename and differs for a reused login', async (t) => {
  const renamed = await start(t, { '/user': jsonResponse({ ...user, login: 'new' }) })
  t.is(expectSuccess(await renamed.signIn()).subject, '583231')
  const reused = await start(t, { '/user': jsonResponse({ ...user, id: 99 }) })
  t.is(expectSuccess(await reused.signIn()).subject, '99')
})

const invalidResponses: Record<string, { [path: string]: StubResponse }> = {
  'a user without id': { '/user': jsonResponse({ login: 'octocat' }) },
  'an id that is a string': { '/user': jsonResponse({ ...user, id: '583231' }) },
  'an id of zero': { '/user': jsonResponse({ ...user, id: 0 }) },
  'an id that is not a safe integer': { '/user': { body: '{"id":9007199254740993}' } },
  'a user that is null': { '/user': jsonResponse(null) },
  'e-mails that are not an array': { '/user/emails': jsonResponse({ 0: primary }) },
  ...Object.fromEntries(
    [null, 7, 'octo@example.com', [], {}, { ...primary, verified: 'true' }].map((entry) => [
      `the entry ${JSON.stringify(entry)} beside a valid address`,
      { '/user/emails': jsonResponse([primary, entry]) },
    ]),
  ),
  'a name that is an object': { '/user': jsonResponse({ ...user, name: {} }) },
  'a token response that is null': { '/login/oauth/access_token': jsonResponse(null) },
  'a scope that is a list': {
    '/login/oauth/access_token': jsonResponse({ ...token, scope: ['user:email'] }),
  },
  'a form instead of JSON': {
    '/login/oauth/access_token': {
      type: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(token).toString(),
    },
  },
  'a token of an unknown type': {
    '/login/oauth/access_token': jsonResponse({ ...token, token_type: 'mac' }),
  },
  'an empty token': {
    '/login/oauth/access_token': jsonResponse({ ...token, access_token: '' }),
  },
  'a token that is a number': {
    '/login/oauth/access_token': jsonResponse({ ...token, access_token: 7 }),
  },
}
for (const [what, responses] of Object.entries(invalidResponses)) {
  test(`${what} is rejected`, async (t) => {
    const { signIn } = await start(t, responses)
    await expectProviderError(t, signIn(), 'invalid_response')
  })
}

for (const status of [400, 401, 403, 404]) {
  test(`status ${status} of the API is reported as provider_error`, async (t) => {
    const { signIn } = await start(t, { '/user/emails': jsonResponse({ message: 'no' }, status) })
    await expectProviderError(
      t,
      signIn(),
      'provider_error',
      new RegExp(`/user/emails: status ${status}`),
    )
  })
}

test('a failure does not contain the token', async (t) => {
  const { signIn } = await start(t, {
    '/login/oauth/access_token': jsonResponse({ ...token, token_type: 'mac' }),
  })
  const result = await signIn()
  t.false(result.ok)
  t.false(JSON.stringify(result).includes('gho_x'))
})
