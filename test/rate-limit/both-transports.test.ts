// Threat: limits dodged.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createInProcessRateLimiter } from '../../src/rate-limit/in-process.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { appUri, createPkce } from '../support/sign-in.ts'
import { startTestEnvironment, type TestEnvironment } from '../support/test-environment.ts'
import type { Outcome, Transport } from '../support/transports.ts'

const time = { now: 0 }
let windows = createInProcessRateLimiter({ now: () => time.now })
const environment = await startTestEnvironment({ globalLimit: 30 }, undefined, {
  rateLimiter: {
    ...windows,
    take: (client, asked) => windows.take(client, asked),
    close: () => windows.close(),
  },
})
test.after.always(() => environment.stop())

/** Empty windows, whose minutes pass when the test says so, before a node with limits of its own. */
async function startLimited(options?: Parameters<typeof environment.addNode>[0]) {
  time.now = 0
  windows = createInProcessRateLimiter({ now: () => time.now })
  const node = options ? await environment.addNode(options) : environment
  return { ...node, time, transport: (name: Transport['name']) => doorOf(node, name) }
}

function doorOf(
  { transports }: Pick<TestEnvironment, 'transports'>,
  name: Transport['name'],
): Transport {
  return transports.find((transport) => transport.name === name) as Transport
}

const limited = { ok: false, code: 'resource_exhausted', reason: 'RATE_LIMITED' } as const
const isLimited = (ending: Outcome) => !ending.ok && ending.code === 'resource_exhausted'
const times = <Result>(count: number, call: (at: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, at) => call(at)))

/** Section 8, and a request for each: refused or not, it counts. */
const routes: [method: string, limit: number, message: () => object][] = [
  [
    'BeginLogin',
    10,
    () => ({
      ...{ provider: 'google', redirect_uri: appUri },
      ...{ code_challenge: createPkce().challenge, code_challenge_method: 'S256' },
    }),
  ],
  ['CompleteLogin', 10, () => ({ provider: 'google', state: 'x' })],
  ['ListCodeWorkspaces', 10, () => ({ code: 'x' })],
  ['ExchangeToken', 10, () => ({ code: 'x', workspace_id: randomUUID(), code_verifier: 'x' })],
  ['RefreshToken', 10, () => ({ refresh_token: 'x' })],
  ['BeginAdminLogin', 5, () => ({ provider: 'google' })],
  ['CompleteAdminLogin', 5, () => ({ provider: 'google', state: 'x' })],
]

for (const name of ['grpc', 'rest'] as const) {
  test.serial(`each method of sign-in has its own limit a minute through ${name}`, async (t) => {
    const environment = await startLimited({ globalLimit: 1000 })
    const transport = environment.transport(name)
    for (const [method, limit, message] of routes) {
      for (let at = 1; at <= limit; at += 1) {
        const ending = await transport.call(method, message())
        t.false(isLimited(ending), `${method} ${at}`)
        if (name === 'grpc') continue
        t.is(
          ending.headers['ratelimit-policy'],
          `"daikon.v1.AuthService/${method}";q=${limit};w=60`,
        )
        t.is(ending.headers.ratelimit, `"daikon.v1.AuthService/${method}";r=${limit - at};t=60`)
      }
      const ending = await transport.call(method, message())
      t.like(ending, { ...limited, retryAfter: 60 }, method)
      if (name === 'rest') t.like(ending.headers, { 'retry-after': '60' })
      t.regex(String(ending.headers['retry-after']), /^\d+$/)
    }
  })

  test.serial(`the window slides through ${name}`, async (t) => {
    const environment = await startLimited()
    const call = () => environment.transport(name).call('ListCodeWorkspaces', { code: 'x' })
    for (let at = 0; at < 10; at += 1) {
      environment.time.now = at * 1000
      t.false(isLimited(await call()))
    }
    environment.time.now = 59_999
    t.like(await call(), { ...limited, retryAfter: 1 })
    // One place is free again, a minute after it was taken; the next one a second later.
    environment.time.now = 60_000
    t.false(isLimited(await call()))
    t.like(await call(), { ...limited, retryAfter: 1 })
    environment.time.now = 61_000
    t.false(isLimited(await call()))
    t.true(isLimited(await call()))
  })

  test.serial(`of 11 in parallel exactly 10 pass through ${name}`, async (t) => {
    const environment = await startLimited()
    for (const [method, limit, message] of routes.slice(3, 6)) {
      environment.time.now += 60_000
      const endings = await times(limit + 1, () =>
        environment.transport(name).call(method, message()),
      )
      t.is(endings.filter(isLimited).length, 1, method)
    }
  })

  test.serial(`a limited call costs nothing: no code is used up through ${name}`, async (t) => {
    const environment = await startLimited()
    const code_verifier = 'v'
    await times(10, () =>
      environment
        .transport(name)
        .call('ExchangeToken', { code: '', workspace_id: '', code_verifier }),
    )
    // Before authenticating and validating: a flood learns nothing.
    const message = { code: '', workspace_id: 'x', code_verifier: '' }
    t.like(await environment.transport(name).call('ExchangeToken', message), limited)
  })
}

