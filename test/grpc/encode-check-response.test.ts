import test from 'ava'
import type { HeaderValueOption } from '../../gen/envoy/config/core/v3/base.ts'
import { CheckResponse } from '../../gen/envoy/service/auth/v3/external_auth.ts'
import { encodeCheckResponse } from '../../src/grpc/encode-check-response.ts'

const toHeader = (value: string, keep_empty_value: boolean): HeaderValueOption => ({
  header: { key: 'x-auth-email', value },
  append_action: keep_empty_value ? 2 : 0,
  keep_empty_value,
})

const texts = [
  '',
  'a',
  'a'.repeat(127),
  'a'.repeat(128),
  'a'.repeat(20_000),
  'größe@exämple.com',
  '😀',
]

test('responses to Envoy are encoded like all other messages', (t) => {
  for (const text of texts) {
    const headers = texts.flatMap((value) => [toHeader(value, true), toHeader(value, false)])
    const responses: CheckResponse[] = [
      { status: { code: 0, message: '', details: [] }, ok_response: { headers } },
      { status: { code: 0, message: text, details: [] }, ok_response: { headers: [] } },
      {
        status: { code: 16, message: text, details: [] },
        denied_response: { status: { code: 401 }, headers, body: text },
      },
    ]
    for (const response of responses) {
      const expected = Buffer.from(CheckResponse.encode(response).finish())
      t.deepEqual(encodeCheckResponse(response), expected)
    }
  }
})
