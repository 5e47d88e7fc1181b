import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { ConfigError } from '../../src/config/config.ts'
import { findMisspeltSettings } from '../../src/config/misspelt-settings.ts'
import { hasAdminMethod } from '../../src/identity/providers/sign-in-methods.ts'
import { readConfig, settings } from '../../src/server/config.ts'
import { createKeyFolder, launchServer } from '../support/server-process.ts'

function findMistakes(t: ExecutionContext, environment: Record<string, string>): string[] {
  return t.throws(() => readConfig(environment), { instanceOf: ConfigError }).message.split('\n')
}

function createKeyFile(t: ExecutionContext, mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-config-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'private.pem')
  writeFileSync(path, '')
  chmodSync(path, mode)
  return path
}

/** A valid production environment. */
const production = {
  DEBUG: 'false',
  BASE_URL: 'https://auth.example.com',
  ADMIN_URL: 'https://admin.example.com',
  COOKIE_SECURE: 'true',
  SESSION_SECRET_KEY: 'x'.repeat(32),
  JWT_PRIVATE_KEY_PATH: '/nowhere/private.pem',
}

test('all mistakes in the environment are reported together, including conflicting settings', (t) => {
  const key = createKeyFile(t, 0o640)
  const environment = {
    MICROSOFT_CLIENT_ID: 'x',
    MICROSOFT_CLIENT_SECRET: 'y',
    MICROSOFT_TRUST_EMAIL: 'true',
    GRPC_TLS_KEY_PATH: key,
    DECISION_LOG_OUTPUT: 'otlp',
    BASE_URL: 'http://auth.example.com',
    RATE_LIMIT_PER_MINUTE: '0',
    GITHUB_URL: 'http://example.com',
    DEBUG: 'false',
  }
  t.deepEqual(findMistakes(t, environment), [
    'RATE_LIMIT_PER_MINUTE must be a whole number, 1 or greater',
    'SESSION_SECRET_KEY must be set if DEBUG is false',
    'GITHUB_URL must be an https URL, or an http URL of a loopback host',
    'MICROSOFT_TRUST_EMAIL must be false if MICROSOFT_TENANT is common',
    `GRPC_TLS_KEY_PATH must be readable by its owner only: run chmod 600 ${key}`,
    'BASE_URL must be an https URL if DEBUG is false, unless INSECURE_HTTP is true',
    'COOKIE_SECURE must be true if DEBUG is false, unless INSECURE_HTTP is true',
    'GRPC_TLS_CERT_PATH must be set if GRPC_TLS_KEY_PATH is set',
    'OTEL_EXPORTER_OTLP_ENDPOINT must be set if DECISION_LOG_OUTPUT is otlp',
  ])
})

test('a setting that cannot be parsed is reported once', (t) => {
  const environment = {
    DEBUG: 'no',
    MICROSOFT_TRUST_EMAIL: 'yes',
    GOOGLE_ISSUER: 'nowhere',
    GITHUB_URL: 'ftp://example.com',
  }
  t.deepEqual(findMistakes(t, environment), [
    'DEBUG must be true or false',
    'GOOGLE_ISSUER must be an http or https URL',
    'MICROSOFT_TRUST_EMAIL must be true or false',
    'GITHUB_URL must be an http or https URL',
  ])
})

