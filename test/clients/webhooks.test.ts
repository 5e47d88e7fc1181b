// Verifies the same signed requests with the clients of all languages.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import test from 'ava'
import { verifyWebhook } from '../../clients/typescript/src/webhooks.ts'
import { createWebhookSecret, signatureHeaders } from '../../src/webhooks/signature.ts'

const root = join(import.meta.dirname, '../..')
const body =
  '{"type":"member.removed","timestamp":"2026-01-01T00:00:00Z","position":7,"data":{"é":1}}'
const [secret, other] = [createWebhookSecret(), createWebhookSecret()]

type Case = { name: string; headers: Record<string, string>; body: string; secrets: string[] }

const sign = (secrets: string[], at = new Date(), signed = body) =>
  signatureHeaders({ id: '0199a4e2-6d1c-7c55-9f0e-0d3c2a7b5e11', body: signed, at }, secrets)
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

const valid: Case[] = [
  { name: 'signed', headers: sign([secret]), body, secrets: [secret] },
  { name: 'signed with two secrets', headers: sign([other, secret]), body, secrets: [secret] },
  { name: 'two accepted secrets', headers: sign([secret]), body, secrets: [other, secret] },
  { name: 'two minutes old', headers: sign([secret], minutesAgo(2)), body, secrets: [secret] },
]
const { 'webhook-signature': _, ...unsigned } = sign([secret])
const invalid: Case[] = [
  { name: 'another secret', headers: sign([other]), body, secrets: [secret] },
  { name: 'another body', headers: sign([secret]), body: `${body} `, secrets: [secret] },
  { name: 'six minutes old', headers: sign([secret], minutesAgo(6)), body, secrets: [secret] },
  { name: 'in the future', headers: sign([secret], minutesAgo(-60)), body, secrets: [secret] },
  { name: 'no signature', headers: unsigned, body, secrets: [secret] },
  {
    name: 'another ID',
    headers: { ...sign([secret]), 'webhook-id': 'other' },
    body,
    secrets: [secret],
  },
  {
    name: 'a timestamp that is no number',
    headers: { ...sign([secret]), 'webhook-timestamp': '1e9' },
    body,
    secrets: [secret],
  },
]

test('the TypeScript client accepts what daikon has signed, and nothing else', (t) => {
  for (const { name, headers, body, secrets } of valid) {
    const expected = { ...JSON.parse(body), id: headers['webhook-id'] }
    t.deepEqual(verifyWebhook(secrets, { headers, body }), expected, name)
    const bytes = { headers: new Headers(headers), body: Buffer.from(body) }
    t.deepEqual(verifyWebhook(secrets, bytes), expected, name)
  }
  for (const { name, headers, body, secrets } of invalid) {
    const error = t.throws(() => verifyWebhook(secrets, { headers, body }), undefined, name)
    t.is((error as { reason?: string }).reason, 'WEBHOOK_INVALID', name)
  }
  t.throws(() => verifyWebhook('', { headers: sign([secret]), body }), { instanceOf: TypeError })
})

test('the Python client does, too', (t) => {
  const program = `
import importlib.util, json, sys, types
package = types.ModuleType("daikon"); package.__path__ = [sys.argv[1]]; sys.modules["daikon"] = package
from daikon._webhooks import InvalidWebhookError, verify_webhook
results = []
for case in json.load(sys.stdin):
    try:
        event = verify_webhook(case["secrets"], case["headers"], case["body"].encode())
        results.append([event.id, event.type, event.position])
    except InvalidWebhookError as error:
        results.append(error.reason)
print(json.dumps(results))`
  const source = join(root, 'clients/python/src/daikon')
  const out = execFileSync('python3', ['-c', program, source], {
    input: JSON.stringify([...valid, ...invalid]),
  })
  const accepted = valid.map(({ headers }) => [headers['webhook-id'], 'member.removed', 7])
  t.deepEqual(JSON.parse(out.toString()), [...accepted, ...invalid.map(() => 'WEBHOOK_INVALID')])
})
