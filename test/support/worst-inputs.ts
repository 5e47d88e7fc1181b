import type { Method, Route } from '../../src/rpc/method.ts'

/** A request. `path` defaults to the path of the route. */
type WorstRequest = { path?: string; headers?: Record<string, string>; body?: string }

/** Creates the requests of a route, none if the route does not read such input. */
type CreateRequests = (method: Method, route: Route, path: string) => WorstRequest[]

const json = { 'Content-Type': 'application/json' }
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** The sizes in bytes of headers, forms, and bodies that are read before authentication. */
const headerBytes = 15_000
const smallBytes = 65_000

const filled = new Map<string, string>()

/** Repeats a text up to a size, with numbers in place of `#`. Remembers the result, which most routes receive. */
function fill(bytes: number, text: string): string {
  const key = `${bytes} ${text}`
  const result = filled.get(key) ?? repeat(bytes, text)
  filled.set(key, result)
  return result
}

function repeat(bytes: number, text: string): string {
  const parts: string[] = []
  for (let length = 0; ; ) {
    const part = text.replace('#', parts.length.toString(36))
    length += part.length
    if (length > bytes) return parts.join('')
    parts.push(part)
  }
}

/** JSON bodies of a size that are expensive to parse or to validate. */
function jsonBodies({ input }: Method, bytes: number): string[] {
  const [field = { name: 'x' }] = input.fields
  const room = bytes - 100
  const members = (text: string) => `{${fill(room, text).slice(0, -1)}}`
  const list = (text: string) => `{"${field.name}":[${fill(room, text).slice(0, -1)}]}`
  const levels = Math.floor(room / 6)
  return [
    `{"${field.name}":${'['.repeat(room / 2)}${']'.repeat(room / 2)}}`,
    `{"${field.name}":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`,
    `{"${field.name}":${'['.repeat(60)}${']'.repeat(60)}}`,
    list('{},'),
    list('[],'),
    list('1,'),
    list('{"#":""},'),
    members('"#":1,'),
    members('"#":null,'),
    `{${input.fields.map(({ name }) => `"${name}":"${'@'.repeat(room / input.fields.length - 300)}"`)}}`,
    `{${input.fields.map(({ name }) => `"${name}":"${' '.repeat(room / input.fields.length - 300)}"`)}}`,
    `"${'x'.repeat(room)}"`,
    `{"${field.name}":"${'\\u0041'.repeat(room / 6)}"}`,
  ]
}

const hasJson = ({ policy }: Method, { body }: Route) => body && !policy.form

/** The worst inputs by name, at the limit of their size. */
export const worstInputs: Record<string, CreateRequests> = {
  'forms of 64 KiB': ({ policy }, { body }) =>
    body && policy.form
      ? ['#&', '#=&', 'grant_type&', '&', '%41=&', '+', '%', 'scope=+&'].map((text) => ({
          headers: form,
          body: fill(smallBytes, text),
        }))
      : [],
  'JSON bodies of 64 KiB': (method, route) =>
    hasJson(method, route)
      ? jsonBodies(method, smallBytes).map((body) => ({ headers: json, body }))
      : [],
  'JSON bodies of 256 KiB on public routes': (method, route) =>
    hasJson(method, route) && method.policy.tier === 'public'
      ? jsonBodies(method, 260_000).map((body) => ({ headers: json, body }))
      : [],
  'JSON bodies of 4 MiB with credentials': (method, route) =>
    hasJson(method, route) && method.policy.bulk
      ? jsonBodies(method, 4_000_000).map((body) => ({ headers: json, body }))
      : [],
  'JSON bodies of 256 KiB with credentials': (method, route) =>
    hasJson(method, route)
      ? jsonBodies(method, 260_000).map((body) => ({ headers: json, body }))
      : [],
  'multipart and CSV of 64 KiB': ({ policy: { upload } }) => {
    if (!upload) return []
    const multipart = { 'Content-Type': 'multipart/form-data; boundary=x' }
    const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
    return [
      { headers: multipart, body: fill(smallBytes, part) },
      { headers: multipart, body: part + fill(smallBytes, '\r\n--') },
      { headers: multipart, body: `--x\r\n${fill(smallBytes, 'a:b\r\n')}` },
      {
        headers: multipart,
        body: `--x\r\nContent-Disposition: form-data; ${fill(smallBytes, 'a=b;')}`,
      },
      { headers: multipart, body: fill(smallBytes, '-') },
      { headers: { 'Content-Type': 'text/csv' }, body: fill(smallBytes, '"') },
      { headers: { 'Content-Type': 'text/csv' }, body: fill(smallBytes, ',') },
    ]
  },
  'queries of 15 kB': (_method, _route, path) =>
    ['#&', '#=&', '&', '%41=&', '%', 'page=1&', 'state=+&', '=', '%F0%9F%A5%95='].map((text) => ({
      path: `${path}?${fill(headerBytes, text)}`,
    })),
  'paths of 15 kB': (_method, { path }) =>
    ['%41', '%', '/', '..', 'a/', '%2f', '%F0', ';a='].map((text) => ({
      path: path.includes('{')
        ? path.replace(/\{\w+\}/g, fill(headerBytes / path.split('{').length, text))
        : `${path}${fill(headerBytes, text)}`,
    })),
  'headers of 15 kB': () =>
    [
      ['Cookie', 'a=b;'],
      ['Cookie', 'admin_token=;'],
      ['Cookie', '='],
      ['Host', 'a.'],
      ['X-Forwarded-For', '1.1.1.1,'],
      ['X-Forwarded-For', ', '],
      ['Accept', 'text/htm,'],
      ['Accept', 'a/b;q=1,'],
      ['Origin', 'http://a'],
      ['Content-Type', 'application/json;'],
      ['Content-Type', ';a="'],
      ['Content-Type', '; charset'],
      ['Authorization', 'Bearer '],
      ['Authorization', 'Bearer a.b.c'],
      ['Authorization', 'Basic YTph'],
      ['X-Service-Key', 'dk_'],
      ['X-Request-ID', 'a'],
      ['Grpc-Timeout', '1'],
      ['traceparent', '00-'],
      ['If-None-Match', 'W/"a",'],
    ].map(([name = '', text = '']) => ({ headers: { [name]: fill(headerBytes, text).trim() } })),
  'tokens of 15 kB': () =>
    [
      `${'{"a":'.repeat(1500)}1${'}'.repeat(1500)}`,
      `{"alg":"RS256","typ":"at+jwt","kid":"${'x'.repeat(7000)}"}`,
      `[${fill(7000, '1,')}1]`,
    ].map((header) => {
      const part = Buffer.from(header).toString('base64url')
      return {
        headers: { Authorization: `Bearer ${part}.${'a'.repeat(3000)}.${'a'.repeat(1000)}` },
      }
    }),
  'bodies in chunks of one byte': (method, route) =>
    hasJson(method, route) && method.policy.tier === 'public'
      ? [
          {
            headers: { ...json, 'Transfer-Encoding': 'chunked' },
            body: `${'1\r\n \r\n'.repeat(smallBytes)}0\r\n\r\n`,
          },
        ]
      : [],
}
