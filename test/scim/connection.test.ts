import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { decodeJwt } from 'jose'
import {
  connectWorkspace,
  createConnectionEnvironment,
  obtainConnectionCode,
  obtainConnectionTokens,
  publish,
} from '../support/connections.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createScimClient, seedScimToken } from '../support/scim.ts'
import { signIn as signInAnywhere } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createConnectionEnvironment()
const { pool, dns, admin } = environment
const [, rest] = environment.transports as [Transport, Transport]
test.after.always(() => environment.stop())

/** Connects a new workspace, and returns a client of its directory. */
async function connectDirectory(t: ExecutionContext) {
  const connected = await connectWorkspace(t, environment, rest)
  const { workspace_id: workspace, domain } = connected
  const token = await seedScimToken(environment, workspace)
  const directory = createScimClient({ httpPort: environment.httpPort, workspace, domain, token })
  const rename = (id: string, value: string) =>
    directory.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value })
  /** Signs the asserted person in. Returns the user's ID, or the error. */
  const signIn = async () => {
    const { error } = await obtainConnectionCode(rest, connected)
    if (error) return error
    return decodeJwt((await obtainConnectionTokens(rest, connected)).access_token).sub
  }
  return { ...connected, directory, rename, signIn }
}

const link = (id: string) =>
  pool.query(
    `insert into linked_accounts (provider, subject, user_id, email)
     select 'github', id, id, email from users where id = $1`,
    [id],
  )

test('a deactivated person cannot join again through the connection', async (t) => {
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

test('a freed address belongs to the next person, also before a first sign-in', async (t) => {
  const { assert, directory, rename, signIn } = await connectDirectory(t)
  const first = await directory.provision('dan')
  const moved = assert('dan.lee')
  t.is((await rename(first.id, moved)).status, 200)
  const second = await directory.provision('dan')
  t.not(second.id, first.id)
  assert('dan')
  t.is(await signIn(), second.id)
  assert('dan.lee')
  t.is(await signIn(), first.id)
})

test('a freed address signs in a new person whom the directory has not provisioned', async (t) => {
  const { assert, directory, rename, signIn } = await connectDirectory(t)
  const { id } = await directory.provision('dan')
  await rename(id, assert('dan.lee'))
  const email = assert('dan')
  const other = await signIn()
  t.regex(other as string, /^[0-9a-f-]{36}$/)
  t.not(other, id)
  environment.addProviderUser({ email })
  const { tokens } = await signInAnywhere(rest, email, 'github')
  t.is(decodeJwt(tokens.access_token).sub, other, 'and so does any other provider')
})

test('a person who signs in elsewhere keeps their address, which signs nobody else in', async (t) => {
  const { assert, directory, rename, signIn } = await connectDirectory(t)
  const { id } = await directory.provision('dan')
  await link(id)
  t.is((await rename(id, assert('dan.lee'))).status, 200)
  const refused = await directory.send('POST', '/Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: directory.address('dan'),
  })
  t.like(refused, { status: 409, body: { scimType: 'uniqueness' } })
  t.regex(refused.body.detail, /elsewhere/)
  assert('dan')
  t.is(await signIn(), 'account_conflict')
  assert('dan.lee')
  t.is(await signIn(), id)
  const { rows } = await pool.query('select email from users where id = $1', [id])
  t.deepEqual(rows, [{ email: directory.address('dan') }])
})

test('an ID of the directory in the token names the person before any address does', async (t) => {
  const { assert, directory, signIn } = await connectDirectory(t)
  const people = ['eve', 'fay', 'gil'] as const
  const [eve, fay, gil] = await Promise.all(
    people.map((name) => directory.provision(name, { externalId: `id-${name}` })),
  )
  assert('eve', { sub: 'pairwise', oid: 'id-fay' })
  t.is(await signIn(), fay?.id, 'oid')
  assert('fay', { sub: 'id-eve' })
  t.is(await signIn(), eve?.id, 'sub')
  assert('fay', { sub: 'another', oid: 'id-eve', externalId: 'id-gil' })
  t.is(await signIn(), 'account_conflict', 'two people')
  assert('gil', { sub: 'third', oid: ['id-eve'], externalId: 7 })
  t.is(await signIn(), gil?.id, 'gil')
})

test('a provisioned person signs in by verified domains alone, and keeps their name', async (t) => {
  const { assert, directory, rename, signIn, ...connected } = await connectDirectory(t)
  const other = `${randomUUID()}.example`
  const domains = [connected.domain, other]
  publish(dns, expectOk(await connected.change({ domains })).domains)
  const ids = { ...connected.ids, domain: other }
  expectOk(await admin.call(rest, 'VerifyConnectionDomain', ids))
  const lapse = (is: boolean) =>
    pool.query('update connection_domains set verified_at = $2 where domain = $1', [
      other,
      is ? null : new Date(),
    ])
  const names = async (id: string) =>
    (await pool.query('select name, given_name, family_name from users where id = $1', [id])).rows

  const linked = await directory.send('POST', '/Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: `ida@${other}`,
    externalId: 'id-ida',
  })
  const { id } = linked.body
  await pool.query(
    `update users set name = 'Ida', given_name = 'Ida', family_name = 'Own' where id = $1`,
    [id],
  )
  const before = await names(id)
  const claims = { name: 'X', given_name: 'X', family_name: 'Y' }
  assert('ida', { ...claims, sub: 'id-ida' })
  await lapse(true)
  t.is(await signIn(), 'domain_not_verified', 'the userName')
  await lapse(false)
  await link(id)
  await rename(id, `ida@${connected.domain}`)
  await lapse(true)
  assert('ida', claims)
  t.is(await signIn(), 'domain_not_verified', 'the address of the account')
  await lapse(false)
  t.is(await signIn(), id)
  await pool.query('delete from linked_accounts where user_id = $1', [id])
  t.is(await signIn(), id)
  t.deepEqual(await names(id), before, 'also of a person who is known here alone')
})
