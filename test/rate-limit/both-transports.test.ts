// No other transport, URL spelling, method or header circumvents the limits.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createInProcessRateLimiter } from '../../src/rate-limit/in-process.ts'
import { createAdmin } from '../support/admin.ts'
import { failedCalls } from '../support/outcome.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { appUri, createPkce } from '../support/sign-in.ts'
import { startTestEnvironment, type TestEnvironment } from '../support/test-environment.ts'
import type { Outcome, Transport } from '../support/transports.ts'

const time = { now: 0 }
let rateLimiter = createInProcessRateLimiter({ now: () => time.now })
const environment = await startTestEnvironment({ RATE_LIMIT_PER_MINUTE: 30 }, undefined, {
  rateLimiter: {
    ...rateLimiter,
    take: (client, windows) => rateLimiter.take(client, windows),
    close: () => rateLimiter.close(),
  },
})
test.after.always(() => environment.stop())

/** Clears the windows and sets the clock to 0. With `options`, starts another node with them. */
async function startLimited(options?: Parameters<typeof environment.addNode>[0]) {
  time.now = 0
  rateLimiter = createInProcessRateLimiter({ now: () => time.now })
  const node = options ? await environment.addNode(options) : environment
  return {
    ...environment,
    ...node,
    time,
    transport: (name: Transport['name']) => findTransport(node, name),
  }
}

function findTransport(
  { transports }: Pick<TestEnvironment, 'transports'>,
  name: Transport['name'],
): Transport {
  return transports.find((transport) => transport.name === name) as Transport
}

const limited = { ok: false, code: 'resource_exhausted', reason: 'RATE_LIMITED' } as const
const isLimited = (outcome: Outcome) => !outcome.ok && outcome.code === 'resource_exhausted'
const callConcurrently = <Result>(count: number, call: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))

