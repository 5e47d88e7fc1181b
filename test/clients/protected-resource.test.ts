import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import express from 'express'
import { createDaikon } from '../../clients/typescript/src/daikon.ts'
import { createGuards as createExpressGuards } from '../../clients/typescript/src/express.ts'
import { createFakeDaikon } from '../../clients/typescript/src/testing.ts'
import { createGuards as createWebGuards } from '../../clients/typescript/src/web.ts'
import { createOAuthClient, signInWithOAuth } from '../support/oauth.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const workspaceId = '0b000000-0000-4000-8000-000000000001'
const alice = '0a000000-0000-4000-8000-00000000000a'
const resource = 'https://docs.example.com/mcp'
const scopes = ['read', 'write']
const fake = createFakeDaikon({ members: [{ workspaceId, userId: alice, role: 'viewer' }] })
const metadata = 'https://docs.example.com/.well-known/oauth-protected-resource/mcp'
const path = '/.well-known/oauth-protected-resource/mcp'

type Send = (path: string, headers?: Record<string, string>) => Promise<Response>

/** Serves an API with the guard of Express. The Host of requests is not that of the API. */
async function serveExpress(t: ExecutionContext, daikon = fake, uri = resource): Promise<Send> {
  const { protectedResource, userOf } = createExpressGuards(daikon)
  const app = express()
  app.use(protectedResource({ resource: uri, scopes }))
  app.use((request, response) => void response.json(userOf(request)))
  const server = createServer(app).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return (path, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers })
}

async function serveWeb(_t: ExecutionContext, daikon = fake, uri = resource): Promise<Send> {
  const { protectedResource, userOf } = createWebGuards(daikon)
  const handle = protectedResource({ resource: uri, scopes }, (request) =>
    Response.json(userOf(request)),
  )
  return (path, headers = {}) => handle(new Request(`http://127.0.0.1${path}`, { headers }))
}

for (const [name, serve] of [
  ['Express', serveExpress],
  ['web handlers', serveWeb],
] as const) {
  test(`the guard of ${name} tells clients where to get a token`, async (t) => {
    const send = await serve(t)
    const described = await send(path)
    t.is(described.status, 200)
    t.deepEqual(await described.json(), {
      resource,
      authorization_servers: ['daikon-fake'],
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
    })
    const missing = await send('/mcp', { 'x-forwarded-host': 'evil.example.com' })
    t.is(missing.status, 401)
    const challenge = `Bearer resource_metadata="${metadata}", scope="read write"`
    t.is(missing.headers.get('www-authenticate'), challenge)
  })

  test(`the guard of ${name} accepts tokens of its API alone`, async (t) => {
    const send = await serve(t)
    const bearer = (uri?: string, granted = scopes) => ({
      authorization: `Bearer ${fake.token(alice, workspaceId, {
        ...(uri && { resource: { uri, scopes: granted, clientId: 'editor' } }),
      })}`,
    })
    for (const uri of [undefined, 'https://docs.example.com', `${resource}/`]) {
      const refused = await send('/mcp', bearer(uri))
      t.is(refused.status, 401)
      t.regex(refused.headers.get('www-authenticate') ?? '', /error="invalid_token"$/)
    }
    const narrow = await send('/mcp', bearer(resource, ['read']))
    t.is(narrow.status, 403)
    const expected = 'Bearer error="insufficient_scope", scope="read write", '
    t.true(narrow.headers.get('www-authenticate')?.startsWith(expected))
    const accepted = await send('/mcp', bearer(resource))
    t.is(accepted.status, 200)
    const user = (await accepted.json()) as Record<string, any>
    t.like(user, { clientId: 'editor', scopes })
    t.like(user.claims, { sub: alice, wid: workspaceId, email: '', name: '' })
  })

  test(`the guard of ${name} takes both spellings of an origin`, async (t) => {
    for (const uri of ['https://docs.example.com', 'https://docs.example.com/']) {
      const send = await serve(t, fake, uri)
      t.is((await send('/.well-known/oauth-protected-resource')).status, 200)
      for (const aud of ['https://docs.example.com', 'https://docs.example.com/']) {
        const token = fake.token(alice, workspaceId, { resource: { uri: aud, scopes } })
        t.is((await send('/', { authorization: `Bearer ${token}` })).status, 200)
      }
    }
  })
}

test('settings of a protected resource that cannot be right are refused', (t) => {
  const { protectedResource } = createExpressGuards(fake)
  for (const wrong of [
    { resource: '/mcp', scopes },
    { resource: 'urn:docs:mcp', scopes },
    { resource: `${resource}?a`, scopes },
    { resource, scopes: ['a b'] },
    { resource, scopes: 'read' as never },
  ])
    t.throws(() => protectedResource(wrong), { message: /resource|scopes/ })
})

test('a client verifies tokens that the server issues for an API', async (t) => {
  const environment = await createSignInEnvironment()
  t.teardown(() => environment.stop())
  const [transport] = environment.transports as [Transport]
  const { id, key } = await environment.seed.serviceApp('docs')
  await environment.seed.apiResource(id, resource, scopes)
  const client = await createOAuthClient(environment)
  const { tokens } = await signInWithOAuth(environment, transport, {
    client,
    request: { scope: undefined, resource },
  })
  const daikon = createDaikon({
    address: `127.0.0.1:${environment.grpcPort}`,
    service: 'docs',
    serviceKey: key,
    deadlineMs: 60_000,
  })
  t.teardown(() => daikon.close())
  const token = tokens.access_token
  const claims = await daikon.verifyAccessToken(token, { audience: resource })
  t.like(claims, { ...client, aud: resource, scope: 'read write', email: '' })
  for (const options of [{}, { audience: 'https://docs.example.com' }])
    await t.throwsAsync(daikon.verifyAccessToken(token, options), { name: 'InvalidTokenError' })
  const send = await serveWeb(t, daikon as never)
  const described = (await (await send(path)).json()) as { authorization_servers: string[] }
  t.deepEqual(described.authorization_servers, ['http://localhost:8000'])
  t.is((await send('/mcp', { authorization: `Bearer ${token}` })).status, 200)
})
