import test from 'ava'
import { validate, version } from 'uuid'
import { newId } from '../../src/core/new-id.ts'

test('IDs are UUIDs of version 7, of the time at which they are created, in order', (t) => {
  const before = Date.now()
  const ids = Array.from({ length: 20_000 }, newId)
  const after = Date.now()
  t.true(ids.every((id) => validate(id) && version(id) === 7))
  t.is(new Set(ids).size, ids.length)
  t.deepEqual(ids, ids.toSorted())
  for (const id of ids) {
    const milliseconds = Number.parseInt(id.replace('-', '').slice(0, 12), 16)
    t.true(milliseconds >= before && milliseconds <= after + 1)
  }
})

test('the ends of IDs are random', (t) => {
  const ends = Array.from({ length: 20_000 }, () => newId().slice(-12))
  t.is(new Set(ends).size, ends.length)
})
