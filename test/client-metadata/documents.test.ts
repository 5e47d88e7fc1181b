// Threat: SSRF and port scans by client_id; a document that changes or lies; nothing is fetched for a
// stranger.
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { hostRule } from '../../src/client-metadata/host-rules.ts'
import { hostPattern } from '../../src/config/parsers.ts'
import { redirectUri, startDocumentServer } from '../support/client-documents.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  issuer,
  readPage,
  signInAtAuthorize,
} from '../support/oauth.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { followRedirects } from '../support/providers/browser-flow.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import type { Outcome, Transport } from '../support/transports.ts'

const documents = await startDocumentServer()
const environment = await createSignInEnvironment({
  options: {
    CLIENT_METADATA_HOSTS: ['*', '!127.0.0.9'].map(hostRule),
    CLIENT_METADATA_ALLOWED_HOSTS: ['127.0.0.1', '127.0.0.9'].map(hostPattern),
    DEBUG: false,
  },
})
const off = await environment.addNode({ CLIENT_METADATA_HOSTS: [] })
const registered = await createOAuthClient(environment)
const service = await environment.seed.serviceApp('documents-service')
const resource = 'https://documents.example.com'
await environment.seed.apiResource(service.id, resource, ['read', 'write'])
test.after.always(async () => {
  await environment.stop()
  await documents.stop()
})

/** Signs in to a registered client app. Returns the cookie of the browser. */
async function openBrowser(transport: Transport): Promise<string> {
  const { request } = createAuthorizationRequest(registered.client_id)
  const signedIn = await signInAtAuthorize(transport, environment.addProviderUser(), request)
  return signedIn.browser_session
}

function requestOf(client_id: string, more: Record<string, unknown> = {}) {
  const base = { redirect_uri: redirectUri, scope: undefined, nonce: undefined, resource }
  return createAuthorizationRequest(client_id, { ...base, ...more }).request
}

