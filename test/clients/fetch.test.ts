import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import test, { type ExecutionContext } from 'ava'
import { rolldown } from 'rolldown'
import {
  createDaikon,
  DeadlineExceededError,
  type FetchDaikonOptions,
  InvalidArgumentError,
  PermissionDeniedError,
  UnauthenticatedError,
  UnavailableError,
  type WatchMessage,
} from '../../clients/typescript/src/fetch.ts'
import { sealActivity } from '../../src/activity/seal.ts'
import { createStores } from '../../src/server/stores.ts'
import { readClientCases, seedClientCases } from '../support/client-cases.ts'
import { keepConnections } from '../support/keep-connections.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { serviceKey, values } = await seedClientCases(environment, readClientCases())
test.after.always(() => environment.stop())

const url = `http://127.0.0.1:${environment.httpPort}`
const subject = { userId: values.bob as string }
const handbook = { type: 'document', id: 'handbook' }

function connect(
  t: ExecutionContext,
  options: Partial<FetchDaikonOptions> = {},
  create = createDaikon,
) {
  const daikon = create({ url, service: 'docs', serviceKey, deadlineMs: 60_000, ...options })
  t.teardown(() => daikon.close())
  return daikon
}

/** What browsers, Deno, Cloudflare Workers and the edge runtime of Next.js have in common. */
const webGlobals = {
  AbortController,
  AbortSignal,
  atob,
  clearTimeout,
  crypto,
  fetch,
  Headers,
  performance,
  Request,
  Response,
  setTimeout,
  TextDecoder,
  TextDecoderStream,
  TextEncoder,
  URL,
  URLSearchParams,
}

test('the client runs where there is nothing of Node.js', async (t) => {
  const source = join(import.meta.dirname, '../../clients/typescript/src')
  const bundle = async (name: string) => {
    const input = join(source, name)
    const build = await rolldown({ input, platform: 'neutral', external: /^[^./]/ })
    const { output } = await build.generate({ format: 'iife', name: 'daikonClient' })
    t.deepEqual(output[0].imports, [], name)
    return runInContext(`${output[0].code}; daikonClient`, createContext({ ...webGlobals }))
  }
  const daikon = connect(t, {}, (await bundle('fetch.ts')).createDaikon)
  const [first, second] = await Promise.all([
    daikon.check(subject, 'edit', handbook),
    daikon.check(subject, 'edit', { type: 'document', id: 'salaries' }),
  ])
  t.deepEqual([first, second], [true, false])
  const token = values['bob.token'] as string
  t.is((await daikon.verifyAccessToken(token)).sub, values.bob as string)
  const { resourceId } = await daikon.get(handbook)
  t.is(daikon.resourceId(handbook), resourceId)

  const { createGuards } = await bundle('web.ts')
  const handle = createGuards(daikon).requirePermission(
    'edit',
    () => handbook,
    () => new Response('edited'),
  )
  const headers = { authorization: `Bearer ${token}` }
  t.is(await (await handle(new Request(url, { headers }))).text(), 'edited')
  t.is((await handle(new Request(url))).status, 401)
})

test('a watch returns the events of the activity log', async (t) => {
  const daikon = connect(t)
  const resource = { type: 'document', id: 'watched' }
  await daikon.register({
    ...resource,
    workspaceId: values.acme as string,
    ownerEmail: 'bob@acme.example',
    attributes: { due: null, notes: [null] },
  })
  while ((await sealActivity(createStores(environment.database.fork()))) > 0);
  const watched = daikon.resourceId(resource)
  const options = {
    cursor: 'earliest',
    actions: ['permission.registered'],
    signal: AbortSignal.timeout(60_000),
  }
  let found: WatchMessage | undefined
  for await (const message of daikon.watch(options)) {
    if (message.event?.detail.resource_id !== watched) continue
    found = message
    break
  }
  t.truthy(found?.cursor)
  t.is(found?.event?.action, 'permission.registered')
  t.is(found?.event?.apiKeyPrefix, undefined)
  t.true(found?.event?.createdAt instanceof Date)
  t.deepEqual((await daikon.get(resource)).attributes, { due: null, notes: [null] })
})

