import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError } from '../support/outcome.ts'
import { sendRawGrpc, sendRawHttp } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
const { token: adminToken, call } = await createAdmin(environment)
const grpc = environment.transports.find(({ name }) => name === 'grpc') as Transport
const slug = `w-${await environment.seed.workspace()}`
test.after.always(() => environment.stop())

const adminHeaders = { cookie: `admin_token=${adminToken}`, origin: 'http://localhost:9004' }
const csv = `email,workspace_slug\n${randomUUID()}@example.com,${slug}\n`
const largest = 5 * 1024 * 1024

function post(body: string | Buffer, type: string, headers: Record<string, string> = adminHeaders) {
  return sendRawHttp(environment.httpPort, {
    method: 'POST',
    path: '/admin/import/csv/preview',
    body,
    headers: { 'content-type': type, ...headers, 'content-length': `${Buffer.byteLength(body)}` },
  })
}

/** A form, written by hand to control every byte. */
const form = 'multipart/form-data; boundary=edge'
const part = (name: string, text: string, filename: string | undefined = 'people.csv') =>
  `--edge\r\nContent-Disposition: form-data; name="${name}"${filename && `; filename="${filename}"`}\r\n${
    filename && 'Content-Type: text/csv\r\n'
  }\r\n${text}\r\n`
const formOf = (...parts: string[]) => `${parts.join('')}--edge--\r\n`

/** A file of the given size. It is padded with blank lines, which are not rows. */
const padded = (size: number) => csv + '\n'.repeat(size - csv.length)

test('a file can be sent as a form, as the body and in JSON', async (t) => {
  const bodies: [body: string, type: string][] = [
    [csv, 'text/csv'],
    [csv, 'Text/CSV; charset="UTF-8"'],
    [`\ufeff${csv}`, 'text/csv; header=present'],
    [formOf(part('file', csv)), form],
    [formOf(part('note', 'x', ''), part('other', 'x'), part('file', csv)), form],
    [JSON.stringify({ csv }), 'application/json'],
  ]
  for (const [body, type] of bodies) {
    const { status, json } = await post(body, type)
    t.is(status, 200, `${type} ${JSON.stringify(json)}`)
    t.deepEqual(json.summary, { rows: 1, create: 1, update: 0, unchanged: 0, errors: 0 })
  }
  const zipped = await post(gzipSync(csv), 'text/csv', {
    ...adminHeaders,
    'content-encoding': 'gzip',
  })
  t.is(zipped.status, 415)
  const data = new FormData()
  data.append('file', new Blob([csv], { type: 'text/csv' }), 'people.csv')
  const url = `http://127.0.0.1:${environment.httpPort}/admin/import/csv/preview`
  t.is((await fetch(url, { method: 'POST', headers: adminHeaders, body: data })).status, 200)
})

test('5 MiB are accepted, one byte more returns 413', async (t) => {
  for (const [size, status] of [
    [largest, 200],
    [largest + 1, 413],
  ] as const) {
    const file = padded(size)
    t.is((await post(file, 'text/csv')).status, status)
    t.is((await post(formOf(part('file', file)), form)).status, status)
    t.is((await post(JSON.stringify({ csv: file }), 'application/json')).status, status)
    const outcome = await call(grpc, 'PreviewCsvImport', { csv: file })
    if (status === 200) t.true(outcome.ok)
    else t.like(expectError(outcome), { code: 'payload_too_large', reason: 'FILE_TOO_LARGE' })
  }
  t.is((await post(formOf(part('file', padded(12_000_000))), form)).status, 413)
  t.is((await post(csv, 'text/csv')).status, 200)
})

