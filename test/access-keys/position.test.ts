import test from 'ava'
import fc from 'fast-check'
import { formatPosition, historyOf } from '../../src/access-keys/position.ts'
import { parsePosition } from '../support/positions.ts'

test('a position names its history and its number, exactly', (t) => {
  const positions = fc.record({
    history: fc.string({ unit: 'binary' }).map(historyOf),
    number: fc.maxSafeNat(),
  })
  fc.assert(
    fc.property(positions, (position) => {
      t.deepEqual(parsePosition(formatPosition(position)), position)
    }),
  )
})