test('errors name the option that causes them', async (t) => {
  const rejected = async (options: Partial<FetchDaikonOptions>) =>
    t.throwsAsync(connect(t, options).setVisibility(handbook, 'private'))
  const wrongKey = (await rejected({ serviceKey: 'dk_wrong' })) as UnauthenticatedError
  t.true(wrongKey instanceof UnauthenticatedError)
  t.is(wrongKey.reason, 'SERVICE_KEY_INVALID')
  t.regex(wrongKey.message, /Check serviceKey/)
  t.truthy(wrongKey.requestId)
  const otherService = await rejected({ service: 'other' })
  t.true(otherService instanceof PermissionDeniedError)
  t.regex(otherService?.message ?? '', /Set service to/)
  const unreachable = (await rejected({ url: 'http://127.0.0.1:1' })) as UnavailableError
  t.is(unreachable.reason, 'UNREACHABLE')
  t.regex(unreachable.message, /Check url/)
  const noToken = await t.throwsAsync(connect(t).links(handbook, { as: 'a\nb' }))
  t.like(noToken, { code: 'invalid_argument', message: 'as must be an access token' })
  for (const invalid of ['', 'localhost:50051', '127.0.0.1:8000'])
    t.throws(() => connect(t, { url: invalid }), { instanceOf: InvalidArgumentError }, invalid)
  t.throws(() => connect(t, { serviceKey: undefined }), { instanceOf: InvalidArgumentError })
  t.truthy(connect(t, { serviceKey: undefined, developmentMode: true }))
})

test('a response that is not from daikon is an error, and a redirect does not receive the key', async (t) => {
  const keys: unknown[] = []
  const target = await listen(t, ({ headers }, response) => {
    keys.push(headers['x-service-key'])
    response.end('{}')
  })
  const pages: RequestListener[] = [
    (_request, response) => response.writeHead(502).end('<h1>Bad gateway</h1>'),
    (_request, response) => response.end('<h1>Sign in to the network</h1>'),
    (_request, response) => response.writeHead(307, { location: target }).end(),
  ]
  for (const page of pages) {
    const daikon = connect(t, { url: await listen(t, page) })
    const error = await t.throwsAsync(daikon.get(handbook), { instanceOf: UnavailableError })
    t.is((error as UnavailableError).reason, 'UNEXPECTED_RESPONSE')
  }
  t.deepEqual(keys, [])
})

test('a response without what daikon would send is an error, and not an empty result', async (t) => {
  const user = { email: 'ann@example.com' }
  const as = 'token'
  const link = { as, name: 'x' }
  const tokenHeader = Buffer.from('{"alg":"RS256","typ":"at+jwt","kid":"x"}').toString('base64url')
  const token = `${tokenHeader}.e30.e30`
  const registration = { ...handbook, workspaceId: randomUUID(), ownerId: randomUUID() }
  for (const body of ['{}', '', 'null', '[]', '{"results":5,"shares":5,"links":{},"keys":""}']) {
    const status = body === '' ? 204 : 200
    const url = await listen(t, (_request, response) => response.writeHead(status).end(body))
    const daikon = connect(t, { url })
    const isList = body === '[]'
    for (const [name, call] of Object.entries({
      accessible: () => daikon.accessible(user, 'view', 'document')[Symbol.asyncIterator]().next(),
      subjects: () => daikon.subjects('view', handbook)[Symbol.asyncIterator]().next(),
      get: () => daikon.get(handbook),
      shares: () => daikon.shares(handbook),
      register: () => daikon.register(registration),
      registerMany: () => daikon.registerMany([registration]),
      share: () => daikon.share(handbook, user, 'view', { as }),
      shareMany: () =>
        daikon.shareMany([{ resource: handbook, grantee: user, grant: 'view' }], { as }),
      createLink: () => daikon.createLink(handbook, 'view', link),
      declareType: () => daikon.declareType('document', {}),
      verifyAccessToken: () => daikon.verifyAccessToken(token),
      'verifyAccessToken of an API key': () => daikon.verifyAccessToken('da_key'),
      // Over REST, these are lists.
      ...(!isList && {
        links: () => daikon.links(handbook, { as }),
        resourceTypes: () => daikon.resourceTypes(),
      }),
    })) {
      const error = await t.throwsAsync(call, { instanceOf: UnavailableError }, `${name} ${body}`)
      t.is((error as UnavailableError).reason, 'UNEXPECTED_RESPONSE', `${name} ${body}`)
    }
  }
})

