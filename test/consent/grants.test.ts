// Threat: grants that outlive, a flood of grants pushes one's own sessions out.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { createAdmin } from '../support/admin.ts'
import { createConsentSteps } from '../support/consent.ts'
import { signInWithOAuth } from '../support/oauth.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment({
  options: { MAX_SESSIONS_PER_USER: 2, MAX_GRANTS_PER_USER: 4 },
})
const { pool, seed } = environment
const admin = await createAdmin(environment)
// Grants end on every node at once.
const other = await environment.addNode()
test.after.always(() => environment.stop())

type Connected = Awaited<ReturnType<ReturnType<typeof createConsentSteps>['connect']>>

for (const [index, transport] of environment.transports.entries()) {
  const over = `over ${transport.label}`
  const steps = createConsentSteps(environment, transport)
  const { connect, refresh, choose, open, begin, endOf, exchange } = steps
  const elsewhere = other.transports[index] as Transport
  const claimsOf = ({ tokens }: Connected) => decodeJwt(tokens.access_token)
  const grantOf = (connected: Connected) => String(claimsOf(connected).gid)
  const userOf = (connected: Connected) => String(claimsOf(connected).sub)
  const administer = (method: string, message: object) =>
    transport.call(method, message, { admin: admin.token })
  const tokenOf = (connected: Connected) =>
    environment.token(userOf(connected), connected.tokens.workspace_id)
  const check = async ({ tokens, api }: Connected, at = elsewhere) => {
    const kind = { service_name: api.service, resource_type: 'document' }
    const checks = [{ ...kind, resource_id: randomUUID(), action: 'view' }]
    return at.call('Check', { checks }, { token: tokens.access_token, key: api.key })
  }
  /** Whether neither token of a grant is good for anything, on any node. */
  const hasEnded = async (connected: Connected) => {
    const { code } = expectError(await check(connected))
    const refused = expectError(await refresh(connected.client, connected.tokens.refresh_token))
    return code === 'unauthenticated' && refused.code !== 'unavailable'
  }

  test.serial(`people see what they have agreed to, and end it ${over}`, async (t) => {
    const connected = await connect()
    const token = await tokenOf(connected)
    const list = async () => expectOk(await transport.call('ListMyGrants', {}, { token }))
    const grantsIn = (listed: Record<string, any>) => listed.grants ?? listed
    const [grant, ...others] = grantsIn(await list())
    t.is(others.length, 0)
    const { created_at, last_used_at, user_id } = grant
    t.falsy(user_id)
    t.like(grant, {
      id: grantOf(connected),
      client_id: connected.client.client_id,
      client_name: 'Editor',
      host: 'rp.example.com',
      workspace_id: connected.tokens.workspace_id,
      resource: connected.api.uri,
      scopes: ['read'],
    })
    t.regex(last_used_at, /T00:00:00/)
    t.true(created_at >= last_used_at)
    expectOk(await check(connected))

    const stranger = await connect()
    const foreign = { token: await tokenOf(stranger) }
    const end = (credentials: { token: string }) =>
      transport.call('DeleteMyGrant', { grant_id: grant.id }, credentials)
    t.is(expectError(await end(foreign)).reason, 'GRANT_NOT_FOUND')
    // Nor does the app itself end or see grants.
    const ofApp = { token: connected.tokens.access_token }
    t.is(expectError(await end(ofApp)).reason, 'WRONG_AUDIENCE')
    t.is(expectError(await transport.call('ListMyGrants', {}, ofApp)).reason, 'WRONG_AUDIENCE')
    expectOk(await check(connected))

    expectOk(await end({ token }))
    t.true(await hasEnded(connected))
    t.deepEqual(grantsIn(await list()), [])
    t.is(expectError(await end({ token })).reason, 'GRANT_NOT_FOUND')
    // The app asks again.
    t.is((await open(connected.request, connected.session)).choices.length, 2)
    const { rows } = await pool.query(
      `select detail, actor_id from activity where target_id = $1 and action = 'grant.revoked'`,
      [grant.id],
    )
    t.is(rows.length, 1)
    t.is(rows[0].actor_id, userOf(connected))
    t.like(rows[0].detail, { host: 'rp.example.com', client: connected.client.client_id })
  })

  test.serial(`a code of a grant that has ended is worth nothing ${over}`, async (t) => {
    const begun = await begin()
    const page = await open(begun.request, begun.session)
    const { code = '' } = endOf(expectOk(await choose(page, 'allow', begun.session)))
    const { rows } = await pool.query(
      'select c.id, c.user_id, c.workspace_id from consents c join users u on u.id = c.user_id where u.email = $1',
      [begun.email],
    )
    const [{ id, user_id, workspace_id }] = rows
    const token = await environment.token(user_id, workspace_id)
    expectOk(await transport.call('DeleteMyGrant', { grant_id: id }, { token }))
    t.is(expectError(await exchange(begun, code)).code, 'failed_precondition')
  })

  test.serial(`admins of a workspace see and end what its members agreed to ${over}`, async (t) => {
    const connected = await connect()
    const { workspace_id } = connected.tokens
    const grant_id = grantOf(connected)
    const people = Object.fromEntries(
      await Promise.all(
        (['owner', 'admin', 'editor', 'viewer'] as const).map(async (role) => {
          const id = await seed.newMember(workspace_id, role)
          return [role, { token: await environment.token(id, workspace_id) }]
        }),
      ),
    )
    for (const role of ['owner', 'admin']) {
      const page = expectOk(
        await transport.call('ListWorkspaceGrants', { workspace_id }, people[role]),
      )
      t.is(page.total, 1)
      t.like(page.items[0], { id: grant_id, user_id: userOf(connected) })
    }
    for (const role of ['editor', 'viewer']) {
      const listed = await transport.call('ListWorkspaceGrants', { workspace_id }, people[role])
      t.is(expectError(listed).code, 'permission_denied')
      const ended = { workspace_id, grant_id }
      const outcome = await transport.call('DeleteWorkspaceGrant', ended, people[role])
      t.is(expectError(outcome).code, 'permission_denied')
    }
    // A grant of another workspace does not exist in this one.
    const elsewhere = grantOf(await connect())
    const foreign = { workspace_id, grant_id: elsewhere }
    const outcome = await transport.call('DeleteWorkspaceGrant', foreign, people.owner)
    t.is(expectError(outcome).reason, 'GRANT_NOT_FOUND')
    const own = { workspace_id, grant_id }
    expectOk(await transport.call('DeleteWorkspaceGrant', own, people.admin))
    t.true(await hasEnded(connected))
  })

  test.serial(
    `administrators filter the grants of all, and end those of a client ${over}`,
    async (t) => {
      const client = await steps.createClient()
      const [one, two] = [await connect({}, { client }), await connect({}, { client })]
      const unrelated = await connect()
      const list = async (message: object) => expectOk(await administer('ListGrants', message))
      const { client_id } = client
      const idsOf = ({ items }: Record<string, any>) => items.map(({ id }: { id: string }) => id)
      t.deepEqual(idsOf(await list({ client_id })), [grantOf(two), grantOf(one)])
      t.deepEqual(idsOf(await list({ client_id, user_id: userOf(one) })), [grantOf(one)])
      t.deepEqual(idsOf(await list({ resource: two.api.uri })), [grantOf(two)])
      const { workspace_id } = one.tokens
      t.deepEqual(idsOf(await list({ workspace_id, host: 'rp.example.com' })), [grantOf(one)])
      t.is((await list({ client_id, host: 'other.example.com' })).total, 0)
      const page = await list({ client_id, page_size: 1, page: 2 })
      t.deepEqual({ ids: idsOf(page), total: page.total }, { ids: [grantOf(one)], total: 2 })

      const both = await administer('DeleteGrants', { client_id, host: 'a.example' })
      t.is(expectError(both).code, 'invalid_argument')
      const neither = await administer('DeleteGrants', {})
      t.is(expectError(neither).code, 'invalid_argument')
      const { ended } = expectOk(await administer('DeleteGrants', { client_id }))
      t.is(ended, 2)
      for (const connected of [one, two]) t.true(await hasEnded(connected))
      expectOk(await check(unrelated))
      const grant_id = grantOf(unrelated)
      expectOk(await administer('DeleteGrant', { grant_id }))
      t.true(await hasEnded(unrelated))
    },
  )

  test.serial(`what gave a grant ends it ${over}`, async (t) => {
    const removed = await connect()
    const { workspace_id } = removed.tokens
    const owner = await seed.newMember(workspace_id, 'owner')
    const token = await environment.token(owner, workspace_id)
    const member = { workspace_id, user_id: userOf(removed) }
    expectOk(await transport.call('RemoveMember', member, { token }))
    t.true(await hasEnded(removed))

    const unregistered = await connect()
    const service_app_id = unregistered.api.id
    const without = { service_app_id, remove_api_resources: true }
    expectOk(await admin.call(transport, 'UpdateServiceApp', without))
    expectError(await check(unregistered))

    const deleted = await connect()
    const client_app_id = deleted.client.client_id
    expectOk(await admin.call(transport, 'DeleteClientApp', { client_app_id }))
    expectError(await check(deleted))
    const { rows } = await pool.query('select from consents where id = any($1)', [
      [removed, unregistered, deleted].map(grantOf),
    ])
    t.is(rows.length, 0)
  })

  test.serial(`a flood of grants ends the one that was not used for longest ${over}`, async (t) => {
    const { tokens, email, client } = await signInWithOAuth(environment, transport)
    const connected: Connected[] = []
    for (let count = 0; count < 4; count++) connected.push(await connect({}, { email }))
    const [first, second] = connected as [Connected, Connected]
    // A refresh is a use.
    await pool.query(
      `update consents set last_used_at = last_used_at - interval '2 days' where id = any($1)`,
      [connected.map(grantOf)],
    )
    expectOk(await refresh(first.client, first.tokens.refresh_token))
    await connect({}, { email })
    t.true(await hasEnded(second))
    expectOk(await check(first))
    // One grant has sessions of its own, which end no others.
    for (let count = 0; count < 3; count++)
      await connect({ prompt: 'consent' }, { email, client: first.client, api: first.api })
    expectOk(await refresh(client, tokens.refresh_token))
  })

  test.serial(`the export of a user contains the grants ${over}`, async (t) => {
    const connected = await connect()
    const user_id = userOf(connected)
    const exported = expectOk(await admin.call(transport, 'ExportUser', { user_id }))
    t.like(exported.grants[0], { id: grantOf(connected), host: 'rp.example.com' })
  })
}