/** The limited methods with their limit per minute and a request. Failed requests also count. */
const limitedMethods: [method: string, limit: number, message: () => object][] = [
  [
    'BeginLogin',
    10,
    () => ({
      provider: 'google',
      redirect_uri: appUri,
      code_challenge: createPkce().challenge,
      code_challenge_method: 'S256',
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
  test.serial(`each sign-in method has its own limit per minute through ${name}`, async (t) => {
    const environment = await startLimited({ RATE_LIMIT_PER_MINUTE: 1000 })
    const transport = environment.transport(name)
    for (const [method, limit, message] of limitedMethods) {
      for (let index = 1; index <= limit; index += 1) {
        const outcome = await transport.call(method, message())
        t.false(isLimited(outcome), `${method} ${index}`)
        if (name === 'grpc') continue
        t.is(
          outcome.headers['ratelimit-policy'],
          `"daikon.v1.AuthService/${method}";q=${limit};w=60`,
        )
        t.is(outcome.headers.ratelimit, `"daikon.v1.AuthService/${method}";r=${limit - index};t=60`)
      }
      const outcome = await transport.call(method, message())
      t.like(outcome, { ...limited, retryAfter: 60 }, method)
      if (name === 'rest') t.like(outcome.headers, { 'retry-after': '60' })
      t.regex(String(outcome.headers['retry-after']), /^\d+$/)
    }
  })

  test.serial(`the window slides through ${name}`, async (t) => {
    const environment = await startLimited()
    const call = () => environment.transport(name).call('ListCodeWorkspaces', { code: 'x' })
    for (let index = 0; index < 10; index += 1) {
      environment.time.now = index * 1000
      t.false(isLimited(await call()))
    }
    environment.time.now = 59_999
    t.like(await call(), { ...limited, retryAfter: 1 })
    // The first request leaves the window after a minute, and the second request one second later.
    environment.time.now = 60_000
    t.false(isLimited(await call()))
    t.like(await call(), { ...limited, retryAfter: 1 })
    environment.time.now = 61_000
    t.false(isLimited(await call()))
    t.true(isLimited(await call()))
  })

  test.serial(`of 11 concurrent requests, exactly 10 are allowed through ${name}`, async (t) => {
    const environment = await startLimited()
    for (const [method, limit, message] of limitedMethods.slice(3, 6)) {
      environment.time.now += 60_000
      const outcomes = await callConcurrently(limit + 1, () =>
        environment.transport(name).call(method, message()),
      )
      t.is(outcomes.filter(isLimited).length, 1, method)
    }
  })

  test.serial(
    `a call over the limit is rejected before authentication and validation through ${name}`,
    async (t) => {
      const environment = await startLimited()
      const code_verifier = 'v'
      await callConcurrently(10, () =>
        environment
          .transport(name)
          .call('ExchangeToken', { code: '', workspace_id: '', code_verifier }),
      )
      const message = { code: '', workspace_id: 'x', code_verifier: '' }
      t.like(await environment.transport(name).call('ExchangeToken', message), limited)
    },
  )
}

test.serial(
  'both transports and all accepted spellings of a path share one window per method',
  async (t) => {
    const environment = await startLimited({ RATE_LIMIT_PER_MINUTE: 1000 })
    const grpc = environment.transport('grpc')
    const [, , message] = limitedMethods[3] as (typeof limitedMethods)[number]
    const body = JSON.stringify(message())
    const post = (path: string, headers: Record<string, string> = {}) =>
      sendRawHttp(environment.httpPort, {
        method: 'POST',
        path,
        body,
        headers: { 'content-type': 'application/json', ...headers },
      })
    for (const path of ['/auth/token', '/AUTH/Token/', '/auth/token/', '/auth/token?'])
      t.is((await post(path)).status, 400, path)
    t.is((await post('/Auth/token?x=1')).status, 422)
    t.is((await post('/auth/token', { 'content-type': 'text/plain' })).status, 415)
    for (let index = 0; index < 4; index += 1)
      t.false(isLimited(await grpc.call('ExchangeToken', message())))
    t.true(isLimited(await grpc.call('ExchangeToken', message())))
    for (const path of ['/auth/token', '/AUTH/Token/', '/auth/token?x'])
      t.is((await post(path)).status, 429, path)
    // Other spellings do not reach the method.
    for (const path of ['/auth/%74oken', '//auth/token', '/auth/./token', '/auth/token;x=1'])
      t.is((await post(path)).status, 404, path)
  },
)

test.serial('a HEAD request counts like a GET request', async (t) => {
  const environment = await startLimited()
  const send = (method: string, path = '/auth/workspaces?code=x') =>
    sendRawHttp(environment.httpPort, { method, path })
  for (let index = 0; index < 10; index += 1) t.is((await send('HEAD')).status, 400)
  t.is((await send('HEAD')).status, 429)
  t.is((await send('GET')).status, 429)
  for (let index = 0; index < 20; index += 1)
    t.is((await send('HEAD', '/oauth/logout')).status, 200)
  t.is((await send('GET', '/oauth/logout')).status, 429)
})

test.serial(
  'the global limit is 30 requests per minute across all REST paths except /health and cacheable ones',
  async (t) => {
    const environment = await startLimited()
    const get = (path: string, method = 'GET') =>
      sendRawHttp(environment.httpPort, { path, method })
    for (const method of ['POST', 'DELETE', 'OPTIONS'])
      t.is((await get('/health', method)).status, 405)
    const paths = ['/nothing', '/users/me', '/workspaces', '/', '/permissions/check', '/%']
    for (let index = 0; index < 30; index += 1) {
      const { status, headers } = await get(paths[index % paths.length] as string)
      t.not(status, 429)
      t.is(headers['ratelimit-policy'], '"global";q=30;w=60')
      t.is(headers.ratelimit, `"global";r=${29 - index};t=60`)
    }
    for (const path of [...paths, '/auth/workspaces?code=x', '/auth/login/google']) {
      const { status, headers, json } = await get(path)
      t.is(status, 429, path)
      t.is(json.reason, 'RATE_LIMITED')
      t.true(Number(headers['retry-after']) >= 1)
      t.is(headers['ratelimit-policy'], '"global";q=30;w=60')
    }
    t.is((await get('/users/me', 'DELETE')).status, 429)
    for (let index = 0; index < 40; index += 1) t.is((await get('/health')).status, 200)
    t.is((await get('/health', 'POST')).status, 405)
    for (const document of ['jwks.json', 'openid-configuration', 'authzen-configuration']) {
      const { status, headers } = await get(`/.well-known/${document}`)
      t.is(status, 200)
      t.is(headers['cache-control'], 'public, max-age=300')
    }
    environment.time.now = 60_000
    t.is((await get('/nothing')).status, 404)
  },
)

test.serial('of 31 concurrent requests, the global limit allows exactly 30', async (t) => {
  const environment = await startLimited()
  const responses = await callConcurrently(31, (index) =>
    sendRawHttp(environment.httpPort, { path: `/nothing/${index}` }),
  )
  t.is(responses.filter(({ status }) => status === 429).length, 1)
})

test.serial(
  "a request over the method's limit does not count towards the global limit",
  async (t) => {
    const environment = await startLimited()
    const get = (path: string) => sendRawHttp(environment.httpPort, { path })
    for (let index = 0; index < 50; index += 1) await get('/auth/workspaces?code=x')
    for (let index = 0; index < 20; index += 1)
      t.is((await get('/nothing')).status, 404, `${index}`)
    t.is((await get('/nothing')).status, 429)
  },
)

test.serial(
  "a request over the global limit does not count towards the method's limit",
  async (t) => {
    const environment = await startLimited()
    const get = (path: string) => sendRawHttp(environment.httpPort, { path })
    for (let index = 0; index < 30; index += 1) await get('/nothing')
    for (let index = 0; index < 10; index += 1)
      t.is((await get('/auth/workspaces?code=x')).status, 429)
    const grpc = environment.transport('grpc')
    for (let index = 0; index < 10; index += 1)
      t.false(isLimited(await grpc.call('ListCodeWorkspaces', { code: 'x' })))
    t.true(isLimited(await grpc.call('ListCodeWorkspaces', { code: 'x' })))
  },
)

test.serial('gRPC requests do not count towards the global limit', async (t) => {
  const environment = await startLimited()
  const outcomes = await callConcurrently(100, () =>
    environment.transport('grpc').call('GetKeySet', {}),
  )
  t.deepEqual(failedCalls(outcomes), [])
  t.is((await sendRawHttp(environment.httpPort, { path: '/nothing' })).status, 404)
})

test.serial('X-Forwarded-For is ignored without a trusted proxy', async (t) => {
  const environment = await startLimited()
  for (let index = 0; index < 31; index += 1) {
    const ip = `203.0.113.${index}`
    const headers = { 'x-forwarded-for': ip, forwarded: `for=${ip}`, 'x-real-ip': ip }
    const { status } = await sendRawHttp(environment.httpPort, { path: '/nothing', headers })
    t.is(status, index < 30 ? 404 : 429)
  }
  const metadata = (index: number) => ({ headers: { 'x-forwarded-for': `203.0.113.${index}` } })
  const outcomes = await callConcurrently(11, (index) =>
    environment.transport('grpc').call('ListCodeWorkspaces', { code: 'x' }, metadata(index)),
  )
  t.is(outcomes.filter(isLimited).length, 1)
})

test.serial(
  'with one trusted proxy, the last address of X-Forwarded-For identifies the client',
  async (t) => {
    const environment = await startLimited({ TRUSTED_PROXIES: 1 })
    const get = async (from: string) => {
      const headers = { 'x-forwarded-for': from }
      return (await sendRawHttp(environment.httpPort, { path: '/nothing', headers })).status
    }
    for (let index = 0; index < 30; index += 1)
      t.is(await get(`198.51.100.${index}, 203.0.113.1`), 404)
    for (const same of ['203.0.113.1', '198.51.100.99, 203.0.113.1', '::ffff:203.0.113.1'])
      t.is(await get(same), 429, same)
    t.is(await get('203.0.113.1, 203.0.113.2'), 404)
    // All addresses of a /64 network count as one client.
    for (let index = 0; index < 30; index += 1) t.is(await get(`2001:db8:1:2::${index}`), 404)
    t.is(await get('2001:db8:1:2:ffff::1'), 429)
    t.is(await get('2001:db8:1:3::1'), 404)

    const list = async (from: string) => {
      const metadata = { headers: { 'x-forwarded-for': from } }
      const grpc = environment.transport('grpc')
      return isLimited(await grpc.call('ListCodeWorkspaces', { code: 'x' }, metadata))
    }
    for (let index = 0; index < 10; index += 1)
      t.false(await list(`198.51.100.${index}, 203.0.113.1`))
    t.true(await list('203.0.113.1'))
    t.false(await list('203.0.113.1, 203.0.113.2'))
  },
)

test.serial('administrators share the global limit of their address by default', async (t) => {
  const environment = await startLimited()
  const { token } = await createAdmin(environment)
  const readStats = createAdminReader(environment.httpPort)
  for (let index = 0; index < 30; index += 1) t.is((await readStats(token)).status, 200)
  t.is((await readStats(token)).status, 429)
})

test.serial(
  'a limit for administrators gives each of them a separate window on admin routes, and only there',
  async (t) => {
    const environment = await startLimited({ RATE_LIMIT_ADMIN_PER_MINUTE: 40 })
    const [first, second] = [await createAdmin(environment), await createAdmin(environment)]
    const readStats = createAdminReader(environment.httpPort)
    for (let index = 0; index < 40; index += 1) {
      const { status, headers } = await readStats(first.token)
      t.is(status, 200)
      t.is(headers['ratelimit-policy'], '"admin";q=40;w=60')
    }
    t.is((await readStats(first.token)).status, 429)
    t.is((await readStats(second.token)).status, 200)

    // Admin requests without a valid admin token count towards the limit of the address.
    const forged = `${first.token.slice(0, -8)}AAAAAAAA`
    const expired = await environment.app.tokens.sign(
      'admin_access',
      { sub: first.id, jti: randomUUID(), email: 'a@example.com', name: 'a', admin: true },
      -1,
    )
    for (let index = 0; index < 15; index += 1) {
      t.is((await readStats(forged)).status, 401)
      t.is((await readStats(expired)).status, 401)
    }
    for (const token of [forged, expired]) t.is((await readStats(token)).status, 429)
    t.is((await readStats(first.token, '/users/me')).status, 429)
    t.is((await readStats(second.token)).status, 200)
  },
)

test.serial('services share the global limit of their address by default', async (t) => {
  const environment = await startLimited()
  const { key } = await environment.seed.serviceApp(`docs-${randomUUID().slice(0, 8)}`)
  const call = createServiceCaller(environment.httpPort)
  for (let index = 0; index < 30; index += 1) t.is((await call(key)).status, 403)
  t.is((await call(key)).status, 429)
})

test.serial(
  'a limit for services gives each valid key a separate window, from any address',
  async (t) => {
    const environment = await startLimited({
      SERVICE_RATE_LIMIT_PER_MINUTE: 40,
      TRUSTED_PROXIES: 1,
    })
    const { seed } = environment
    const [first, second] = await Promise.all(
      ['a', 'b'].map((name) => seed.serviceApp(`${name}-${randomUUID().slice(0, 8)}`)),
    )
    const call = createServiceCaller(environment.httpPort)
    const keys = { first: first?.key ?? '', second: second?.key ?? '' }
    // A burst on a node that has not seen the key yet.
    const burst = await callConcurrently(39, (index) => call(keys.first, `198.51.100.${index % 2}`))
    t.deepEqual(new Set(burst.map(({ status }) => status)), new Set([403]))
    const bearer = { authorization: `Bearer ${keys.first}` }
    const gateway = await sendRawHttp(environment.httpPort, {
      method: 'POST',
      path: '/access/v1/evaluation',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: '{}',
    })
    t.like(gateway, { status: 400, headers: { 'ratelimit-policy': '"service";q=40;w=60' } })
    t.is((await call(keys.first)).status, 429)
    t.is((await call(keys.second)).status, 403)

    // Keys that are not valid count for their address, on which valid keys do not depend.
    const address = '203.0.113.9'
    for (let index = 0; index < 30; index += 1)
      t.is((await call(`dk_${randomUUID()}`, address)).status, 401)
    t.is((await call(`dk_${randomUUID()}`, address)).status, 429)
    t.is((await call(keys.second, address)).status, 403)
  },
)

test.serial('with a limit of 0, valid service keys are not limited, and others are', async (t) => {
  const environment = await startLimited({ SERVICE_RATE_LIMIT_PER_MINUTE: 0 })
  const { key } = await environment.seed.serviceApp(`docs-${randomUUID().slice(0, 8)}`)
  const call = createServiceCaller(environment.httpPort)
  for (let index = 0; index < 100; index += 1) {
    const { status, headers } = await call(key)
    t.is(status, 403)
    t.is(headers.ratelimit, undefined)
  }
  for (let index = 0; index < 30; index += 1) t.is((await call('dk_other')).status, 401)
  t.is((await call('dk_other')).status, 429)
})

test.serial(
  'a limit for users gives each of them a separate window, and forged tokens none',
  async (t) => {
    const environment = await startLimited({ USER_RATE_LIMIT_PER_MINUTE: 35 })
    const workspace = await environment.seed.workspace()
    const createToken = async () =>
      environment.token(await environment.seed.newMember(workspace, 'viewer'), workspace)
    const [first, second] = [await createToken(), await createToken()]
    const readMe = (token: string) =>
      sendRawHttp(environment.httpPort, {
        path: '/users/me',
        headers: { authorization: `Bearer ${token}` },
      })
    for (let index = 0; index < 35; index += 1)
      t.like(await readMe(first), {
        status: 200,
        headers: { 'ratelimit-policy': '"user";q=35;w=60' },
      })
    t.is((await readMe(first)).status, 429)
    t.is((await readMe(second)).status, 200)
    const forged = `${first.slice(0, -8)}AAAAAAAA`
    for (let index = 0; index < 30; index += 1) t.is((await readMe(forged)).status, 401)
    t.is((await readMe(forged)).status, 429)
    t.is((await readMe(second)).status, 200)
  },
)

/** Returns a function that asks for a resource of another service with a service key. */
function createServiceCaller(port: number) {
  return (key: string, address?: string) =>
    sendRawHttp(port, {
      path: `/permissions/resource/docs/document/${randomUUID()}`,
      headers: { 'x-service-key': key, ...(address && { 'x-forwarded-for': address }) },
    })
}

/** Returns a function that sends a GET request with an admin token. */
function createAdminReader(port: number) {
  return (token: string, path = '/admin/stats') =>
    sendRawHttp(port, { path, headers: { cookie: `admin_token=${token}` } })
}

test.serial('without limits, nothing is counted and no header is sent', async (t) => {
  const environment = await startLimited({ RATE_LIMIT_ENABLED: false })
  for (let index = 0; index < 40; index += 1) {
    const { status, headers } = await sendRawHttp(environment.httpPort, {
      path: '/auth/workspaces?code=x',
    })
    t.is(status, 400)
    t.is(headers.ratelimit, undefined)
  }
})
