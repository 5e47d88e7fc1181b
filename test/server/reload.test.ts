import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import test from 'ava'
import type { Source } from '../../src/core/source.ts'
import { rotateKeys } from '../../src/identity/key-rotation.ts'
import { parsePublicKeys } from '../../src/identity/public-key-file.ts'
import { createReloadable } from '../../src/server/reload.ts'
import { createCertificateAuthority, hasOpenssl } from '../support/certificates.ts'
import { connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase } from '../support/database.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createKeyFolder, type ServerProcess, startServer } from '../support/server-process.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())
const withOpenssl = hasOpenssl ? test : test.skip

test('an invalid source keeps the previous value and is logged once until it changes', async (t) => {
  let text = '1'
  let parsed = 0
  const source: Source<number> = {
    read: async () => ({
      version: text,
      parse() {
        parsed += 1
        if (Number.isNaN(Number(text))) throw new Error(`${text} is not a number`)
        return Number(text)
      },
    }),
  }
  const logged: string[] = []
  const log = {
    info: (line: string) => logged.push(line),
    error: ({ err }: { err: Error }) => logged.push(err.message),
  }
  const changes: number[] = []
  const number = await createReloadable({
    name: 'number',
    source,
    log: log as never,
    onChange: (value) => changes.push(value),
  })
  await number.reload()
  t.is(parsed, 1, 'an unchanged source is not parsed again')

  for (const next of ['x', 'x', 'y', '2']) {
    text = next
    await number.reload()
    t.is(number.current(), next === '2' ? 2 : 1)
    t.is(number.state.isFailing, next !== '2')
  }
  t.deepEqual(logged, ['x is not a number', 'y is not a number', 'Reloaded the number'])
  t.like(number.state, { succeeded: 1, failed: 2 })
  t.deepEqual(changes, [2])
  await t.throwsAsync(
    createReloadable({
      name: 'n',
      source: { ...source, read: async () => Promise.reject(Error('gone')) },
      log: log as never,
    }),
    { message: 'gone' },
  )
})

async function readMetric(server: ServerProcess, name: string) {
  const { text } = await sendRawHttp(server.metricsPort, { path: '/metrics' })
  const lines = text.split('\n').filter((line) => line.startsWith(name))
  return lines.map((line) => line.slice(name.length))
}

/** Sends SIGHUP and waits until each worker has logged a line that starts with `text`. */
async function reloadServer(server: ServerProcess, text: string, workers = 1) {
  const count = () => server.lines.filter(({ msg }) => msg.startsWith(text)).length
  const before = count()
  server.child.kill('SIGHUP')
  await server.waitForLine(() => count() >= before + workers)
}

