import test from 'ava'
import fc from 'fast-check'
import { readClientUrl } from '../../src/client-metadata/client-url.ts'
import { DocumentError, readClientDocument } from '../../src/client-metadata/document.ts'
import { freshnessOf } from '../../src/client-metadata/freshness.ts'
import { hostRule, isAllowedHost } from '../../src/client-metadata/host-rules.ts'
import { findDocumentedUriProblem, isDocumentedUri } from '../../src/identity/redirect-uris.ts'
import { jwk } from '../support/client-assertions.ts'

const allows = (rules: string, host: string) =>
  isAllowedHost(rules.split(' ').filter(Boolean).map(hostRule), host)

test('host rules allow hosts by name, subdomains and exclusions', (t) => {
  const table: [rules: string, host: string, isAllowed: boolean][] = [
    ['', 'example.com', false],
    ['*', 'example.com', true],
    ['*', '127.0.0.1', true],
    ['Example.COM', 'example.com', true],
    ['example.com', 'a.example.com', false],
    ['example.com', 'example.com.evil.net', false],
    ['.example.com', 'example.com', false],
    ['.example.com', 'a.example.com', true],
    ['.example.com', 'b.a.example.com', true],
    ['.example.com', 'badexample.com', false],
    ['* !evil.com', 'evil.com', false],
    ['* !evil.com', 'a.evil.com', true],
    ['!.evil.com * a.evil.com', 'a.evil.com', false],
    ['!evil.com', 'example.com', false],
    ['bücher.example', 'xn--bcher-kva.example', true],
    ['127.0.0.1', '127.0.0.1', true],
    ['[::1]', '[::1]', true],
  ]
  for (const [rules, host, isAllowed] of table)
    t.is(allows(rules, host), isAllowed, `${rules} for ${host}`)
})

test('a host rule with a port, a path or a wildcard in a name is refused', (t) => {
  const wrong = ['example.com:443', 'https://example.com', 'a/b', '*.example.com', '!*', '.*', '.']
  for (const text of [...wrong, '!', '.127.0.0.1', '.[::1]', 'a b', 'ann@example.com', 'a.com.'])
    t.throws(() => hostRule(text), { message: /^must list host names/ }, text)
})

test('an exclusion wins in every order, and subdomains never match an address', (t) => {
  const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
  const host = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'))
  fc.assert(
    fc.property(host, fc.array(host, { maxLength: 4 }), fc.nat(), (name, others, seed) => {
      const rules = [...others, '*']
      rules.splice(seed % (rules.length + 1), 0, `!${name}`)
      return (
        !allows(rules.join(' '), name) &&
        !allows(others.map((one) => `.${one}`).join(' '), '10.0.0.1')
      )
    }),
  )
  t.pass()
})

test('only an https URL with a path, as URL parsers write it, is the ID of a client', (t) => {
  const right = [
    'https://example.com/client.json',
    'https://example.com:8443/@a',
    'https://xn--bcher-kva.example/a%20b',
    'https://[2001:db8::1]/a',
    `https://example.com/${'a'.repeat(480)}`,
  ]
  for (const url of right) t.false('problem' in readClientUrl(url), url)
  const wrong = [
    'http://example.com/a',
    'https://example.com',
    'https://example.com/',
    'https://example.com/a?b',
    'https://example.com/a?',
    'https://example.com/a#',
    'https://ann@example.com/a',
    'https://ann:pw@example.com/a',
    'https://@example.com/a',
    'https://example.com/a/../b',
    'https://example.com/a/%2e%2e/b',
    'https://example.com/./a',
    'https://EXAMPLE.com/a',
    'HTTPS://example.com/a',
    'https://bücher.example/a',
    'https://example.com/ä',
    'https://example.com:443/a',
    'https://example.com:0443/a',
    'https://example.com./a',
    'https://0x7f.1/a',
    'https://2130706433/a',
    'https://[::ffff:127.0.0.1]/a',
    'https:/example.com/a',
    'https:\\\\example.com\\a',
    'https://example.com/a b',
    'https://exam\tple.com/a',
    ' https://example.com/a',
    'https://',
    `https://example.com/${'a'.repeat(481)}`,
  ]
  for (const url of wrong) t.true('problem' in readClientUrl(url), url)
})

