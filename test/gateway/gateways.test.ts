import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { connect, createServer as createTcpServer } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { gateways, startGateway } from '../support/gateways.ts'
import { keepConnections } from '../support/keep-connections.ts'
import { listen } from '../support/listen.ts'
import { expectOk } from '../support/outcome.ts'
import { createRelay } from '../support/relay.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())
const [transport] = environment.transports as [Transport]

/** A request as the application got it. */
type Received = { url: string; method: string; headers: IncomingMessage['headersDistinct'] }

/** Starts an application that knows nothing of daikon. */
async function startApplication(t: ExecutionContext) {
  const received: Received[] = []
  const server = createServer(keepConnections, (request, response) => {
    const { url = '', method = '', headersDistinct: headers } = request
    received.push({ url, method, headers })
    response.end('secret')
  })
  return { received, port: await listen(t, server) }
}

/** Sends the lines of a request as they are. Returns the status and the text of the response. */
function send(
  port: number,
  lines: string[],
  idleMs = 60_000,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    const end = () => {
      const statuses = [...text.matchAll(/^HTTP\/1\.1 (?!100)(\d+)/gm)]
      resolve({ status: Number(statuses.at(-1)?.[1] ?? 0), text })
    }
    socket.on('data', (chunk) => {
      text += chunk
    })
    // Some servers keep the connection after a malformed request.
    socket.setTimeout(idleMs, () => socket.destroy())
    socket.on('close', end)
    socket.on('error', end)
    socket.write(Buffer.from([...lines, '', ''].join('\r\n'), 'latin1'))
  })
}

type Program = (typeof gateways)[number]

