import test from 'ava'
import { createPasskeyChecks } from '../../src/passkeys/doctor.ts'
import { findPasskeyMistakes, relyingPartyOf } from '../../src/passkeys/relying-party.ts'

const BASE_URL = 'https://auth.example.com'

test('PASSKEY_RP_ID is the host of BASE_URL, or a parent of it with two labels', (t) => {
  const find = (PASSKEY_RP_ID: string) =>
    findPasskeyMistakes({ BASE_URL, PASSKEY_RP_ID, SIGN_IN_METHODS: [] })
  for (const id of ['', 'auth.example.com', 'example.com']) t.deepEqual(find(id), [], id)
  for (const id of [
    'com',
    'other.com',
    'h.example.com',
    'xample.com',
    '.com',
    'a.auth.example.com',
  ])
    t.regex(find(id).join(), /^PASSKEY_RP_ID must be the host of BASE_URL, or a parent/, id)
})

test('passkeys need a BASE_URL with a host name', (t) => {
  const find = (BASE_URL: string, SIGN_IN_METHODS = ['google', 'passkey']) =>
    findPasskeyMistakes({ BASE_URL, PASSKEY_RP_ID: '', SIGN_IN_METHODS })
  for (const url of ['http://127.0.0.1:8000', 'https://[2001:db8::1]'])
    t.regex(find(url).join(), /^BASE_URL must have a host name/, url)
  t.deepEqual(find('http://localhost:8000'), [])
  t.deepEqual(find('http://127.0.0.1:8000', ['google']), [])
})

test('a parent domain is the domain of passkeys, for pages of BASE_URL alone', (t) => {
  const expected = { id: 'example.com', origin: BASE_URL }
  t.deepEqual(relyingPartyOf({ BASE_URL, PASSKEY_RP_ID: 'example.com' }), expected)
})

test('doctor counts passkeys for another domain', async (t) => {
  const check = (rows: object[]) => {
    const read = async <Row>() => rows as Row[]
    return createPasskeyChecks(read, { BASE_URL, PASSKEY_RP_ID: '' }).passkeys?.()
  }
  const own = { rpId: 'auth.example.com', passkeys: 3 }
  t.is(await check([own]), 'all for auth.example.com')
  t.regex(
    (await check([own, { rpId: 'example.org', passkeys: 2 }])) ?? '',
    /example\.org \(2\) sign nobody in/,
  )
})
