import test from 'ava'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { toCsv } from '../../console/src/ui/csv.ts'

test('a file that is read again has the same cells, with formulas escaped', (t) => {
  const cell = fc.oneof(
    fc.string(),
    fc.constantFrom('=1+1', '+1', '-1', '@a', '"', 'a,b', 'a\r\nb'),
  )
  fc.assert(
    fc.property(fc.array(fc.record({ a: cell, b: cell }), { minLength: 1 }), (rows) => {
      const read: string[][] = parse(toCsv(['a', ['second', ({ b }) => b]], rows))
      t.deepEqual(read, [
        ['a', 'second'],
        ...rows.map(({ a, b }) =>
          [a, b].map((text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)),
        ),
      ])
    }),
  )
})

test('values that are no text are written as JSON, and missing ones as empty cells', (t) => {
  const row = { list: ['a', 'b'], flag: true, none: null, missing: undefined, count: 3 }
  t.is(
    toCsv(['list', 'flag', 'none', 'missing', 'count'], [row]),
    'list,flag,none,missing,count\r\n"[""a"",""b""]",true,,,3\r\n',
  )
})