async function createProtectedApplication(t: ExecutionContext, gateway: Program) {
  const relay = createRelay(t)
  const { received, port: app } = await startApplication(t)
  const node = await environment.addNode()
  const fixture = await createWorkspaceFixture(environment, transport)
  const { key, service: service_name, people } = fixture
  const [http, grpc] = [await relay.to(node.httpPort), await relay.to(node.grpcPort)]
  const targets = { app, http, grpc, key }
  const port = await startGateway(gateway, targets, (stop) => t.teardown(stop))
  const document = { methods: ['GET'], action: 'view', resource_type: 'document' }
  const routes = [
    { methods: ['GET', 'HEAD'], path: '/', allow: 'anyone' },
    { methods: ['GET'], path: '/public/{page}', allow: 'anyone' },
    { ...document, path: '/documents/{id}' },
  ]
  expectOk(await transport.call('PutRoutes', { service_name, routes }, { key }))
  const own = await fixture.register(people.viewer, { resource_id: undefined, external_id: 'd1' })
  await fixture.register(people.owner, { resource_id: undefined, external_id: 'd2' })
  const request = (
    target: string,
    headers: readonly string[] = [],
    method = 'GET',
    idleMs = 60_000,
  ) =>
    send(
      port,
      [`${method} ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers],
      idleMs,
    )
  const authorization = `Authorization: Bearer ${people.viewer.token}`
  return { ...fixture, node, relay, received, request, authorization, own, port }
}

/** Starts a server that sends the same bytes on every connection and then closes it. */
async function startGarbage(t: ExecutionContext, garbage: Buffer): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(garbage))
  })
  return listen(t, server)
}

/** Starts a gRPC server whose responses all have this body. */
function startGrpc(t: ExecutionContext, body: Buffer): Promise<number> {
  const server = createHttp2Server((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/grpc' })
    response.addTrailers({ 'grpc-status': '0' })
    response.end(body)
  })
  return listen(t, server)
}

/** What no version of daikon sends over HTTP. */
const garbage = [
  '',
  '\0\x01\x02garbage',
  'garbage\r\n\r\n',
  'HTTP/1.1 2',
  'HTTP/1.1 204 No Content\r\nX-Auth-User: a',
  'HTTP/1.1 20x OK\r\n\r\n',
  'HTTP/1.1 302 Found\r\nLocation: /public/page\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 999 OK\r\nContent-Length: 0\r\n\r\n',
]

/** Frames of gRPC: too short, truncated, with an unknown compression, and invalid protobuf. */
const invalidFrames = ['', '00', '0000000010aa', '020000000108', '0000000003ffffff', '00ffffffff']

/** Paths of a document that the user may not view, in every form that an application may read. */
const secretPaths = [
  '/documents/d2',
  '/documents/%64%32',
  '/documents/d1/../d2',
  '/documents/d1%2f..%2fd2',
  '/documents/d1%252f..%252fd2',
  '/public/../documents/d2',
  '/public/..%2fdocuments/d2',
  '/public/%2e%2e/documents/d2',
  '/public/..%5cdocuments%5cd2',
  '/public/..\\documents\\d2',
  '/public/..;/documents/d2',
  '/public/.%2e/documents/d2',
  '/public/%252e%252e/documents/d2',
  '/public/%2e%2e%2fdocuments/d2',
  '/public/a%00/../../documents/d2',
  '//documents/d2',
  '/documents//d2',
  '/./documents/d2',
  '/documents/./d2',
  '/documents/d2/',
  '/documents/d2;x=1',
  '/documents/d2%3bx',
  '/documents/d2%00',
  '/documents/d2%2f',
  '/documents/d2/.',
  '/documents/d2?x=/public/page',
  '/documents/d2#/public/page',
  'http://localhost/documents/d2',
  'http://localhost/public/../documents/d2',
  '/DOCUMENTS/d2',
  '/documents/D2',
  '/documents/d2%ff',
  '/daikon',
]

/** Headers by which a client tries to change the question or its identity. */
const forgedHeaders = [
  ['X-Forwarded-Uri: /'],
  ['X-Forwarded-Uri: /public/page', 'X-Forwarded-Uri: /public/page'],
  ['x_forwarded_uri: /'],
  ['X-Forwarded-Method: HEAD', 'X-Forwarded-Uri: /'],
  ['X-Original-URL: /public/page', 'X-Rewrite-URL: /public/page'],
  ['X-Original-URI: /', 'X-Original-Method: GET'],
  ['X-HTTP-Method-Override: HEAD'],
  ['X-Auth-User: admin', 'X-Auth-Role: owner'],
  ['X-Service-Key: dk_other'],
  ['Connection: close, X-Forwarded-Uri, X-Service-Key, X-Forwarded-Method'],
  ['X-Forwarded-For: 127.0.0.1', 'X-Forwarded-Host: localhost', 'Forwarded: for=127.0.0.1'],
  ['Content-Length: 0', 'Transfer-Encoding: chunked'],
  ['Upgrade: websocket'],
  ['Expect: 100-continue'],
]

for (const gateway of gateways) {
  const title = (text: string) => `${gateway.name} ${text}`
  if (!gateway.isInstalled) {
    test.skip(title('is not installed'), () => {})
    continue
  }

  test.serial(title('forwards what the routes allow, with the user in headers'), async (t) => {
    const app = await createProtectedApplication(t, gateway)
    const { request, authorization, received, people, workspace } = app
    const forged = ['X-Auth-User: admin', 'x-auth-role: owner', 'X-Auth-Email: a@example.com']
    t.is((await request('/documents/d1?page=2', [authorization, ...forged])).status, 200)
    t.is((await request('/public/a%20b', forged)).status, 200)
    const [named, anonymous] = received as [Received, Received]
    t.is(named.url, '/documents/d1?page=2')
    t.is(anonymous.url, '/public/a%20b')
    t.like(named.headers, {
      'x-auth-user': [people.viewer.id],
      'x-auth-email': ['someone@example.com'],
      'x-auth-workspace': [workspace],
      'x-auth-role': ['viewer'],
    })
    for (const name of ['user', 'email', 'workspace', 'role', 'agent', 'delegation'])
      t.is((anonymous.headers[`x-auth-${name}`] ?? []).join(), '', name)
    // Python, PHP and other CGI applications read both names as HTTP_X_AUTH_USER.
    for (const name of ['x_auth_user', 'X_Auth_User', 'X_AUTH_USER', 'X-Auth_User']) {
      await request('/', [`${name}: admin`])
      const names = Object.keys(received.at(-1)?.headers ?? {})
      t.deepEqual(
        names.filter((found) => /^x[-_]auth[-_]/.test(found) && found.includes('_')),
        [],
      )
    }
  })

  test.serial(title('forwards the headers of the user whatever Connection lists'), async (t) => {
    const app = await createProtectedApplication(t, gateway)
    const { authorization, received, people, workspace } = app
    const user = {
      'x-auth-user': people.viewer.id,
      'x-auth-email': 'someone@example.com',
      'x-auth-workspace': workspace,
      'x-auth-role': 'viewer',
    }
    const names = Object.keys(user)
    const userHeaders = () => {
      const { headers } = received.at(-1) as Received
      return Object.fromEntries(names.map((name) => [name, headers[name]?.join()]))
    }
    t.is((await app.request('/')).status, 200)
    const anonymous = userHeaders()
    const lists = [
      ...names.map((name) => [`Connection: ${name}`]),
      [`Connection: close, ${names.join(', ')}`],
      [`connection: ${names.join().toUpperCase()}`],
      names.map((name) => `Connection: ${name}`),
      ['Connection: Connection, X-Auth-Role'],
      ['Proxy-Connection: X-Auth-Role', 'Keep-Alive: X-Auth-Role'],
    ].flatMap((list) => [list, [...list, 'X-Auth-Role: owner', 'X-Auth-User: admin']])
    for (const list of lists) {
      for (const [target, headers, expected] of [
        ['/documents/d1', [authorization, ...list], user],
        ['/', list, anonymous],
      ] as const) {
        received.length = 0
        const { status } = await app.request(target, headers, 'GET', 3000)
        t.is(status, 200, `${target} ${list}`)
        t.deepEqual(userHeaders(), expected, `${target} ${list}`)
      }
    }
    // The other configurations do not allow upgrades.
    if (gateway.name !== 'Caddy') return
    const upgrade = [authorization, 'Connection: Upgrade, X-Auth-Role', 'Upgrade: websocket']
    await app.request('/documents/d1', upgrade, 'GET', 3000)
    t.deepEqual(userHeaders(), user)
    t.like(received.at(-1)?.headers, { connection: ['Upgrade'], upgrade: ['websocket'] })
  })

  test.serial(title('forwards nothing that daikon denies'), async (t) => {
    const app = await createProtectedApplication(t, gateway)
    const { authorization, received } = app
    // A malformed request may never get a response.
    const request = (target: string, headers: string[], method = 'GET') =>
      app.request(target, headers, method, 3000)
    let attacks = 0
    for (const target of secretPaths) {
      for (const headers of [[], [authorization]]) {
        const { status, text } = await request(target, headers)
        attacks += 1
        t.true(status === 0 || status >= 400, `${target}: ${status}`)
        t.notRegex(text, /secret/)
      }
    }
    for (const headers of forgedHeaders) {
      for (const target of ['/documents/d2', '/documents/d1/../d2']) {
        const { status } = await request(target, [authorization, ...headers])
        attacks += 1
        t.true(status === 0 || status >= 400, `${headers}: ${status}`)
      }
    }
    for (const method of ['get', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'Get', 'PROPFIND', 'TRACE']) {
      const preflight = ['Origin: http://localhost', 'Access-Control-Request-Method: GET']
      const { status } = await request('/documents/d1', [authorization, ...preflight], method)
      attacks += 1
      t.true(status === 0 || status >= 400, `${method}: ${status}`)
    }
    t.deepEqual(received, [])
    t.log(`${attacks} attacks`)
  })

  test.serial(title('forwards nothing while daikon is away'), async (t) => {
    const app = await createProtectedApplication(t, gateway)
    t.is((await app.request('/')).status, 200)
    await app.node.app.drain()
    for (const target of ['/', '/public/page', '/documents/d1']) {
      const { status } = await app.request(target, [app.authorization])
      t.true(status >= 500, `${target}: ${status}`)
    }
    t.is(app.received.length, 1)
  })

  test.serial(title('forwards nothing while daikon is slow, and no late decision'), async (t) => {
    const { request, relay, received, authorization } = await createProtectedApplication(t, gateway)
    t.is((await request('/')).status, 200)
    relay.hold()
    const allowed = ['/', '/public/page', '/documents/d1']
    // The gateways respond while daikon's decisions are on their way.
    const responses = await Promise.all(allowed.map((target) => request(target, [authorization])))
    for (const { status, text } of responses) {
      t.true(status >= 500, `${status}`)
      t.notRegex(text, /secret/)
    }
    t.log(`statuses ${responses.map(({ status }) => status)}`)
    relay.release()
    t.is((await request('/documents/d2', [authorization])).status, 403)
    t.is((await request('/documents/d1', [authorization])).status, 200)
    t.deepEqual(
      received.map(({ url }) => url),
      ['/', '/documents/d1'],
    )
  })

  /** Starts the gateway in front of an application, with a server in place of daikon. */
  const startBehind = async (t: ExecutionContext, port: number) => {
    const { port: app, received } = await startApplication(t)
    const targets = { app, http: port, grpc: port, key: 'dk_key' }
    const own = await startGateway(gateway, targets, (stop) => t.teardown(stop))
    const request = (target: string) =>
      send(own, [`GET ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close'])
    return { received, request }
  }

  test.serial(title('forwards nothing if the responses of daikon are invalid'), async (t) => {
    const starts =
      gateway.name === 'Envoy'
        ? [
            ...garbage.map((text) => startGarbage(t, Buffer.from(text))),
            ...invalidFrames.map((hex) => startGrpc(t, Buffer.from(hex, 'hex'))),
          ]
        : garbage.map((text) => startGarbage(t, Buffer.from(text)))
    for (const [index, port] of (await Promise.all(starts)).entries()) {
      const { received, request } = await startBehind(t, port)
      for (const target of ['/', '/documents/d1']) {
        const { status, text } = await request(target)
        t.true(status >= 300, `${index} ${target}: ${status}`)
        t.notRegex(text, /secret/)
      }
      t.deepEqual(received, [])
    }
  })

  test.serial(title('passes on why a request is denied'), async (t) => {
    const { request, authorization } = await createProtectedApplication(t, gateway)
    const missing = await request('/documents/d1')
    t.is(missing.status, 401)
    t.regex(missing.text, /^www-authenticate: Bearer realm="daikon"/im)
    t.is((await request('/documents/d2', [authorization])).status, 403)
  })
}
