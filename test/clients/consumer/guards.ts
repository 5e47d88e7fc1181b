// Runs in a folder in which the packed client is installed; see package.test.ts.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Daikon, DeadlineExceededError, UnauthenticatedError } from '@daikon-auth/client'
import { createGuards as createExpressGuards } from '@daikon-auth/client/express'
import { createGuards as createFastifyGuards } from '@daikon-auth/client/fastify'
import { createGuards as createHonoGuards } from '@daikon-auth/client/hono'
import { createFakeDaikon } from '@daikon-auth/client/testing'
import { createGuards as createWebGuards } from '@daikon-auth/client/web'
import express from 'express'
import fastify, { type FastifyRequest } from 'fastify'
import { Hono } from 'hono'

const workspaceId = '0b000000-0000-4000-8000-000000000001'
const alice = '0a000000-0000-4000-8000-00000000000a'
const bob = '0a000000-0000-4000-8000-00000000000b'

const documents = [{ id: 'roadmap' }, { id: 'handbook' }]
const toResource = ({ id }: { id: string }) => ({ type: 'document', id })

const vault = { type: 'vault', id: 'v' }

function createFake() {
  return createFakeDaikon({
    resourceTypes: [
      {
        type: 'vault',
        conditions: [{ name: 'safe_agent', expression: "context.agent == 'safe'" }],
        requirements: [{ action: 'view', condition: 'safe_agent' }],
      },
    ],
    conditions: { safe_agent: ({ context }) => context.agent === 'safe' },
    members: [
      { workspaceId, userId: alice, role: 'viewer' },
      { workspaceId, userId: bob, role: 'viewer' },
    ],
    resources: [
      { type: 'document', id: 'roadmap', workspaceId, ownerId: alice },
      { type: 'document', id: 'handbook', workspaceId, ownerId: alice, visibility: 'workspace' },
      { type: 'vault', id: 'v', workspaceId, ownerId: alice },
    ],
  })
}

function createExpressApp(daikon: Daikon) {
  const { requireUser, requireRecent, requirePermission, userOf, filter } =
    createExpressGuards(daikon)
  const app = express()
  app.delete('/me', requireRecent({ maxAge: 300 }), (request, response) => {
    response.json({ id: userOf(request).claims.sub })
  })
  app.post('/me', requireRecent({ maxAge: 7200, acr: 'phr' }), (_request, response) => {
    response.json({})
  })
  app.get('/me', requireUser(), (request, response) => {
    response.json({ id: userOf(request).claims.sub })
  })
  app.get('/documents', requireUser(), async (request, response) => {
    response.json(await filter(request, 'view', documents, toResource))
  })
  app.put(
    '/documents/:id',
    requirePermission('edit', (request) => ({ type: 'document', id: request.params.id })),
    (request, response) => {
      response.json({ saved: request.params.id, by: userOf(request).claims.sub })
    },
  )
  app.get(
    '/secret/:id',
    requirePermission('view', ({ params }) => toResource(params), { hide: true }),
    (_request, response) => {
      response.json({})
    },
  )
  app.get(
    '/vault/:agent',
    requirePermission('view', () => vault, { context: ({ params }) => ({ agent: params.agent }) }),
    async (request, response) => {
      const context = { agent: request.params.agent }
      response.json(await filter(request, 'view', [vault], (item) => item, { context }))
    },
  )
  app.use(((_error, _request, response, _next) => {
    response.status(500).json({})
  }) satisfies express.ErrorRequestHandler)
  return app
}

type ById = { Params: { id: string } }

function createFastifyApp(daikon: Daikon) {
  const { requireUser, requireRecent, requirePermission, userOf, filter } =
    createFastifyGuards(daikon)
  const app = fastify()
  app.delete('/me', { preHandler: requireRecent({ maxAge: 300 }) }, async (request) => {
    return { id: userOf(request).claims.sub }
  })
  app.post('/me', { preHandler: requireRecent({ maxAge: 7200, acr: 'phr' }) }, async () => ({}))
  app.get('/me', { preHandler: requireUser() }, async (request) => {
    return { id: userOf(request).claims.sub }
  })
  app.get('/documents', { preHandler: requireUser() }, async (request) => {
    return filter(request, 'view', documents, toResource)
  })
  const mayEdit = requirePermission('edit', ({ params }: FastifyRequest<ById>) =>
    toResource(params),
  )
  app.put<ById>('/documents/:id', { preHandler: mayEdit }, async (request) => {
    return { saved: request.params.id, by: userOf(request).claims.sub }
  })
  const mayView = requirePermission(
    'view',
    ({ params }: FastifyRequest<ById>) => toResource(params),
    { hide: true },
  )
  app.get<ById>('/secret/:id', { preHandler: mayView }, async () => ({}))
  const mayOpen = requirePermission('view', (_request: FastifyRequest<ById>) => vault, {
    context: ({ params }) => ({ agent: params.id }),
  })
  app.get<ById>('/vault/:id', { preHandler: mayOpen }, async (request) => {
    const context = { agent: request.params.id }
    return filter(request, 'view', [vault], (item) => item, { context })
  })
  return app
}

