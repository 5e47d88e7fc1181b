import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import { createConsoleServer } from '../../src/console/console-server.ts'
import { sendRawHttp } from '../support/raw-requests.ts'

const page = `<!doctype html>
<meta name="daikon-settings" content="" />
<script type="module" src="/assets/index-abc.js"></script>
`

const script = 'console.log("daikon")\n'.repeat(100)

async function startServer(
  t: ExecutionContext,
  options: { debug?: boolean; build?: boolean } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-console-'))
  const writeBuild = () => {
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'assets/index-abc.js'), script)
    writeFileSync(join(folder, 'index.html'), page)
  }
  if (options.build ?? true) writeBuild()
  const server = createConsoleServer({
    folder,
    baseUrl: 'https://auth.example.com',
    adminUrl: 'https://admin.example.com',
    grpcAddress: 'grpc.example.com:443',
    isGrpcEncrypted: true,
    allowedHosts: ['localhost'],
    secureCookies: true,
    workspaceClientId: 'x',
    hasCodes: false,
    debug: options.debug ?? false,
    providers: [{ name: 'google', title: '"><script>alert(1)</script>' }],
    features: ['identity', 'webhooks'],
  })
  const port = await server.listen('127.0.0.1', 0)
  t.teardown(async () => {
    await server.drain(0)
    rmSync(folder, { recursive: true })
  })
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    sendRawHttp(port, { path, method, headers: { host: 'localhost', ...headers } })
  return { server, get, writeBuild }
}

test('every path returns the page, with the settings of the server and without inline code', async (t) => {
  const { get } = await startServer(t)
  for (const path of ['/', '/people/1?tab=activity', '/index.html', '/%2e%2e/package.json']) {
    const { status, headers, body } = await get(path)
    t.is(status, 200)
    t.is(headers['cache-control'], 'no-cache')
    t.regex(String(headers['content-security-policy']), /script-src 'self'; style-src 'self';/)
    t.regex(
      String(headers['content-security-policy']),
      /connect-src 'self' https:\/\/auth.example.com;/,
    )
    t.truthy(headers['strict-transport-security'])
    const html = body.toString()
    t.true(html.includes('&#34;base_url&#34;:&#34;https://auth.example.com&#34;'))
    t.true(html.includes('&#34;features&#34;:[&#34;identity&#34;,&#34;webhooks&#34;]'))
    t.false(html.includes('<script>'))
  }
})

test('assets are cached for a year, compressed and revalidated by ETag', async (t) => {
  const { get } = await startServer(t)
  const path = '/assets/index-abc.js'
  const plain = await get(path)
  t.is(plain.body.toString(), script)
  t.is(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
  t.is(plain.headers['content-type'], 'text/javascript; charset=utf-8')
  t.is(plain.headers.vary, 'Accept-Encoding')
  const brotli = await get(path, { 'accept-encoding': 'gzip, br' })
  t.is(brotli.headers['content-encoding'], 'br')
  t.is(brotliDecompressSync(brotli.body).toString(), script)
  const gzip = await get(path, { 'accept-encoding': 'gzip, br;q=0' })
  t.is(gzip.headers['content-encoding'], 'gzip')
  t.is(gunzipSync(gzip.body).toString(), script)
  t.is(new Set([plain, brotli, gzip].map(({ headers }) => headers.etag)).size, 3)
  const tag = String(brotli.headers.etag)
  const revalidated = await get(path, { 'accept-encoding': 'br', 'if-none-match': `"x", ${tag}` })
  t.like(revalidated, { status: 304 })
  t.is(revalidated.body.length, 0)
  t.is((await get(path, { 'if-none-match': tag })).status, 200)
  const head = await get(path, {}, 'HEAD')
  t.is(head.headers['content-length'], String(script.length))
  t.is(head.body.length, 0)
})

test('unknown assets are 404, other methods 405, and unknown hosts 400', async (t) => {
  const { get } = await startServer(t)
  t.is((await get('/assets/index-old.js')).status, 404)
  const post = await get('/', {}, 'POST')
  t.is(post.status, 405)
  t.is(post.headers.allow, 'GET, HEAD')
  t.is((await get('/', { host: 'evil.example.com' })).status, 400)
})

test('with DEBUG=true, a finished build is served immediately', async (t) => {
  const { get, server, writeBuild } = await startServer(t, { debug: true, build: false })
  t.false(server.hasBuild)
  const waiting = await get('/')
  t.is(waiting.status, 503)
  t.is(waiting.headers.refresh, '2')
  writeBuild()
  t.is((await get('/')).status, 200)
})
