import { randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { createKeyNames } from '../../src/access-keys/key-names.ts'

test('names are the same for the same text, and differ by text, use and service', (t) => {
  const [ours, others] = [createKeyNames(randomBytes(32)), createKeyNames(randomBytes(32))]
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const named = [ours.holder(a), ours.level(a), ours.inheritKey(a), others.holder(a)]
      t.is(new Set(named).size, named.length)
      for (const name of named) t.regex(name, /^[\w-]{22}$/)
      t.is(ours.holder(a) === ours.holder(b), a === b)
      t.is(ours.level(a) === ours.level(b), a === b)
    }),
  )
})