function createHonoApp(daikon: Daikon) {
  const { requireUser, requireRecent, requirePermission, userOf, filter } = createHonoGuards(daikon)
  const app = new Hono()
  app.delete('/me', requireRecent({ maxAge: 300 }), (c) => c.json({ id: userOf(c).claims.sub }))
  app.post('/me', requireRecent({ maxAge: 7200, acr: 'phr' }), (c) => c.json({}))
  app.get('/me', requireUser(), (c) => c.json({ id: userOf(c).claims.sub }))
  app.get('/documents', requireUser(), async (c) =>
    c.json(await filter(c, 'view', documents, toResource)),
  )
  app.put(
    '/documents/:id',
    requirePermission('edit', (c) => ({ type: 'document', id: c.req.param('id') ?? '' })),
    (c) => c.json({ saved: c.req.param('id'), by: userOf(c).claims.sub }),
  )
  app.get(
    '/secret/:id',
    requirePermission('view', (c) => toResource({ id: c.req.param('id') ?? '' }), { hide: true }),
    (c) => c.json({}),
  )
  app.get(
    '/vault/:agent',
    requirePermission('view', () => vault, { context: (c) => ({ agent: c.req.param('agent') }) }),
    async (c) => {
      const context = { agent: c.req.param('agent') }
      return c.json(await filter(c, 'view', [vault], (item) => item, { context }))
    },
  )
  return app
}

/** The second argument of a route handler in Next.js. */
type ByParams = { params: Promise<{ id: string }> }

/** The argument of a loader in Remix. */
type LoaderArguments = { request: Request; params: { id: string } }

function createWebApp(daikon: Daikon): Send {
  const { requireUser, requireRecent, requirePermission, userOf, filter } = createWebGuards(daikon)
  const toDocument = async (_request: Request, { params }: ByParams) => toResource(await params)
  const routes: Record<string, (request: Request, context: ByParams) => Promise<Response>> = {
    'DELETE me': requireRecent({ maxAge: 300 }, (request) =>
      Response.json({ id: userOf(request).claims.sub }),
    ),
    'POST me': requireRecent({ maxAge: 7200, acr: 'phr' }, () => Response.json({})),
    me: requireUser((request) => Response.json({ id: userOf(request).claims.sub })),
    documents: requireUser(async (request) =>
      Response.json(await filter(request, 'view', documents, toResource)),
    ),
    document: requirePermission('edit', toDocument, async (request, { params }) =>
      Response.json({ saved: (await params).id, by: userOf(request).claims.sub }),
    ),
    vault: requirePermission(
      'view',
      (_request: Request) => vault,
      async (request) => {
        const context = { agent: request.url.split('/').at(-1) }
        return Response.json(await filter(request, 'view', [vault], (item) => item, { context }))
      },
      { context: ({ url }) => ({ agent: url.split('/').at(-1) }) },
    ),
  }
  const loadSecret = requirePermission(
    'view',
    ({ params }: LoaderArguments) => toResource(params),
    () => Response.json({}),
    { hide: true },
  )
  return async (request) => {
    const [name = '', id = ''] = new URL(request.url).pathname.slice(1).split('/')
    if (name === 'secret') return loadSecret({ request, params: { id } })
    const guarded = routes[`${request.method} ${name}`]
    const route = guarded ?? routes[id && name === 'documents' ? 'document' : name]
    const sent = route?.(request, { params: Promise.resolve({ id }) })
    return (await sent?.catch(() => Response.json({}, { status: 500 }))) as Response
  }
}

type Send = (request: Request) => Promise<Response>

