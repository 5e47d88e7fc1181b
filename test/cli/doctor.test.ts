import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { findFreePort } from '../../src/core/free-port.ts'
import { isSameSite } from '../../src/core/same-site.ts'
import { startMockProviders } from '../../src/dev/mock-providers.ts'
import { createKeyFiles } from '../../src/identity/keys.ts'
import { runCliWith } from '../support/cli.ts'
import { cloneDatabase } from '../support/database.ts'

type Report = { ok: boolean; findings: { check: string; ok: boolean | null; detail: string }[] }

const folder = await mkdtemp(join(tmpdir(), 'daikon-doctor-'))
// PostgreSQL runs as another user if this process is root.
await chmod(folder, 0o755)
const database = await cloneDatabase()
const providers = await startMockProviders({
  people: [],
  client: { id: 'daikon', secret: 'secret', redirectUris: ['https://auth.example.com/callback'] },
})
test.after.always(async () => {
  await database.drop()
  await providers.close()
  await rm(folder, { recursive: true, force: true })
})

const keys = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
createKeyFiles(keys)
const production = {
  DEBUG: 'false',
  BASE_URL: 'https://auth.example.com',
  ADMIN_URL: 'https://admin.example.com',
  COOKIE_SECURE: 'true',
  SESSION_SECRET_KEY: 'x'.repeat(32),
  SECRETS_ENCRYPTION_KEY: Buffer.alloc(32, 'x').toString('base64'),
  SERVICE_KEYS_REQUIRED: 'true',
  TRUSTED_PROXIES: '1',
  SERVICE_RATE_LIMIT_PER_MINUTE: '6000',
  RATE_LIMIT_ADMIN_PER_MINUTE: '300',
  ...providers.environment,
  JWT_PRIVATE_KEY_PATH: keys.privatePath,
  JWT_PUBLIC_KEY_PATH: keys.publicPath,
}

async function diagnose(environment: Record<string, string>, url = database.url) {
  const { out, status } = await runCliWith(
    { ...environment, DATABASE_URL: url },
    '--json',
    'doctor',
  )
  const report: Report = JSON.parse(out)
  const failed = report.findings.filter(({ ok }) => ok === false).map(({ check }) => check)
  return { status, failed, report }
}

test.serial('doctor reports every check that a deployment fails', async (t) => {
  const { status, failed } = await diagnose({
    ...production,
    SERVICE_KEYS_REQUIRED: 'false',
    SESSION_SECRET_KEY: 'short',
    SECRETS_ENCRYPTION_KEY: '',
    // Without a file that contains the key.
    DATA_DIR: folder,
    TRUSTED_PROXIES: '0',
    GOOGLE_CLIENT_ID: '',
    MICROSOFT_CLIENT_ID: '',
    GITHUB_CLIENT_ID: '',
    OIDC_CLIENT_ID: '',
    OIDC_ISSUER: '',
    SERVICE_RATE_LIMIT_PER_MINUTE: '',
    REDIS_URL: 'redis://127.0.0.1:1',
  })
  t.is(status, 1)
  t.deepEqual(failed, [
    'settings',
    'proxies',
    'service keys',
    'providers',
    'service limits',
    'secrets key',
    'redis',
    // The tests run PostgreSQL with fsync=off.
    'durability',
    'service apps',
    'administrators',
  ])
})

test.serial('doctor reports an unreachable database after its other findings', async (t) => {
  const { status, report } = await diagnose(production, 'postgresql://x:y@127.0.0.1:1/z')
  t.is(status, 1)
  t.like(report.findings.at(-1), {
    check: 'database',
    ok: false,
    detail:
      'Cannot connect to PostgreSQL at 127.0.0.1:1 (ECONNREFUSED): start it, or correct DATABASE_URL',
  })
})

test.serial(
  'doctor reports nothing else if a deployment lacks only Redis and durability',
  async (t) => {
    await database.pool.query(
      "insert into users (id, email, name, is_admin) values (gen_random_uuid(), 'root@example.com', 'Root', true)",
    )
    await database.pool.query(
      "insert into service_apps (id, name, service_name) values (gen_random_uuid(), 'Docs', 'docs')",
    )
    const { status, failed, report } = await diagnose(production)
    // REDIS_URL is not set, and the tests run PostgreSQL with fsync=off.
    t.deepEqual(failed, ['redis', 'durability'])
    t.is(status, 1)
    t.true(report.findings.length > 12)
  },
)

