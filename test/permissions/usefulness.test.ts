import test from 'ava'
import { createUsefulness } from '../../src/permissions/engine/memory/usefulness.ts'

test('a memory without what is asked is skipped by most queries, until it has it', (t) => {
  const memory = createUsefulness()
  /** Returns how many of the queries used the memory. */
  const ask = (queries: number, isHit: (use: number) => boolean) => {
    let uses = 0
    for (let query = 0; query < queries; query += 1) {
      if (memory.skips()) continue
      uses += 1
      memory.record(isHit(uses))
    }
    return uses
  }
  t.is(
    ask(1024, () => false),
    1024,
  )
  t.is(
    ask(8000, () => false),
    1000,
  )
  // One in ten uses finds something: enough to use the memory again after at most 256 of them.
  t.true(ask(8 * 512, (use) => use % 10 === 0) > 2000)
  t.is(
    ask(10_000, (use) => use % 10 === 0),
    10_000,
  )
  t.true(ask(10_000, (use) => use % 100 === 0) < 4000)
})