async function checkGuards(name: string, send: Send, fake: ReturnType<typeof createFake>) {
  const call = async (method: string, path: string, token?: string) => {
    const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
    const response = await send(new Request(`http://localhost${path}`, { method, headers }))
    const body = await response.json()
    return { status: response.status, headers: response.headers, body }
  }
  const aliceToken = fake.token(alice, workspaceId)
  const bobToken = fake.token(bob, workspaceId)

  const missing = await call('GET', '/me')
  assert.equal(missing.status, 401, name)
  assert.equal(missing.headers.get('www-authenticate'), 'Bearer', name)
  assert.equal(missing.headers.get('content-type')?.split(';')[0], 'application/problem+json', name)
  const expired = await call('GET', '/me', fake.token(alice, workspaceId, { seconds: -1 }))
  assert.equal(expired.status, 401, name)
  assert.equal(expired.body.reason, 'TOKEN_EXPIRED', name)
  assert.match(expired.headers.get('www-authenticate') ?? '', /invalid_token/, name)
  assert.equal((await call('PUT', '/documents/roadmap', 'nonsense')).status, 401, name)

  assert.deepEqual((await call('GET', '/me', aliceToken)).body, { id: alice }, name)
  assert.deepEqual((await call('GET', '/documents', bobToken)).body, [{ id: 'handbook' }], name)
  const saved = await call('PUT', '/documents/roadmap', aliceToken)
  assert.deepEqual(saved.body, { saved: 'roadmap', by: alice }, name)
  const denied = await call('PUT', '/documents/roadmap', bobToken)
  assert.equal(denied.status, 403, name)
  assert.equal(denied.body.reason, 'ACTION_DENIED', name)
  assert.equal((await call('GET', '/secret/roadmap', bobToken)).status, 404, name)
  assert.equal((await call('GET', '/secret/handbook', bobToken)).status, 200, name)
  assert.deepEqual((await call('GET', '/vault/safe', aliceToken)).body, [vault], name)
  assert.equal((await call('GET', '/vault/other', aliceToken)).status, 403, name)
  const tooLong = await call('PUT', `/documents/${'x'.repeat(300)}`, bobToken)
  // Fastify also limits the length of parameters.
  if (name !== 'fastify') {
    assert.equal(tooLong.status, 422, name)
    assert.equal(tooLong.body.type, 'urn:daikon:problem:invalid-argument', name)
    assert.equal(tooLong.body.errors[0].field, 'resource.id', name)
  } else assert.equal(tooLong.status, 414)

  const signedIn = (secondsAgo: number) =>
    fake.token(alice, workspaceId, { signedInAt: new Date(Date.now() - secondsAgo * 1000) })
  const error = 'Bearer error="insufficient_user_authentication"'
  const begin = `${error}, error_description="The user must sign in again", max_age=`
  assert.deepEqual((await call('DELETE', '/me', signedIn(290))).body, { id: alice }, name)
  const old = await call('DELETE', '/me', signedIn(310))
  assert.equal(old.status, 401, name)
  assert.equal(old.body.reason, 'INSUFFICIENT_USER_AUTHENTICATION', name)
  assert.equal(old.headers.get('www-authenticate'), `${begin}"300"`, name)
  const weak = await call('POST', '/me', signedIn(0))
  assert.equal(weak.headers.get('www-authenticate'), `${begin}"7200", acr_values="phr"`, name)
  assert.equal((await call('DELETE', '/me')).headers.get('www-authenticate'), 'Bearer', name)

  fake.failWith(new DeadlineExceededError())
  const away = await call('PUT', '/documents/roadmap', aliceToken)
  assert.equal(away.status, 503, name)
  assert.equal(away.headers.get('retry-after'), '1', name)
  fake.failWith(new UnauthenticatedError('SERVICE_KEY_INVALID', 'The key is wrong'))
  assert.equal((await call('PUT', '/documents/roadmap', aliceToken)).status, 500, name)
  fake.recover()
}

/** Sends requests to a server on a free port. */
async function listen(server: Server): Promise<Send> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return ({ url, method, headers }) => {
    const { pathname } = new URL(url)
    return fetch(`http://127.0.0.1:${port}${pathname}`, { method, headers })
  }
}

const expressFake = createFake()
const expressServer = createServer(createExpressApp(expressFake))
await checkGuards('express', await listen(expressServer), expressFake)
expressServer.closeAllConnections()
expressServer.close()

const fastifyFake = createFake()
const fastifyApp = createFastifyApp(fastifyFake)
await fastifyApp.ready()
await checkGuards('fastify', await listen(fastifyApp.server), fastifyFake)
fastifyApp.server.closeAllConnections()
await fastifyApp.close()

const honoFake = createFake()
const honoApp = createHonoApp(honoFake)
honoApp.onError((_error, c) => c.json({}, 500))
await checkGuards('hono', async (request) => honoApp.fetch(request), honoFake)

const webFake = createFake()
await checkGuards('web', createWebApp(webFake), webFake)
const { requireUser } = createWebGuards(webFake)
const missing = requireUser(async () => {
  await webFake.get({ type: 'document', id: 'none' })
  return new Response()
})
const authorization = `Bearer ${webFake.token(alice, workspaceId)}`
const response = await missing(new Request('http://localhost', { headers: { authorization } }))
assert.equal(response.status, 404, 'errors of operations in a handler are responses')

for (const requirements of [{}, { maxAge: 59 }, { maxAge: 60.5 }, { acr: 'a b' }, { acr: '"' }])
  assert.throws(() => createExpressGuards(expressFake).requireRecent(requirements))

process.stdout.write('guards work\n')
