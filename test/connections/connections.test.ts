import { randomUUID } from 'node:crypto'
import test from 'ava'
import { reencryptConnections } from '../../src/connections/reencrypt.ts'
import { createSecretBox } from '../../src/core/secret-box.ts'
import { createStores } from '../../src/server/stores.ts'
import { connectWorkspace, createConnectionEnvironment, publish } from '../support/connections.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startMockAuthority } from '../support/providers/mock-authority.ts'
import { testEncryptionKey } from '../support/seed.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createConnectionEnvironment()
const { pool, seed, admin, dns, database, app, clock } = environment
const [, rest] = environment.transports as [Transport, Transport]
test.after.always(() => environment.stop())

const settings = (issuer: string, domain = `${randomUUID()}.example`) => ({
  name: 'Corp',
  issuer,
  client_id: 'daikon',
  client_secret: 'the secret',
  scopes: [],
  domains: [domain],
})

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test.serial(`owners create, read, change and delete connections ${over}`, async (t) => {
    const authority = await startMockAuthority(t)
    const workspace_id = await seed.workspace()
    const token = await environment.token(await seed.newMember(workspace_id, 'owner'), workspace_id)
    const call = (method: string, message: object = {}) =>
      transport.call(`ConnectionService/${method}`, { workspace_id, ...message }, { token })
    const group = await seed.group(workspace_id)
    const created = expectOk(
      await call('CreateConnection', {
        ...settings(authority.url, 'Corp.Example'),
        mapping: {
          role_claim: 'roles',
          roles: { staff: 'editor' },
          groups_claim: 'groups',
          groups: { eng: group },
        },
      }),
    )
    const connection_id: string = created.id
    t.like(created, {
      ...{ workspace_id, name: 'Corp', issuer: authority.url, client_id: 'daikon' },
      ...{ default_role: 'viewer', is_active: true, enforced: false, break_glass: true },
      redirect_uri: `http://localhost:8000/auth/callback/connection:${connection_id}`,
    })
    t.deepEqual(created.scopes, ['openid', 'email', 'profile'])
    t.like(created.domains[0], { domain: 'corp.example', txt_host: 'corp.example' })
    t.regex(created.domains[0].txt_value, /^daikon-verification=[\w-]{32}$/)
    t.deepEqual(created.mapping.roles, { staff: 'editor' })
    t.deepEqual(created.mapping.groups, { eng: group })
    t.false(JSON.stringify(created).includes('the secret'))

    const { rows } = await pool.query('select client_secret from connections where id = $1', [
      connection_id,
    ])
    t.false(rows[0].client_secret.includes('the secret'))
    const box = createSecretBox([testEncryptionKey])
    t.is(box.decrypt(rows[0].client_secret, `connections/${connection_id}`), 'the secret')

    const { connections } = expectOk(await call('ListConnections'))
    t.is(connections.length, 1)
    const found = expectOk(await call('GetConnection', { connection_id }))
    t.is(found.id, connection_id)
    const lists = { scopes: [], domains: [] }
    const change = { connection_id, ...lists, name: 'New', if_match: found.etag }
    const changed = expectOk(await call('UpdateConnection', change))
    t.like(changed, { name: 'New', is_active: true })
    t.deepEqual(changed.domains, found.domains)
    const stale = expectError(await call('UpdateConnection', change))
    t.is(stale.reason, 'CHANGED_SINCE_READ')
    expectOk(await call('DeleteConnection', { connection_id }))
    const gone = expectError(await call('GetConnection', { connection_id }))
    t.is(gone.reason, 'CONNECTION_NOT_FOUND')
  })

  test.serial(`owners read the configuration of an issuer ${over}`, async (t) => {
    const authority = await startMockAuthority(t)
    authority.document = { scopes_supported: ['openid', 'groups', 7], claims_supported: 'none' }
    const workspace_id = await seed.workspace()
    const discover = async (role: 'owner' | 'admin', issuer: string) => {
      const token = await environment.token(await seed.newMember(workspace_id, role), workspace_id)
      const message = { workspace_id, issuer }
      return transport.call('ConnectionService/DiscoverIssuer', message, { token })
    }
    const found = expectOk(await discover('owner', authority.url))
    t.like(found, {
      issuer: authority.url,
      authorization_endpoint: `${authority.url}/authorize`,
      token_endpoint: `${authority.url}/token`,
      jwks_uri: `${authority.url}/jwks`,
    })
    t.deepEqual(found.scopes_supported, ['openid', 'groups'])
    t.deepEqual(found.claims_supported, [])
    t.is(expectError(await discover('admin', authority.url)).reason, 'ROLE_TOO_LOW')
    const refused = expectError(await discover('owner', `${authority.url}/other`))
    t.is(refused.code, 'invalid_argument')
    t.regex(JSON.stringify(refused), /issuer.*cannot be discovered/)
    const unknown = { workspace_id: randomUUID(), issuer: authority.url }
    const missing = await admin.call(transport, 'DiscoverIssuer', unknown)
    t.is(expectError(missing).code, 'not_found')
  })

  test.serial(`a connection is validated when it is saved ${over}`, async (t) => {
    const workspace_id = await seed.workspace()
    const authority = await startMockAuthority(t)
    const refuse = async (more: object, field: string) => {
      const message = { workspace_id, ...settings(authority.url), ...more }
      const error = expectError(await admin.call(transport, 'CreateConnection', message))
      t.is(error.code, 'invalid_argument', JSON.stringify(more))
      t.true(
        error.violations.some((violation: { field: string }) => violation.field === field),
        JSON.stringify(error.violations),
      )
      return error
    }
    for (const issuer of [
      'nonsense',
      'http://idp.example.com',
      'https://10.0.0.1',
      'https://169.254.169.254',
      'https://[::ffff:169.254.169.254]',
      'https://user:password@idp.example.com',
      'https://idp.example.com?x=1',
      `${authority.url}/nothing`,
      `${authority.url}/`,
    ])
      await refuse({ issuer }, 'issuer')
    await refuse({ domains: ['nonsense'] }, 'domains[0]')
    await refuse({ domains: ['*.example.com'] }, 'domains[0]')
    await refuse({ mapping: { roles: { x: 'owner' } } }, 'mapping.roles.x')
    await refuse({ mapping: { groups: { x: randomUUID() } } }, 'mapping.groups.x')
    await refuse({ default_role: 'owner' }, 'default_role')
    await refuse({ default_role: 'guest' }, 'default_role')

    const inner = 'http://10.1.2.3/token'
    for (const [name, value] of [
      ['issuer', 'https://other.example.com'],
      ['token_endpoint', inner],
      ['token_endpoint', 'https://10.1.2.3/token'],
      ['jwks_uri', 'https://169.254.169.254/keys'],
      ['code_challenge_methods_supported', ['plain']],
      ['response_types_supported', ['id_token', 'code id_token']],
      ['userinfo_endpoint', 'http://idp.example.com/userinfo'],
      ['id_token_signing_alg_values_supported', ['HS256']],
    ] as const) {
      authority.document = { [name]: value }
      await refuse({}, 'issuer')
    }
    authority.document = {}
    const early = { workspace_id, ...settings(authority.url), enforced: true }
    const error = expectError(await admin.call(transport, 'CreateConnection', early))
    t.is(error.reason, 'ENFORCEMENT_NOT_READY')
  })

  test.serial(`malformed documents of an issuer are refused ${over}`, async (t) => {
    const workspace_id = await seed.workspace()
    const authority = await startMockAuthority(t)
    const refuse = async (label: string) => {
      for (const [method, message] of [
        ['CreateConnection', settings(authority.url)],
        ['DiscoverIssuer', { issuer: authority.url }],
      ] as const) {
        const outcome = await admin.call(transport, method, { workspace_id, ...message })
        const { code, violations } = expectError(outcome)
        t.is(code, 'invalid_argument', `${method}: ${label}`)
        t.is(violations?.[0]?.field, 'issuer', label)
      }
    }
    const malformed = [{}, { S256: true }, 7, true, 'S256', [null], [7], [['S256']]]
    for (const name of [
      'code_challenge_methods_supported',
      'id_token_signing_alg_values_supported',
      'token_endpoint_auth_methods_supported',
    ])
      for (const value of malformed) {
        authority.document = { [name]: value }
        await refuse(`${name} ${JSON.stringify(value)}`)
      }
    for (const name of ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'])
      for (const value of [null, 7, {}, [authority.url]]) {
        authority.document = { [name]: value }
        await refuse(`${name} ${JSON.stringify(value)}`)
      }
    authority.document = { authorization_response_iss_parameter_supported: 'true' }
    await refuse('authorization_response_iss_parameter_supported')
    authority.document = {}
    const key = { kty: 'RSA', n: 'AQAB', e: 'AQAB' }
    for (const keySet of [
      null,
      [],
      7,
      {},
      { keys: null },
      { keys: {} },
      { keys: 'RSA' },
      { keys: [] },
      { keys: [null] },
      { keys: [7] },
      { keys: ['RSA'] },
      { keys: [[]] },
      { keys: [{}] },
      { keys: [key, null] },
      { keys: [{ kty: { toString: 7 } }] },
      { keys: [{ ...key, kid: {} }] },
      { keys: [{ ...key, n: 7 }] },
      { keys: [{ kty: 'RSA' }] },
      { keys: [{ ...key, issuer: {} }] },
      { keys: Array(1001).fill(key) },
    ]) {
      authority.keySet = keySet
      await refuse(JSON.stringify(keySet).slice(0, 100))
    }
  })

  test.serial(`a domain counts once it is proven, for one connection ${over}`, async (t) => {
    const authority = await startMockAuthority(t)
    const domain = `${randomUUID()}.example`
    const create = async () => {
      const workspace_id = await seed.workspace()
      const message = { workspace_id, ...settings(authority.url, domain) }
      const created = expectOk(await admin.call(transport, 'CreateConnection', message))
      const ids = { workspace_id, connection_id: created.id as string, domain }
      const verify = () => admin.call(transport, 'VerifyConnectionDomain', ids)
      return { workspace_id, domains: created.domains, verify }
    }
    const first = await create()
    const second = await create()
    const stores = createStores(database.fork())
    t.is(expectError(await first.verify()).reason, 'DOMAIN_NOT_PROVEN')
    t.false(await stores.connectionDomains.isVerified(first.workspace_id, domain))
    publish(dns, second.domains)
    t.is(expectError(await first.verify()).reason, 'DOMAIN_NOT_PROVEN')
    publish(dns, first.domains)
    t.truthy(expectOk(await first.verify()).verified_at)
    t.true(await stores.connectionDomains.isVerified(first.workspace_id, domain))
    t.false(await stores.connectionDomains.isVerified(second.workspace_id, domain))
    publish(dns, second.domains)
    t.is(expectError(await second.verify()).reason, 'DOMAIN_TAKEN')
    dns.isBroken = true
    t.is(expectError(await first.verify()).reason, 'DNS_UNAVAILABLE')
    dns.isBroken = false
  })
}

