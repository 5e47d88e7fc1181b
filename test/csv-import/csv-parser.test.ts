// Threat: many imports at once that occupy the event loop.
import test from 'ava'
import { parseCsv } from '../../src/csv-import/csv-parser.ts'

test('files that are parsed at the same time take turns', async (t) => {
  const files = 20
  const row = 'person@example.com,acme\n'
  const csv = `email,workspace_slug\n${row.repeat(1000)}`
  let iterations = 0
  let isOver = false
  const count = () => {
    iterations += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const parsed = await Promise.all(Array.from({ length: files }, () => parseCsv(csv, () => {})))
  isOver = true
  for (const { rows } of parsed) t.is(rows.length, 1000)
  const chunks = Math.ceil(csv.length / 8192)
  t.true(iterations >= files * chunks, `${iterations} iterations`)
})
