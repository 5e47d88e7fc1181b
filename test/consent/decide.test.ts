// Threat: another program takes the remembered consent, a name that lies.
import test from 'ava'
import { hostOf, receiverOf, shownName, unicodeOf } from '../../src/consent/client-name.ts'
import { type ConsentFacts, decideConsent } from '../../src/consent/decide.ts'

const day = 86_400_000
const now = new Date('2026-07-28T12:00:00Z')
const saved = { scopes: ['read', 'write'], metadataHash: 'hash', lastUsedAt: now }
const remembered: ConsentFacts = {
  ...{ saved, scopes: ['read'], metadataHash: 'hash', now },
  redirectUri: 'https://editor.example.com/callback',
  ...{ isAuthenticated: false, isRequested: false, isSilent: false, hasChoice: false },
}
const usedBefore = (age: number) => ({
  saved: { ...saved, lastUsedAt: new Date(now.getTime() - age) },
})

/** What differs from a consent that is remembered, and whether it is remembered all the same. */
const cases: [string, Partial<ConsentFacts>, boolean][] = [
  ['nothing', {}, true],
  ['all scopes of the consent', { scopes: ['write', 'read'] }, true],
  ['one scope more', { scopes: ['read', 'delete'] }, false],
  ['another hash of the metadata', { metadataHash: 'other' }, false],
  ['no consent', { saved: undefined }, false],
  ['180 days without use', usedBefore(180 * day), true],
  ['a millisecond more', usedBefore(180 * day + 1), false],
  ['prompt=consent', { isRequested: true }, false],
  ['several workspaces', { hasChoice: true }, false],
  ...[
    ...['http://127.0.0.1:4000/', 'http://127.9.9.9/', 'http://[::1]:4000/', 'http://localhost/'],
    ...[
      'http://app.localhost/',
      'https://localhost:8443/',
      'https://127.0.0.1/',
      'http://LOCALHOST./',
    ],
    ...['com.example.editor:/callback', 'com.example.editor://callback', 'vscode.dev:callback'],
  ].flatMap((redirectUri): [string, Partial<ConsentFacts>, boolean][] => [
    [`a redirect to ${redirectUri}`, { redirectUri }, false],
    [`${redirectUri} with a private key`, { redirectUri, isAuthenticated: true }, true],
  ]),
  ['a host that begins like loopback', { redirectUri: 'https://127.0.0.1.example.com/' }, true],
  ['a host that ends like loopback', { redirectUri: 'https://notlocalhost/' }, true],
]

for (const [difference, facts, isRemembered] of cases)
  test(`${difference}: ${isRemembered ? 'remembered' : 'asked'}`, (t) => {
    const given = { ...remembered, ...facts }
    t.is(decideConsent(given), isRemembered ? 'remembered' : 'ask')
    t.is(decideConsent({ ...given, isSilent: true }), isRemembered ? 'remembered' : 'refuse')
  })

test('names are text of at most 100 characters, which turns nothing around', (t) => {
  t.is(shownName('  Editor\n\tof\u00a0Ann '), 'Editor of Ann')
  t.is(shownName('daikon\u202emoc\u2066\u200f\u061c\u0000\u200b\u{e0041}x'), 'daikon moc x')
  t.is(shownName('\u202e\u0000\u200b '), '')
  t.is(shownName('a\ud800b'), 'a b')
  t.is([...shownName('😀'.repeat(4000))].length, 100)
  t.is(shownName('<b>daikon</b>'), '<b>daikon</b>')
})

test('hosts are A-labels, with the Unicode form if it is of one script', (t) => {
  t.is(hostOf('https://MÜLLER.example/x'), 'xn--mller-kva.example')
  t.is(hostOf('https://example.com:443/'), 'example.com')
  t.is(hostOf('https://example.com:8443/'), 'example.com:8443')
  t.is(unicodeOf('xn--mller-kva.example:8443'), 'müller.example:8443')
  t.is(unicodeOf('example.com'), undefined)
  // Cyrillic а in a Latin name, and a Cyrillic name with a Latin end.
  t.is(unicodeOf(hostOf('https://p\u0430ypal.com/')), undefined)
  t.is(unicodeOf(hostOf('https://пример.com/')), undefined)
  t.is(unicodeOf(hostOf('https://пример.испытание/')), 'пример.испытание')
})

test('an answer goes to a host or to a program on the computer', (t) => {
  t.is(receiverOf('https://editor.example.com/callback'), 'editor.example.com')
  for (const uri of ['http://127.0.0.1:4000/', 'com.example.editor:/callback'])
    t.is(receiverOf(uri), undefined)
})