test.serial(
  'both transports share the method’s window, whatever the address looks like',
  async (t) => {
    const environment = await startLimited({ globalLimit: 1000 })
    const grpc = environment.transport('grpc')
    const [, , message] = routes[3] as (typeof routes)[number]
    const body = JSON.stringify(message())
    const post = (path: string, headers: Record<string, string> = {}) =>
      sendRawHttp(environment.httpPort, {
        ...{ method: 'POST', path, body },
        headers: { 'content-type': 'application/json', ...headers },
      })
    for (const path of [
      '/auth/token',
      '/AUTH/Token/',
      '/auth/token/',
      '/auth/token?',
      '/Auth/token?x=1',
    ])
      t.is((await post(path)).status, 400, path)
    t.is((await post('/auth/token', { 'content-type': 'text/plain' })).status, 415)
    for (let at = 0; at < 4; at += 1)
      t.false(isLimited(await grpc.call('ExchangeToken', message())))
    t.true(isLimited(await grpc.call('ExchangeToken', message())))
    for (const path of ['/auth/token', '/AUTH/Token/', '/auth/token?x'])
      t.is((await post(path)).status, 429, path)
    // Spellings that lead to no method lead past no limit.
    for (const path of ['/auth/%74oken', '//auth/token', '/auth/./token', '/auth/token;x=1'])
      t.is((await post(path)).status, 404, path)
  },
)

test.serial('HEAD counts as GET does', async (t) => {
  const environment = await startLimited()
  const send = (method: string) =>
    sendRawHttp(environment.httpPort, { method, path: '/auth/workspaces?code=x' })
  for (let at = 0; at < 10; at += 1) t.is((await send('HEAD')).status, 400)
  t.is((await send('HEAD')).status, 429)
  t.is((await send('GET')).status, 429)
})

test.serial(
  '30 requests a minute over all REST routes, unknown paths too, and not /health',
  async (t) => {
    const environment = await startLimited()
    const get = (path: string, method = 'GET') =>
      sendRawHttp(environment.httpPort, { path, method })
    for (const method of ['POST', 'DELETE', 'OPTIONS'])
      t.is((await get('/health', method)).status, 405)
    const paths = [
      '/nothing',
      '/users/me',
      '/.well-known/jwks.json',
      '/',
      '/permissions/check',
      '/%',
    ]
    for (let at = 0; at < 30; at += 1) {
      const { status, headers } = await get(paths[at % paths.length] as string)
      t.not(status, 429)
      t.is(headers['ratelimit-policy'], '"global";q=30;w=60')
      t.is(headers.ratelimit, `"global";r=${29 - at};t=60`)
    }
    for (const path of [...paths, '/auth/workspaces?code=x', '/auth/login/google']) {
      const { status, headers, json } = await get(path)
      t.is(status, 429, path)
      t.is(json.reason, 'RATE_LIMITED')
      t.true(Number(headers['retry-after']) >= 1)
      t.is(headers['ratelimit-policy'], '"global";q=30;w=60')
    }
    t.is((await get('/users/me', 'DELETE')).status, 429)
    for (let at = 0; at < 40; at += 1) t.is((await get('/health')).status, 200)
    t.is((await get('/health', 'POST')).status, 405)
    environment.time.now = 60_000
    t.is((await get('/nothing')).status, 404)
  },
)

