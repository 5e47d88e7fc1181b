import test from 'ava'
import { decodeJwt } from 'jose'
import {
  connectWorkspace,
  createConnectionEnvironment,
  obtainConnectionCode,
  obtainConnectionTokens,
} from '../support/connections.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createScimClient, seedScimToken } from '../support/scim.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createConnectionEnvironment()
const [, rest] = environment.transports as [Transport, Transport]
test.after.always(() => environment.stop())

test('a deactivated person cannot join again by the connection', async (t) => {
  const connected = await connectWorkspace(t, environment, rest)
  const { workspace_id: workspace, domain } = connected
  const token = await seedScimToken(environment, workspace)
  const directory = createScimClient({ httpPort: environment.httpPort, workspace, domain, token })
  const { id } = await directory.provision('ann')
  const email = connected.assert('ann')
  const tokens = await obtainConnectionTokens(rest, connected)
  t.like(decodeJwt(tokens.access_token), { sub: id, email })

  const set = (value: boolean) =>
    directory.patch(`/Users/${id}`, { op: 'replace', path: 'active', value })
  t.is((await set(false)).status, 200)
  const { refresh_token, access_token } = tokens
  t.is(expectError(await rest.call('GetMe', {}, { token: access_token })).code, 'unauthenticated')
  t.is(expectError(await rest.call('RefreshToken', { refresh_token })).code, 'unauthenticated')
  t.is((await obtainConnectionCode(rest, connected)).error, 'access_denied')

  t.is((await set(true)).status, 200)
  expectOk(
    await rest.call(
      'GetMe',
      {},
      { token: (await obtainConnectionTokens(rest, connected)).access_token },
    ),
  )
  t.is((await directory.send('DELETE', `/Users/${id}`)).status, 204)
  t.is((await obtainConnectionCode(rest, connected)).error, 'access_denied')
})

test('a person whom the directory has renamed signs in as the same member', async (t) => {
  const connected = await connectWorkspace(t, environment, rest)
  const { workspace_id: workspace, domain } = connected
  const token = await seedScimToken(environment, workspace)
  const directory = createScimClient({ httpPort: environment.httpPort, workspace, domain, token })
  const { id } = await directory.provision('bea')
  const userName = connected.assert('beatrice')
  await directory.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: userName })
  const { access_token } = await obtainConnectionTokens(rest, connected)
  t.is(decodeJwt(access_token).sub, id)
})