test('every accepted URL is the one that is fetched', (t) => {
  const piece = fc.oneof(
    fc.webUrl(),
    fc.string(),
    fc.constantFrom('..', '@', '#', '?', '\\', '%2e'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 4 }), (pieces) => {
      const text = `https://a.example/${pieces.join('/')}`
      const read = readClientUrl(text)
      if ('problem' in read) return true
      const { href, host, username, search, hash } = new URL(text)
      return href === text && host === 'a.example' && `${username}${search}${hash}` === ''
    }),
  )
  t.pass()
})

test('redirect URIs are https, of this computer, or of a scheme with a dot', (t) => {
  const right = [
    'https://example.com/cb?a=b',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:1234/cb',
    'http://localhost/cb',
    'http://[::1]:8/cb',
    'com.example.app:/cb',
    'com.example.app://cb',
  ]
  for (const uri of right) t.is(findDocumentedUriProblem(uri), undefined, uri)
  const wrong = [
    '/cb',
    'http://example.com/cb',
    'http://localhost.evil.com/cb',
    'https://example.com/cb#a',
    'https://ann@example.com/cb',
    'javascript:alert(1)',
    'data:text/html,a.b',
    'myapp://cb',
    'com.example.app://ann@cb',
    'https:example.com/cb',
    'https://example.com/a\nb',
    'https://example.com\\cb',
    `https://example.com/${'a'.repeat(2000)}`,
  ]
  for (const uri of wrong) t.truthy(findDocumentedUriProblem(uri), uri)
})

test('a redirect URI of this computer matches any port, others match as text', (t) => {
  const listed = ['https://a.example/cb', 'http://127.0.0.1:1/cb', 'http://localhost/cb', 'a.b:/cb']
  const matching = ['http://127.0.0.1:5000/cb', 'http://127.0.0.1/cb', 'http://localhost:80/cb']
  for (const uri of [...listed, ...matching]) t.true(isDocumentedUri(uri, listed), uri)
  const others = [
    'https://a.example:444/cb',
    'http://127.0.0.1:5000/cb/',
    'http://127.0.0.1:5000/cb?x=y',
    'http://[::1]:5000/cb',
    'http://127.0.0.1:5000@evil.com/cb',
    'http://127.0.0.1:99999/cb',
    'http://127.0.0.1.evil.com/cb',
    'http://localhost.evil.com/cb',
    'a.b:/cb?x',
    '',
  ]
  for (const uri of others) t.false(isDocumentedUri(uri, listed), uri)
})

const url = 'https://a.example/client.json'
const valid = { client_id: url, redirect_uris: ['https://a.example/cb'] }
const read = (document: unknown) => readClientDocument(Buffer.from(JSON.stringify(document)), url)

test('a document names every problem', (t) => {
  const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })
  const table: [document: unknown, message: RegExp][] = [
    [[], /JSON object/],
    [null, /JSON object/],
    [{ ...valid, client_id: `${url}/` }, /^client_id must be the URL/],
    [{ ...valid, client_id: [url] }, /^client_id/],
    [{ ...valid, redirect_uris: [] }, /^redirect_uris must be a list/],
    [{ ...valid, redirect_uris: 'https://a.example/cb' }, /^redirect_uris must be a list/],
    [{ ...valid, redirect_uris: Array(21).fill('https://a.example/cb') }, /1 to 20/],
    [{ ...valid, redirect_uris: ['https://a.example', 7] }, /redirect_uris\[1\] must be a text/],
    [{ ...valid, client_name: { en: 'A' } }, /client_name must be a text/],
    [{ ...valid, token_endpoint_auth_method: 'client_secret_basic' }, /auth_method must be none/],
    [{ ...valid, token_endpoint_auth_method: null, client_id: '' }, /^client_id/],
    [{ ...valid, token_endpoint_auth_method: 'private_key_jwt' }, /either jwks or jwks_uri/],
    [signed({ jwks: { keys: [jwk] }, jwks_uri: `${url}s` }), /either jwks or jwks_uri/],
    [signed({ jwks: { keys: [] } }), /list of 1 to 10/],
    [signed({ jwks: { keys: [{ ...jwk, d: 'x' }] } }), /private key/],
    [signed({ jwks: { keys: [{ kty: 'oct', k: 'x' }] } }), /public key/],
    [signed({ jwks: 'x' }), /JWK Set/],
    [signed({ jwks_uri: 'https://b.example/keys' }), /on the host of the document/],
    [signed({ jwks_uri: 'https://a.example:8443/keys' }), /on the host of the document/],
    [signed({ jwks_uri: 'https://ann@a.example/keys' }), /on the host of the document/],
    [signed({ jwks_uri: 'http://a.example/keys' }), /on the host of the document/],
    [{ ...valid, x: nested(64) }, /64 levels/],
  ]
  for (const [document, message] of table)
    t.throws(() => read(document), { instanceOf: DocumentError, message }, JSON.stringify(document))
  const several = { client_name: 1, redirect_uris: ['http://a.example'] }
  t.throws(() => read(several), { message: /client_id.*redirect_uris\[0\].*client_name/ })
  for (const text of ['', '{', '{"a":1}}', '\ufeff{}', '{"a":NaN}'])
    t.throws(() => readClientDocument(Buffer.from(text), url), { instanceOf: DocumentError }, text)
  const latin = Buffer.from('{"client_name":"\xe9"}', 'latin1')
  t.throws(() => readClientDocument(latin, url), { message: /UTF-8/ })
})