test('a response without a decision is an error, and not a denial', async (t) => {
  const bodies = [
    ...['{}', '', 'null', '[]', '{"decision":"true"}', '{"evaluations":[]}', '{"evaluations":5}'],
    ...['{"evaluations":[null]}', '{"evaluations":[{}]}', '{"evaluations":[{"decision":"true"}]}'],
    '{"evaluations":[{"decision":true},{"decision":true}]}',
  ]
  const user = { email: 'ann@example.com' }
  for (const body of bodies) {
    const status = body === '' ? 204 : 200
    const url = await listen(t, (_request, response) => response.writeHead(status).end(body))
    const daikon = connect(t, { url })
    for (const call of [
      () => daikon.check(user, 'view', handbook),
      () => daikon.checkMany([{ subject: user, action: 'view', resource: handbook }]),
      () => daikon.explain(user, 'view', handbook),
    ]) {
      const error = await t.throwsAsync(call, { instanceOf: UnavailableError }, body)
      t.is((error as UnavailableError).reason, 'UNEXPECTED_RESPONSE', body)
    }
  }
})

test('calls are retried while daikon is unavailable, unless that could repeat a change', async (t) => {
  const paths: string[] = []
  const away = await listen(t, ({ url = '' }, response) => {
    paths.push(url)
    const problem = { type: 'urn:daikon:problem:unavailable', reason: 'DRAINING', detail: 'away' }
    response.writeHead(503, { 'retry-after': '1' }).end(JSON.stringify(problem))
  })
  const daikon = connect(t, { url: away })
  const error = await t.throwsAsync(daikon.get(handbook), { instanceOf: UnavailableError })
  t.is((error as UnavailableError).retryAfterMs, 1000)
  t.true(paths.length > 1)
  paths.length = 0
  await t.throwsAsync(daikon.createLink(handbook, 'view', { as: 'token' }))
  t.is(paths.length, 1)
})

test('a deadline, a signal and close() end a call', async (t) => {
  const silent = await listen(t, () => {})
  const daikon = connect(t, { url: silent })
  await t.throwsAsync(daikon.get(handbook, { deadlineMs: 1 }), {
    instanceOf: DeadlineExceededError,
  })
  const controller = new AbortController()
  const aborted = t.throwsAsync(daikon.get(handbook, { signal: controller.signal }))
  controller.abort()
  t.like(await aborted, { code: 'cancelled' })
  const closed = t.throwsAsync(daikon.get(handbook))
  daikon.close()
  t.regex((await closed)?.message ?? '', /The client was closed/)
})

test('a watch continues after its last cursor when the server ends the stream', async (t) => {
  const cursors: (string | null)[] = []
  const server = await listen(t, ({ url = '' }, response) => {
    cursors.push(new URL(url, 'http://localhost').searchParams.get('cursor'))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const cursor = String(cursors.length)
    const data = JSON.stringify({ cursor, event: null, bookmark: true })
    // An event that arrives in two parts.
    response.write(`event: bookmark\nid: ${cursor}\nda`)
    response.write(`ta: ${data}\n\n`)
    response.end('event: error\ndata: {"reason": "DRAINING"}\n\n')
  })
  const daikon = connect(t, { url: server })
  const reasons: string[] = []
  for await (const { cursor, event } of daikon.watch({
    onDisconnect: ({ reason }) => reasons.push(reason),
  })) {
    t.is(event, undefined)
    if (cursor === '3') break
  }
  t.deepEqual(cursors, [null, '1', '2'])
  t.deepEqual(reasons, ['DRAINING', 'DRAINING'])
})

/** Starts a server that stands for a proxy, or for daikon while it fails. Returns its URL. */
async function listen(t: ExecutionContext, respond: RequestListener): Promise<string> {
  const server = createServer(keepConnections, respond).listen(0, '127.0.0.1')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
