import test from 'ava'
import { sendRawHttp } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

function post(body: string) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return sendRawHttp(environment.httpPort, { method: 'POST', path: '/oauth/token', headers, body })
}

/** A form with `count` fields, the first of which is the grant type. */
const form = (count: number, name = (index: number) => `f${index}`) =>
  ['grant_type=password', ...Array.from({ length: count - 1 }, (_, index) => name(index))].join('&')

test('a form of 50 fields is read, one of 51 returns 400', async (t) => {
  t.is((await post(form(50))).json.error, 'invalid_client')
  for (const body of [form(51), form(51, () => ''), form(9000), '&'.repeat(65_000)]) {
    const { status, json } = await post(body)
    t.is(status, 400)
    t.is(json.error, 'invalid_request')
    t.is(json.error_description, 'The body must contain at most 50 fields')
  }
})

test('a repeated field is rejected, wherever it is', async (t) => {
  for (const body of [
    'grant_type=password&grant_type=password',
    'grant_type=password&code=1&grant_type=&grant_type=x',
  ]) {
    const { json } = await post(body)
    t.is(json.error, 'invalid_request')
    t.regex(json.error_description, /grant_type/)
  }
})

test('fields named like members of every object are ignored', async (t) => {
  const { json } = await post('__proto__=a&constructor=b&toString=c&grant_type=password')
  t.is(json.error, 'invalid_client')
})

test('a form above 64 KiB returns 413', async (t) => {
  t.is((await post(`grant_type=${'x'.repeat(65_536)}`)).status, 413)
})
