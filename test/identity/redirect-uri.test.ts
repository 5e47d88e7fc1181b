// Threat: redirect_uri looseness.
import test from 'ava'
import { providerNames } from '../../src/identity/providers/provider.ts'
import { expectOk } from '../support/outcome.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import {
  appUri,
  createPkce,
  createSignInEnvironment,
  signInAtProvider,
} from '../support/sign-in.ts'

const environment = await createSignInEnvironment()
await environment.seed.clientApp(['https://second.example.com/cb', 'http://localhost:4000/cb'])
test.after.always(() => environment.stop())

const request = (redirect_uri: string) => ({
  provider: 'github',
  redirect_uri,
  code_challenge: createPkce().challenge,
  code_challenge_method: 'S256',
})

/** The headers of an error response that neither redirects nor sets a cookie. */
const noRedirect = { location: undefined, 'set-cookie': undefined }

/** URIs that differ from the registered `https://app.example.com/done?from=daikon`. */
const unregistered: Record<string, string[]> = {
  'another case': [
    'https://App.example.com/done?from=daikon',
    'https://app.example.com/Done?from=daikon',
    'HTTPS://app.example.com/done?from=daikon',
    'https://app.example.com/done?from=Daikon',
  ],
  'a trailing slash or dot': [
    'https://app.example.com/done/?from=daikon',
    `${appUri}/`,
    `${appUri}.`,
    'https://app.example.com./done?from=daikon',
  ],
  'another query': [
    `${appUri}&x=1`,
    `${appUri}&`,
    `${appUri}&from=daikon`,
    `${appUri}?`,
    'https://app.example.com/done',
    'https://app.example.com/done?',
    'https://app.example.com/done?x=1&from=daikon',
  ],
  'a fragment': [`${appUri}#`, `${appUri}#x`, 'https://app.example.com/done#?from=daikon'],
  'a user': [
    'https://app.example.com@evil.example/done?from=daikon',
    'https://@app.example.com/done',
    'https://x@app.example.com/done?from=daikon',
    'https://x:y@app.example.com/done',
    'https://evil.example#@app.example.com/done?from=daikon',
  ],
  '%-encoding': [
    'https://app.example.com/%64one?from=daikon',
    'https://app.example.com/done%3Ffrom=daikon',
    `${appUri}%00`,
    `${appUri}%20`,
    'https://app%2eexample.com/done?from=daikon',
    encodeURIComponent(appUri),
    'https%3A//app.example.com/done?from=daikon',
  ],
  'dots and slashes': [
    'https://app.example.com/x/../done?from=daikon',
    'https://app.example.com/./done',
    'https://app.example.com//done?from=daikon',
    'https://app.example.com/done/..?from=daikon',
    'https://app.example.com/done/%2e%2e/?from=daikon',
    'https:/app.example.com/done',
    'https:\\\\app.example.com\\done?from=daikon',
    'https://evil.example\\@app.example.com/',
  ],
  'another port': [
    'https://app.example.com:443/done?from=daikon',
    'https://app.example.com:8443/done',
    'https://app.example.com:/done?from=daikon',
    'http://localhost:4001/cb',
    'http://localhost/cb',
  ],
  'another host': [
    'https://app.example.com.evil.example/done?from=daikon',
    'https://example.com/done',
    'https://evilapp.example.com/done?from=daikon',
    'https://x.app.example.com/done',
    'https://second.example.com/done?from=daikon',
    'http://127.0.0.1:4000/cb',
    'https://app．example．com/done?from=daikon',
  ],
  'another scheme': [
    'http://app.example.com/done?from=daikon',
    '//app.example.com/done?from=daikon',
    'app.example.com/done?from=daikon',
    '/done?from=daikon',
    'ftp://app.example.com/done',
    'javascript:alert(1)',
    'javascript://app.example.com/done?from=daikon',
    'about:blank',
    `data:text/html,${appUri}`,
    `view-source:${appUri}`,
    `x:${appUri}`,
  ],
  whitespace: [
    ` ${appUri}`,
    `${appUri} `,
    `${appUri}\n`,
    `\t${appUri}`,
    'https://app.example.com/do ne',
  ],
  'a pattern or a list': [
    '*',
    '%',
    'https://%',
    `${appUri},${appUri}`,
    `${appUri} ${appUri}`,
    'null',
  ],
}

