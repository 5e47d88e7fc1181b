import test from 'ava'
import fc from 'fast-check'
import { findJsonLimitViolation } from '../../src/http/json-limits.ts'

const violation = (text: string) => findJsonLimitViolation(Buffer.from(text))
const tooDeep = 'must be nested at most 64 levels deep'
const tooMany = 'must contain at most 50000 values'

/** Counts the values in parsed JSON. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, member) => sum + countValues(member), 1)
}

test('64 levels and 50,000 values are accepted, one more is not', (t) => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"[":', '}]'],
  ] as const) {
    const levels = open.length > 5 ? 32 : 64
    const nest = (depth: number) => `${open.repeat(depth)}[]${close.repeat(depth)}`
    t.is(violation(nest(levels).replace('[]', '1')), undefined)
    t.is(violation(nest(levels)), tooDeep)
  }
  for (const value of ['1', '-1.5e3', 'true', 'null', '""', '"a,[{\\"b"', '{}', '[]', ' 1 ']) {
    t.is(violation(`[${Array(49_999).fill(value)}]`), undefined, value)
    t.is(violation(`[${Array(50_000).fill(value)}]`), tooMany, value)
    t.is(violation(`{${Array(49_999).fill(`"k" : ${value}`)}}`), undefined, value)
    t.is(violation(`{${Array(50_000).fill(`"k":${value}`)}}`), tooMany, value)
  }
})

test('values are counted exactly in any JSON', (t) => {
  const padding = 40_000
  fc.assert(
    fc.property(fc.json(), fc.boolean(), (json, isIndented) => {
      const value = JSON.parse(json)
      const text = JSON.stringify(value, null, isIndented ? 2 : undefined)
      // Fills up to the limit: a list of `text` and of numbers.
      const missing = 50_000 - 1 - countValues(value)
      const fill = (count: number) => `[${text},${Array(count).fill(0)}]`
      t.true(missing > padding)
      t.is(violation(fill(missing)), undefined)
      t.is(violation(fill(missing + 1)), tooMany)
    }),
    { numRuns: 50 },
  )
})

test('batches of 1,000 items with every field have half as many values at most', (t) => {
  const properties = { department: 'sales', location: { country: 'de' }, tags: ['a', 'b'] }
  const item = {
    subject: { type: 'user', id: 'someone@example.com', properties },
    action: { name: 'view', properties: {} },
    resource: { type: 'document', id: '1', properties: {} },
    context: { explain: true, time: '2026-01-31T12:00:00Z', amount: 1 },
  }
  const resource = {
    service_name: 'docs',
    resource_type: 'document',
    resource_id: '3f1a0a3c-5d7c-4b68-9f6d-0d6f4b2f8a11',
    external_id: '1',
    workspace_id: '3f1a0a3c-5d7c-4b68-9f6d-0d6f4b2f8a12',
    owner_id: '3f1a0a3c-5d7c-4b68-9f6d-0d6f4b2f8a13',
    visibility: 'private',
    parent: { resource_type: 'folder', external_id: '2' },
  }
  for (const request of [
    { ...item, evaluations: Array(1000).fill(item) },
    { resources: Array(1000).fill(resource) },
  ]) {
    t.is(violation(JSON.stringify(request)), undefined)
    t.true(countValues(request) < 25_000, String(countValues(request)))
  }
})

test('text that is not valid JSON does not end in an error', (t) => {
  for (const text of ['', '"', '"\\', '}', ']]]', ':', ',', '\ufeff{}', '"a', 'x'.repeat(100)])
    t.is(violation(text), undefined)
  t.is(violation(`${':'.repeat(10)}${'['.repeat(65)}`), tooDeep)
})