test.serial('of 31 in parallel exactly 30 pass', async (t) => {
  const environment = await startLimited()
  const answers = await times(31, (at) =>
    sendRawHttp(environment.httpPort, { path: `/nothing/${at}` }),
  )
  t.is(answers.filter(({ status }) => status === 429).length, 1)
})

test.serial('what the method’s window refuses does not count globally', async (t) => {
  const environment = await startLimited()
  const get = (path: string) => sendRawHttp(environment.httpPort, { path })
  for (let at = 0; at < 50; at += 1) await get('/auth/workspaces?code=x')
  for (let at = 0; at < 20; at += 1) t.is((await get('/nothing')).status, 404, `${at}`)
  t.is((await get('/nothing')).status, 429)
})

test.serial('what the global window refuses does not count for the method', async (t) => {
  const environment = await startLimited()
  const get = (path: string) => sendRawHttp(environment.httpPort, { path })
  for (let at = 0; at < 30; at += 1) await get('/nothing')
  for (let at = 0; at < 10; at += 1) t.is((await get('/auth/workspaces?code=x')).status, 429)
  const grpc = environment.transport('grpc')
  for (let at = 0; at < 10; at += 1)
    t.false(isLimited(await grpc.call('ListCodeWorkspaces', { code: 'x' })))
  t.true(isLimited(await grpc.call('ListCodeWorkspaces', { code: 'x' })))
})

test.serial('gRPC does not count globally', async (t) => {
  const environment = await startLimited()
  const endings = await times(100, () => environment.transport('grpc').call('GetKeySet', {}))
  t.true(endings.every(({ ok }) => ok))
  t.is((await sendRawHttp(environment.httpPort, { path: '/nothing' })).status, 404)
})

test.serial('X-Forwarded-For is ignored without a proxy', async (t) => {
  const environment = await startLimited()
  for (let at = 0; at < 31; at += 1) {
    const ip = `203.0.113.${at}`
    const headers = { 'x-forwarded-for': ip, forwarded: `for=${ip}`, 'x-real-ip': ip }
    const { status } = await sendRawHttp(environment.httpPort, { path: '/nothing', headers })
    t.is(status, at < 30 ? 404 : 429)
  }
  const metadata = (at: number) => ({ headers: { 'x-forwarded-for': `203.0.113.${at}` } })
  const endings = await times(11, (at) =>
    environment.transport('grpc').call('ListCodeWorkspaces', { code: 'x' }, metadata(at)),
  )
  t.is(endings.filter(isLimited).length, 1)
})

test.serial(
  'X-Forwarded-For is believed of one proxy: its last address and no other',
  async (t) => {
    const environment = await startLimited({ trustedProxies: 1 })
    const get = async (from: string) => {
      const headers = { 'x-forwarded-for': from }
      return (await sendRawHttp(environment.httpPort, { path: '/nothing', headers })).status
    }
    for (let at = 0; at < 30; at += 1) t.is(await get(`198.51.100.${at}, 203.0.113.1`), 404)
    for (const same of ['203.0.113.1', '198.51.100.99, 203.0.113.1', '::ffff:203.0.113.1'])
      t.is(await get(same), 429, same)
    t.is(await get('203.0.113.1, 203.0.113.2'), 404)
    // One subscriber's IPv6 network is one client.
    for (let at = 0; at < 30; at += 1) t.is(await get(`2001:db8:1:2::${at}`), 404)
    t.is(await get('2001:db8:1:2:ffff::1'), 429)
    t.is(await get('2001:db8:1:3::1'), 404)
  },
)

test.serial('where limits are lifted nothing is counted or told', async (t) => {
  const environment = await startLimited({ globalLimit: undefined })
  for (let at = 0; at < 40; at += 1) {
    const { status, headers } = await sendRawHttp(environment.httpPort, {
      path: '/auth/workspaces?code=x',
    })
    t.is(status, 400)
    t.is(headers.ratelimit, undefined)
  }
})
