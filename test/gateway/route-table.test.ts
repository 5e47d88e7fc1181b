import test from 'ava'
import fc from 'fast-check'
import { readRequestPath } from '../../src/gateway/request-path.ts'
import type { Route, RouteRule } from '../../src/gateway/route.ts'
import { createRouteTable, findRequirement } from '../../src/gateway/route-table.ts'

const anyone: RouteRule = { allow: 'anyone' }
const ambiguous = { denied: 'PATH_AMBIGUOUS' } as const
const unknown = { denied: 'ROUTE_UNKNOWN' } as const

function find(routes: Route[], method: string, target: string) {
  return findRequirement(createRouteTable(routes), method, target)
}

function view(resourceId = '{id}'): RouteRule {
  return { action: 'view', resourceType: 'document', resourceId }
}

test('the first route that matches method and path decides', (t) => {
  const routes: Route[] = [
    { methods: ['GET', 'HEAD'], path: '/documents/public', rule: anyone },
    { methods: ['GET'], path: '/documents/{id}', rule: view() },
    { methods: [], path: '/documents/{id}', rule: { ...view(), action: 'edit' } },
    { methods: [], path: '/', rule: { allow: 'authenticated' } },
  ]
  t.is(find(routes, 'HEAD', '/documents/public'), anyone)
  t.deepEqual(find(routes, 'GET', '/documents/d1?page=2'), view('d1'))
  for (const method of ['HEAD', 'get', 'POST'])
    t.deepEqual(find(routes, method, '/documents/d1'), { ...view('d1'), action: 'edit' })
  t.deepEqual(find(routes, 'GET', '/?a=/documents/public'), { allow: 'authenticated' })
  for (const path of ['/Documents/d1', '/documents', '/documents/a/b', '/d%6Fcuments'])
    t.deepEqual(find(routes, 'GET', path), unknown)
})

test('text is compared with the percent-decoded path', (t) => {
  const routes = [{ methods: [], path: '/größe/{id}', rule: view() }]
  t.deepEqual(find(routes, 'GET', '/gr%C3%B6%C3%9Fe/a%20b'), view('a b'))
  t.deepEqual(find(routes, 'GET', '/gr%c3%b6%c3%9fe/%41'), view('A'))
})

test('a variable with ** matches one or more segments', (t) => {
  const routes = [{ methods: [], path: '/files/{bucket}/{path=**}', rule: view('{bucket}/{path}') }]
  t.deepEqual(find(routes, 'GET', '/files/b/c'), view('b/c'))
  t.deepEqual(find(routes, 'GET', '/files/b/c/d%20e'), view('b/c/d e'))
  t.deepEqual(find(routes, 'GET', '/files/b'), unknown)
})

test('variables named like members of objects are variables', (t) => {
  const rule = view('{__proto__}/{constructor}')
  const routes = [{ methods: [], path: '/{__proto__}/{constructor}', rule }]
  t.deepEqual(find(routes, 'GET', '/a/b'), view('a/b'))
})

const ambiguousPaths = [
  ...['', '*', 'documents', 'http://host/documents', '//documents', '/documents/', '/a//b'],
  ...['/.', '/..', '/a/../b', '/a/./b', '/%2e%2E/b', '/.%2e/b', '/%252e%252e/b'],
  ...['/a%2fb', '/a%2Fb', '/a%252fb', '/a\\b', '/a%5cb', '/a%255Cb', '/a%00', '/a%2500', '/a%0a'],
  ...['/a;b', '/a;b=c/d', '/a%3bb', '/a%253Bb', '/..;/b', '/a#b', '/a b', '/a\tb', '/ä', '/a\x7f'],
  ...['/%', '/%2', '/%zz', '/%ff', '/%c0%af', '/%ed%a0%80', '/%u002e', '/public, /secret'],
]

test('a path that could be read in two ways is ambiguous', (t) => {
  const routes = [{ methods: [], path: '/{path=**}', rule: anyone }]
  for (const target of ambiguousPaths) t.deepEqual(find(routes, 'GET', target), ambiguous, target)
  for (const target of [
    '/a?b=../%2f;',
    '/a.b',
    '/...',
    '/a%23b',
    '/a%3Fb',
    '/a+b',
    "/a:@!$&'()*,=",
  ])
    t.is(find(routes, 'GET', target), anyone, target)
})

