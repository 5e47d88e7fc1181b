import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { readMethods } from '../../src/rpc/method.ts'
import { createStores } from '../../src/server/stores.ts'
import {
  beginAtConnection,
  connectWorkspace,
  createConnectionEnvironment,
  obtainConnectionCode,
  obtainConnectionTokens,
  signInByConnection,
} from '../support/connections.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { appUri, createPkce, obtainCode, signIn } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createConnectionEnvironment()
const { pool, seed, database, admin } = environment
const [, rest] = environment.transports as [Transport, Transport]
test.after.always(() => environment.stop())

const stores = () => createStores(database.fork())
const pick = ({ refresh_token }: Record<string, unknown>) => ({ refresh_token })
/** The methods that take the token of the account page alone. */
const ofAccountPage = readMethods(readRegistry()).flatMap(({ descriptor, policy }) =>
  policy.credentials.some((kinds) => kinds.includes('account_page'))
    ? [`${descriptor.parent.name}/${descriptor.name}`]
    : [],
)
const findUser = (email: string) => stores().users.findByEmail(email)

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a new person becomes a member of that workspace alone ${over}`, async (t) => {
    const connected = await connectWorkspace(t, environment, transport, { default_role: 'editor' })
    const { workspace_id, connection_id } = connected
    const email = connected.assert('ann')
    const tokens = await obtainConnectionTokens(transport, connected)
    const claims = decodeJwt(tokens.access_token)
    t.like(claims, { wid: workspace_id, wrole: 'editor', email, name: 'ann', connection_id })
    const { workspaces } = expectOk(
      await transport.call('WorkspaceService/ListWorkspaces', {}, { token: tokens.access_token }),
    )
    t.deepEqual(
      workspaces.map(({ id }: { id: string }) => id),
      [workspace_id],
    )
    const { rows } = await pool.query(
      `select action, detail from activity where workspace_id = $1 and target_id = $2`,
      [workspace_id, claims.sub],
    )
    t.deepEqual(rows, [
      {
        action: 'connection.member_joined',
        detail: { email, role: 'editor', guest: 'false', connection_id },
      },
    ])
    t.like(
      decodeJwt(
        expectOk(await transport.call('RefreshToken', pick(tokens))).access_token as string,
      ),
      { connection_id },
      'the mark outlives a refresh',
    )
  })

  test(`malformed documents of a provider refuse the sign-in ${over}`, async (t) => {
    for (const document of [
      { code_challenge_methods_supported: {} },
      { token_endpoint_auth_methods_supported: 7 },
      { authorization_endpoint: null },
    ]) {
      const connected = await connectWorkspace(t, environment, transport)
      connected.authority.document = document
      const request = { redirect_uri: appUri, code_challenge: createPkce().challenge }
      const { provider } = connected
      const message = { provider, ...request, code_challenge_method: 'S256' }
      const begun = await beginAtConnection(transport, 'BeginLogin', message)
      t.regex(begun.location, /[?&]error=/, JSON.stringify(document))
    }
    for (const keySet of [{ keys: [null] }, { keys: [{ kty: 'RSA', n: 7 }] }, { keys: {} }, null]) {
      const connected = await connectWorkspace(t, environment, transport)
      connected.assert('ann')
      connected.authority.keySet = keySet
      t.truthy((await obtainConnectionCode(transport, connected)).error, JSON.stringify(keySet))
    }
    for (const body of [
      { id_token: 7 },
      { access_token: {} },
      { scope: [] },
      { id_token: 'a.b' },
    ]) {
      const connected = await connectWorkspace(t, environment, transport)
      connected.assert('ann')
      connected.authority.token.body = body
      t.truthy((await obtainConnectionCode(transport, connected)).error, JSON.stringify(body))
    }
  })

  test(`an existing member keeps the role, and the profile that others see ${over}`, async (t) => {
    const connected = await connectWorkspace(t, environment, transport)
    const email = connected.assert('ann', { name: 'Another name' })
    const id = await connected.addMember('admin', 'ann')
    const other = await seed.workspace()
    await seed.member(other, id, 'viewer')
    const { access_token } = await obtainConnectionTokens(transport, connected)
    t.like(decodeJwt(access_token), { sub: id, wrole: 'admin', name: 'member' })
    t.is((await findUser(email))?.name, 'member')
    t.deepEqual(await stores().accounts.list(id), [], 'no account is linked')
  })

  test(`a session through a connection reaches nothing beyond its workspace ${over}`, async (t) => {
    const connected = await connectWorkspace(t, environment, transport)
    const email = connected.assert('ann')
    environment.addProviderUser({ email })
    const otherwise = await signIn(transport, email, 'github')
    const personal = otherwise.tokens.workspace_id
    const invitedTo = await seed.workspace()
    await seed.member(invitedTo, (await findUser(email))?.id as string, 'viewer', {
      joined_at: null,
    })

    const { code, verifier } = await obtainConnectionCode(transport, connected)
    const { workspaces } = expectOk(await transport.call('ListCodeWorkspaces', { code }))
    t.deepEqual(
      workspaces.map(({ id }: { id: string }) => id),
      [connected.workspace_id],
    )
    for (const workspace_id of [personal, invitedTo]) {
      const exchange = { code, workspace_id, code_verifier: verifier }
      const refused = expectError(await transport.call('ExchangeToken', exchange))
      t.is(refused.reason, 'CONNECTION_SESSION')
    }
    const own = { code, workspace_id: connected.workspace_id, code_verifier: verifier }
    const tokens = expectOk(await transport.call('ExchangeToken', own))
    const { refresh_token } = tokens
    for (const workspace_id of [personal, invitedTo]) {
      const switched = await transport.call('SwitchWorkspace', { refresh_token, workspace_id })
      t.is(expectError(switched).reason, 'CONNECTION_SESSION')
    }
    const as = { token: tokens.access_token }
    for (const [method, message] of [
      ['WorkspaceService/CreateWorkspace', { name: 'x', slug: `x-${randomUUID()}` }],
      ['UserService/UpdateMe', { name: 'x' }],
      ['UserService/ListAccounts', {}],
      ['UserService/UnlinkAccount', { account_id: randomUUID() }],
    ] as const) {
      const error = expectError(await transport.call(method, message, as))
      const isOfPage = ofAccountPage.includes(method)
      t.is(error.reason, isOfPage ? 'ACCOUNT_PAGE_ONLY' : 'CONNECTION_SESSION', method)
      t.is(error.code, 'permission_denied', method)
    }
    const listed = expectOk(await transport.call('ListWorkspaces', {}, as)).workspaces
    t.deepEqual(
      listed.map(({ id }: { id: string }) => id),
      [connected.workspace_id],
    )

    const { sessions } = expectOk(await transport.call('ListSessions', {}, as))
    t.deepEqual(
      sessions.map(({ provider }: { provider: string }) => provider),
      [connected.provider],
    )
    const otherToken = { token: otherwise.tokens.access_token }
    const all = expectOk(await transport.call('ListSessions', {}, otherToken)).sessions
    const foreign = all.find(({ provider }: { provider: string }) => provider === 'github')
    const ended = await transport.call('EndSession', { session_id: foreign.id }, as)
    t.is(expectError(ended).reason, 'SESSION_NOT_FOUND')
    t.true((await transport.call('EndOtherSessions', {}, as)).ok)
    t.true((await transport.call('Logout', {}, as)).ok)
    t.is(expectError(await transport.call('GetMe', {}, as)).reason, 'TOKEN_REVOKED')
    t.true((await transport.call('GetMe', {}, otherToken)).ok, 'the other session goes on')
  })

  test(`hostile providers sign nobody in ${over}`, async (t) => {
    const connected = await connectWorkspace(t, environment, transport)
    const email = connected.assert('ann')
    const refuse = async (claims: object, expected: string, alter?: (claims: any) => any) => {
      connected.assert('ann', { ...claims })
      const { outcome } = await signInByConnection(transport, connected, alter)
      const error = outcome.ok
        ? new URL(outcome.message.location).searchParams.get('error')
        : 'none'
      t.is(error, expected, JSON.stringify(claims))
    }
    await refuse({ nonce: 'another' }, 'invalid_response')
    await refuse({ iss: 'https://other.example.com' }, 'invalid_response')
    await refuse({ aud: 'somebody else' }, 'invalid_response')
    await refuse({ exp: 1_700_000_000 }, 'invalid_response')
    await refuse({ sub: '' }, 'invalid_response')
    await refuse({ email_verified: false }, 'email_not_verified')
    for (const email_verified of ['True', 'yes', 1, 'false'])
      await refuse({ email_verified }, 'email_not_verified')
    await refuse({ email: undefined }, 'email_missing')
    await refuse({ email: 'ann@other.example.com' }, 'domain_not_verified')
    await refuse({ email: `ann@sub.${connected.domain}` }, 'domain_not_verified')
    await refuse({ email: `ann@${connected.domain}@example.com` }, 'email_unsupported')
    const wrongIssuer = (callback: object) => ({ ...callback, iss: 'https://other.example.com' })
    await refuse({}, 'invalid_response', wrongIssuer)
    const unsigned = [{ alg: 'none' }, { sub: 'x', email }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    connected.authority.token.body = {
      ...{ access_token: 'x', token_type: 'Bearer', id_token: `${unsigned}.` },
    }
    await refuse({}, 'invalid_response')
    connected.authority.token = {}
    t.is(await findUser(email), undefined)
    const { error } = await obtainConnectionCode(transport, connected)
    t.is(error, null, 'the honest provider signs in')
    await refuse({ sub: 'another-subject' }, 'account_conflict')
  })
}

for (const transport of environment.transports)
  test(`what an ID token lacks about the address is read from UserInfo over ${transport.label}`, async (t) => {
    const connected = await connectWorkspace(t, environment, transport)
    const { authority } = connected
    const signInWith = async (claims: object, userInfo: typeof authority.userInfo) => {
      connected.assert('ann', { ...claims })
      authority.userInfo = userInfo
      return (await obtainConnectionCode(transport, connected)).error
    }
    const email = `ann@${connected.domain}`
    const bare = { email: undefined, email_verified: undefined }
    t.is(await signInWith(bare, {}), 'email_missing')
    const warnings = environment.warnings.filter((text) => text.includes(connected.provider))
    t.regex(warnings.at(-1) ?? '', /email_missing: request the scope email/)
    t.is(await signInWith(bare, { status: 403 }), 'email_missing')
    t.is(await signInWith(bare, { body: { email, sub: 'another' } }), 'invalid_response')
    t.is(await signInWith(bare, { body: { email, email_verified: false } }), 'email_not_verified')
    t.is(
      await signInWith(bare, { body: { email: `änn@${connected.domain}` } }),
      'email_unsupported',
    )
    t.is(await signInWith(bare, { body: { email: 'ann@münchen.example' } }), 'email_unsupported')
    t.is(await signInWith(bare, { body: { email: 7 } }), 'email_unsupported')
    t.is(await signInWith(bare, { status: 500 }), 'provider_unavailable')
    const unsaid = { email_verified: undefined }
    const denied = { body: { email, email_verified: false } }
    t.is(await signInWith(unsaid, denied), 'email_not_verified')
    t.is(await findUser(email), undefined)
    const another = { body: { email: `bob@${connected.domain}`, email_verified: false } }
    t.is(await signInWith(unsaid, another), null, 'UserInfo speaks of another address')
    t.is(await signInWith(unsaid, { status: 401 }), null)
    t.is(await signInWith(bare, { body: { email, email_verified: 'true' } }), null)
    t.is(await signInWith({}, { status: 500 }), null, 'a complete ID token suffices')
  })

test('callbacks belong to the connection that began', async (t) => {
  const first = await connectWorkspace(t, environment, rest)
  const second = await connectWorkspace(t, environment, rest)
  first.assert('ann')
  const { outcome } = await signInByConnection(rest, first, (callback) => ({
    ...callback,
    provider: second.provider,
  }))
  t.is(expectError(outcome).reason, 'STATE_REFUSED')
})

test('no connection signs in to the admin console', async (t) => {
  const { provider } = await connectWorkspace(t, environment, rest)
  const error = expectError(await rest.call('BeginAdminLogin', { provider }))
  t.is(error.reason, 'PROVIDER_NOT_FOUND')
  const unknown = { provider: `connection:${randomUUID()}` }
  t.is(expectError(await rest.call('BeginAdminLogin', unknown)).reason, 'PROVIDER_NOT_FOUND')
})

test('a connection speaks for no address of another workspace', async (t) => {
  const connected = await connectWorkspace(t, environment, rest)
  const other = await connectWorkspace(t, environment, rest)
  connected.assert('ann', { email: `ann@${other.domain}` })
  const { error } = await obtainConnectionCode(rest, connected)
  t.is(error, 'domain_not_verified')
})

test('without a verified domain, nobody signs in, and sessions do not go on', async (t) => {
  const connected = await connectWorkspace(t, environment, rest)
  connected.assert('ann')
  const tokens = await obtainConnectionTokens(rest, connected)
  await stores().connectionDomains.unverify(connected.connection_id, connected.domain)
  const { error } = await obtainConnectionCode(rest, connected)
  t.is(error, 'access_denied')
  const refreshed = expectError(await rest.call('RefreshToken', pick(tokens)))
  t.is(refreshed.reason, 'REFRESH_TOKEN_REFUSED')
})

test('sessions end with the connection, and with its provider', async (t) => {
  const other = await connectWorkspace(t, environment, rest)
  const ends: [string, (connected: typeof other) => Promise<unknown>][] = [
    ['deactivated', ({ change }) => change({ is_active: false })],
    ['other client', ({ change }) => change({ client_id: 'other' })],
    ['deleted', ({ ids }) => admin.call(rest, 'DeleteConnection', ids)],
  ]
  for (const [name, end] of ends) {
    const connected = await connectWorkspace(t, environment, rest)
    connected.assert('ann')
    const tokens = await obtainConnectionTokens(rest, connected)
    const pending = await obtainConnectionCode(rest, connected)
    await end(connected)
    const me = await rest.call('GetMe', {}, { token: tokens.access_token })
    t.is(expectError(me).reason, 'TOKEN_REVOKED', name)
    t.false((await rest.call('RefreshToken', pick(tokens))).ok, name)
    const { code, verifier } = pending
    const exchange = { code, workspace_id: connected.workspace_id, code_verifier: verifier }
    t.false((await rest.call('ExchangeToken', exchange)).ok, name)
  }
})

test('somebody who joined through a connection gets a personal workspace at a sign-in otherwise', async (t) => {
  const connected = await connectWorkspace(t, environment, rest)
  const email = connected.assert('ann')
  await obtainConnectionTokens(rest, connected)
  environment.addProviderUser({ email })
  for (const expected of [2, 2]) {
    const { workspaces } = await obtainCode(rest, email, 'github')
    t.is(workspaces.length, expected)
  }
})

test('a removed member can join again with another subject', async (t) => {
  const connected = await connectWorkspace(t, environment, rest)
  connected.assert('ann')
  const { access_token } = await obtainConnectionTokens(rest, connected)
  const { sub: user_id } = decodeJwt(access_token)
  const { workspace_id } = connected
  t.true((await admin.call(rest, 'RemoveMember', { workspace_id, user_id })).ok)
  connected.assert('ann', { sub: 'new-subject' })
  const tokens = await obtainConnectionTokens(rest, connected)
  t.is(decodeJwt(tokens.access_token).sub, user_id)
})

test('the mapping gives role and groups at each sign-in, and records changes', async (t) => {
  const connected = await connectWorkspace(t, environment, rest)
  const { workspace_id } = connected
  const [engineers, sales, own] = await Promise.all([
    seed.group(workspace_id),
    seed.group(workspace_id),
    seed.group(workspace_id),
  ])
  const mapping = {
    role_claim: 'roles',
    roles: { staff: 'editor', boss: 'admin' },
    groups_claim: 'teams',
    groups: { eng: engineers, sales },
  }
  expectOk(await connected.change({ mapping }))
  const signInWith = async (claims: object) => {
    connected.assert('ann', { ...claims })
    const { access_token } = await obtainConnectionTokens(rest, connected)
    const { sub, wrole, groups } = decodeJwt(access_token)
    return { sub: sub as string, wrole, groups: (groups as string[]).toSorted() }
  }
  const first = await signInWith({ roles: ['staff', 'boss', 'toString'], teams: 'eng' })
  t.like(first, { wrole: 'admin', groups: [engineers] })
  await pool.query(
    'insert into group_members (group_id, user_id, workspace_id) values ($1, $2, $3)',
    [own, first.sub, workspace_id],
  )
  const second = await signInWith({ roles: 'staff', teams: ['sales', 'eng'] })
  t.like(second, { wrole: 'editor', groups: [engineers, sales, own].toSorted() })
  await signInWith({ roles: 'staff', teams: ['sales', 'eng'] })
  const third = await signInWith({ roles: ['nothing', 'owner'] })
  t.like(third, { wrole: 'viewer', groups: [own] })
  const { rows } = await pool.query(
    `select action, detail->>'to' as role, target_id from activity
     where workspace_id = $1 and action ~ '^(member.role|group.member)' order by id`,
    [workspace_id],
  )
  t.deepEqual(
    rows.map(({ action, role, target_id }) => [action, role ?? target_id]),
    [
      ['group.member_added', engineers],
      ['member.role_changed', 'editor'],
      ['group.member_added', sales],
      ['member.role_changed', 'viewer'],
      ...[engineers, sales].toSorted().map((group) => ['group.member_removed', group]),
    ],
  )
})

test('a mapping makes a guest at a sign-in, and lifts it', async (t) => {
  const connected = await connectWorkspace(t, environment, rest)
  const roles = { contractor: 'guest', staff: 'editor' }
  expectOk(await connected.change({ mapping: { role_claim: 'roles', roles } }))
  const signInWith = async (value: string) => {
    connected.assert('eve', { roles: value })
    const { access_token } = await obtainConnectionTokens(rest, connected)
    const { sub, wrole, guest } = decodeJwt(access_token)
    const message = { workspace_id: connected.workspace_id }
    const { reason } = { reason: undefined, ...(await list(message, access_token)) }
    return { sub, claims: [wrole, guest], reason }
  }
  const list = (message: object, token: string) =>
    rest.call('ListMembers', message, { token }) as Promise<{ reason?: string }>
  const first = await signInWith('contractor')
  t.like(first, { claims: ['viewer', true], reason: 'GUEST' })
  t.like(await signInWith('staff'), { claims: ['editor', undefined], reason: undefined })
  t.like(await signInWith('contractor'), { claims: ['viewer', true], reason: 'GUEST' })
  const { rows } = await pool.query(
    `select action, detail->>'role' as role, detail->>'to' as "to", detail->>'guest' as guest
     from activity where workspace_id = $1 and target_id = $2 order by id`,
    [connected.workspace_id, first.sub],
  )
  t.deepEqual(
    rows.map(({ action, role, to, guest }) => [action, role ?? to, guest]),
    [
      ['connection.member_joined', 'viewer', 'true'],
      ['member.role_changed', 'editor', null],
      ['member.updated', null, 'false'],
      ['member.role_changed', 'viewer', null],
      ['member.updated', null, 'true'],
    ],
  )
})

test('claims that the provider keeps elsewhere change nothing, which is recorded once a day', async (t) => {
  const connected = await connectWorkspace(t, environment, rest)
  const { workspace_id, connection_id } = connected
  const engineers = await seed.group(workspace_id)
  const mapping = {
    ...{ role_claim: 'roles', roles: { boss: 'admin' } },
    ...{ groups_claim: 'groups', groups: { eng: engineers } },
  }
  expectOk(await connected.change({ mapping }))
  const signInWith = async (claims: object) => {
    connected.assert('ann', { email_verified: 'true', ...claims })
    const { access_token } = await obtainConnectionTokens(rest, connected)
    const { wrole, groups } = decodeJwt(access_token)
    return [wrole, groups]
  }
  const recorded = async () => {
    const { rows } = await pool.query(
      `select target_id, detail->>'claims' as claims, detail->>'cure' as cure from activity
       where action = 'connection.claims_missing' and workspace_id = $1 order by id`,
      [workspace_id],
    )
    return rows.map(({ target_id, claims, cure }) => [target_id, claims, cure !== ''])
  }
  const all = ['admin', [engineers]]
  t.deepEqual(await signInWith({ roles: 'boss', groups: ['eng'] }), all)
  const names = (...claims: string[]) => ({
    _claim_names: Object.fromEntries(claims.map((name) => [name, 'src1'])),
    _claim_sources: { src1: { endpoint: 'https://graph.example/users/1/getMemberObjects' } },
  })
  t.deepEqual(await recorded(), [])
  t.deepEqual(await signInWith(names('groups', 'roles')), all)
  t.deepEqual(await recorded(), [[connection_id, 'roles, groups', true]])
  t.deepEqual(await signInWith({ roles: 'boss', hasgroups: true }), all)
  t.deepEqual(await signInWith({ roles: 'boss', hasgroups: 'true' }), all)
  t.is((await recorded()).length, 1, 'once a day')
  await pool.query(
    `update activity set created_at = created_at - interval '1 day'
     where action = 'connection.claims_missing' and workspace_id = $1`,
    [workspace_id],
  )
  t.deepEqual(await signInWith({ roles: 'boss', ...names('groups') }), all)
  t.deepEqual((await recorded())[1], [connection_id, 'groups', true])
  for (const claims of [names('other'), { ...names('groups'), groups: [] }, { hasgroups: false }])
    t.deepEqual(await signInWith(claims), ['viewer', []], JSON.stringify(claims))
  await signInWith({ roles: 'boss', groups: ['eng'] })
  for (const _claim_names of [null, 'groups', ['groups'], { __proto__: { groups: 'x' } }])
    t.deepEqual(await signInWith({ roles: 'boss', _claim_names }), ['admin', []])

  expectOk(await connected.change({ mapping: { role_claim: 'groups', roles: { eng: 'editor' } } }))
  t.deepEqual(await signInWith({ groups: 'eng' }), ['editor', []])
  t.deepEqual(await signInWith(names('groups')), ['editor', []], 'a role from groups')
})

test('the mapping demotes an owner, but never the last one', async (t) => {
  const connected = await connectWorkspace(t, environment, rest)
  await pool.query('delete from members where user_id = $1', [connected.owner])
  expectOk(await connected.change({ mapping: { role_claim: 'roles', roles: {} } }))
  await connected.addMember('owner', 'ann')
  connected.assert('ann', { roles: 'x' })
  const last = await obtainConnectionTokens(rest, connected)
  t.is(decodeJwt(last.access_token).wrole, 'owner')
  await seed.newMember(connected.workspace_id, 'owner')
  const other = await obtainConnectionTokens(rest, connected)
  t.is(decodeJwt(other.access_token).wrole, 'viewer')
})

test('a full workspace and an inactive user sign nobody in', async (t) => {
  const node = await environment.addNode({ MAX_MEMBERS_PER_WORKSPACE: 1 })
  const [, http] = node.transports as [Transport, Transport]
  const connected = await connectWorkspace(t, environment, rest)
  connected.assert('ann')
  t.is((await obtainConnectionCode(http, connected)).error, 'access_denied')
  const email = connected.assert('bob')
  const id = await connected.addMember('viewer', 'bob')
  t.is((await findUser(email))?.id, id)
  t.is((await obtainConnectionCode(http, connected)).error, null)
  await pool.query('update users set is_active = false where id = $1', [id])
  t.is((await obtainConnectionCode(http, connected)).error, 'user_inactive')
})
