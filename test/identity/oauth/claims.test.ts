// Threat: a name that anyone can choose in a workspace of their own passes for a role of the company.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { maxGroups } from '../../../src/identity/claims.ts'
import { createOAuthClient, signInWithOAuth } from '../../support/oauth.ts'
import { expectOk } from '../../support/outcome.ts'
import { createSignInEnvironment } from '../../support/sign-in.ts'
import type { Transport } from '../../support/transports.ts'

const environment = await createSignInEnvironment()
const { pool, seed } = environment
test.after.always(() => environment.stop())

const scope = 'openid profile email roles groups'
const request = { scope }

/** A member of a workspace with a confidential client app that is bound to it. */
async function createMember(transport: Transport, role = 'editor') {
  const email = environment.addProviderUser({ name: 'Ann van Example' })
  const user = await seed.user('', { email })
  const workspace = await seed.workspace('Company')
  await seed.member(workspace, user, role as 'editor')
  const client = await createOAuthClient(environment, {
    type: 'confidential',
    workspace_id: workspace,
  })
  const bind = (workspace_id: string | null) =>
    pool.query('update client_apps set workspace_id = $2 where id = $1', [
      client.client_id,
      workspace_id,
    ])
  return {
    user,
    email,
    workspace,
    client,
    bind,
    addRole: async (name: string) => {
      const id = await seed.customRole(workspace, [], [user])
      await pool.query('update custom_roles set name = $2 where id = $1', [id, name])
    },
    signIn: async (more = {}) => {
      const options = { client, email, request: { ...request, ...more } }
      const { tokens } = await signInWithOAuth(environment, transport, options)
      return { tokens, idToken: decodeJwt(tokens.id_token) }
    },
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const readUserInfo = async ({ access_token }: Record<string, any>) =>
    expectOk(await transport.call('GetUserInfo', {}, { token: access_token }))

  test(`a bound app receives the roles and the effective groups of a member ${over}`, async (t) => {
    const { user, workspace, addRole, signIn } = await createMember(transport)
    await addRole('Reviewer')
    await addRole('Auditor')
    const parent = await seed.group(workspace, [], 'All staff')
    const group = await seed.group(workspace, [user], 'Accounting')
    await pool.query(
      `insert into group_members (group_id, user_id, workspace_id, is_direct)
       values ($1, $2, $3, false)`,
      [parent, user, workspace],
    )
    const expected = {
      roles: ['editor', 'Auditor', 'Reviewer'],
      groups: ['Accounting', 'All staff'],
    }
    const { tokens, idToken } = await signIn()
    t.is(tokens.scope, scope)
    t.like(idToken, expected)
    t.like(await readUserInfo(tokens), expected)
    const access = decodeJwt(tokens.access_token)
    t.false('roles' in access)
    t.deepEqual(access.groups as string[], [group, parent].toSorted())
  })

  test(`a member without custom roles and groups has the workspace role and no group ${over}`, async (t) => {
    const { signIn } = await createMember(transport, 'viewer')
    const { tokens, idToken } = await signIn()
    t.like(idToken, { roles: ['viewer'], groups: [] })
    t.like(await readUserInfo(tokens), { roles: ['viewer'], groups: [] })
  })

  test(`the lists depend on their scopes ${over}`, async (t) => {
    const { signIn } = await createMember(transport)
    for (const [name, other] of [
      ['roles', 'groups'],
      ['groups', 'roles'],
    ] as const) {
      const { tokens, idToken } = await signIn({ scope: `openid ${name}` })
      t.is(tokens.scope, `openid ${name}`)
      const info = await readUserInfo(tokens)
      for (const claims of [idToken, info]) {
        t.truthy(claims[name])
        t.is(claims[other], undefined)
      }
    }
  })

  test(`an app that is not bound is granted neither scope ${over}`, async (t) => {
    const { tokens, client } = await signInWithOAuth(environment, transport, {
      client: await createOAuthClient(environment, { type: 'confidential' }),
      request,
    })
    t.is(tokens.scope, 'openid profile email')
    const claims = [decodeJwt(tokens.id_token), await readUserInfo(tokens)]
    for (const { roles, groups } of claims) t.deepEqual([roles, groups], [undefined, undefined])
    const refresh = {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      scope: 'openid roles',
      ...client,
    }
    t.like(await transport.call('IssueToken', refresh), { reason: 'INVALID_SCOPE' })
  })

  test(`a session loses the lists when its app is unbound or bound elsewhere ${over}`, async (t) => {
    const { signIn, bind, client } = await createMember(transport)
    const { tokens } = await signIn()
    for (const workspace of [await seed.workspace('Elsewhere'), null]) {
      await bind(workspace)
      const { roles, groups, wrole } = await readUserInfo(tokens)
      t.deepEqual([roles, groups, wrole], [undefined, undefined, 'editor'])
    }
    const refresh = {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      ...client,
    }
    const refreshed = expectOk(await transport.call('IssueToken', refresh))
    t.is(refreshed.scope, 'openid profile email')
    t.is(decodeJwt(refreshed.id_token).roles, undefined)
    t.is((await readUserInfo(refreshed)).roles, undefined)
  })

  test(`a custom role cannot pass for a workspace role ${over}`, async (t) => {
    const { signIn, addRole } = await createMember(transport, 'viewer')
    for (const name of ['owner', 'Admin', 'viewer', 'ownership']) await addRole(name)
    const { idToken } = await signIn()
    t.deepEqual(idToken.roles, ['viewer', 'ownership'])
  })

  test(`the ID token omits long lists, and UserInfo returns them ${over}`, async (t) => {
    const { user, workspace, signIn, addRole } = await createMember(transport)
    const names = Array.from({ length: maxGroups + 1 }, () => randomUUID()).toSorted()
    for (const name of names) {
      await seed.group(workspace, [user], name)
      await addRole(name)
    }
    const { tokens, idToken } = await signIn()
    t.like(idToken, { roles_overage: true, groups_overage: true })
    t.deepEqual([idToken.roles, idToken.groups], [undefined, undefined])
    t.like(await readUserInfo(tokens), { roles: ['editor', ...names], groups: names })
  })

  test(`scope profile gives the parts of the name that the provider sent ${over}`, async (t) => {
    const { signIn, email, user } = await createMember(transport)
    const parts = { preferred_username: email, given_name: 'Ann', family_name: 'van Example' }
    const { tokens, idToken } = await signIn()
    t.like(idToken, parts)
    t.like(await readUserInfo(tokens), parts)
    const withoutProfile = await signIn({ scope: 'openid email' })
    t.deepEqual(
      Object.keys(parts).filter((name) => name in withoutProfile.idToken),
      [],
    )
    const other = await signInWithOAuth(environment, transport)
    const claims = decodeJwt(other.tokens.id_token)
    t.is(claims.preferred_username, other.email)
    t.deepEqual([claims.given_name, claims.family_name], [undefined, undefined])
    await pool.query("update users set given_name = 'Anna', family_name = 'Old' where id = $1", [
      user,
    ])
    t.like((await signIn()).idToken, parts)
  })
}

test('discovery lists the scopes and claims', async (t) => {
  const url = `http://127.0.0.1:${environment.httpPort}/.well-known/openid-configuration`
  const { scopes_supported, claims_supported } = (await (await fetch(url)).json()) as Record<
    string,
    string[]
  >
  t.deepEqual(scopes_supported, [
    ...['openid', 'profile', 'email', 'offline_access', 'roles', 'groups'],
  ])
  for (const claim of ['roles', 'groups', 'preferred_username', 'given_name', 'family_name'])
    t.true(claims_supported?.includes(claim), claim)
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