test.serial('doctor finds settings that a server accepts but that do not work', async (t) => {
  const other = join(folder, 'other')
  createKeyFiles({ privatePath: `${other}.pem`, publicPath: `${other}.pub.pem` })
  await database.pool.query(
    `insert into users (id, email, name, external_id) values
       (gen_random_uuid(), 'a@example.com', 'A', 'other@example.com'),
       (gen_random_uuid(), 'b@example.com', 'B', '0D000000-0000-7000-8000-00000000000B'),
       (gen_random_uuid(), 'c@example.com', 'C', 'crm@')`,
  )
  const { failed, report } = await diagnose({
    ...production,
    BASE_URL: 'https://auth.example.com/daikon',
    ADMIN_URL: 'https://admin.example.org',
    GOOGLE_CLIENT_SECRET: '',
    GITHUB_CLIENT_SECRET: '',
    GOOGLE_ISSUER: `http://127.0.0.1:${await findFreePort()}`,
    MICROSOFT_ISSUER: `${providers.url}/nothing`,
    GITHUB_API_URL: 'http://127.0.0.1:1/api',
    RATE_LIMIT_ENABLED: 'false',
    JWT_PUBLIC_KEY_PATH: `${other}.pub.pem`,
  })
  t.deepEqual(failed, [
    'base URL',
    'client secrets',
    'rate limits',
    'signing keys',
    'console',
    'google issuer',
    'microsoft issuer',
    'github',
    'redis',
    'durability',
    'external IDs',
  ])
  const details = Object.fromEntries(report.findings.map(({ check, detail }) => [check, detail]))
  t.regex(details['client secrets'] ?? '', /^GOOGLE_CLIENT_SECRET, GITHUB_CLIENT_SECRET are empty/)
  t.regex(
    details['google issuer'] ?? '',
    /^GOOGLE_ISSUER: http:.* does not answer \(.*ECONNREFUSED/,
  )
  t.regex(details['microsoft issuer'] ?? '', /returned no metadata \(HTTP 404\)/)
  t.regex(details['external IDs'] ?? '', /^2 have the form of .*other@example\.com, 0D000000-/)
})

test.serial(
  'doctor reports each cause once, and what it does not check because of it',
  async (t) => {
    const name = `empty_${randomUUID().replaceAll('-', '')}`
    await database.pool.query(`create database ${name}`)
    t.teardown(() => database.pool.query(`drop database ${name}`))
    const url = Object.assign(new URL(database.url), { pathname: `/${name}` }).href
    const { GOOGLE_CLIENT_SECRET: secret = '', ...settings } = production as Record<string, string>
    const environment = {
      ...settings,
      BASE_URL: 'http://auth.example.com',
      GOOGLE_CLIENT_SECRT: secret,
      SESSION_SECRET_KEY: '',
      SESSION_SECRT_KEY: 'x'.repeat(32),
    }
    const { report, failed } = await diagnose(environment, url)
    t.deepEqual(
      report.findings.filter(({ check }) => check === 'settings').map(({ detail }) => detail),
      [
        'BASE_URL must be an https URL if DEBUG is false, unless INSECURE_HTTP is true',
        'GOOGLE_CLIENT_SECRT is not a setting and has no effect: did you mean GOOGLE_CLIENT_SECRET?',
        'SESSION_SECRT_KEY is not a setting and has no effect: did you mean SESSION_SECRET_KEY?',
      ],
    )
    t.deepEqual(
      report.findings.filter(({ ok }) => ok === null).map(({ check, detail }) => [check, detail]),
      [
        ['https', 'not checked: correct BASE_URL first'],
        ['client secrets', 'not checked: correct GOOGLE_CLIENT_SECRET first'],
        ...[
          'service apps',
          'administrators',
          'reserved types',
          'oidc accounts',
          'passkeys',
          'routes',
          'external IDs',
        ].map((check) => [check, 'not checked: run `daikon migrate` first']),
      ],
    )
    t.deepEqual(failed.slice(3), ['console', 'redis', 'migrations', 'durability'])
    const bundled = await diagnose({ ...environment, DATA_DIR: join(folder, 'bundled') }, '')
    t.is(
      bundled.report.findings.find(({ check }) => check === 'pooling')?.detail,
      'not checked: set DATABASE_URL first',
    )
  },
)

test.serial('doctor finds REST limits that stop services', async (t) => {
  const limit = { ...production, SERVICE_RATE_LIMIT_PER_MINUTE: '60' }
  t.true((await diagnose(limit)).failed.includes('service limits'))
  const none = { ...production, SERVICE_RATE_LIMIT_PER_MINUTE: '0' }
  t.false((await diagnose(none)).failed.includes('service limits'))
})

test.serial('doctor finds mistakes that a server would start with', async (t) => {
  const { failed, report } = await diagnose({
    ...production,
    RATE_LIMIT_ADMIN_PER_MINUTE: '30',
    TRUSTED_PROXIES: '99',
    WEBHOOK_ALLOWED_HOST: 'hooks.example.com',
    REPLICA_URLS: `postgresql://x:y@127.0.0.1:1/z,${database.url}`,
  })
  const host = new URL(database.url).host
  t.deepEqual(failed, [
    'settings',
    'proxies',
    'console limits',
    'redis',
    'standby 127.0.0.1:1',
    `standby ${host}`,
    'durability',
    // Of the test before.
    'external IDs',
  ])
  const details = Object.fromEntries(report.findings.map(({ check, detail }) => [check, detail]))
  t.is(
    details.settings,
    'WEBHOOK_ALLOWED_HOST is not a setting and has no effect: did you mean WEBHOOK_ALLOWED_HOSTS?',
  )
  t.regex(details['standby 127.0.0.1:1'] ?? '', /^does not answer \(.*ECONNREFUSED/)
  t.regex(details[`standby ${host}`] ?? '', /^accepts writes/)
})

test.serial('doctor names routes that are risky if an application ignores case', async (t) => {
  const addRoutes = (service: string, ...routes: object[]) =>
    database.pool.query(
      'insert into service_routes (service_name, id, version, routes) values ($1, gen_random_uuid(), gen_random_uuid(), $2)',
      [service, JSON.stringify(routes)],
    )
  const admin = { methods: [], path: '/admin', rule: { allow: 'authenticated' } }
  await addRoutes('docs', admin)
  const findRoutes = async () => {
    const { report } = await diagnose(production)
    return report.findings.find(({ check }) => check === 'routes')
  }
  t.like(await findRoutes(), { ok: true })
  await addRoutes('wiki', admin, { methods: [], path: '/{page}', rule: { allow: 'anyone' } })
  const found = await findRoutes()
  t.true(found?.ok)
  t.regex(
    found?.detail ?? '',
    /^risky for .*: wiki: routes\[1\]\.path also matches paths of routes\[0\] in an/,
  )
})

test.serial('doctor names a changed OIDC_ISSUER and one that calls itself otherwise', async (t) => {
  await database.pool.query(
    `insert into linked_accounts (provider, subject, user_id, email)
       select 'oidc', issuer || '#42', id, email
       from users, unnest(array['https://former.example.com', $1]) issuer where email = 'root@example.com'`,
    [providers.environment.OIDC_ISSUER],
  )
  const findings = async (environment: Record<string, string>) => {
    const { report } = await diagnose({ ...production, ...environment })
    return Object.fromEntries(report.findings.map(({ check, ...rest }) => [check, rest]))
  }
  const changed = await findings({})
  t.true(changed['oidc issuer']?.ok)
  t.deepEqual(changed['oidc accounts'], {
    ok: true,
    detail: 'OIDC_ISSUER has changed, so accounts of https://former.example.com (1) sign nobody in',
  })
  const { OIDC_ISSUER } = providers.environment
  t.deepEqual((await findings({ OIDC_ISSUER: `${OIDC_ISSUER}/` }))['oidc issuer'], {
    ok: false,
    detail: `OIDC_ISSUER: ${OIDC_ISSUER}/ calls itself ${OIDC_ISSUER}: set OIDC_ISSUER to that`,
  })
})

test('hosts are on the same site if they share a registrable domain and scheme', (t) => {
  const pairs: [first: string, second: string, expected: boolean][] = [
    ['https://auth.example.com', 'https://admin.example.com', true],
    ['https://example.com', 'https://admin.example.com:8443', true],
    ['https://auth.example.com', 'https://admin.example.org', false],
    ['https://auth.example.com', 'http://admin.example.com', false],
    ['https://auth.a.co.uk', 'https://admin.b.co.uk', false],
    ['https://auth.a.co.uk', 'https://admin.a.co.uk', true],
    ['http://localhost:8000', 'http://localhost:9004', true],
    ['http://127.0.0.1:8000', 'http://localhost:9004', false],
    ['http://10.0.0.1', 'http://10.1.0.1', false],
  ]
  for (const [first, second, expected] of pairs)
    t.is(isSameSite(first, second), expected, `${first} ${second}`)
})
