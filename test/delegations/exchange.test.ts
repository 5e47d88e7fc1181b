// Threat: a confused deputy, a token that outlives what it ends with, a chain of delegations.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { createApiKey } from '../../src/identity/api-keys.ts'
import { createKeyFiles, readKeys } from '../../src/identity/keys.ts'
import { hashSecret } from '../../src/identity/secret.ts'
import { accountClientId } from '../../src/identity/store/client-store.ts'
import { asserting, jwk, signAssertion } from '../support/client-assertions.ts'
import { type DelegationRow, insertDelegation } from '../support/delegation-rows.ts'
import { waitUntilAllBlocked } from '../support/lock-waits.ts'
import { createOAuthClient, issuer, signInWithOAuth } from '../support/oauth.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { seedServiceAccount } from '../support/request-fixture.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await createSignInEnvironment()
const { pool, seed, app } = environment
const { tokens } = app
test.after.always(() => environment.stop())

const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange' }
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'
const delegationType = 'urn:daikon:params:oauth:token-type:delegation'
const apiKeyType = 'urn:daikon:params:oauth:token-type:api_key'

/** An agent: its delegations' columns, and how it authenticates. */
type Agent = { row: Pick<DelegationRow, 'agent_type' | 'agent_id'>; credentials: object }
type AgentType = 'service_account' | 'client'

async function createApiKeyOf(account: string): Promise<string> {
  const key = createApiKey()
  await pool.query(
    `insert into api_keys (id, user_id, name, key_hash, key_prefix)
     values (gen_random_uuid(), $1, 'key', $2, 'da_')`,
    [account, hashSecret(key)],
  )
  return key
}

const createAgent: Record<AgentType, (workspace: string) => Promise<Agent>> = {
  async client() {
    const client = await createOAuthClient(environment, { type: 'confidential' })
    return { row: { agent_type: 'client', agent_id: client.client_id }, credentials: client }
  },
  async service_account(workspace) {
    const account = await seedServiceAccount(environment, workspace)
    return {
      row: { agent_type: 'service_account', agent_id: account },
      credentials: { actor_token: await createApiKeyOf(account), actor_token_type: apiKeyType },
    }
  },
}

const agentTypes = Object.keys(createAgent) as AgentType[]

/** An editor of a workspace who lets an agent view documents. */
async function createScene(transport: Transport, type: AgentType = 'client', row: object = {}) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const agent = await createAgent[type](fixture.workspace)
  const person = fixture.people.editor
  const base = {
    user_id: person.id,
    workspace_id: fixture.workspace,
    service_name: fixture.service,
    ...agent.row,
  }
  const delegation = await insertDelegation(pool, { ...base, ...row })
  const document = await fixture.register(fixture.people.owner, { visibility: 'workspace' })
  const exchange = (message: object) =>
    transport.call('IssueToken', { ...grant, ...agent.credentials, ...message })
  const away = { subject_token: delegation, subject_token_type: delegationType }
  const atHand = { subject_token: person.token, subject_token_type: accessTokenType }
  const uri = `https://${randomUUID()}.example.com/api`
  await seed.apiResource(fixture.appId, uri, ['read', 'write'])
  const check = (token: string, action = 'view', key = fixture.key) => {
    const checks = [{ ...fixture.kind, resource_id: document.resource_id, action }]
    return transport.call('Check', { checks }, { token, key })
  }
  return {
    ...fixture,
    ...{ agent, person, base, delegation, document, exchange, away, atHand, uri, check },
    obtain: async (message: object) => expectOk(await exchange(message)).access_token as string,
    isChecked: async (token: string, action?: string) =>
      expectOk(await check(token, action)).results[0].allowed as boolean,
  }
}

type Scene = Awaited<ReturnType<typeof createScene>>

const refusal =
  'The subject token, actor token or delegation is not valid, has ended, belongs to another or does not fit the others'

