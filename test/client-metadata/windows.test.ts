// Threat: ten people can't shut the door for an eleventh whose client is known; port scans by client_id.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { hostRule } from '../../src/client-metadata/host-rules.ts'
import { hostPattern } from '../../src/config/parsers.ts'
import { externalClientId } from '../../src/identity/external-client-id.ts'
import { createInProcessRateLimiter } from '../../src/rate-limit/in-process.ts'
import type { RateLimiter } from '../../src/rate-limit/rate-limiter.ts'
import { documentHosts, redirectUri, startDocumentServer } from '../support/client-documents.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  signInAtAuthorize,
} from '../support/oauth.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const documents = await startDocumentServer()
const environment = await createSignInEnvironment({
  options: {
    CLIENT_METADATA_HOSTS: [hostRule('*')],
    CLIENT_METADATA_ALLOWED_HOSTS: [hostPattern('127.0.0.0/8')],
    RATE_LIMIT_PER_MINUTE: 1_000_000,
  },
  dependencies: { rateLimiter: createDocumentLimiter() },
})
const [transport] = environment.transports as [Transport, ...Transport[]]
const registered = await createOAuthClient(environment)
const service = await environment.seed.serviceApp('documents-service')
const resource = 'https://documents.example.com'
await environment.seed.apiResource(service.id, resource, ['read'])
const hosts = documentHosts[Symbol.iterator]()
const people = await Promise.all(Array.from({ length: 12 }, openBrowser))
const [ann, bob, cyd, ...others] = people as [string, string, string, ...string[]]
test.after.always(async () => {
  await environment.stop()
  await documents.stop()
})

/** Counts fetches of documents alone, in windows that do not end. */
function createDocumentLimiter(): RateLimiter {
  const limiter = createInProcessRateLimiter({ now: () => 0 })
  return {
    ...limiter,
    take(client, windows) {
      const isOfDocuments = windows[0].name.startsWith('client-metadata')
      return limiter.take(isOfDocuments ? client : randomUUID(), windows)
    },
  }
}

async function openBrowser(): Promise<string> {
  const { request } = createAuthorizationRequest(registered.client_id)
  const signedIn = await signInAtAuthorize(transport, environment.addProviderUser(), request)
  return signedIn.browser_session
}

const requestOf = (client: string) =>
  createAuthorizationRequest(client, { redirect_uri: redirectUri, scope: undefined, resource })
    .request

const authorize = (browser_session: string, client: string) =>
  transport.call('Authorize', { ...requestOf(client), browser_session })

/** A host that no other test fetches from. */
const nextHost = () => hosts.next().value as string
const publish = (host: string) => documents.publish({}, {}, documents.createUrl(host))

async function isLimited(browser: string, client: string): Promise<boolean> {
  const outcome = await authorize(browser, client)
  if (outcome.ok) return false
  const { reason, retryAfter } = expectError(outcome)
  return reason === 'CLIENT_METADATA_LIMITED' && retryAfter === 60
}

test.serial(
  'a client is fetched six times a minute, and a cached one without a limit',
  async (t) => {
    const broken = documents.createUrl(nextHost())
    for (let count = 0; count < 6; count += 1) t.false(await isLimited(ann, broken))
    t.true(await isLimited(bob, broken))
    t.is(documents.countOf(broken), 6)
    const cached = publish(nextHost())
    for (let count = 0; count < 12; count += 1) expectOk(await authorize(ann, cached))
    t.is(documents.countOf(cached), 1)
  },
)

test.serial('a person causes ten fetches a minute, whatever the hosts', async (t) => {
  const used = publish(nextHost())
  expectOk(await authorize(bob, used))
  for (let count = 0; count < 10; count += 1) expectOk(await authorize(cyd, publish(nextHost())))
  const next = publish(nextHost())
  t.true(await isLimited(cyd, next))
  t.is(documents.countOf(next), 0)
  // What is cached needs no fetch, and others are admitted.
  expectOk(await authorize(cyd, used))
  expectOk(await authorize(bob, next))
})

test.serial('ten people cannot shut the door for an eleventh whose client is known', async (t) => {
  const host = nextHost()
  const [eleventh, ...ten] = others as [string, ...string[]]
  const known = publish(host)
  await environment.pool.query(
    `insert into client_apps (id, name, type, metadata_uri) values ($1, 'Editor', 'public', $2)`,
    [externalClientId(known), known],
  )
  const unknown = publish(host)
  for (const client of [known, unknown]) expectOk(await authorize(eleventh, client))
  environment.clock.now = new Date(Date.now() + 400_000)
  try {
    for (let count = 0; count < 8; count += 1)
      expectOk(await authorize(ten[count] as string, publish(host)))
    t.true(await isLimited(ten[0] as string, publish(host)))
    expectOk(await authorize(eleventh, known))
    t.true(await isLimited(eleventh, unknown))
    t.is(documents.countOf(known), 1)
  } finally {
    environment.clock.now = undefined
  }
  const client = publish(host)
  const query = new URLSearchParams(JSON.parse(JSON.stringify(requestOf(client))))
  const url = `http://127.0.0.1:${environment.httpPort}/oauth/authorize?${query}`
  const headers = { accept: 'text/html', cookie: `daikon_session=${eleventh}` }
  const response = await fetch(url, { headers, redirect: 'manual' })
  t.is(response.status, 429)
  t.is(response.headers.get('retry-after'), '60')
  t.regex(await response.text(), /fetched too often/)
})
