import test, { type ExecutionContext } from 'ava'
import { ConfigError, readConfig } from '../../src/config/config.ts'

function findMistakes(t: ExecutionContext, environment: Record<string, string>): string[] {
  return t.throws(() => readConfig(environment), { instanceOf: ConfigError }).message.split('\n')
}

test('every mistake in the environment is reported at once, including conflicting settings', (t) => {
  const environment = {
    MICROSOFT_CLIENT_ID: 'x',
    MICROSOFT_CLIENT_SECRET: 'y',
    MICROSOFT_TRUST_EMAIL: 'true',
    GRPC_TLS_KEY_PATH: 'x',
    RATE_LIMIT_PER_MINUTE: '0',
    GITHUB_URL: 'http://example.com',
    DEBUG: 'false',
  }
  t.deepEqual(findMistakes(t, environment), [
    'RATE_LIMIT_PER_MINUTE must be a whole number, 1 or greater',
    'SESSION_SECRET_KEY must be set if DEBUG is false',
    'GITHUB_URL must be an https URL, or an http URL of a loopback host',
    'MICROSOFT_TRUST_EMAIL must be false if MICROSOFT_TENANT is common',
    'GRPC_TLS_CERT_PATH must be set if GRPC_TLS_KEY_PATH is set',
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

test('an invalid value is explained', (t) => {
  const invalid: [name: string, value: string, message: string][] = [
    ['DATABASE_URL', 'mysql://localhost', 'must be a postgres or postgresql URL'],
    ['REDIS_URL', 'redis://localhost,localhost', 'must be a redis or rediss URL'],
    ['HTTP_PORT', '65536', 'must be a port number between 0 and 65535'],
    ['HTTP_PORT', 'http', 'must be a port number between 0 and 65535'],
    ['TRUSTED_PROXIES', '-1', 'must be a whole number, 0 or greater'],
    ['ALLOWED_HOSTS', 'a:80', 'must list host names without ports, or be *: "a:80"'],
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
