import { randomUUID } from 'node:crypto'
import test from 'ava'
import { hashSecret } from '../../src/identity/secret.ts'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createPkce, createSignInEnvironment, signInAtProvider } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment()
const strict = await environment.addNode({ DEBUG: false })
const opened = await environment.addNode({
  DEBUG: false,
  BACKCHANNEL_ALLOWED_HOSTS: [{ name: 'localhost' }, { address: '10.0.0.0', prefix: 8 }],
})
const { pool } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const newUri = () => `https://app.example.com/${randomUUID()}`

/** A client app with one redirect URI, created by an administrator. */
async function createApp(transport: Transport) {
  const uri = newUri()
  const call = (method: string, message: object = {}) => admin.call(transport, method, message)
  const created = expectOk(await call('CreateClientApp', { name: 'App', redirect_uris: [uri] }))
  const app = { client_app_id: created.id as string }
  return {
    call,
    created,
    app,
    uri,
    update: (more: object) =>
      call('UpdateClientApp', { ...app, redirect_uris: [] as string[], ...more }),
    listed: async () => {
      const { client_apps } = expectOk(await call('ListClientApps'))
      return client_apps.find(({ id }: any) => id === created.id) as Record<string, any> | undefined
    },
    /** Whether a sign-in with the redirect URI starts. */
    starts: async (redirect_uri: string) => {
      const challenge = { code_challenge: createPkce().challenge, code_challenge_method: 'S256' }
      const request = { provider: 'github', redirect_uri, ...challenge }
      const outcome = await transport.call('BeginLogin', request)
      return outcome.ok || outcome.reason
    },
  }
}

/** Absent fields are null in JSON. */
const withoutNulls = (message: object) =>
  Object.fromEntries(
    Object.entries(message).filter(([, value]) => value !== null && value !== undefined),
  )

