import { existsSync, statSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import { runCli } from '../support/cli.ts'
import { cloneDatabase } from '../support/database.ts'
import { createKeyFolder, launchServer, startServer } from '../support/server-process.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

const production = {
  DEBUG: 'false',
  SESSION_SECRET_KEY: 'x'.repeat(32),
  DATABASE_URL: database.url,
}

/** Whether a server bound to every interface, not only to 127.0.0.1, uses this port. */
function isReachable(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.2')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

test('a server without settings listens on loopback only, on all three ports', async (t) => {
  const environment = { DATABASE_URL: database.url, HTTP_HOST: '', GRPC_HOST: '' }
  const { httpPort, grpcPort, metricsPort } = await startServer(t, createKeyFolder(t), environment)
  const reachable = await Promise.all([httpPort, grpcPort, metricsPort].map(isReachable))
  t.deepEqual(reachable, [false, false, false])
})

test('with DEBUG=false, all mistakes are printed and the server exits with status 2', async (t) => {
  const { exited, output } = launchServer(t, createKeyFolder(t), {
    DATABASE_URL: database.url,
    DEBUG: 'false',
    BASE_URL: 'http://auth.example.com',
  })
  t.is((await exited).code, 2)
  t.deepEqual(output().trim().split('\n'), [
    'SESSION_SECRET_KEY must be set if DEBUG is false',
    'BASE_URL must be an https URL if DEBUG is false, unless INSECURE_HTTP is true',
    'COOKIE_SECURE must be true if DEBUG is false, unless INSECURE_HTTP is true',
  ])
})

test('with DEBUG=false, missing keys are an error until the operator creates them', async (t) => {
  const folder = createKeyFolder(t)
  const privatePath = join(folder, 'private.pem')
  const publicPath = join(folder, 'public.pem')
  const { exited, output } = launchServer(t, folder, production)
  t.is((await exited).code, 2)
  t.is(
    output(),
    `JWT_PRIVATE_KEY_PATH must name an existing file: ${privatePath}. Run \`daikon keys make\` to create the keys.\n`,
  )
  t.false(existsSync(privatePath))

  process.env.JWT_PRIVATE_KEY_PATH = privatePath
  process.env.JWT_PUBLIC_KEY_PATH = publicPath
  t.is((await runCli(database.url, 'keys', 'make')).status, 0)
  t.is(statSync(privatePath).mode & 0o777, 0o600)
  const server = await startServer(t, folder, { ...production, HTTP_HOST: '', GRPC_HOST: '' })
  t.true(await isReachable(server.httpPort))
})

test('with DEBUG=true, missing keys are created for their owner only', async (t) => {
  const folder = createKeyFolder(t)
  await startServer(t, folder, { DATABASE_URL: database.url })
  t.is(statSync(join(folder, 'private.pem')).mode & 0o777, 0o600)
})

test('a server warns if administrators cannot sign in', async (t) => {
  const folder = createKeyFolder(t)
  const codes = {
    SIGN_IN_METHODS: 'email',
    SMTP_URL: 'smtp://127.0.0.1:1',
    SMTP_FROM: 'a@example.com',
  }
  const start = async (variables: Record<string, string>) => {
    const { lines } = await startServer(t, folder, { DATABASE_URL: database.url, ...variables })
    return lines.some(({ msg }) => msg.startsWith('Administrators cannot sign in'))
  }
  t.true(await start(codes))
  t.false(await start({ ...codes, ADMIN_SIGN_IN_METHODS: 'email' }))
})
