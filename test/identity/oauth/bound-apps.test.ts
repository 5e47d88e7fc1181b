// Threat: a user passes the role in a workspace of their own for the role in the company's.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import type { Role } from '../../../src/core/roles.ts'
import { createAdmin } from '../../support/admin.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  readPage,
  signInAtAuthorize,
  signInWithOAuth,
} from '../../support/oauth.ts'
import { expectError, expectOk } from '../../support/outcome.ts'
import { createSignInEnvironment, signInToApp } from '../../support/sign-in.ts'
import type { Transport } from '../../support/transports.ts'

const environment = await createSignInEnvironment()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const newUri = () => `https://bound.example.com/${randomUUID()}`

/** A workspace with a client app that is bound to it, and a user who signed in to another app. */
async function createCompany(transport: Transport, row: Record<string, unknown> = {}) {
  const workspace = await seed.workspace('Company')
  const uri = newUri()
  const client = await createOAuthClient(environment, { workspace_id: workspace, ...row }, [uri])
  const user = await signInWithOAuth(environment, transport)
  const { sub = '' } = decodeJwt(user.tokens.access_token)
  const call = (method: string, message: object) => transport.call(method, message)
  const { request, verifier } = createAuthorizationRequest(client.client_id, { redirect_uri: uri })
  const authorize = async (more: object = {}) =>
    expectOk(
      await call('Authorize', { ...request, browser_session: user.browser_session, ...more }),
    )
  return {
    workspace,
    uri,
    client,
    user: { id: sub, email: user.email, own: user.tokens.workspace_id as string },
    session: user.browser_session as string,
    request,
    authorize,
    join: (role: Role = 'editor', membership: object = {}) =>
      seed.member(workspace, sub, role, membership),
    /** The parameters of the redirect to the app. */
    redirectOf: async (more: object = {}) =>
      Object.fromEntries(new URL((await authorize(more)).location).searchParams),
    redeem: (code: string) =>
      call('IssueToken', {
        grant_type: 'authorization_code',
        code,
        redirect_uri: uri,
        code_verifier: verifier,
        ...client,
      }),
    bind: (workspace_id: string | null) =>
      pool.query('update client_apps set workspace_id = $2 where id = $1', [
        client.client_id,
        workspace_id,
      ]),
    leave: () =>
      pool.query('delete from members where workspace_id = $1 and user_id = $2', [workspace, sub]),
  }
}