test('mistakes in the choice of identity providers are reported', (t) => {
  const oidc = { OIDC_CLIENT_ID: 'x', OIDC_ISSUER: 'https://sso.example.com/' }
  t.deepEqual(findMistakes(t, { SIGN_IN_METHODS: 'google,apple' }), [
    'SIGN_IN_METHODS must be one of google, microsoft, github, oidc, email, passkey',
  ])
  t.deepEqual(findMistakes(t, { SIGN_IN_METHODS: 'google,email' }), [
    'SIGN_IN_METHODS lists google, so GOOGLE_CLIENT_ID must be set',
    'SIGN_IN_METHODS lists email, so SMTP_URL must be set',
  ])
  t.deepEqual(findMistakes(t, { ...oidc, SIGN_IN_METHODS: 'oidc, oidc' }), [
    'SIGN_IN_METHODS must list oidc only once',
  ])
  t.deepEqual(
    findMistakes(t, { ...oidc, SIGN_IN_METHODS: 'oidc,google', ADMIN_SIGN_IN_METHODS: 'github' }),
    [
      'SIGN_IN_METHODS lists google, so GOOGLE_CLIENT_ID must be set',
      'ADMIN_SIGN_IN_METHODS lists github, with which nobody can sign in',
    ],
  )
  t.deepEqual(findMistakes(t, { OIDC_CLIENT_ID: 'x' }), [
    'OIDC_ISSUER must be set if OIDC_CLIENT_ID is set',
  ])
  t.deepEqual(findMistakes(t, { OIDC_ISSUER: oidc.OIDC_ISSUER }), [
    'OIDC_CLIENT_ID must be set if OIDC_ISSUER is set',
  ])
  for (const OIDC_ISSUER of [
    'http://sso.example.com',
    'https://x.example#a',
    'https://x.example?',
  ]) {
    t.deepEqual(findMistakes(t, { ...oidc, OIDC_ISSUER }), [
      'OIDC_ISSUER must be an https URL, or an http URL of a loopback host, without a query and a fragment',
    ])
  }
  t.notThrows(() => readConfig({ ...oidc, SIGN_IN_METHODS: 'oidc', ADMIN_SIGN_IN_METHODS: 'oidc' }))
  t.deepEqual(findMistakes(t, { SIGN_UP: 'closed' }), ['SIGN_UP must be one of open, invited'])
})

test('administrators sign in by a provider, or by codes if they may', (t) => {
  const email = { SMTP_URL: 'smtp://mail.example.com', SMTP_FROM: 'daikon@example.com' }
  const google = { GOOGLE_CLIENT_ID: 'x' }
  const cases: [environment: Record<string, string>, isLeft: boolean][] = [
    [{}, false],
    [google, true],
    [{ ...email, SIGN_IN_METHODS: 'email' }, false],
    [{ ...email, SIGN_IN_METHODS: 'email', ADMIN_SIGN_IN_METHODS: 'email' }, true],
    [{ ...email, SIGN_IN_METHODS: 'email,passkey' }, false],
    [{ ...email, ...google, SIGN_IN_METHODS: 'email,passkey,google' }, true],
    // A passkey counts as Google, which is not for administrators.
    [{ ...google, SIGN_IN_METHODS: 'passkey,google', ADMIN_SIGN_IN_METHODS: 'passkey' }, false],
  ]
  for (const [environment, isLeft] of cases)
    t.is(hasAdminMethod(readConfig(environment)), isLeft, JSON.stringify(environment))
})

test('an invalid value is explained', (t) => {
  const invalid: [name: string, value: string, message: string][] = [
    ['DATABASE_URL', 'mysql://localhost', 'must be a postgres or postgresql URL'],
    ['REDIS_URL', 'redis://localhost,localhost', 'must be a redis or rediss URL'],
    ['HTTP_PORT', '65536', 'must be a port number between 0 and 65535'],
    ['HTTP_PORT', 'http', 'must be a port number between 0 and 65535'],
    ['TRUSTED_PROXIES', '-1', 'must be a whole number, 0 or greater'],
    ['ALLOWED_HOSTS', 'a:80', 'must list host names without ports, or be *: "a:80"'],
    [
      'BACKCHANNEL_ALLOWED_HOSTS',
      'app.internal,10.0.0.0/33',
      'must list host names, IP addresses and CIDR ranges such as 10.0.0.0/8: "10.0.0.0/33"',
    ],
    [
      'CORS_ORIGINS',
      'https://a.example/x',
      'must list origins such as https://app.example.com, without a path: "https://a.example/x"',
    ],
    ['ADMIN_EMAILS', 'a@b@c', 'contains an invalid e-mail address: "a@b@c"'],
    ['LOG_FORMAT', 'xml', 'must be one of json, pretty'],
  ]
  for (const [name, value, message] of invalid) {
    t.deepEqual(findMistakes(t, { [name]: value }), [`${name} ${message}`])
  }
})