for (const transport of environment.transports) {
  for (const [what, uris] of Object.entries(unregistered)) {
    test(`a redirect_uri with ${what} returns 400 without a redirect over ${transport.label}`, async (t) => {
      for (const uri of uris) {
        const outcome = await transport.call('BeginLogin', request(uri))
        t.like(
          outcome,
          { ok: false, code: 'failed_precondition', reason: 'REDIRECT_URI_REFUSED' },
          uri,
        )
        t.like(outcome.headers, noRedirect)
      }
    })
  }

  test(`an unregistered redirect_uri of any length returns 400 over ${transport.label}`, async (t) => {
    for (const length of [2000, 2001, 8000]) {
      const outcome = await transport.call('BeginLogin', request(appUri.padEnd(length, 'x')))
      t.like(
        outcome,
        { ok: false, code: 'failed_precondition', reason: 'REDIRECT_URI_REFUSED' },
        `${length}`,
      )
    }
  })

  test(`the redirect_uri of an active app starts a login over ${transport.label}`, async (t) => {
    for (const uri of [appUri, 'https://second.example.com/cb', 'http://localhost:4000/cb'])
      t.true((await transport.call('BeginLogin', request(uri))).ok)
    const uri = `https://app.example.com/inactive-${transport.name}`
    const app = await environment.seed.clientApp([uri])
    t.true((await transport.call('BeginLogin', request(uri))).ok)
    await environment.pool.query('update client_apps set is_active = false where id = $1', [app])
    t.like(await transport.call('BeginLogin', request(uri)), {
      ok: false,
      code: 'failed_precondition',
    })
    // Another active app may register the same URI.
    await environment.seed.clientApp([uri])
    t.true((await transport.call('BeginLogin', request(uri))).ok)
  })

  test(`an app deactivated during a login gets no code over ${transport.label}`, async (t) => {
    for (const [index, provider] of providerNames.entries()) {
      const redirect_uri = `https://app.example.com/${transport.name}-${provider}`
      const app = await environment.seed.clientApp([redirect_uri])
      const email = environment.addProviderUser()
      const { message } = await signInAtProvider(transport, provider, email, { redirect_uri })
      const { message: second } = await signInAtProvider(transport, provider, email, {
        redirect_uri,
      })
      await environment.pool.query(
        index % 2
          ? 'update client_apps set is_active = false where id = $1'
          : 'delete from client_apps where id = $1',
        [app],
      )
      for (const each of [message, second]) {
        const outcome = await transport.call('CompleteLogin', each)
        t.like(outcome, { ok: false, code: 'failed_precondition', reason: 'REDIRECT_URI_REFUSED' })
        t.is(outcome.headers.location, undefined)
      }
      const { rows } = await environment.pool.query('select from users where email = $1', [email])
      t.is(rows.length, 0)
    }
  })

  test(`the response is appended to the redirect_uri as it was registered over ${transport.label}`, async (t) => {
    const host = `https://${transport.name}.example`
    for (const [uri, separator] of [
      [`${host}`, '?'],
      [`${host}/cb?next=a%20b`, '&'],
      [`${host}/cb?flag`, '&'],
      [`${host}/cb?x=%2F&`, ''],
      [`${host}/cb?`, ''],
    ] as const) {
      await environment.seed.clientApp([uri])
      const email = environment.addProviderUser()
      const sent = { redirect_uri: uri, state: 'a b' }
      const { message } = await signInAtProvider(transport, 'github', email, sent)
      const { location } = expectOk(await transport.call('CompleteLogin', message))
      const [, code] = /code=([\w-]+)&state=a\+b$/.exec(location) ?? []
      t.is(location, `${uri}${separator}code=${code}&state=a+b`)
    }
  })

  test(`the code is sent to the redirect_uri of its own login over ${transport.label}`, async (t) => {
    const redirect_uri = 'https://second.example.com/cb'
    const { message } = await signInAtProvider(transport, 'github', environment.addProviderUser(), {
      redirect_uri,
    })
    const extra = { redirect_uri: appUri, code_challenge: createPkce().challenge }
    const { location } = expectOk(await transport.call('CompleteLogin', { ...message, ...extra }))
    t.true(location.startsWith(`${redirect_uri}?code=`))
  })
}

test('a repeated parameter returns 422 in any order', async (t) => {
  const { provider, ...message } = request(appUri)
  const whole = new URLSearchParams(message)
  const other = createPkce().challenge
  for (const [name, value] of [
    ...[appUri, 'https://evil.example/', ''].map((uri) => ['redirect_uri', uri]),
    ...[other, message.code_challenge].map((challenge) => ['code_challenge', challenge]),
    ...['plain', 'S256'].map((method) => ['code_challenge_method', method]),
  ] as [string, string][]) {
    for (const query of [
      `${whole}&${new URLSearchParams([[name, value]])}`,
      `${new URLSearchParams([[name, value]])}&${whole}`,
    ]) {
      const path = `/auth/login/${provider}?${query}`
      const { status, headers, json } = await sendRawHttp(environment.httpPort, { path })
      t.is(status, 422, path)
      t.deepEqual(
        json.errors.map(({ field }: { field: string }) => field),
        [name],
      )
      t.like(headers, noRedirect)
    }
  }
})

test('a parameter with a similar name is ignored', async (t) => {
  const { redirect_uri, provider, ...rest } = request(appUri)
  for (const name of ['redirect_uri[]', 'redirect_uri[0]', 'REDIRECT_URI', 'redirectUri']) {
    const query = new URLSearchParams({ ...rest, [name]: redirect_uri })
    const path = `/auth/login/${provider}?${query}`
    t.is((await sendRawHttp(environment.httpPort, { path })).status, 422, name)
  }
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
