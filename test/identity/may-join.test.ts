// Threat: a code as a master key; recycled e-mail address.
import test from 'ava'
import { mayJoin } from '../../src/identity/may-join.ts'
import {
  type SignInMethodName,
  type SignInProviderName,
  signInMethodNames,
} from '../../src/identity/providers/provider.ts'

type Joining = Parameters<typeof mayJoin>[0]

const email = 'ann@example.com'
const trusted = 'https://id.example'

/** The accounts that a user may have, one of each method and another issuer's. */
const existing: Record<SignInMethodName | 'oidc of another issuer', SignInMethodName> = {
  google: 'google',
  microsoft: 'microsoft',
  github: 'github',
  oidc: 'oidc',
  'oidc of another issuer': 'oidc',
  email: 'email',
  passkey: 'passkey',
}
type Existing = keyof typeof existing

const accountOf = (name: Existing) => ({
  provider: existing[name],
  subject: name === 'oidc of another issuer' ? 'https://other.example#1' : `${trusted}#1`,
})

const joining = (provider: SignInProviderName, more: Partial<Joining> = {}): Joining => ({
  provider,
  subject: `${trusted}#2`,
  ...more,
})

/** Each account that signs in with an address, and the accounts of its user that it may join. */
const table: Record<string, { identity: Joining; email?: string; joins: Existing[] }> = {
  'Google, another domain': { identity: joining('google'), joins: [] },
  'Google, another hosted domain': {
    identity: joining('google', { hostedDomain: 'other.example' }),
    joins: [],
  },
  'Google, its hosted domain': {
    identity: joining('google', { hostedDomain: 'example.com' }),
    joins: ['microsoft', 'github', 'oidc', 'oidc of another issuer', 'email', 'passkey'],
  },
  'Google, gmail.com': {
    identity: joining('google'),
    email: 'ann@gmail.com',
    joins: ['microsoft', 'github', 'oidc', 'oidc of another issuer', 'email', 'passkey'],
  },
  Microsoft: {
    identity: joining('microsoft'),
    joins: ['google', 'github', 'oidc', 'oidc of another issuer', 'email', 'passkey'],
  },
  GitHub: {
    identity: joining('github'),
    joins: ['google', 'microsoft', 'oidc', 'oidc of another issuer', 'email', 'passkey'],
  },
  'OIDC_ISSUER, trusted': {
    identity: joining('oidc'),
    joins: ['google', 'microsoft', 'github', 'oidc of another issuer', 'email', 'passkey'],
  },
  'OIDC_ISSUER, not trusted': { identity: joining('oidc', { joinsNone: true }), joins: [] },
  'a code by e-mail': { identity: joining('email'), joins: [] },
  'a passkey': { identity: joining('passkey'), joins: [] },
  'a connection': { identity: joining('connection:1'), joins: [] },
}

for (const [title, row] of Object.entries(table)) {
  const decide = (names: Existing[]) =>
    mayJoin(row.identity, row.email ?? email, names.map(accountOf))

  test(`${title}: which accounts of a user it may join`, (t) => {
    const names = Object.keys(existing) as Existing[]
    t.deepEqual(
      names.filter((name) => decide([name])),
      row.joins,
    )
    // An account that it may not join bars it whatever else the user has.
    for (const name of names)
      for (const other of names)
        t.is(decide([name, other]), decide([name]) && decide([other]), `${name}, ${other}`)
    t.true(decide([]), 'a user without accounts')
  })
}

test('the table has a row for each method', (t) => {
  const named = new Set<string>(Object.values(table).map(({ identity }) => identity.provider))
  for (const method of signInMethodNames) t.true(named.has(method), method)
})