test('SIGHUP replaces signing keys in every worker; a removed key no longer verifies', async (t) => {
  const folder = createKeyFolder(t)
  const paths = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
  const settings = { DATABASE_URL: database.url, RATE_LIMIT_ENABLED: 'false', WORKERS: '2' }
  const server = await startServer(t, folder, { ...settings, RELOAD_INTERVAL_SECONDS: '3600' })
  const first = await connectToServer(folder, server, database)
  const [created = ''] = await readMetric(server, 'daikon_signing_key_created_timestamp_seconds')
  t.true(Math.abs(Number(created.split(' ')[1]) - Date.now() / 1000) < 300, created)
  const fixture = await createWorkspaceFixture(first, first.transports[0] as never)
  const { id } = fixture.people.viewer
  const old = { token: await first.token(id, fixture.workspace) }
  // The primary distributes connections among the workers.
  const clients = [first, await connectToServer(folder, server, database)]
  const transports = clients.flatMap((client) => client.transports)
  t.teardown(() => {
    for (const transport of transports) transport.close()
  })
  const callAll = async (credentials: object) => {
    const calls = transports.map((transport) => transport.call('GetMe', {}, credentials))
    const outcomes = await Promise.all(calls)
    return [...new Set(outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.reason)))]
  }
  t.deepEqual(await callAll(old), ['ok'])

  rotateKeys(paths)
  await reloadServer(server, 'Reloaded the signing keys', 2)
  const second = await connectToServer(folder, server, database)
  for (const transport of second.transports) transport.close()
  const current = { token: await second.token(id, fixture.workspace) }
  t.deepEqual(await callAll(current), ['ok'])
  t.deepEqual(await callAll(old), ['ok'], 'the older key still verifies')
  const published = parsePublicKeys(readFileSync(paths.publicPath, 'utf8'))
  const { json } = await sendRawHttp(server.httpPort, { path: '/.well-known/jwks.json' })
  t.deepEqual(
    (json as { keys: { kid: string }[] }).keys.map(({ kid }) => kid),
    published.map(({ kid }) => kid),
  )

  // The file of public keys lacks the key that belongs to the private key.
  const publicPem = readFileSync(paths.publicPath, 'utf8')
  const blocks = publicPem.split(/(?<=-----END PUBLIC KEY-----\n)/)
  writeFileSync(paths.publicPath, `${blocks[1]}`)
  await reloadServer(server, 'Reloading the signing keys failed', 2)
  t.deepEqual(await callAll(current), ['ok'])
  t.deepEqual(await readMetric(server, 'daikon_reload_failing{files="signing keys"}'), [' 1'])

  writeFileSync(paths.publicPath, `${blocks[0]}`)
  await reloadServer(server, 'Reloaded the signing keys', 2)
  t.deepEqual(await callAll(current), ['ok'])
  t.deepEqual(await callAll(old), ['TOKEN_INVALID'], 'although the token was verified before')
  t.deepEqual(await readMetric(server, 'daikon_reload_failing{files="signing keys"}'), [' 0'])
})

/** The common name of the certificate that a new connection receives, or the error. */
function readCertificate(port: number, trustedCa: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, ca: trustedCa, ALPNProtocols: ['h2'] }
    const socket = connect({ ...options, servername: 'localhost' }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.on('error', (error) => resolve(error.message))
  })
}

withOpenssl(
  'changed certificates are used for new connections without a signal; an invalid pair is not',
  async (t) => {
    const folder = createKeyFolder(t)
    const authority = createCertificateAuthority(folder, 'authority')
    const [first, second] = [authority.issue('first'), authority.issue('second')]
    const paths = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') }
    copyFileSync(first.certPath, paths.cert)
    copyFileSync(first.keyPath, paths.key)
    const server = await startServer(t, folder, {
      DATABASE_URL: database.url,
      GRPC_TLS_CERT_PATH: paths.cert,
      GRPC_TLS_KEY_PATH: paths.key,
      RELOAD_INTERVAL_SECONDS: '1',
    })
    const read = () => readCertificate(server.grpcPort, authority.certificate)
    t.is(await read(), 'first')
    const expiry = 'daikon_certificate_expiry_timestamp_seconds{certificate="server"}'
    const [seconds] = await readMetric(server, expiry)
    t.true(Math.abs(Number(seconds) - Date.now() / 1000 - 2 * 86_400) < 600, seconds)

    copyFileSync(second.certPath, paths.cert)
    await server.waitForLine(({ msg }) => msg.startsWith('Reloading the gRPC certificates failed'))
    t.is(await read(), 'first', 'the key belongs to the other certificate')
    copyFileSync(second.keyPath, paths.key)
    await server.waitForLine(({ msg }) => msg === 'Reloaded the gRPC certificates')
    t.is(await read(), 'second')
    const countRejections = () =>
      server.lines.filter(({ msg }) => msg.startsWith('Reloading the gRPC certificates failed'))
        .length
    const before = countRejections()
    writeFileSync(paths.cert, 'nonsense')
    await server.waitForLine(() => countRejections() > before)
    t.is(await read(), 'second')
    t.deepEqual(await readMetric(server, 'daikon_reload_failing{files="gRPC certificates"}'), [
      ' 1',
    ])
  },
)