test('several hosts require target_session_attrs=read-write, and replicas require a database', (t) => {
  const hosts = 'postgresql://user:secret@one:5432,two/daikon'
  const severalHosts =
    'DATABASE_URL must have target_session_attrs=read-write if it lists several hosts'
  t.deepEqual(findMistakes(t, { DATABASE_URL: hosts }), [severalHosts])
  t.deepEqual(findMistakes(t, { DATABASE_URL: `${hosts}?target_session_attrs=any` }), [
    severalHosts,
  ])
  t.deepEqual(findMistakes(t, { DATABASE_URL: 'postgres://one/?target_session_attrs=standby' }), [
    'DATABASE_URL must have target_session_attrs=read-write, or none',
  ])
  const url = `${hosts}?target_session_attrs=read-write`
  const replicas = 'postgresql://two/daikon,postgresql://three/daikon'
  const config = readConfig({ DATABASE_URL: url, REPLICA_URLS: replicas })
  t.is(config.DATABASE_URL, url)
  t.deepEqual(config.REPLICA_URLS, replicas.split(','))
  t.deepEqual(findMistakes(t, { REPLICA_URLS: replicas }), [
    'DATABASE_URL must be set if REPLICA_URLS is set',
  ])
  t.deepEqual(
    findMistakes(t, { DATABASE_URL: url, REPLICA_URLS: `${replicas},postgresql://two/other` }),
    ['REPLICA_URLS must list each host once'],
  )
})

test('the servers listen on loopback if DEBUG is true, otherwise on every interface', (t) => {
  t.like(readConfig({}), { HTTP_HOST: '127.0.0.1', GRPC_HOST: '127.0.0.1' })
  t.like(readConfig(production), { HTTP_HOST: '0.0.0.0', GRPC_HOST: '0.0.0.0' })
  for (const DEBUG of ['true', 'false']) {
    const environment = { ...production, DEBUG, HTTP_HOST: '::', GRPC_HOST: '10.0.0.1' }
    t.like(readConfig(environment), { HTTP_HOST: '::', GRPC_HOST: '10.0.0.1' })
  }
})

test('with DEBUG=false, the session secret must be at least 32 bytes long', (t) => {
  const secrets: [secret: string, message: string | undefined][] = [
    ['', 'must be set if DEBUG is false'],
    ['daikon-development-secret', 'must be set if DEBUG is false'],
    ['x'.repeat(31), 'must be at least 32 bytes long if DEBUG is false'],
    ['x'.repeat(32), undefined],
    ['é'.repeat(16), undefined],
  ]
  for (const [SESSION_SECRET_KEY, message] of secrets) {
    const environment = { ...production, SESSION_SECRET_KEY }
    if (message) t.deepEqual(findMistakes(t, environment), [`SESSION_SECRET_KEY ${message}`])
    else t.notThrows(() => readConfig(environment))
    t.notThrows(() => readConfig({ ...environment, DEBUG: 'true' }))
  }
})

test('with DEBUG=false, only the owner may be able to read a private key', (t) => {
  for (const name of ['JWT_PRIVATE_KEY_PATH', 'GRPC_TLS_KEY_PATH']) {
    const more = { GRPC_TLS_CERT_PATH: 'certificate.pem', GRPC_TLS_KEY_PATH: '/nowhere' }
    for (const mode of [0o600, 0o400, 0o640, 0o604, 0o444]) {
      const path = createKeyFile(t, mode)
      const environment = { ...production, ...more, [name]: path }
      t.notThrows(() => readConfig({ ...environment, DEBUG: 'true' }))
      if (mode === 0o600 || mode === 0o400) t.notThrows(() => readConfig(environment))
      else {
        const message = `${name} must be readable by its owner only: run chmod 600 ${path}`
        t.deepEqual(findMistakes(t, environment), [message])
      }
    }
  }
})

const asRoot = process.getuid?.() === 0 ? test : test.skip
asRoot('the group may read a private key of root if the server runs as another user', (t) => {
  const path = createKeyFile(t, 0o440)
  chmodSync(dirname(path), 0o755)
  const check = (mode: number, uid: number) => {
    chmodSync(path, mode)
    const code = `import { readConfig } from '${import.meta.dirname}/../../src/server/config.ts'
      readConfig(process.env)`
    const env = { ...production, JWT_PRIVATE_KEY_PATH: path }
    const args = ['--input-type=module', '--eval', code]
    return spawnSync(process.execPath, args, { env, uid, gid: uid, encoding: 'utf8' })
  }
  t.is(check(0o440, 65_534).status, 0)
  for (const [mode, uid] of [
    [0o440, 0],
    [0o444, 65_534],
  ] as const)
    t.regex(check(mode, uid).stderr, /JWT_PRIVATE_KEY_PATH must be readable by its owner only/)
  // Commands that root runs for such a server.
  chownSync(path, 0, 65_534)
  t.is(check(0o440, 0).status, 0)
})