test.serial('an issuer that is changed needs its own secret', async (t) => {
  const connected = await connectWorkspace(t, environment, rest)
  const other = await startMockAuthority(t)
  const error = expectError(await connected.change({ issuer: other.url }))
  t.deepEqual(
    error.violations.map(({ field }: { field: string }) => field),
    ['client_secret'],
  )
  const changed = await connected.change({ issuer: other.url, client_secret: 'another' })
  t.is(expectOk(changed).issuer, other.url)
})

test.serial(
  'verified domains are checked weekly, and lapse a week after their record is gone',
  async (t) => {
    t.teardown(() => {
      clock.now = undefined
      dns.isBroken = false
    })
    const { domain, connection_id } = await connectWorkspace(t, environment, rest)
    const start = Date.now()
    const read = async () => {
      const stores = createStores(database.fork())
      return stores.connectionDomains.find(connection_id, domain)
    }
    const checkAfter = async (days: number) => {
      clock.now = new Date(start + days * 86_400_000)
      while ((await app.services.checkDomains()) > 0);
      return read()
    }
    dns.records.delete(domain)
    t.is((await checkAfter(6))?.failingSince, null)
    dns.isBroken = true
    t.is((await checkAfter(8))?.failingSince, null)
    dns.isBroken = false
    const failing = await checkAfter(9)
    t.truthy(failing?.failingSince)
    t.truthy(failing?.verifiedAt)
    t.truthy((await checkAfter(15))?.verifiedAt)
    t.is((await checkAfter(17))?.verifiedAt, null)
    const { rows } = await pool.query(
      'select action from activity where target_id = $1 order by id',
      [connection_id],
    )
    t.deepEqual(
      rows.map(({ action }) => action),
      [
        'connection.created',
        'connection.domain_verified',
        'connection.domain_failing',
        'connection.domain_lapsed',
      ],
    )
    t.true(environment.warnings.some((text) => text.includes(domain)))
  },
)

test.serial('secrets are encrypted again with a new key', async (t) => {
  const { connection_id } = await connectWorkspace(t, environment, rest)
  const box = createSecretBox([Buffer.alloc(32, 9), testEncryptionKey])
  const stores = createStores(database.fork())
  t.true((await reencryptConnections(stores, box)) > 0)
  t.is(await reencryptConnections(stores, box), 0)
  const { rows } = await pool.query('select client_secret from connections where id = $1', [
    connection_id,
  ])
  t.is(box.decrypt(rows[0].client_secret, `connections/${connection_id}`), 'secret')
  await reencryptConnections(stores, createSecretBox([testEncryptionKey, Buffer.alloc(32, 9)]))
})

test.serial('without an encryption key, no connection can be created', async (t) => {
  const authority = await startMockAuthority(t)
  const node = await environment.addNode({ encryptionKeys: [] })
  const [, http] = node.transports as [Transport, Transport]
  const message = { workspace_id: await seed.workspace(), ...settings(authority.url) }
  const error = expectError(await admin.call(http, 'CreateConnection', message))
  t.is(error.reason, 'ENCRYPTION_KEY_MISSING')
})
