// Threat: consent without a person, another program takes the remembered consent, a document that changes.
import test from 'ava'
import { decodeJwt } from 'jose'
import { createConsentSteps } from '../support/consent.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'

const environment = await createSignInEnvironment()
const { pool } = environment
test.after.always(() => environment.stop())

const loopback = 'http://127.0.0.1:49152/callback'

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const steps = createConsentSteps(environment, transport)
  const { begin, open, choose, send, endOf, exchange, connect, refresh, pass } = steps
  // Errors of OAuth endpoints have other names over REST.
  const refusal = transport.name === 'grpc' ? 'CONSENT_FORM_REFUSED' : 'ACCESS_DENIED'
  const findGrants = async (email: string) => {
    const { rows } = await pool.query(
      `select c.* from consents c join users u on u.id = c.user_id where u.email = $1`,
      [email],
    )
    return rows
  }
  const again = async (request: Record<string, string>, session: string) => {
    const { location, html, page } = expectOk(await send(request, session))
    return html || page ? 'page' : (endOf({ location }).error ?? 'code')
  }

  test.serial(
    `a client that requires consent gets a code once its user agrees ${over}`,
    async (t) => {
      const begun = await begin()
      const { session, request, api, client, email } = begun
      // The sign-in ends at the page, not at the client.
      t.true(begun.location.startsWith('http://localhost:8000/oauth/authorize?'))
      const page = await open(request, session)
      for (const text of ['Editor', 'read', email, 'rp.example.com'])
        t.true(page.text.includes(text), text)
      t.is(page.choices.length, 2)
      t.deepEqual(await findGrants(email), [])

      const { code = '', iss, state } = endOf(expectOk(await choose(page, 'allow', session)))
      t.is(iss, 'http://localhost:8000')
      t.is(state, request.state)
      const tokens = expectOk(await exchange(begun, code))
      const [grant, ...others] = await findGrants(email)
      t.is(others.length, 0)
      const claims = decodeJwt(tokens.access_token)
      t.is(claims.gid, grant.id)
      t.is(claims.aud, api.uri)
      t.is(claims.client_id, client.client_id)
      t.is(
        decodeJwt(expectOk(await refresh(client, tokens.refresh_token)).access_token).gid,
        grant.id,
      )
      const { rows } = await pool.query(
        'select action, detail from activity where target_id = $1',
        [grant.id],
      )
      t.is(rows.length, 1)
      t.is(rows[0].action, 'grant.created')
      t.like(rows[0].detail, { host: 'rp.example.com', resource: api.uri, scopes: 'read' })
    },
  )

  test.serial(`Cancel is access_denied, and nothing is stored ${over}`, async (t) => {
    const { request, session, email } = await begin()
    const page = await open(request, session)
    t.is(endOf(expectOk(await choose(page, 'cancel', session))).error, 'access_denied')
    t.deepEqual(await findGrants(email), [])
  })

  test.serial(`a consent is remembered for what was agreed to ${over}`, async (t) => {
    const { request, session, client, email } = await connect()
    t.is(await again(request, session), 'code')
    t.is(await again({ ...request, prompt: 'none' }, session), 'code')
    t.is(await again({ ...request, prompt: 'consent' }, session), 'page')
    // One scope more is asked for, and what was agreed to stays.
    t.is(await again({ ...request, scope: 'write', prompt: 'none' }, session), 'consent_required')
    const more = await open({ ...request, scope: 'write' }, session)
    const [before] = await findGrants(email)
    expectOk(await choose(more, 'allow', session))
    const [after] = await findGrants(email)
    t.is(after.id, before.id)
    t.deepEqual(after.scopes, ['read', 'write'])
    t.is(await again({ ...request, scope: 'read write' }, session), 'code')
    const { rows } = await pool.query(
      `select from activity where target_id = $1 and action = 'grant.extended'`,
      [before.id],
    )
    t.is(rows.length, 1)
    // Another API, and none at all.
    const other = await steps.createApi()
    t.is(await again({ ...request, resource: other.uri }, session), 'page')
    t.is(await again({ ...request, resource: '', scope: 'openid' }, session), 'page')
    // Another redirect URI or key than at the consent.
    await pool.query('insert into client_redirect_uris (app_id, uri) values ($1, $2)', [
      ...[client.client_id, 'https://other.example.com/'],
    ])
    t.is(await again({ ...request, prompt: 'none' }, session), 'consent_required')
    t.is(await again(request, session), 'page')
  })

  test.serial(`after 180 days without use, people are asked again ${over}`, async (t) => {
    const { request, session, email } = await connect()
    const age = (days: number) =>
      pool.query(
        `update consents set last_used_at = last_used_at - make_interval(days => $2)
         where user_id = (select id from users where email = $1)`,
        [email, days],
      )
    await age(179)
    t.is(await again(request, session), 'code')
    await age(181)
    t.is(await again(request, session), 'page')
  })

  test.serial(
    `a second program on the computer cannot use the consent to the first one ${over}`,
    async (t) => {
      const client = await steps.createClient({}, ['http://127.0.0.1/callback'])
      const { request, session, tokens } = await connect({ redirect_uri: loopback }, { client })
      // It listens on another port, and asks in the name of the first one.
      const second = { ...request, redirect_uri: 'http://127.0.0.1:50000/callback' }
      for (const asked of [request, second]) {
        t.is(await again({ ...asked, prompt: 'none' }, session), 'consent_required')
        t.is(await again(asked, session), 'page')
      }
      const page = await open(second, session)
      t.true(/a program on this computer|"title":"Editor"(?!.*"receiver")/.test(page.text))
      expectOk(await refresh(client, tokens.refresh_token))
    },
  )

  test.serial(`a program that proves who it is is remembered on a computer ${over}`, async (t) => {
    const client = await steps.createClient({}, ['http://127.0.0.1/callback'])
    const { request, session } = await connect({ redirect_uri: loopback }, { client })
    const set = `update client_apps set type = 'confidential', jwks = '{"keys": []}' where id = $1`
    await pool.query(set, [client.client_id])
    const page = await open(request, session)
    expectOk(await choose(page, 'allow', session))
    t.is(await again(request, session), 'code')
    // A secret in the program would prove nothing.
    await pool.query(
      `insert into client_secrets (secret_hash, secret_prefix, app_id) values ($1::text, 'dkcs_', $1::uuid)`,
      [client.client_id],
    )
    t.is(await again(request, session), 'page')
  })

  test.serial(`a form counts once, for its request, user and browser ${over}`, async (t) => {
    const { request, session, client, api, email } = await begin()
    const page = await open(request, session)
    const refused = async (outcome: ReturnType<typeof send>) => {
      const { code, reason } = expectError(await outcome)
      t.deepEqual({ code, reason }, { code: 'permission_denied', reason: refusal })
    }
    // Of another request: another state, and another scope.
    await refused(choose(page, 'allow', session, { state: 'another' }))
    await refused(choose(page, 'allow', session, { scope: 'read write' }))
    // Another user's, and another browser's of the same user.
    const other = await begin({}, { client, api })
    await refused(choose(page, 'allow', other.session))
    const elsewhere = await begin({}, { client, api, email })
    await refused(choose(page, 'allow', elsewhere.session))
    // Of a page that never was.
    const invented = `consent.allow.${Date.now()}.${'a'.repeat(43)}.${'a'.repeat(43)}`
    await refused(choose(page, 'allow', session, { confirmation: invented }))
    // A button is worth nothing as the other one.
    const [allow = '', cancel = ''] = page.choices.map(({ confirmation }) => String(confirmation))
    const swapped = cancel.replace('cancel', 'allow')
    await refused(choose(page, 'allow', session, { confirmation: swapped }))
    t.deepEqual(await findGrants(email), [])
    // Links never agree.
    const { is_form: _, ...link } = page.choices[0] ?? {}
    t.is(await again(link as Record<string, string>, session), 'page')
    t.deepEqual(await findGrants(email), [])

    expectOk(await choose(page, 'allow', session))
    await refused(choose(page, 'allow', session, { confirmation: allow }))
  })

  test.serial(
    `a form lives for ten minutes, and not for its first half second ${over}`,
    async (t) => {
      const { request, session, email } = await begin()
      environment.clock.now = new Date()
      const [young] = (await open(request, session)).choices
      pass(0.499)
      t.is(await again(young as Record<string, string>, session), 'page')
      t.deepEqual(await findGrants(email), [])
      pass(0.001)
      t.is(await again(young as Record<string, string>, session), 'code')
      const [old] = (await open({ ...request, prompt: 'consent' }, session)).choices
      pass(601)
      const { reason } = expectError(await send(old ?? {}, session))
      t.is(reason, refusal)
      const [last] = (await open({ ...request, prompt: 'consent' }, session)).choices
      pass(600)
      t.is(await again(last as Record<string, string>, session), 'code')
    },
  )

  test.serial(`two tabs with two requests both work ${over}`, async (t) => {
    const { request, session } = await begin()
    const other = { ...request, state: 'second tab' }
    const pages = [await open(request, session), await open(other, session)]
    for (const page of pages) t.truthy(endOf(expectOk(await choose(page, 'allow', session))).code)
  })

  test.serial(`people choose between the workspaces that they have joined ${over}`, async (t) => {
    const { request, session, email, client } = await begin()
    const { rows } = await pool.query('select id from users where email = $1', [email])
    const user = rows[0].id
    const [second, invited] = [
      await environment.seed.workspace(),
      await environment.seed.workspace(),
    ]
    await environment.seed.member(second, user, 'viewer')
    await environment.seed.member(invited, user, 'viewer', { joined_at: null })
    const page = await open(request, session)
    t.true(page.text.includes(second))
    t.false(page.text.includes(invited))
    t.is(await again({ ...request, prompt: 'none' }, session), 'consent_required')
    // Without a choice, the page is displayed again.
    const [allow] = page.choices
    pass(1)
    t.is(await again(allow as Record<string, string>, session), 'page')
    const chosen = expectOk(await choose(page, 'allow', session, { workspace: second }))
    t.truthy(endOf(chosen).code)
    const [grant, ...others] = await findGrants(email)
    t.is(others.length, 0)
    t.is(grant.workspace_id, second)
    t.is(grant.client_id, client.client_id)
    const named = await send({ ...request, workspace: invited }, session)
    t.is(endOf(expectOk(named)).error, 'access_denied')
  })

  test.serial(
    `access without an API is agreed to, and stays in its workspace ${over}`,
    async (t) => {
      const begun = await connect({ resource: '', scope: 'openid email offline_access' })
      const { tokens, client, email, request, session } = begun
      t.truthy((tokens as Record<string, string>).id_token)
      const [grant] = await findGrants(email)
      t.is(grant.resource_id, null)
      t.deepEqual(grant.scopes.toSorted(), ['email', 'offline_access', 'openid'])
      t.is(await again(request, session), 'code')
      const second = await environment.seed.workspace()
      await environment.seed.member(second, grant.user_id, 'viewer')
      const switched = await transport.call('SwitchWorkspace', {
        refresh_token: tokens.refresh_token,
        workspace_id: second,
      })
      t.is(expectError(switched).code, 'permission_denied')
      expectOk(await refresh(client, tokens.refresh_token))
    },
  )

  test.serial(`an app that requires consent signs nobody in at /auth/login ${over}`, async (t) => {
    const uri = 'https://consent-only.example.com/callback'
    await steps.createClient({ name: transport.label }, [uri])
    const begun = await transport.call('BeginLogin', {
      ...{ provider: 'google', redirect_uri: uri, code_challenge_method: 'S256' },
      code_challenge: 'a'.repeat(43),
    })
    t.is(expectError(begun).reason, 'REDIRECT_URI_REFUSED')
  })
}
