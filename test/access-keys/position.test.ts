import test from 'ava'
import fc from 'fast-check'
import { covers, formatPosition, historyOf, parsePosition } from '../../src/access-keys/position.ts'

const histories = fc.string({ unit: 'binary' }).map(historyOf)
const positions = fc.record({ history: histories, number: fc.maxSafeNat() })

/** Positions of two histories, so that many pairs have the same. */
const pairs = fc.uniqueArray(histories, { minLength: 2, maxLength: 2 }).chain((names) =>
  fc.array(fc.record({ history: fc.constantFrom(...names), number: fc.nat({ max: 5 }) }), {
    minLength: 3,
    maxLength: 3,
  }),
)

test('a position is read as it was written', (t) => {
  fc.assert(
    fc.property(positions, (position) => {
      t.deepEqual(parsePosition(formatPosition(position)), position)
    }),
  )
})

test('a text that is not exactly a position is none', (t) => {
  const changed = fc
    .tuple(positions.map(formatPosition), fc.nat({ max: 40 }), fc.string({ maxLength: 3 }))
    .map(([text, at, inserted]) => text.slice(0, at) + inserted + text.slice(at))
  const texts = fc.oneof(fc.string({ unit: 'binary' }), changed)
  fc.assert(
    fc.property(texts, (text) => {
      const position = parsePosition(text)
      t.true(position === undefined || formatPosition(position) === text)
    }),
  )
  const history = 'a'.repeat(12)
  for (const text of [
    '',
    history,
    `${history}-`,
    `${history}--1`,
    `${history}-1.5`,
    `${history}-01`,
    `${history}-1e3`,
    `${history}-1\n`,
    ` ${history}-1`,
    `${history.toUpperCase()}-1`,
    `${history}a-1`,
    `${history}-9007199254740992`,
    `${history}-${'9'.repeat(1000)}`,
  ])
    t.is(parsePosition(text), undefined, text)
  t.deepEqual(parsePosition(`${history}-9007199254740991`)?.number, Number.MAX_SAFE_INTEGER)
})

test('positions of a history are ordered, and those of two histories never cover each other', (t) => {
  fc.assert(
    fc.property(pairs, ([a, b, c]) => {
      if (!a || !b || !c) return
      t.true(covers(a, a))
      if (a.history === b.history) t.true(covers(a, b) || covers(b, a))
      else t.false(covers(a, b) || covers(b, a))
      if (covers(a, b) && covers(b, a)) t.deepEqual(a, b)
      if (covers(a, b) && covers(b, c)) t.true(covers(a, c))
    }),
  )
})
