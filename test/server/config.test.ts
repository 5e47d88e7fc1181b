import test from 'ava'
import { readConfig } from '../../src/config/config.ts'

test('every mistake in the environment is named at once, those across settings too', (t) => {
  const environment = {
    ...{ MICROSOFT_CLIENT_ID: 'x', MICROSOFT_CLIENT_SECRET: 'y', MICROSOFT_TRUST_EMAIL: 'true' },
    ...{ GRPC_TLS_KEY_PATH: 'x', RATE_LIMIT_PER_MINUTE: '0', GITHUB_URL: 'http://example.com' },
    DEBUG: 'false',
  }
  t.deepEqual(t.throws(() => readConfig(environment)).message.split('\n'), [
    'RATE_LIMIT_PER_MINUTE must be a whole number from 1 on',
    'SESSION_SECRET_KEY must be set with DEBUG=false',
    'GITHUB_URL must be an https URL, or http on a loopback host',
    'MICROSOFT_TRUST_EMAIL must not be true with the tenant common',
    'GRPC_TLS_CERT_PATH must be set with GRPC_TLS_KEY_PATH',
  ])
})

test('a setting that can not be read is one mistake', (t) => {
  const environment = { DEBUG: 'no', MICROSOFT_TRUST_EMAIL: 'yes', GOOGLE_ISSUER: 'nowhere' }
  t.deepEqual(t.throws(() => readConfig(environment)).message.split('\n'), [
    'DEBUG must be true or false',
    'GOOGLE_ISSUER must be a URL that begins with http:// or https://',
    'MICROSOFT_TRUST_EMAIL must be true or false',
  ])
})