test('a message over 6 MiB returns RESOURCE_EXHAUSTED; the limit of other methods is 4 MiB', async (t) => {
  const presented = { cookie: `admin_token=${adminToken}` }
  const padding = (size: number) => {
    const head = [0x7a, (size & 0x7f) | 0x80, ((size >> 7) & 0x7f) | 0x80]
    head.push(((size >> 14) & 0x7f) | 0x80, size >> 21)
    return Buffer.concat([Buffer.from([10, 1, 120, ...head]), Buffer.alloc(size)])
  }
  const code = async (method: string, size: number) =>
    (
      await sendRawGrpc(
        environment.grpcPort,
        `/daikon.v1.AdminService/${method}`,
        padding(size),
        presented,
      )
    ).code
  t.is(await code('PreviewCsvImport', 6_200_000), 3)
  t.is(await code('PreviewCsvImport', 6_300_000), 8)
  t.is(await code('ListServiceActions', 4_100_000), 0)
  t.is(await code('ListServiceActions', 4_300_000), 8)
})

test('another media type, charset or encoding returns 415', async (t) => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', '', 'text/csv2'])
    t.is((await post(csv, type)).status, 415, type)
  t.is((await post(csv, 'text/csv; charset=latin1')).status, 415)
  for (const [type, coding] of [
    ['text/csv', 'compress'],
    [form, 'gzip'],
  ] as const)
    t.is((await post(csv, type, { ...adminHeaders, 'content-encoding': coding })).status, 415)
  // Methods that do not support uploads reject files.
  const { status } = await sendRawHttp(environment.httpPort, {
    method: 'POST',
    path: '/admin/client-apps',
    body: csv,
    headers: { ...adminHeaders, 'content-type': 'text/csv', 'content-length': `${csv.length}` },
  })
  t.is(status, 415)
})

test('a form that is malformed or does not contain exactly one file, and bytes that are not UTF-8, return 422', async (t) => {
  const invalid: [body: string | Buffer, type: string][] = [
    ['', 'text/csv'],
    [Buffer.from([0xff, 0xfe, 0x65]), 'text/csv'],
    [formOf(part('other', csv)), form],
    [formOf(part('file', csv, '')), form],
    [formOf(part('file', csv), part('file', csv)), form],
    [formOf(part('file', '')), form],
    [part('file', csv), form],
    [`${part('file', csv)}--ed`, form],
    ['nothing of the sort', form],
    [formOf(part('file', csv)), 'multipart/form-data'],
  ]
  for (const [body, type] of invalid) {
    const { status, json } = await post(body, type)
    t.is(status, 422, `${body} ${JSON.stringify(json)}`)
  }
})

test('a form of another or unknown origin returns 403', async (t) => {
  const { cookie } = adminHeaders
  for (const [body, type] of [
    [formOf(part('file', csv)), form],
    [csv, 'text/csv'],
  ] as const) {
    for (const headers of [
      { cookie },
      { cookie, origin: 'null' },
      { cookie, origin: 'http://localhost:3000' },
      { cookie, 'sec-fetch-site': 'cross-site' },
    ]) {
      const { status, json } = await post(body, type, headers as Record<string, string>)
      t.is(status, 403)
      t.is(json.reason, 'ORIGIN_REFUSED')
    }
    t.is((await post(body, type, { cookie, 'sec-fetch-site': 'same-origin' })).status, 200)
    t.is((await post(body, type, { origin: adminHeaders.origin })).status, 401)
  }
})

test('a client that disconnects during an upload does not affect the server', async (t) => {
  const body = formOf(part('file', padded(100_000)))
  await t.throwsAsync(
    fetch(`http://127.0.0.1:${environment.httpPort}/admin/import/csv/preview`, {
      method: 'POST',
      headers: { ...adminHeaders, 'content-type': form },
      duplex: 'half',
      body: new ReadableStream({
        start(stream) {
          stream.enqueue(Buffer.from(body.slice(0, 50_000)))
          stream.error(new Error('gone'))
        },
      }),
    } as RequestInit),
  )
  t.is((await post(body, form)).status, 200)
})

test.after('no internal error was logged', (t) => {
  t.deepEqual(environment.failures, [])
})