const refusedUri = 'REDIRECT_URI_REFUSED'

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  test(`creating a client app allows sign-ins with its redirect URIs ${through}`, async (t) => {
    const uris = [newUri(), `${newUri()}?x=%20`, 'http://localhost:4000/cb', 'http://[::1]/']
    const request = { name: ' Web ', redirect_uris: [...uris, ...uris] }
    const outcome = await admin.call(transport, 'CreateClientApp', request)
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 201)
    const { id, created_at, redirect_uris, ...rest } = expectOk(outcome)
    t.deepEqual(withoutNulls(rest), {
      name: 'Web',
      type: 'public',
      is_active: true,
      post_logout_redirect_uris: [],
      pkce_required: true,
      popup_sign_in: false,
      consent_required: false,
      created_by: admin.id,
    })
    t.deepEqual(redirect_uris.toSorted(), uris.toSorted())
    t.true(Math.abs(Date.parse(created_at) - Date.now()) < 600_000)
    const { starts, call } = await createApp(transport)
    for (const uri of uris) t.is(await starts(uri), true)
    const { client_apps } = expectOk(await call('ListClientApps'))
    t.deepEqual(
      client_apps.find((app: any) => app.id === id),
      outcome.ok && outcome.message,
    )
    t.deepEqual(await listActivity(pool, id), [
      {
        action: 'client_app.created',
        target_type: 'client_app',
        actor_id: admin.id,
        workspace_id: null,
        detail: {
          name: 'Web',
          type: 'public',
          pkce_required: 'true',
          workspace: 'any',
          popup_sign_in: 'false',
          consent_required: 'false',
          service_account: 'none',
          keys: '0',
          redirect_uris: redirect_uris.join(' '),
        },
      },
    ])
  })

  test(`only a confidential client app may omit PKCE ${through}`, async (t) => {
    const { update, call, listed } = await createApp(transport)
    const violationOf = (outcome: Parameters<typeof expectError>[0]) =>
      expectError(outcome).violations.map(({ field }) => field)
    const request = { name: 'Spring', redirect_uris: [newUri()], pkce_required: false }
    t.deepEqual(violationOf(await call('CreateClientApp', request)), ['pkce_required'])
    const created = expectOk(await call('CreateClientApp', { ...request, type: 'confidential' }))
    t.false(created.pkce_required)
    t.deepEqual(violationOf(await update({ pkce_required: false })), ['pkce_required'])
    t.true((await listed())?.pkce_required)
    t.false(expectOk(await update({ type: 'confidential', pkce_required: false })).pkce_required)
    t.false((await listed())?.pkce_required)
    t.deepEqual(violationOf(await update({ type: 'public' })), ['pkce_required'])
    const restored = expectOk(await update({ type: 'public', pkce_required: true }))
    t.like(restored, { type: 'public', pkce_required: true })
  })

  test(`redirect URIs that could leak a code return 422 with their index ${through}`, async (t) => {
    const { app } = await createApp(transport)
    const strictTransport = strict.transports.find(
      ({ name }) => name === transport.name,
    ) as Transport
    const invalid = [
      '',
      '/cb',
      'app.example.com/cb',
      'https://',
      '//app.example.com/cb',
      'null',
      '*',
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://app.example.com/',
      'myapp://cb',
      'http://app.example.com/cb',
      'http://localhost.example.com/',
      'http://127.0.0.2/',
      'https://app.example.com/#',
      'https://app.example.com/cb#x',
      'https://u@a.example/',
      'https://u:p@a.example/',
      'https://@a.example/',
      'https://a.example/c b',
      ...[
        'https://a.example/\u0001',
        'https://*.a.example/',
        'https://a.example/\u0085',
        'https:a.example/',
        'https:/a.example/',
      ],
      'https:\\\\a.example\\cb',
      `https://a.example/${'x'.repeat(2000)}`,
    ]
    const good = newUri()
    const redirect_uris = [good, ...invalid]
    const fields = invalid.map((_, index) => `redirect_uris[${index + 1}]`)
    const name = `n-${randomUUID()}`
    for (const [method, message] of [
      ['CreateClientApp', { name, redirect_uris }],
      ['UpdateClientApp', { ...app, name, redirect_uris }],
    ] as const) {
      // Violations of field rules and those found by the handler are reported separately.
      const first = expectError(await admin.call(strictTransport, method, message))
      t.is(first.code, 'invalid_argument')
      const shape = first.violations.map(({ field }) => field)
      t.deepEqual(shape, [fields[0], fields.at(-1)])
      const rest = redirect_uris.filter((uri) => uri !== '' && uri.length <= 2000)
      const second = expectError(
        await admin.call(strictTransport, method, { ...message, redirect_uris: rest }),
      )
      t.deepEqual(
        second.violations.map(({ field }) => field),
        rest.slice(1).map((_, index) => `redirect_uris[${index + 1}]`),
      )
    }
    const withoutUris = { name, redirect_uris: [] }
    t.is(
      expectError(await admin.call(transport, 'CreateClientApp', withoutUris)).violations[0]?.field,
      'redirect_uris',
    )
    const { rows } = await pool.query(
      'select from client_apps a join client_redirect_uris u on u.app_id = a.id where a.name = $1 or u.uri = $2',
      [name, good],
    )
    t.is(rows.length, 0)
  })

  test(`http redirect URIs require DEBUG ${through}`, async (t) => {
    const strictTransport = strict.transports.find(
      ({ name }) => name === transport.name,
    ) as Transport
    const message = { name: 'x', redirect_uris: [`http://app.example.com/${randomUUID()}`] }
    t.is(
      expectError(await admin.call(strictTransport, 'CreateClientApp', message)).code,
      'invalid_argument',
    )
    t.true((await admin.call(transport, 'CreateClientApp', message)).ok)
  })

  test(`new redirect URIs replace the old ones; an empty list leaves them unchanged ${through}`, async (t) => {
    const { update, listed, starts, uri, app, created } = await createApp(transport)
    t.deepEqual(expectOk(await update({ name: 'New' })).redirect_uris, [uri])
    const added = newUri()
    expectOk(await update({ redirect_uris: [uri, added] }))
    t.deepEqual([await starts(uri), await starts(added)], [true, true])
    expectOk(await update({ redirect_uris: [added] }))
    t.deepEqual([await starts(uri), await starts(added)], [refusedUri, true])
    t.deepEqual(await listed(), { ...created, name: 'New', redirect_uris: [added] })
    expectOk(await update({ name: ' New ', redirect_uris: [added, added], is_active: true }))
    const [, ...entries] = await listActivity(pool, app.client_app_id)
    t.deepEqual(
      entries.map(({ action, detail }) => [action, detail.redirect_uris]),
      [
        ['client_app.updated', uri],
        ['client_app.updated', [uri, added].toSorted().join(' ')],
        ['client_app.updated', added],
      ],
    )
  })

  test(`a confidential app has a secret that is shown once and rotated ${through}`, async (t) => {
    const call = (method: string, message: object) => admin.call(transport, method, message)
    const request = { name: 'Backend', redirect_uris: [newUri()], type: 'confidential' }
    const created = expectOk(await call('CreateClientApp', request))
    const { id, client_secret: first } = created
    t.regex(first, /^dkcs_[\w-]{43}$/)
    t.is(created.secret_prefix, first.slice(0, 12))
    const listed = async () =>
      expectOk(await call('ListClientApps', {})).client_apps.find((app: any) => app.id === id)
    t.falsy((await listed()).client_secret)
    const stored = async () => {
      const sql = 'select secret_hash, expires_at from client_secrets where app_id = $1'
      return (await pool.query(`${sql} order by created_at`, [id])).rows
    }
    t.deepEqual(
      (await stored()).map(({ secret_hash }) => secret_hash),
      [hashSecret(first)],
    )
    const rotated = expectOk(
      await call('RotateClientApp', { client_app_id: id, overlap_seconds: 3600 }),
    )
    t.not(rotated.client_secret, first)
    t.is((await listed()).secret_prefix, rotated.client_secret.slice(0, 12))
    const [old, current] = await stored()
    t.true(Math.abs(old.expires_at - Date.now() - 3_600_000) < 600_000)
    t.is(current.expires_at, null)
    t.like((await listActivity(pool, id)).at(-1), {
      action: 'client_app.secret_rotated',
      detail: { name: 'Backend', secret_prefix: rotated.secret_prefix, overlap_seconds: '3600' },
    })
    const update = { client_app_id: id, redirect_uris: [] as string[] }
    const opened = expectOk(await call('UpdateClientApp', { ...update, type: 'public' }))
    t.falsy(opened.secret_prefix)
    t.is((await stored()).length, 0)
    const refused = expectError(await call('RotateClientApp', { client_app_id: id }))
    t.is(refused.reason, 'CLIENT_APP_PUBLIC')
    const closed = expectOk(await call('UpdateClientApp', { ...update, type: 'confidential' }))
    t.regex(closed.client_secret, /^dkcs_/)
  })

  test(`logout URLs are checked, replaced and removed ${through}`, async (t) => {
    const { call, update } = await createApp(transport)
    const invalid = { post_logout_redirect_uris: ['javascript:x'], backchannel_logout_uri: '/x' }
    const { violations } = expectError(await update(invalid))
    t.deepEqual(
      violations.map(({ field }) => field),
      ['post_logout_redirect_uris[0]', 'backchannel_logout_uri'],
    )
    const post_logout_redirect_uris = ['https://a.example/bye', 'https://a.example/']
    const urls = { post_logout_redirect_uris, backchannel_logout_uri: 'https://a.example/logout' }
    const set = expectOk(await update(urls))
    t.deepEqual(set.post_logout_redirect_uris, post_logout_redirect_uris.toSorted())
    t.is(set.backchannel_logout_uri, urls.backchannel_logout_uri)
    t.like(expectOk(await update({ name: 'Same' })), {
      post_logout_redirect_uris: set.post_logout_redirect_uris,
      backchannel_logout_uri: urls.backchannel_logout_uri,
    })
    const removal =
      transport.name === 'rest'
        ? { post_logout_redirect_uris: null }
        : { remove_post_logout_redirect_uris: true }
    const removed = expectOk(await update({ ...removal, backchannel_logout_uri: '' }))
    t.deepEqual(removed.post_logout_redirect_uris, [])
    t.falsy(removed.backchannel_logout_uri)
    t.is(
      expectError(await call('RotateClientApp', { client_app_id: randomUUID() })).code,
      'not_found',
    )
  })

  test(`logout tokens go to public https hosts, unless the operator opens others ${through}`, async (t) => {
    const onNode = ({ transports }: typeof strict) =>
      transports.find(({ name }) => name === transport.name) as Transport
    const app = { name: 'App', redirect_uris: [newUri()] }
    const { id } = expectOk(await admin.call(transport, 'CreateClientApp', app))
    /** Returns the problem with the URI on a node, on creation and on change. */
    const findProblem = async (node: typeof strict, backchannel_logout_uri: string) => {
      const messages = await Promise.all(
        [
          ['CreateClientApp', { ...app, backchannel_logout_uri }] as const,
          [
            'UpdateClientApp',
            { client_app_id: id, redirect_uris: [], backchannel_logout_uri },
          ] as const,
        ].map(async ([method, message]) => {
          const outcome = await admin.call(onNode(node), method, message)
          if (outcome.ok) return undefined
          t.is(outcome.code, 'invalid_argument')
          const [violation, ...more] = outcome.violations
          t.deepEqual(more, [])
          t.is(violation?.field, 'backchannel_logout_uri')
          return violation?.message
        }),
      )
      t.is(messages[0], messages[1])
      return messages[0]
    }
    for (const host of [
      '127.0.0.1',
      '169.254.169.254',
      '10.0.0.1',
      '0x7f000001',
      '[::ffff:10.0.0.1]',
      'localhost',
    ]) {
      t.regex((await findProblem(strict, `https://${host}/logout`)) ?? '', /private, loopback/)
    }
    t.is(await findProblem(strict, 'http://app.example/logout'), 'must be https')
    t.is(await findProblem(strict, 'https://app.example/logout'), undefined)
    t.is(await findProblem(opened, 'http://localhost:3000/logout'), undefined)
    t.is(await findProblem(opened, 'https://10.0.0.1/logout'), undefined)
    t.truthy(await findProblem(opened, 'https://192.168.0.1/logout'))
    t.is(await findProblem(environment, 'http://127.0.0.1:3000/logout'), undefined)
    t.truthy(await findProblem(environment, 'http://app.example/logout'))
    t.truthy(await findProblem(environment, 'https://10.0.0.1/logout'))
  })

  test(`a deactivated app receives no codes, not even for sign-ins in progress ${through}`, async (t) => {
    const { update, starts, uri, app } = await createApp(transport)
    const login = await signInAtProvider(transport, 'github', environment.addProviderUser(), {
      redirect_uri: uri,
    })
    t.is(expectOk(await update({ is_active: false })).is_active, false)
    t.is(await starts(uri), refusedUri)
    t.is(expectError(await transport.call('CompleteLogin', login.message)).reason, refusedUri)
    t.is(expectOk(await update({ is_active: true })).is_active, true)
    t.is(await starts(uri), true)
    const [, ...entries] = await listActivity(pool, app.client_app_id)
    t.deepEqual(
      entries.map(({ action, detail }) => [action, detail]),
      [
        ['client_app.deactivated', { name: 'App' }],
        ['client_app.activated', { name: 'App' }],
      ],
    )
  })

  test(`deleting a client app returns 204 and is recorded; an unknown app returns 404 ${through}`, async (t) => {
    const { call, app, starts, uri, listed } = await createApp(transport)
    const outcome = await call('DeleteClientApp', app)
    t.true(outcome.ok)
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 204)
    t.is(await starts(uri), refusedUri)
    t.is(await listed(), undefined)
    t.like((await listActivity(pool, app.client_app_id)).at(-1), {
      action: 'client_app.deleted',
      actor_id: admin.id,
      detail: { name: 'App' },
    })
    for (const id of [app.client_app_id, randomUUID()]) {
      const name = { client_app_id: id }
      const messages = { UpdateClientApp: { ...name, redirect_uris: [] }, DeleteClientApp: name }
      for (const [method, message] of Object.entries(messages))
        t.like(expectError(await call(method, message)), {
          code: 'not_found',
          reason: 'CLIENT_APP_NOT_FOUND',
        })
    }
    const malformed = expectError(await call('DeleteClientApp', { client_app_id: 'x' }))
    t.deepEqual(malformed.violations, [{ field: 'client_app_id', message: 'must be a UUID' }])
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