/** Returns the error of a request that is answered in place. Over REST, it has no reason. */
function expectRefusal(outcome: Outcome, reason: string) {
  const error = expectError(outcome)
  if (error.code !== 'failed_precondition' || ![reason, 'INVALID_REQUEST'].includes(error.reason))
    throw new Error(`${error.code} ${error.reason}: ${error.detail}`)
  return error
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const authorize = (message: object) => transport.call('Authorize', message)

  test(`until the browser is signed in, nothing is fetched and pages name the host ${over}`, async (t) => {
    const client = documents.publish()
    const request = requestOf(client)
    const page = readPage(expectOk(await authorize(request)))
    t.true(page.text.includes(new URL(client).host))
    t.false(page.text.includes('Editor'))
    const silent = expectRefusal(
      await authorize({ ...request, prompt: 'none' }),
      'AUTHORIZATION_REFUSED',
    )
    t.regex(silent.detail, /^login_required/)
    const wrong = [
      { resource: undefined },
      { resource: 'https://unknown.example.com' },
      { response_type: 'token' },
      { code_challenge: undefined, code_challenge_method: undefined },
      { scope: 'openid email' },
      { id_token_hint: 'x' },
      { acr_values: 'phr' },
      { sign_in_error: 'access_denied' },
    ]
    for (const more of wrong) {
      const refused = await authorize(requestOf(client, more))
      t.truthy(expectRefusal(refused, 'AUTHORIZATION_REFUSED').detail, JSON.stringify(more))
    }
    // Whatever the redirect URI is, the sign-in begins, and nothing is sent there.
    const elsewhere = requestOf(client, { redirect_uri: 'https://evil.example.com' })
    t.true(readPage(expectOk(await authorize(elsewhere))).urls.length > 0)
    t.is(documents.countOf(client), 0)
  })

  test(`a sign-in returns to where the document is fetched ${over}`, async (t) => {
    const client = documents.publish()
    const request = requestOf(client)
    const email = environment.addProviderUser()
    const { location, browser_session } = await signInAtAuthorize(transport, email, request)
    t.is(documents.countOf(client), 0)
    const resumed = new URL(location)
    t.is(resumed.pathname, '/oauth/authorize')
    t.is(resumed.searchParams.get('client_id'), client)
    const message = { ...Object.fromEntries(resumed.searchParams), browser_session }
    const page = readPage(expectOk(await authorize(message)))
    t.true(page.text.includes(new URL(client).host) && page.text.includes('Editor'))
    t.is(documents.countOf(client), 1)
  })

  test(`a sign-in that fails is not reported to an unverified redirect URI ${over}`, async (t) => {
    const client = documents.publish()
    const begun = expectOk(await authorize({ ...requestOf(client), provider: 'google' }))
    const { callback } = await followRedirects(begun.location, `${issuer}/auth/callback/google`, {
      button: '',
    })
    const message = { provider: 'google', ...Object.fromEntries(callback) }
    const completed = { ...message, login_state: begun.login_state }
    const { location } = expectOk(await transport.call('CompleteLogin', completed))
    t.is(new URL(location).pathname, '/oauth/authorize')
    const refused = await authorize(Object.fromEntries(new URL(location).searchParams))
    t.regex(expectRefusal(refused, 'AUTHORIZATION_REFUSED').detail, /^access_denied/)
  })

  test(`once the redirect URI is known, errors go there ${over}`, async (t) => {
    const client = documents.publish()
    const browser_session = await openBrowser(transport)
    const errorOf = async (more: Record<string, unknown>) => {
      const { location } = expectOk(
        await authorize({ ...requestOf(client, more), browser_session }),
      )
      t.true(location.startsWith(`${redirectUri}?`))
      return new URL(location).searchParams.get('error')
    }
    t.is(await errorOf({ resource: undefined }), 'invalid_target')
    t.is(await errorOf({ resource: 'https://unknown.example.com' }), 'invalid_target')
    t.is(await errorOf({ scope: 'openid email' }), 'invalid_scope')
    t.is(await errorOf({ response_type: 'token' }), 'unsupported_response_type')
    t.is(
      await errorOf({ code_challenge: undefined, code_challenge_method: undefined }),
      'invalid_request',
    )
    t.is(documents.countOf(client), 1)
  })

  test(`no client that is known by its URL gets a code without consent ${over}`, async (t) => {
    const client = documents.publish()
    const browser_session = await openBrowser(transport)
    for (const more of [{}, { prompt: 'none' }, { scope: 'offline_access' }]) {
      const answer = expectOk(await authorize({ ...requestOf(client, more), browser_session }))
      t.false(String(answer.location).includes('code='), JSON.stringify(more))
    }
    const { rows } = await environment.pool.query(
      'select from client_apps where metadata_uri is not null',
    )
    t.is(rows.length, 0)
  })

  test(`a hostile document is refused in place ${over}`, async (t) => {
    const browser_session = await openBrowser(transport)
    const other = documents.createUrl()
    const respond = (
      headers: Record<string, string | number>,
      body: string | Buffer,
      status = 200,
    ) => {
      const url = documents.createUrl()
      documents.serve(url, (_request, response) => response.writeHead(status, headers).end(body))
      return url
    }
    const json = { 'content-type': 'application/json' }
    const slow = documents.createUrl()
    documents.serve(slow, (_request, response) => {
      response.writeHead(200, json)
      const timer = setInterval(() => response.write(' '), 1000)
      response.on('close', () => clearInterval(timer))
    })
    const huge = documents.createUrl()
    let sent = 0
    documents.serve(huge, (_request, response) => {
      response.writeHead(200, { ...json, 'content-length': 2 ** 30 })
      const chunk = Buffer.alloc(64 * 1024, ' ')
      const write = () => {
        while (!response.destroyed && sent < 2 ** 30) {
          sent += chunk.length
          if (!response.write(chunk)) return
        }
      }
      response.on('drain', write)
      write()
    })
    const gzip = documents.createUrl()
    const text = JSON.stringify({ client_id: gzip, redirect_uris: [redirectUri] })
    documents.serve(gzip, (_request, response) =>
      response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(text)),
    )
    const target = documents.publish()
    const table: [client: string, detail: RegExp][] = [
      [documents.publish({ client_id: other }), /client_id must be the URL/],
      [documents.publish({ redirect_uris: ['http://evil.example.com/'] }), /redirect_uris\[0\]/],
      [documents.publish({ token_endpoint_auth_method: 'client_secret_post' }), /auth_method/],
      [documents.publish({ client_name: { en: 'x' } }), /client_name/],
      [documents.publish({}, { 'content-type': 'text/html' }), /content type/],
      [documents.publish({}, { 'content-type': 'text/html+json' }), /content type/],
      [gzip, /content encoding/],
      [documents.publish({ x: 'a'.repeat(5 * 1024) }), /could not be fetched/],
      [huge, /could not be fetched/],
      [slow, /could not be fetched/],
      [respond(json, '['.repeat(5000)), /JSON/],
      [respond(json, `{"a":${'['.repeat(64)}${']'.repeat(64)}}`), /64 levels/],
      [respond({ ...json, location: target }, '', 302), /status 302/],
      [respond(json, '{}', 404), /status 404/],
      [respond(json, '{}', 203), /status 203/],
    ]
    for (const [client, detail] of table) {
      const refused = await authorize({ ...requestOf(client), browser_session })
      t.regex(expectRefusal(refused, 'CLIENT_METADATA_REFUSED').detail, detail)
    }
    t.is(documents.countOf(target), 0)
    t.true(sent < 2 ** 26)
    const lacking = { ...requestOf(documents.publish()), redirect_uri: `${redirectUri}/` }
    const redirect = await authorize({ ...lacking, browser_session })
    t.regex(expectRefusal(redirect, 'REDIRECT_URI_REFUSED').detail, /redirect_uri/)
  })

  test(`addresses are judged, and pages do not describe the network ${over}`, async (t) => {
    const browser_session = await openBrowser(transport)
    const { port } = documents
    const path = `/judged-${transport.name}.json`
    const hosts = ['127.0.0.2', '10.0.0.1', '169.254.169.254', '[::1]', 'localhost', 'a.localhost']
    const details = new Set<string>()
    for (const host of [...hosts, '[fd00::1]', '[2002:7f00:1::]', '0.0.0.0', '100.64.0.1']) {
      const client = `https://${host}:${port}${path}`
      const refused = await authorize({ ...requestOf(client), browser_session })
      const { detail } = expectRefusal(refused, 'CLIENT_METADATA_REFUSED')
      details.add(detail.replace(client, ''))
    }
    const closed = 'https://127.0.0.1:1/client.json'
    const refused = await authorize({ ...requestOf(closed), browser_session })
    details.add(expectRefusal(refused, 'CLIENT_METADATA_REFUSED').detail.replace(closed, ''))
    t.is(details.size, 1)
    t.false(documents.requests.some((url) => url.endsWith(path)))
  })

  test(`excluded hosts and other spellings of URLs are refused before a sign-in ${over}`, async (t) => {
    const { port } = documents
    const wrong = [
      `https://127.0.0.9:${port}/client.json`,
      `https://0x7f.1:${port}/client.json`,
      `https://127.1:${port}/client.json`,
      `https://ann@127.0.0.1:${port}/client.json`,
      `https://127.0.0.1:${port}/client.json#a`,
      `https://127.0.0.1:${port}/client.json?a`,
      `https://127.0.0.1:${port}/a/../client.json`,
      `https://127.0.0.1:${port}`,
      `http://127.0.0.1:${port}/client.json`,
    ]
    for (const client of wrong) {
      const refused = await authorize(requestOf(client))
      t.truthy(expectRefusal(refused, 'CLIENT_METADATA_REFUSED').detail, client)
    }
  })

  test(`documents are kept for as long as HTTP says, and failures are not ${over}`, async (t) => {
    const browser_session = await openBrowser(transport)
    const client = documents.createUrl()
    const ask = () => authorize({ ...requestOf(client), browser_session })
    t.false((await ask()).ok)
    documents.publish({}, { 'cache-control': 'max-age=600' }, client)
    t.true((await ask()).ok)
    t.true((await ask()).ok)
    t.is(documents.countOf(client), 2)
    const [one, two] = await Promise.all([ask(), ask()])
    t.true(one?.ok && two?.ok)
    t.is(documents.countOf(client), 2)
  })

  test(`concurrent requests share a fetch ${over}`, async (t) => {
    const browser_session = await openBrowser(transport)
    const client = documents.createUrl()
    const waiting: (() => void)[] = []
    documents.serve(client, (_request, response) => {
      waiting.push(() => {
        const body = JSON.stringify({ client_id: client, redirect_uris: [redirectUri] })
        response.writeHead(200, { 'content-type': 'application/client+json' }).end(body)
      })
      // The others have arrived long before the three seconds of a fetch end.
      setTimeout(() => {
        for (const send of waiting.splice(0)) send()
      }, 500)
    })
    const ask = () => authorize({ ...requestOf(client), browser_session })
    const answers = await Promise.all(Array.from({ length: 8 }, ask))
    t.true(answers.every(({ ok }) => ok))
    t.is(documents.countOf(client), 1)
  })
}

