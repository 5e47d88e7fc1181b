import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { startDevServer } from '../support/dev-server.ts'

const shell = promisify(execFile)

test('if its ports are in use, npm run dev picks and prints free ones, and tokens are valid', async (t) => {
  const names = [
    'HTTP',
    'GRPC',
    'METRICS',
    'CONSOLE',
    'DEMO',
    'DOCS',
    'MOCK_PROVIDERS',
    'MOCK_MAILBOX',
  ]
  // Browsers try ::1 first for localhost, so a process that listens only there is also in the way.
  const hosts = names.map((name) => (name === 'DEMO' ? '::1' : '127.0.0.1'))
  const taken = await Promise.all(hosts.map((host) => takePort(t, host)))
  const settings = names.map((name, index) => [`${name}_PORT`, `${taken[index]}`])
  const { env, root, welcome, rest } = await startDevServer(t, {
    ...Object.fromEntries(settings),
    BASE_URL: '',
  })

  const printed = [
    /REST API +http:\/\/localhost:(\d+)\n/,
    /gRPC +localhost:(\d+)\n/,
    /Metrics +http:\/\/localhost:(\d+)\/metrics\n/,
    /Admin console +http:\/\/localhost:(\d+) /,
    /Demo application +http:\/\/localhost:(\d+)\n/,
    /Documentation +http:\/\/localhost:(\d+) /,
    /Mock providers +http:\/\/127\.0\.0\.1:(\d+)\n/,
    /Mailbox +http:\/\/localhost:(\d+)\n/,
  ].map((pattern) => Number(pattern.exec(welcome)?.[1]))
  for (const [index, name] of names.entries()) {
    t.true(
      welcome.includes(`Port ${taken[index]} is in use: ${name}_PORT is ${printed[index]}`),
      name,
    )
  }
  const issuer = await fetch(`${rest}/.well-known/openid-configuration`)
  t.is(((await issuer.json()) as { issuer: string }).issuer, rest)
  // The taken ports can be equal to each other, because they are on two hosts.
  t.is(new Set(printed).size, names.length)
  for (const [index, port] of printed.entries()) t.not(port, taken[index])

  // In another shell, which does not know the ports.
  const { stdout } = await shell(
    'bash',
    [
      '-euc',
      `. "$DATA_DIR/server.env"
       TOKEN=$(npm run --silent daikon -- token --email bob@example.com)
       curl -s "$DAIKON_URL/users/me" -H "authorization: Bearer $TOKEN"; echo " $DAIKON_GRPC"`,
    ],
    { cwd: root, env },
  )
  t.regex(stdout, /"email":"bob@example\.com"/)
  t.true(stdout.endsWith(` localhost:${printed[1]}\n`))
})

async function takePort(t: ExecutionContext, host: string): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}
