import test from 'ava'
import { ConfigError } from '../../../src/config/config.ts'
import { createProviders } from '../../../src/identity/providers/providers.ts'
import { unconfigured } from '../../support/providers/test-provider.ts'

test('a provider without a client ID is not created', (t) => {
  t.deepEqual([...createProviders(unconfigured).keys()], [])
  t.deepEqual([...createProviders({ ...unconfigured, GITHUB_CLIENT_ID: 'x' }).keys()], ['github'])
  const all = {
    GOOGLE_CLIENT_ID: 'x',
    MICROSOFT_CLIENT_ID: 'x',
    GITHUB_CLIENT_ID: 'x',
    OIDC_CLIENT_ID: 'x',
    OIDC_ISSUER: 'https://sso.example.com',
  }
  t.deepEqual(
    [...createProviders({ ...unconfigured, ...all })].map(([name, { name: own }]) => [name, own]),
    [
      ['google', 'google'],
      ['microsoft', 'microsoft'],
      ['github', 'github'],
      ['oidc', 'oidc'],
    ],
  )
})

test('one error lists every invalid setting by name', (t) => {
  const settings = {
    ...unconfigured,
    GOOGLE_ISSUER: 'http://accounts.google.com',
    MICROSOFT_ISSUER: 'http://login.example/{tenant}/{tenant}',
    MICROSOFT_TENANT: '../x',
    GITHUB_URL: 'ftp://github.com',
    GITHUB_API_URL: 'http://localhost.evil.example',
  }
  const error = t.throws(() => createProviders(settings), { instanceOf: ConfigError })
  const names = error.message.split('\n').map((line) => line.split(' ')[0])
  t.deepEqual(names, [
    'GOOGLE_ISSUER',
    'MICROSOFT_ISSUER',
    'GITHUB_URL',
    'GITHUB_API_URL',
    'MICROSOFT_TENANT',
    'MICROSOFT_ISSUER',
  ])
})

test('http is allowed on loopback hosts only', (t) => {
  const allowedIssuers = [
    'http://localhost:9',
    'http://127.0.0.1:9/x',
    'http://[::1]:9',
    'https://any.example',
  ]
  for (const GOOGLE_ISSUER of allowedIssuers) {
    t.notThrows(() => createProviders({ ...unconfigured, GOOGLE_ISSUER }), GOOGLE_ISSUER)
  }
  const invalid = [
    'http://127.0.0.1.evil.example',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'file:///x',
    '',
  ]
  for (const GOOGLE_ISSUER of invalid) {
    t.throws(() => createProviders({ ...unconfigured, GOOGLE_ISSUER }), undefined, GOOGLE_ISSUER)
  }
})
