import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, signIn, signInAtProvider } from '../support/sign-in.ts'

const administrator = 'root@example.com'
const environment = await createSignInEnvironment({ options: { ADMIN_EMAILS: [administrator] } })
test.after.always(() => environment.stop())
environment.addProviderUser({ email: administrator, name: 'Root' })

for (const transport of environment.transports) {
  const over = `over ${transport.name}`

  test(`LookUpNames resolves IDs of each kind and omits unknown ones ${over}`, async (t) => {
    const { seed } = environment
    const admin = await createAdmin(environment)
    const workspace = await seed.workspace('Northwind')
    const named = await seed.user('ann')
    const nameless = await seed.user('', { email: `nameless-${randomUUID()}@example.com` })
    const group = await seed.group(workspace, [], 'Writers')
    const app = await seed.serviceApp(`docs-${randomUUID()}`)
    const robot = { workspace_id: workspace, name: 'Robot', role: 'viewer' }
    const account = expectOk(await admin.call(transport, 'CreateServiceAccount', robot))
    const ids = [workspace, named, nameless, group, app.id, account.id, randomUUID()]
    const { names } = expectOk(await admin.call(transport, 'LookUpNames', { ids }))
    const byId = new Map(names.map((name: { id: string }) => [name.id, name]))
    t.is(byId.size, 6)
    t.like(byId.get(workspace), { type: 'workspace', name: 'Northwind', workspace_id: workspace })
    t.like(byId.get(named), { type: 'user', name: 'ann' })
    t.regex((byId.get(nameless) as { name: string }).name, /^nameless-.*@example.com$/)
    t.like(byId.get(group), { type: 'group', name: 'Writers', workspace_id: workspace })
    t.like(byId.get(app.id), { type: 'service_app' })
    t.like(byId.get(account.id), { type: 'user', name: 'Robot', workspace_id: workspace })
  })

  test(`ListUsers filters by is_active, is_admin and has_signed_in ${over}`, async (t) => {
    const word = randomUUID().slice(0, 8)
    const admin = await createAdmin(environment)
    const active = await environment.seed.user(`${word} active`)
    const inactive = await environment.seed.user(`${word} inactive`, { is_active: false })
    const other = await environment.seed.user(`${word} admin`, { is_admin: true })
    const list = async (filters: object) => {
      const message = { q: word, ...filters }
      const { items } = expectOk(await admin.call(transport, 'ListUsers', message))
      return items.map(({ id }: { id: string }) => id).toSorted()
    }
    t.deepEqual(await list({}), [active, inactive, other].toSorted())
    t.deepEqual(await list({ is_active: false }), [inactive])
    t.deepEqual(await list({ is_admin: true }), [other])
    t.deepEqual(await list({ is_active: true, is_admin: false }), [active])
    await environment.pool.query('update users set last_sign_in_at = now() where id = $1', [active])
    t.deepEqual(await list({ has_signed_in: true }), [active])
    t.deepEqual(await list({ has_signed_in: false }), [inactive, other].toSorted())
  })

  test(`an administrator ends the sessions of a user, but not another user's ${over}`, async (t) => {
    const admin = await createAdmin(environment)
    const email = environment.addProviderUser()
    const tokens = [await signIn(transport, email), await signIn(transport, email)].map(
      ({ tokens }) => tokens.access_token,
    )
    const me = async (token: string) => transport.call('GetMe', {}, { token })
    const { id: user_id } = expectOk(await me(tokens[0]))
    const { sessions } = expectOk(await admin.call(transport, 'GetUser', { user_id }))
    const [newest] = sessions
    const end = (message: object) => admin.call(transport, 'EndUserSession', message)
    const ofAnother = { user_id: await environment.seed.user(), session_id: newest.id }
    t.is(expectError(await end(ofAnother)).code, 'not_found')
    expectOk(await end({ user_id, session_id: newest.id }))
    expectOk(await me(tokens[0]))
    t.is(expectError(await me(tokens[1])).code, 'unauthenticated')
    expectOk(await admin.call(transport, 'EndUserSessions', { user_id }))
    t.is(expectError(await me(tokens[0])).code, 'unauthenticated')
    const unknown = await admin.call(transport, 'EndUserSessions', { user_id: randomUUID() })
    t.is(expectError(unknown).code, 'not_found')
  })

  test(`sign-ins are counted by day, and development mode is reported ${over}`, async (t) => {
    const admin = await createAdmin(environment)
    const count = async () => {
      const stats = expectOk(await admin.call(transport, 'GetStats'))
      t.is(stats.sign_ins_by_day.length, 30)
      t.is(typeof stats.development_mode, 'boolean')
      const [yesterday, today] = stats.sign_ins_by_day.slice(-2)
      return yesterday.count + today.count
    }
    const before = await count()
    await signIn(transport, environment.addProviderUser())
    // Concurrent tests also sign in.
    t.true((await count()) > before)
  })

  test(`a sign-in returns only to the console path where it began ${over}`, async (t) => {
    const begin = (return_to: string) =>
      transport.call('BeginAdminLogin', { provider: 'google', return_to })
    const refused = [
      '//evil.example.com',
      '/\\evil.example.com',
      '/\t/evil.example.com',
      '/ /evil',
      'https://evil.example.com/',
      '@evil.example.com',
      '.evil.example.com',
      'people',
      '/a\\b',
      '/å',
    ]
    for (const path of refused) {
      t.is(expectError(await begin(path)).code, 'invalid_argument', path)
    }
    const path = '/people?q=ann&page=2#top'
    const { message } = await signInAtProvider(
      transport,
      'google',
      administrator,
      { return_to: path },
      'BeginAdminLogin',
    )
    const { location } = expectOk(await transport.call('CompleteAdminLogin', message))
    t.is(location, `http://localhost:9004${path}`)
  })
}