function signed(more: object) {
  return { ...valid, token_endpoint_auth_method: 'private_key_jwt', ...more }
}

test('unknown members are ignored, and names lose what could hide or turn text', (t) => {
  const document = read({ ...valid, logo_uri: 'javascript:', client_secret: 7, x: [{}] })
  t.like(document, { name: '', redirectUris: valid.redirect_uris })
  t.false('keys' in document)
  const nameOf = (client_name: string) => read({ ...valid, client_name }).name
  t.is(nameOf(' A\n\u202eb\u0000\u200b c\ud800 '), 'A b c')
  t.is([...nameOf('😀'.repeat(4000))].length, 100)
})

test('the hash covers redirect URIs, method and keys, and no name', (t) => {
  const hash = read(valid).hash
  t.is(read({ ...valid, client_name: 'B', token_endpoint_auth_method: 'none' }).hash, hash)
  const two = ['https://a.example/1', 'https://a.example/2']
  t.is(
    read({ ...valid, redirect_uris: two }).hash,
    read({ ...valid, redirect_uris: [...two].reverse() }).hash,
  )
  const hashes = [
    hash,
    read({ ...valid, redirect_uris: two }).hash,
    read(signed({ jwks: { keys: [jwk] } })).hash,
    read(signed({ jwks: { keys: [{ ...jwk, kid: 'second' }] } })).hash,
    read(signed({ jwks_uri: 'https://a.example/keys' })).hash,
  ]
  t.is(new Set(hashes).size, hashes.length)
})

test('responses are used for 5 minutes to 24 hours', (t) => {
  const now = new Date('2026-01-01T00:00:00Z')
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000).toUTCString()
  const table: [headers: Record<string, string>, seconds: number][] = [
    [{}, 300],
    [{ 'cache-control': 'max-age=1000' }, 1000],
    [{ 'cache-control': 'public, Max-Age="1000"' }, 1000],
    [{ 'cache-control': 'max-age=1000', age: '400' }, 600],
    [{ 'cache-control': 'max-age=1000', age: '-1' }, 1000],
    [{ 'cache-control': 'max-age=1' }, 300],
    [{ 'cache-control': 'max-age=999999999' }, 86_400],
    [{ 'cache-control': 'max-age=1000, no-store' }, 300],
    [{ 'cache-control': 'no-cache', expires: at(5000) }, 300],
    [{ expires: at(5000) }, 5000],
    [{ expires: at(5000), date: at(1000) }, 4000],
    [{ expires: '0' }, 300],
    [{ 'cache-control': 'max-age=1000', expires: at(5000) }, 1000],
    [{ 'cache-control': 's-maxage=4000' }, 300],
  ]
  for (const [headers, seconds] of table)
    t.is(freshnessOf(headers, now), seconds, JSON.stringify(headers))
})