/** Text that a template can contain, and values of variables. */
const text = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 12 })
  .filter((value) => value.isWellFormed() && !/[/;\\?#{}%]|\p{Cc}/u.test(value))
  .filter((value) => value !== '.' && value !== '..')

/** Encodes characters that must be encoded, and others at random. */
const encoded = (value: string) =>
  fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }).map((choices) =>
    [...value]
      .map((character, index) => {
        const isSafe = /[\w.!$&'()*+,=:@-]/.test(character)
        if (isSafe && choices[index % 40]) return character
        const bytes = [...new TextEncoder().encode(character)]
        return bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
      })
      .join(''),
  )

test('reading an encoded path returns its segments', (t) => {
  const paths = fc
    .array(text, { minLength: 1, maxLength: 6 })
    .chain((segments) =>
      fc.tuple(fc.constant(segments), fc.tuple(...segments.map((value) => encoded(value)))),
    )
  fc.assert(
    fc.property(paths, ([segments, parts]) => {
      t.deepEqual(readRequestPath(`/${parts.join('/')}`), segments)
    }),
  )
  t.pass()
})

test('a path that is read contains nothing that changes its segments when it is read again', (t) => {
  const piece = fc.oneof(
    fc.constantFrom('/', '.', '..', '%2e', '%2f', '%5C', '\\', ';', '%3b', '%00', '%25', '%c3%a4'),
    fc.string({ maxLength: 3 }),
  )
  const targets = fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join('')}`)
  fc.assert(
    fc.property(targets, (target) => {
      const segments = readRequestPath(target)
      const [path = ''] = target.split('?', 1)
      if (!segments || segments.length === 0) return
      // The WHATWG parser of applications written in JavaScript resolves dot segments.
      t.is(new URL(path, 'http://host').pathname.split('/').length, segments.length + 1)
      t.is(path.split('/').length, segments.length + 1)
      for (const segment of segments) t.notRegex(segment, /^\.{0,2}$|[/\\;]|\p{Cc}/u)
    }),
    { numRuns: 2000 },
  )
  t.pass()
})

/** A template with the segments of a path that it matches. */
const templates = fc
  .array(fc.record({ value: text, isVariable: fc.boolean() }), { minLength: 1, maxLength: 5 })
  .map((parts) => ({
    path: parts.map(({ value, isVariable }, i) => `/${isVariable ? `{v${i}}` : value}`).join(''),
    ids: parts.flatMap(({ isVariable }, i) => (isVariable ? [`{v${i}}`] : [])),
    segments: parts.map(({ value }) => value),
    values: parts.flatMap(({ value, isVariable }) => (isVariable ? [value] : [])),
  }))

test('a template matches exactly the paths with its text, and its variables have their values', (t) => {
  fc.assert(
    fc.property(templates, templates, ({ path, ids, segments, values }, other) => {
      const routes = [{ methods: [], path, rule: view(ids.join('/')) }]
      const target = (parts: string[]) => `/${parts.map(encodeURIComponent).join('/')}`
      t.deepEqual(find(routes, 'GET', target(segments)), view(values.join('/')))
      const matches =
        other.segments.length === segments.length &&
        path.split('/').every((part, i) => /^\{|^$/.test(part) || part === other.segments[i - 1])
      t.is('action' in find(routes, 'GET', target(other.segments)), matches)
      t.deepEqual(find(routes, 'GET', target([...segments, 'more'])), unknown)
      t.deepEqual(find(routes, 'GET', target(segments.slice(0, -1))), unknown)
    }),
  )
  t.pass()
})

test('different paths of a route never yield the same ID', (t) => {
  const route = { methods: [], path: '/{a}/{b}/{c=**}', rule: view('{c}/{a}/x/{b}') }
  const paths = fc.array(text, { minLength: 3, maxLength: 5 })
  fc.assert(
    fc.property(paths, paths, (one, other) => {
      const ids = [one, other].map((path) =>
        find([route], 'GET', `/${path.map(encodeURIComponent).join('/')}`),
      )
      const isEqual = JSON.stringify(one) === JSON.stringify(other)
      t.is(JSON.stringify(ids[0]) === JSON.stringify(ids[1]), isEqual)
    }),
  )
  t.pass()
})