test('with DEBUG=false, http off loopback requires INSECURE_HTTP', (t) => {
  const cookie = 'COOKIE_SECURE must be true'
  const unsafe: [environment: Record<string, string>, mistakes: string[]][] = [
    [{ BASE_URL: 'http://auth.example.com' }, ['BASE_URL must be an https URL']],
    [{ ADMIN_URL: 'http://192.168.0.1:9004' }, ['ADMIN_URL must be an https URL']],
    [{ COOKIE_SECURE: 'false' }, [cookie]],
    [{ COOKIE_SECURE: 'false', BASE_URL: 'http://localhost:8000' }, [cookie]],
  ]
  for (const [changes, mistakes] of unsafe) {
    const environment = { ...production, ...changes }
    t.deepEqual(
      findMistakes(t, environment),
      mistakes.map((text) => `${text} if DEBUG is false, unless INSECURE_HTTP is true`),
    )
    t.notThrows(() => readConfig({ ...environment, INSECURE_HTTP: 'true' }))
    t.notThrows(() => readConfig({ ...environment, DEBUG: 'true' }))
  }
  const loopback = { BASE_URL: 'http://localhost:8000', ADMIN_URL: 'http://[::1]:9004' }
  t.notThrows(() => readConfig({ ...production, ...loopback, COOKIE_SECURE: 'false' }))
})

test('variables that look like misspelt settings are found, and others are not', (t) => {
  const misspelt = {
    RATE_LIMIT_PER_MINUT: 'RATE_LIMIT_PER_MINUTE',
    DATABSE_URL: 'DATABASE_URL',
    DATADIR: 'DATA_DIR',
    base_url: 'BASE_URL',
    DEBUGG: 'DEBUG',
    GOOGLE_CLIENT_KEY: 'GOOGLE_CLIENT_ID',
    GRPC_TLS_CERTIFICATE: 'GRPC_TLS_CERT_PATH',
    DAIKON_REDIS_URL: 'REDIS_URL',
  }
  for (const [name, setting] of Object.entries(misspelt))
    t.deepEqual(findMisspeltSettings({ [name]: '1' }, Object.keys(settings)), [
      {
        setting,
        detail: `${name} is not a setting and has no effect: did you mean ${setting}?`,
      },
    ])

  const others = [
    ...Object.keys(settings),
    ...[
      'PATH',
      'HOME',
      'LANG',
      'PWD',
      'USER',
      'TERM',
      'PAGER',
      'SHELL',
      'HOSTNAME',
      'CI',
      'NODE_ENV',
    ],
    ...['HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'GITHUB_TOKEN', 'GITHUB_SHA', 'GITHUB_REF'],
    ...['GOOGLE_APPLICATION_CREDENTIALS', 'OTEL_TRACES_EXPORTER', 'OTEL_RESOURCE_ATTRIBUTES'],
    ...['GRPC_VERBOSITY', 'GRPC_TRACE', 'VAULT_CACERT', 'SESSION_MANAGER', 'NODE_EXTRA_CA_CERTS'],
    // A Kubernetes service named console.
    ...['CONSOLE_SERVICE_HOST', 'CONSOLE_SERVICE_PORT_HTTP', 'CONSOLE_PORT_80_TCP_ADDR'],
    ...['DAIKON_URL', 'DAIKON_GRPC', 'DAIKON_SERVICE_KEY'],
  ]
  const environment = Object.fromEntries(others.map((name) => [name, '1']))
  t.deepEqual(findMisspeltSettings(environment, Object.keys(settings)), [])
})

test('a start warns about misspelt settings', async (t) => {
  const server = launchServer(t, createKeyFolder(t), {
    RATE_LIMIT_PER_MINUT: '100',
    DATABASE_URL: 'postgresql://127.0.0.1:1/daikon',
  })
  const { level } = await server.waitForLine(({ msg }) =>
    msg.startsWith('RATE_LIMIT_PER_MINUT is not a setting'),
  )
  t.is(level, 40)
})
