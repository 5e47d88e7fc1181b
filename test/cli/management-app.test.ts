import test from 'ava'
import { isManagementSecret } from '../../src/identity/management-apps.ts'
import { runCli } from '../support/cli.ts'
import { issueManagementToken } from '../support/management-apps.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
const [transport] = environment.transports as [Transport]
test.after.always(() => environment.stop())

const run = (...args: string[]) => runCli(environment.databaseUrl, 'management-app', ...args)

test.serial('an app is created, listed, rotated and deactivated', async (t) => {
  const created = await run(
    ...['create', '--json', '--name', 'CI', '--scope', 'users:read', '--scope', 'stats:read'],
  )
  const { client_secret: secret, ...app } = JSON.parse(created.out)
  t.true(isManagementSecret(secret))
  t.deepEqual(app.scopes, ['stats:read', 'users:read'])
  const token = await issueManagementToken(transport, { id: app.id, secret })
  expectOk(await transport.call('GetStats', {}, { token }))
  t.deepEqual(
    JSON.parse((await run('list', '--json')).out).map(({ id }: { id: string }) => id),
    [app.id],
  )
  const rotated = await run('rotate', app.id, '--overlap', '0')
  t.regex(rotated.out, /The old secret has expired/)
  t.is(expectError(await transport.call('GetStats', {}, { token })).reason, 'TOKEN_REVOKED')
  t.regex((await run('deactivate', app.id)).out, /Deactivated/)
  const grant = { grant_type: 'client_credentials', client_id: app.id }
  const renewed = { ...grant, client_secret: rotated.out.trim().split('\n').at(-1) }
  t.is(expectError(await transport.call('IssueToken', renewed)).reason, 'INVALID_CLIENT')
})

test.serial('an unknown scope is refused', async (t) => {
  const { status, err } = await run('create', '--name', 'CI', '--scope', 'everything')
  t.is(status, 2)
  t.regex(err, /scopes/)
})