const claimsOf = (sub: string, wid: string) => ({
  ...{ sub, jti: randomUUID(), email: 'someone@example.com', name: 'someone' },
  ...{ wid, wslug: 'w', wrole: 'owner' as const, groups: [] },
})

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  for (const type of agentTypes)
    for (const form of ['away', 'atHand'] as const)
      test(`a ${type} acts for a person who is ${form} ${over}`, async (t) => {
        const scene = await createScene(transport, type)
        const answer = expectOk(await scene.exchange(scene[form]))
        t.like(answer, {
          issued_token_type: accessTokenType,
          token_type: 'Bearer',
          workspace_id: scene.workspace,
        })
        // A token of the person at hand, which was made earlier, ends with theirs.
        t.true(answer.expires_in <= 900 && answer.expires_in > 600)
        t.is(answer.scope, '')
        t.falsy(answer.refresh_token)
        t.is(decodeProtectedHeader(answer.access_token).typ, 'dt+jwt')
        const { iat, exp, jti, ...claims } = decodeJwt(answer.access_token)
        t.is(Number(exp) - Number(iat), answer.expires_in)
        t.is(typeof jti, 'string')
        const { agent_id, agent_type } = scene.agent.row
        t.deepEqual(claims, {
          iss: issuer,
          aud: 'daikon:delegated',
          type: 'delegated',
          sub: scene.person.id,
          act: { sub: agent_id, typ: agent_type },
          delegation_id: scene.delegation,
          wid: scene.workspace,
          ...(agent_type === 'client' && { client_id: agent_id }),
        })
        t.true(await scene.isChecked(answer.access_token))
        // The person may edit, but the delegation does not cover it.
        t.false(await scene.isChecked(answer.access_token, 'edit'))
        t.true(await scene.isAllowed(scene.person, 'edit', scene.document))
        const mine = { ...scene.kind, resource_id: scene.document.resource_id, action: 'view' }
        const own = await transport.call(
          'CheckMyPermissions',
          { checks: [mine] },
          { token: answer.access_token },
        )
        t.true(expectOk(own).results[0].allowed)
      })

  test(`a service account also acts with its access token, and a client with each of its methods ${over}`, async (t) => {
    const scene = await createScene(transport, 'service_account')
    const account = scene.agent.row.agent_id as string
    const actor_token = await tokens.sign('access', claimsOf(account, scene.workspace), 900)
    const message = { ...scene.away, actor_token, actor_token_type: accessTokenType }
    t.true(await scene.isChecked(await scene.obtain(message)))
    // The ID of a client alone authenticates none.
    const { client_id } = await createOAuthClient(environment)
    expectOk(await scene.exchange({ ...scene.away, client_id }))

    const client = await createOAuthClient(environment, { type: 'confidential' })
    const id = client.client_id
    await pool.query('update client_apps set jwks = $2 where id = $1', [id, { keys: [jwk] }])
    const row = { agent_type: 'client' as const, agent_id: id }
    await insertDelegation(pool, { ...scene.base, ...row })
    const basic = `Basic ${btoa(`${id}:${client.client_secret?.replaceAll(' ', '+')}`)}`
    const at = { ...grant, ...scene.atHand }
    // Over gRPC, the header is a field.
    const presented = transport.name === 'grpc' ? { ...at, authorization: basic } : at
    const headers = { authorization: basic }
    expectOk(await transport.call('IssueToken', presented, { headers }))
    const asserted = { ...at, ...asserting(await signAssertion(id)) }
    expectOk(await transport.call('IssueToken', asserted))
    t.is(expectError(await transport.call('IssueToken', asserted)).reason, 'INVALID_CLIENT')
  })

  test(`what does not fit is refused with one description ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { person, people, workspace, base } = scene
    const robot = await createScene(transport, 'service_account')
    const other = await createAgent.client(workspace)
    const account = await seedServiceAccount(environment, workspace)
    const apiKey = await createApiKeyOf(account)
    const elsewhere = await seed.workspace()
    await pool.query(
      "insert into members (user_id, workspace_id, role, joined_at) values ($1, $2, 'editor', now())",
      [person.id, elsewhere],
    )
    const add = (row: object) => insertDelegation(pool, { ...base, ...row })
    const expired = await add({ expires_at: new Date(Date.now() - 1000) })
    const ended = await add({ ended_at: new Date() })
    const foreign = await add({ user_id: people.owner.id, ...other.row })
    const ofOwner = await add({ user_id: people.owner.id })
    const there = await environment.token(person.id, elsewhere)
    const signFor = (id: string, wid: string, more: object = {}) =>
      tokens.sign('access', { ...claimsOf(id, wid), ...more }, 900)
    const delegated = await scene.obtain(scene.away)
    const { sub: userId, jti } = decodeJwt(person.token)
    const refresh = await tokens.sign(
      'refresh',
      { sub: userId as string, jti: jti as string, wid: workspace },
      900,
    )
    const admin = await tokens.sign(
      'admin_access',
      { sub: person.id, jti: randomUUID(), email: '', name: '', admin: true },
      900,
    )
    const denied = await environment.token(person.id, workspace)
    await pool.query(
      "insert into denied_tokens (token_id, expires_at) values ($1, now() + interval '1 hour')",
      [decodeJwt(denied).jti],
    )
    const ofAnother = await createScene(transport)
    const limited = (uri: string, wid = workspace) =>
      environment.token(person.id, wid, { resource: { uri, scopes: ['read'] } })
    const token = (subject_token: string, more: object = {}) => ({
      subject_token,
      subject_token_type: accessTokenType,
      ...more,
    })
    const byId = (subject_token: string) => ({
      subject_token,
      subject_token_type: delegationType,
    })
    const { delegation } = scene
    const refused: Record<string, object> = {
      'an unknown delegation': byId(randomUUID()),
      'a delegation ID that is no UUID': byId('x'),
      'an expired delegation': byId(expired),
      'an ended delegation': byId(ended),
      "another agent's delegation": byId(foreign),
      "a service account's delegation": byId(robot.delegation),
      'a delegation with the ID of another': { ...byId(delegation), delegation_id: ofOwner },
      'a token that is none': token('x'),
      'an expired token': token(await environment.token(person.id, workspace, { seconds: -1 })),
      'a denied token': token(denied),
      'a refresh token': token(refresh),
      'an admin token': token(admin),
      'an API key': token(apiKey),
      "a service account's token": token(await signFor(account, workspace)),
      'a delegated token': token(delegated),
      'a delegated token with its delegation': token(delegated, { delegation_id: delegation }),
      'a delegation as an access token': token(delegation),
      'an access token as a delegation': byId(person.token),
      "another person's delegation": token(person.token, { delegation_id: ofOwner }),
      'another person without a delegation': token(people.viewer.token),
      'an unknown delegation_id': token(person.token, { delegation_id: randomUUID() }),
      'a delegation_id that is no UUID': token(person.token, { delegation_id: 'x' }),
      'a token of another workspace': token(there),
      "a connection's token of another workspace": token(
        await signFor(person.id, elsewhere, { connection_id: randomUUID() }),
        { delegation_id: delegation },
      ),
      'a token for an API of another workspace': token(await limited(scene.uri, elsewhere), {
        delegation_id: delegation,
      }),
      'a token for an API of another service': token(await limited(ofAnother.uri), {
        delegation_id: delegation,
      }),
      'a token for an unknown API': token(await limited('https://unknown.example.com')),
    }
    for (const [name, message] of Object.entries(refused)) {
      const { reason, detail } = expectError(await scene.exchange(message))
      t.deepEqual({ reason, detail }, { reason: 'INVALID_REQUEST', detail: refusal }, name)
    }
    // A token of another workspace reaches the delegation that it is asked for.
    expectOk(await scene.exchange(token(there, { delegation_id: delegation })))

    const actors: Record<string, object> = {
      'an unknown key': { actor_token: createApiKey(), actor_token_type: apiKeyType },
      'a text': { actor_token: 'x', actor_token_type: accessTokenType },
      'the key of another account': { actor_token: apiKey, actor_token_type: apiKeyType },
      'the token of a person': { actor_token: person.token, actor_token_type: accessTokenType },
      'a delegated token': { actor_token: delegated, actor_token_type: accessTokenType },
      'a denied token': {
        actor_token: await signFor(robot.agent.row.agent_id as string, robot.workspace, {
          jti: decodeJwt(denied).jti,
        }),
        actor_token_type: accessTokenType,
      },
      'the key as an access token': { actor_token: apiKey, actor_token_type: accessTokenType },
    }
    for (const [name, message] of Object.entries(actors)) {
      const { detail } = expectError(await robot.exchange({ ...robot.away, ...message }))
      t.is(detail, refusal, name)
    }

    // Several delegations fit, so one must be named.
    await add({})
    t.is(expectError(await scene.exchange(scene.atHand)).detail, refusal)
    expectOk(await scene.exchange({ ...scene.atHand, delegation_id: delegation.toUpperCase() }))
  })

  test(`requests that are not well-formed are refused ${over}`, async (t) => {
    const scene = await createScene(transport)
    const robot = await createScene(transport, 'service_account')
    const open = await createOAuthClient(environment)
    const actor = robot.agent.credentials
    const refused: [string, object, string][] = [
      ['no subject_token', { subject_token_type: delegationType }, 'INVALID_REQUEST'],
      ['no subject_token_type', { subject_token: scene.delegation }, 'INVALID_REQUEST'],
      [
        'another subject_token_type',
        { ...scene.away, subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' },
        'INVALID_REQUEST',
      ],
      [
        'another requested_token_type',
        {
          ...scene.away,
          requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token',
        },
        'INVALID_REQUEST',
      ],
      ['both agents', { ...robot.away, ...actor }, 'INVALID_REQUEST'],
      [
        'no actor_token_type',
        { ...scene.away, actor_token: 'x', client_secret: undefined },
        'INVALID_REQUEST',
      ],
      [
        'no actor_token',
        { ...scene.away, actor_token_type: apiKeyType, client_secret: undefined },
        'INVALID_REQUEST',
      ],
      ['a wrong secret', { ...scene.away, client_secret: 'x' }, 'INVALID_CLIENT'],
      ['no secret', { ...scene.away, client_secret: undefined }, 'INVALID_CLIENT'],
      ['a public client', { ...scene.away, ...open, client_secret: undefined }, 'INVALID_CLIENT'],
      ['an unknown resource', { ...scene.away, resource: `${scene.uri}/x` }, 'INVALID_TARGET'],
      ["another service's resource", { ...scene.away, resource: robot.uri }, 'INVALID_TARGET'],
      [
        'unknown scopes',
        { ...scene.away, resource: scene.uri, scope: 'openid x' },
        'INVALID_SCOPE',
      ],
    ]
    for (const [name, message, reason] of refused) {
      const defined = Object.entries({ ...scene.agent.credentials, ...message }).filter(
        ([, value]) => value !== undefined,
      )
      const outcome = await transport.call('IssueToken', {
        ...grant,
        ...Object.fromEntries(defined),
      })
      t.is(expectError(outcome).reason, reason, name)
    }
    if (transport.name === 'grpc') {
      for (const [name, reason] of [
        ['actor_token', 'INVALID_REQUEST'],
        ['subject_token', 'INVALID_REQUEST'],
        ['resource', 'INVALID_TARGET'],
      ] as const) {
        const message = { ...scene.away, repeated_parameters: [name] }
        t.is(expectError(await scene.exchange(message)).reason, reason)
      }
    }
  })

  test(`a resource and a scope narrow the token ${over}`, async (t) => {
    const scene = await createScene(transport)
    const other = await createScene(transport)
    const answer = expectOk(
      await scene.exchange({ ...scene.away, resource: `${scene.uri}`, scope: 'write openid' }),
    )
    t.is(answer.scope, 'write')
    const { aud, scope, type } = decodeJwt(answer.access_token)
    t.deepEqual({ aud, scope, type }, { aud: scene.uri, scope: 'write', type: 'delegated' })
    const all = expectOk(await scene.exchange({ ...scene.away, resource: scene.uri }))
    t.is(all.scope, 'read write')
    t.is(expectOk(await scene.exchange({ ...scene.away, scope: 'read' })).scope, '')

    // It counts with a key of its service alone.
    const token = answer.access_token
    t.true(await scene.isChecked(token))
    t.is(expectError(await scene.check(token, 'view', other.key)).reason, 'WRONG_AUDIENCE')
    const alone = await transport.call('CheckMyPermissions', { checks: [] }, { token })
    t.is(expectError(alone).reason, 'WRONG_AUDIENCE')
    const me = await transport.call('GetMe', {}, { token })
    t.is(expectError(me).reason, 'DELEGATED_TOKEN_NOT_ACCEPTED')

    // A token of the person that is limited itself is exchanged for no more.
    const resource = { uri: scene.uri, scopes: ['read'] }
    const subject_token = await environment.token(scene.person.id, scene.workspace, { resource })
    const limited = { subject_token, subject_token_type: accessTokenType }
    const narrow = expectOk(await scene.exchange(limited))
    t.is(narrow.scope, 'read')
    t.is(decodeJwt(narrow.access_token).aud, scene.uri)
    const wider = await scene.exchange({ ...limited, resource: scene.uri, scope: 'write' })
    t.is(expectError(wider).reason, 'INVALID_SCOPE')
    const second = `${scene.uri}/second`
    await pool.query(
      `insert into api_resources (id, app_id, uri, name, position, scopes)
       select gen_random_uuid(), app_id, $2, name, 1, scopes from api_resources where uri = $1`,
      [scene.uri, second],
    )
    const another = await scene.exchange({ ...limited, resource: second })
    t.is(expectError(another).reason, 'INVALID_TARGET')
  })

  test(`a token is valid no longer than what it ends with ${over}`, async (t) => {
    const soon = new Date(Date.now() + 120_000)
    const scene = await createScene(transport, 'client', { expires_at: soon })
    const lifetime = async (message: object) => {
      const { expires_in, access_token } = expectOk(await scene.exchange(message))
      const { exp = 0 } = decodeJwt(access_token)
      t.true(exp * 1000 <= soon.getTime())
      return expires_in as number
    }
    t.true((await lifetime(scene.away)) <= 120)
    const subject_token = await environment.token(scene.person.id, scene.workspace, {
      seconds: 60,
    })
    t.true((await lifetime({ ...scene.atHand, subject_token })) <= 60)
  })

  /** What ends the delegation: the token is still accepted, and allows nothing. */
  const ends: Record<string, (scene: Scene) => Promise<unknown>> = {
    expiry: ({ delegation }) =>
      pool.query('update delegations set expires_at = now() where id = $1', [delegation]),
    'its end': ({ delegation }) =>
      pool.query('update delegations set ended_at = now() where id = $1', [delegation]),
    'the deactivated agent': async ({ agent: { row } }) => {
      const table = row.agent_type === 'client' ? 'client_apps' : 'users'
      await pool.query(`update ${table} set is_active = false where id = $1`, [row.agent_id])
    },
    'the workspace that allows none': ({ workspace }) =>
      pool.query('update workspaces set delegations = false where id = $1', [workspace]),
    'the deleted service': ({ appId }) =>
      pool.query('delete from service_apps where id = $1', [appId]),
  }
  for (const [name, end] of Object.entries(ends))
    for (const type of agentTypes)
      test(`the delegation to a ${type} ends by ${name} ${over}`, async (t) => {
        const scene = await createScene(transport, type)
        const token = await scene.obtain(scene.atHand)
        t.true(await scene.isChecked(token))
        await end(scene)
        const isAuthenticated = name !== 'the deactivated agent' || type === 'service_account'
        const { reason } = expectError(await scene.exchange(scene.away))
        t.is(reason, isAuthenticated ? 'INVALID_REQUEST' : 'INVALID_CLIENT')
        const mine = { ...scene.kind, resource_id: scene.document.resource_id, action: 'view' }
        const asked = await transport.call('CheckMyPermissions', { checks: [mine] }, { token })
        t.false(expectOk(asked).results[0].allowed)
        const introspected = await transport.call('IntrospectToken', { token }, { key: scene.key })
        if (name !== 'the deleted service') t.false(expectOk(introspected).active)
      })

  test(`a token ends with its person and their membership ${over}`, async (t) => {
    const changes = {
      USER_INACTIVE: 'update users set is_active = false where id = $1',
      TOKEN_REVOKED: 'delete from members where user_id = $1',
    }
    for (const [reason, sql] of Object.entries(changes)) {
      const scene = await createScene(transport)
      const token = await scene.obtain(scene.away)
      await pool.query(sql, [scene.person.id])
      t.is(expectError(await scene.check(token)).reason, reason)
      t.is(expectError(await scene.exchange(scene.away)).detail, refusal)
    }
  })

  test(`a token ends with the person's token and its session ${over}`, async (t) => {
    const scene = await createScene(transport)
    const signInOf = async () => {
      const signedIn = await signInWithOAuth(environment, transport)
      const { access_token, workspace_id } = signedIn.tokens
      const user_id = decodeJwt(access_token).sub as string
      await insertDelegation(pool, { ...scene.base, user_id, workspace_id })
      const subject = { subject_token: access_token, subject_token_type: accessTokenType }
      const [token, another] = [await scene.obtain(subject), await scene.obtain(subject)]
      return { ...signedIn, subject, token, another, access: access_token as string }
    }
    const denials: Record<string, (of: Awaited<ReturnType<typeof signInOf>>) => object> = {
      RevokeToken: ({ access, client }) => ({ token: access, ...client }),
      'RevokeToken of the session': ({ tokens: { refresh_token }, client }) => ({
        token: refresh_token,
        ...client,
      }),
    }
    for (const [name, messageOf] of Object.entries(denials)) {
      const session = await signInOf()
      const allowed = async (token: string) => expectOk(await scene.check(token)).results.length
      t.is(await allowed(session.token), 1)
      expectOk(await transport.call(name.split(' ')[0] as string, messageOf(session)))
      for (const token of [session.token, session.another])
        t.is(expectError(await scene.check(token)).reason, 'TOKEN_REVOKED', name)
      t.is(expectError(await scene.exchange(session.subject)).detail, refusal)
    }
    const session = await signInOf()
    expectOk(await transport.call('Logout', {}, { token: session.access }))
    t.is(expectError(await scene.check(session.token)).reason, 'TOKEN_REVOKED')
  })

  test(`no token outlives one that is denied at the same time ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { jti } = decodeJwt(scene.person.token)
    const connection = await pool.connect()
    try {
      await connection.query('begin')
      await connection.query(
        "insert into denied_tokens (token_id, expires_at) values ($1, now() + interval '1 hour')",
        [jti],
      )
      const exchange = scene.exchange(scene.atHand)
      await waitUntilAllBlocked(pool, [exchange])
      await connection.query('commit')
      t.is(expectError(await exchange).detail, refusal)
    } finally {
      connection.release()
    }
  })

  test(`its client introspects and revokes it, and its service introspects it ${over}`, async (t) => {
    const scene = await createScene(transport)
    const other = await createScene(transport)
    const token = await scene.obtain({ ...scene.away, resource: scene.uri })
    const unlimited = await scene.obtain(scene.away)
    const client = scene.agent.credentials
    const introspect = async (message: object, key?: string) =>
      expectOk(await transport.call('IntrospectToken', message, key ? { key } : {}))
    const { agent_id, agent_type } = scene.agent.row
    const told = {
      active: true,
      sub: scene.person.id,
      wid: scene.workspace,
      client_id: agent_id,
      delegation_id: scene.delegation,
      act: { sub: agent_id, typ: agent_type },
    }
    t.like(await introspect({ token }, scene.key), { ...told, aud: scene.uri, scope: 'read write' })
    t.like(await introspect({ token: unlimited, ...client }), { ...told, aud: 'daikon:delegated' })
    t.like(await introspect({ token: unlimited }, scene.key), told)
    for (const secret of [token, unlimited]) {
      t.false((await introspect({ token: secret }, other.key)).active)
      t.false((await introspect({ token: secret, ...other.agent.credentials })).active)
      const foreign = await transport.call('RevokeToken', {
        token: secret,
        ...other.agent.credentials,
      })
      t.is(expectError(foreign).reason, 'UNAUTHORIZED_CLIENT')
    }
    expectOk(await transport.call('RevokeToken', { token, ...client }))
    t.false((await introspect({ token, ...client })).active)
    t.is(expectError(await scene.check(token)).reason, 'TOKEN_REVOKED')
    t.true(await scene.isChecked(unlimited))
    await pool.query('update delegations set ended_at = now() where id = $1', [scene.delegation])
    t.false((await introspect({ token: unlimited, ...client })).active)
  })

  test(`the account page and UserInfo refuse it, whatever it is for ${over}`, async (t) => {
    const scene = await createScene(transport)
    for (const message of [scene.away, { ...scene.away, resource: scene.uri }]) {
      const token = await scene.obtain(message)
      for (const method of ['GetMe', 'ListSessions', 'Logout', 'DeleteMe'])
        t.like(await transport.call(method, {}, { token }), {
          ok: false,
          reason: 'DELEGATED_TOKEN_NOT_ACCEPTED',
        })
      // RFC 6750 has no error for it.
      const info = expectError(await transport.call('GetUserInfo', {}, { token }))
      t.is(info.code, 'permission_denied')
    }
    // The account page's own token can be exchanged like any other of the person.
    const claims = { ...claimsOf(scene.person.id, scene.workspace), client_id: accountClientId }
    const subject_token = await tokens.sign('access', claims, 900)
    expectOk(await scene.exchange({ ...scene.atHand, subject_token }))
  })

  test(`discovery lists the grant type ${over}`, async (t) => {
    const { grant_types_supported } = expectOk(await transport.call('GetConfiguration', {}))
    t.deepEqual(grant_types_supported, [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      grant.grant_type,
    ])
  })
}

test('a key that is removed ends the tokens that it signed, also those that are remembered', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'daikon-exchange-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const createKeys = (name: string) => {
    const paths = {
      privatePath: join(folder, `${name}.pem`),
      publicPath: join(folder, `${name}.pub`),
    }
    createKeyFiles(paths)
    return readKeys(paths)
  }
  const [first, second] = [await createKeys('first'), await createKeys('second')]
  let current = first
  const rotating = await startTestEnvironment({}, undefined, { currentKeys: () => current })
  t.teardown(() => rotating.stop())
  const [transport] = rotating.transports
  if (!transport) throw new Error('no transport')
  const workspace_id = await rotating.seed.workspace()
  const user_id = await rotating.seed.newMember(workspace_id, 'editor')
  const client = await createOAuthClient(rotating, { type: 'confidential' })
  const agent = { agent_type: 'client' as const, agent_id: client.client_id }
  const row = { user_id, workspace_id, service_name: 'docs', ...agent }
  const subject_token = await insertDelegation(rotating.pool, row)
  const message = { ...grant, ...client, subject_token, subject_token_type: delegationType }
  const obtain = async () =>
    expectOk(await transport.call('IssueToken', message)).access_token as string
  const checks = [
    { service_name: 'docs', resource_type: 'a', resource_id: randomUUID(), action: 'view' },
  ]
  const isAccepted = async (token: string) =>
    (await transport.call('CheckMyPermissions', { checks }, { token })).ok
  const before = await obtain()
  t.true(await isAccepted(before))
  t.true(await isAccepted(before))
  current = { ...second, verifying: new Map([...first.verifying, ...second.verifying]) }
  const after = await obtain()
  t.true(await isAccepted(before))
  t.true(await isAccepted(after))
  current = second
  t.false(await isAccepted(before))
  t.true(await isAccepted(after))
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