const notAMember = {
  error: 'access_denied',
  error_description: 'The user is not a member of the workspace of this application',
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const call = (method: string, message: object) => transport.call(method, message)

  test(`a bound app signs members in to its workspace without a choice ${over}`, async (t) => {
    const { workspace, join, redirectOf, redeem } = await createCompany(transport)
    await join()
    const { code = '' } = await redirectOf()
    const { access_token } = expectOk(await redeem(code))
    t.like(decodeJwt(access_token), { wid: workspace, wrole: 'editor' })
    const silent = await redirectOf({ prompt: 'none' })
    t.is(expectOk(await redeem(silent.code ?? '')).workspace_id, workspace)
  })

  test(`an owner of another workspace is nobody in a bound app ${over}`, async (t) => {
    const { user, redirectOf } = await createCompany(transport)
    t.like(await redirectOf(), notAMember)
    t.like(await redirectOf({ prompt: 'none' }), notAMember)
    t.like(await redirectOf({ workspace: user.own }), notAMember)
  })

  test(`a bound app refuses a member who names another workspace ${over}`, async (t) => {
    const { user, join, redirectOf } = await createCompany(transport)
    await join()
    for (const prompt of [undefined, 'none'])
      t.like(await redirectOf({ workspace: user.own, prompt }), { error: 'access_denied' })
  })

  test(`an invited person sees only the invitation of a bound app's workspace ${over}`, async (t) => {
    const { workspace, user, join, authorize, redirectOf, redeem } = await createCompany(transport)
    await join('viewer', { joined_at: null })
    await seed.member(await seed.workspace('Elsewhere'), user.id, 'viewer', { joined_at: null })
    const page = readPage(await authorize())
    if (page.kind) t.is(page.kind, 'accept_invitation')
    t.false(page.text.includes('Elsewhere'))
    const [accepted = {}, ...others] = page.choices
    t.deepEqual(others, [])
    t.like(await redirectOf({ prompt: 'none' }), { error: 'interaction_required' })
    const { code = '' } = await redirectOf(accepted)
    t.is(expectOk(await redeem(code)).workspace_id, workspace)
  })

  test(`a sign-in to a bound app makes no personal workspace, one to another app does ${over}`, async (t) => {
    const { request } = await createCompany(transport)
    const email = environment.addProviderUser()
    const denied = await signInAtAuthorize(transport, email, request)
    t.like(Object.fromEntries(new URL(denied.location).searchParams), notAMember)
    const countWorkspaces = async () => {
      const sql = `select count(*)::int from members m join users u on u.id = m.user_id where email = $1`
      return (await pool.query(sql, [email])).rows[0].count
    }
    t.is(await countWorkspaces(), 0)
    const { browser_session } = denied
    const other = createAuthorizationRequest((await createOAuthClient(environment)).client_id)
    const opened = expectOk(await call('Authorize', { ...other.request, browser_session }))
    t.truthy(new URL(opened.location).searchParams.get('code'))
    t.is(await countWorkspaces(), 1)
  })

  test(`a membership that ends after the authorization gives no tokens ${over}`, async (t) => {
    const { join, leave, redirectOf, redeem } = await createCompany(transport)
    await join()
    const { code = '' } = await redirectOf()
    await leave()
    t.is(expectError(await redeem(code)).reason, 'INVALID_GRANT')
  })

  test(`a removal during the exchange leaves no valid token ${over}`, async (t) => {
    const { workspace, user, join, redirectOf, redeem } = await createCompany(transport)
    for (let round = 0; round < 5; round++) {
      await join()
      const { code = '' } = await redirectOf()
      const membership = { workspace_id: workspace, user_id: user.id }
      const [exchanged, removed] = await Promise.all([
        redeem(code),
        admin.call(transport, 'RemoveMember', membership),
      ])
      expectOk(removed)
      if (!exchanged.ok) t.is(exchanged.reason, 'INVALID_GRANT')
      else {
        const token = exchanged.message.access_token
        t.false((await transport.call('GetMe', {}, { token })).ok)
      }
    }
  })

  test(`tokens are exchanged only while both sides name the same workspace ${over}`, async (t) => {
    const { user, join, bind, redirectOf, redeem, workspace, client } =
      await createCompany(transport)
    await join()
    const first = await redirectOf()
    const second = await redirectOf()
    const { refresh_token } = expectOk(await redeem(first.code ?? ''))
    const refresh = { grant_type: 'refresh_token', refresh_token, ...client }
    const other = { ...refresh, workspace_id: user.own }
    t.is(expectError(await call('IssueToken', other)).reason, 'INVALID_GRANT')
    const switching = { refresh_token, workspace_id: user.own }
    t.like(expectError(await call('SwitchWorkspace', switching)), {
      code: 'permission_denied',
      reason: 'WORKSPACE_REFUSED',
    })
    await bind(user.own)
    t.is(expectError(await redeem(second.code ?? '')).reason, 'INVALID_GRANT')
    t.is(expectError(await call('IssueToken', refresh)).reason, 'INVALID_GRANT')
    t.is(expectError(await call('RefreshToken', { refresh_token })).code, 'permission_denied')
    await bind(workspace)
    t.is(expectOk(await call('IssueToken', refresh)).workspace_id, workspace)
    t.truthy(expectOk(await redeem(second.code ?? '')).access_token)
  })

  test(`/auth/login refuses users who are not members of a bound app's workspace ${over}`, async (t) => {
    const { uri } = await createCompany(transport)
    const email = environment.addProviderUser()
    const { redirect } = await signInToApp(transport, 'google', email, { redirect_uri: uri })
    const parameters = Object.fromEntries(redirect.searchParams)
    t.deepEqual(parameters, notAMember)
    const members = await pool.query(
      'select from members m join users u on u.id = m.user_id where email = $1',
      [email],
    )
    t.is(members.rowCount, 0)
  })

  test(`/auth/login of a bound app gives tokens for its workspace alone ${over}`, async (t) => {
    const { workspace, uri, user, join, bind } = await createCompany(transport)
    await join('viewer', { joined_at: null })
    const obtain = async () => {
      const request = { redirect_uri: uri }
      const { redirect, verifier } = await signInToApp(transport, 'google', user.email, request)
      return { code: redirect.searchParams.get('code') ?? '', code_verifier: verifier }
    }
    const exchange = await obtain()
    const { workspaces } = expectOk(await call('ListCodeWorkspaces', { code: exchange.code }))
    t.deepEqual(
      workspaces.map(({ id, status }: any) => [id, status]),
      [[workspace, 'invited']],
    )
    const refused = await call('ExchangeToken', { ...exchange, workspace_id: user.own })
    t.like(expectError(refused), { code: 'permission_denied', reason: 'WORKSPACE_REFUSED' })
    const tokens = expectOk(await call('ExchangeToken', { ...exchange, workspace_id: workspace }))
    t.false('client_id' in decodeJwt(tokens.access_token))
    const { refresh_token } = tokens
    const switching = { refresh_token, workspace_id: user.own }
    t.is(expectError(await call('SwitchWorkspace', switching)).code, 'permission_denied')
    const pending = await obtain()
    await bind(user.own)
    t.is(expectError(await call('RefreshToken', { refresh_token })).code, 'permission_denied')
    const late = await call('ExchangeToken', { ...pending, workspace_id: workspace })
    t.is(expectError(late).code, 'permission_denied')
    await bind(workspace)
    t.is(expectOk(await call('RefreshToken', { refresh_token })).workspace_id, workspace)
  })

  test(`an app that is bound later refuses sessions in other workspaces ${over}`, async (t) => {
    const { uri, user, workspace, bind } = await createCompany(transport, { workspace_id: null })
    const request = { redirect_uri: uri }
    const { redirect, verifier } = await signInToApp(transport, 'google', user.email, request)
    const code = redirect.searchParams.get('code')
    const exchange = { code, code_verifier: verifier, workspace_id: user.own }
    const { refresh_token } = expectOk(await call('ExchangeToken', exchange))
    await bind(workspace)
    t.is(expectError(await call('RefreshToken', { refresh_token })).code, 'permission_denied')
  })

  test(`a confidential bound app redeems codes of /auth/login for its workspace ${over}`, async (t) => {
    const { uri, user, client, workspace, join } = await createCompany(transport, {
      type: 'confidential',
    })
    await join()
    const request = { redirect_uri: uri }
    const { redirect, verifier } = await signInToApp(transport, 'google', user.email, request)
    const exchange = {
      grant_type: 'authorization_code',
      code: redirect.searchParams.get('code'),
      code_verifier: verifier,
      ...client,
    }
    t.is(expectOk(await call('IssueToken', exchange)).workspace_id, workspace)
  })

  test(`an app whose workspace is deleted admits nobody ${over}`, async (t) => {
    const { workspace, uri, user, client, join, redirectOf, redeem } =
      await createCompany(transport)
    await join('owner')
    const { code = '' } = await redirectOf()
    expectOk(await admin.call(transport, 'DeleteWorkspace', { workspace_id: workspace }))
    t.is(expectError(await redeem(code)).reason, 'INVALID_GRANT')
    t.like(await redirectOf(), notAMember)
    const request = { redirect_uri: uri }
    const { redirect } = await signInToApp(transport, 'google', user.email, request)
    t.is(redirect.searchParams.get('error'), 'access_denied')
    const { client_apps } = expectOk(await admin.call(transport, 'ListClientApps'))
    const app = client_apps.find(({ id }: any) => id === client.client_id)
    t.is(app.workspace_id, workspace)
  })

  test(`an app that is unbound admits users with any workspace ${over}`, async (t) => {
    const { user, client, redirectOf, redeem } = await createCompany(transport)
    const unbind = transport.name === 'rest' ? { workspace_id: null } : { remove_workspace: true }
    const app = { client_app_id: client.client_id, redirect_uris: [] as string[] }
    const changed = expectOk(await admin.call(transport, 'UpdateClientApp', { ...app, ...unbind }))
    t.is(changed.workspace_id ?? null, null)
    const { code = '' } = await redirectOf()
    t.is(expectOk(await redeem(code)).workspace_id, user.own)
  })

  test(`an administrator binds an app to a workspace that exists ${over}`, async (t) => {
    const workspace_id = await seed.workspace('Bound')
    const create = (more: object) =>
      admin.call(transport, 'CreateClientApp', { name: 'App', redirect_uris: [newUri()], ...more })
    const created = expectOk(await create({ workspace_id }))
    t.is(created.workspace_id, workspace_id)
    t.is(expectOk(await create({})).workspace_id ?? null, null)
    const unknown = { workspace_id: randomUUID() }
    t.is(expectError(await create(unknown)).reason, 'WORKSPACE_NOT_FOUND')
    const app = { client_app_id: created.id, redirect_uris: [] as string[] }
    const update = (more: object) => admin.call(transport, 'UpdateClientApp', { ...app, ...more })
    t.is(expectError(await update(unknown)).reason, 'WORKSPACE_NOT_FOUND')
    const other = await seed.workspace('Other')
    t.is(expectOk(await update({ workspace_id: other.toUpperCase() })).workspace_id, other)
    t.is(expectOk(await update({ name: 'New' })).workspace_id, other)
    const { rows } = await pool.query(
      `select detail->>'workspace' as id from activity where target_id = $1`,
      [created.id],
    )
    const recorded = rows.map(({ id }) => id)
    t.deepEqual(recorded.toSorted(), [workspace_id, other, other].toSorted())
  })

  test(`no other app can have a redirect URI of a bound app ${over}`, async (t) => {
    const workspace_id = await seed.workspace('Bound')
    const create = (redirect_uris: string[], more: object = {}) =>
      admin.call(transport, 'CreateClientApp', { name: 'App', redirect_uris, ...more })
    const uri = newUri()
    const bound = expectOk(await create([newUri(), uri], { workspace_id }))
    const isRefused = async (outcome: ReturnType<typeof create>) => {
      const { code, reason, detail } = expectError(await outcome)
      t.deepEqual([code, reason], ['already_exists', 'REDIRECT_URI_TAKEN'])
      t.true(detail.includes(uri), detail)
    }
    await isRefused(create([newUri(), uri]))
    await isRefused(create([uri], { workspace_id }))
    const other = expectOk(await create([newUri()]))
    const update = (id: string, more: object) =>
      admin.call(transport, 'UpdateClientApp', { client_app_id: id, redirect_uris: [], ...more })
    await isRefused(update(other.id, { redirect_uris: [uri] }))
    expectOk(await update(bound.id, { remove_workspace: true }))
    expectOk(await update(other.id, { redirect_uris: [uri] }))
    await isRefused(update(bound.id, { workspace_id }))
    await isRefused(update(other.id, { workspace_id }))
  })

  test(`of two apps created concurrently with one redirect URI, one of them bound, only one exists ${over}`, async (t) => {
    const workspace_id = await seed.workspace('Bound')
    for (let round = 0; round < 5; round++) {
      const redirect_uris = [newUri()]
      const outcomes = await Promise.all(
        [{}, { workspace_id }].map((more) =>
          admin.call(transport, 'CreateClientApp', { name: 'App', redirect_uris, ...more }),
        ),
      )
      t.is(outcomes.filter(({ ok }) => ok).length, 1)
    }
  })

  test(`deleting an app ends the sessions that began at /auth/login ${over}`, async (t) => {
    const { uri, user, client, workspace, join } = await createCompany(transport)
    await join()
    const request = { redirect_uri: uri }
    const { redirect, verifier } = await signInToApp(transport, 'google', user.email, request)
    const code = redirect.searchParams.get('code')
    const exchange = { code, code_verifier: verifier, workspace_id: workspace }
    const { access_token, refresh_token } = expectOk(await call('ExchangeToken', exchange))
    const app = { client_app_id: client.client_id }
    expectOk(await admin.call(transport, 'DeleteClientApp', app))
    t.is(expectError(await call('RefreshToken', { refresh_token })).code, 'unauthenticated')
    const me = await transport.call('GetMe', {}, { token: access_token })
    t.is(expectError(me).code, 'unauthenticated')
  })
}