for (const transport of off.transports)
  test(`without hosts, a URL is an unknown client over ${transport.label}`, async (t) => {
    const client = documents.publish()
    const refused = await transport.call('Authorize', requestOf(client))
    t.regex(expectRefusal(refused, 'CLIENT_REFUSED').detail, /client_id/)
    const configuration = expectOk(await transport.call('GetConfiguration', {}))
    t.falsy(configuration.client_id_metadata_document_supported)
    const [on] = environment.transports.filter(({ name }) => name === transport.name)
    const supported = expectOk(await (on as Transport).call('GetConfiguration', {}))
    t.true(supported.client_id_metadata_document_supported)
  })

test('a browser sees a wrong document on a page', async (t) => {
  const [transport] = environment.transports
  const browser_session = await openBrowser(transport as Transport)
  const client = documents.publish({}, { 'content-type': 'text/html' })
  const query = new URLSearchParams(JSON.parse(JSON.stringify(requestOf(client))))
  const url = `http://127.0.0.1:${environment.httpPort}/oauth/authorize?${query}`
  const headers = { accept: 'text/html', cookie: `daikon_session=${browser_session}` }
  const response = await fetch(url, { headers, redirect: 'manual' })
  t.is(response.status, 400)
  t.regex(await response.text(), /must have the content type application\/json/)
})
