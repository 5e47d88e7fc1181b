import test from 'ava'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import {
  formatRejected,
  splitRecords,
  withoutErrorColumn,
  withoutRecords,
} from '../../console/src/import/records.ts'

const cell = fc.oneof(
  fc.stringMatching(/^[a-z@. ;=]{0,8}$/),
  fc.stringMatching(/^[a-z,"\r\n]{0,8}$/).map((text) => `"${text.replaceAll('"', '""')}"`),
)
const lineBreak = fc.constantFrom('\n', '\r\n', '\n\n')

/** Files with a header of three columns. */
const files = fc
  .array(fc.tuple(cell, cell, cell, lineBreak), { minLength: 1, maxLength: 12 })
  .map((rows) => `a,b,c\n${rows.map(([a, b, c, end]) => `${a},${b},${c}${end}`).join('')}`)

const read = (csv: string): string[][] =>
  parse(csv, {
    skip_empty_lines: true,
    relax_column_count: true,
    record_delimiter: ['\r\n', '\n', '\r'],
  })

test('a file is split into the records that a parser finds, and nothing is lost', (t) => {
  fc.assert(
    fc.property(files, (csv) => {
      const records = splitRecords(csv)
      t.is(records.map(({ text }) => text).join(''), csv)
      t.deepEqual(
        records.flatMap(({ text }) => read(text)),
        read(csv),
      )
    }),
  )
})

test('without some records, the others are unchanged and keep their lines', (t) => {
  fc.assert(
    fc.property(files, fc.infiniteStream(fc.boolean()), (csv, choices) => {
      const records = splitRecords(csv)
      const removed = records.slice(1).filter(() => choices.next().value)
      const rest = splitRecords(withoutRecords(csv, new Set(removed.map(({ line }) => line))))
      for (const record of records) {
        if (removed.includes(record)) continue
        t.true(rest.some(({ line, text }) => line === record.line && text === record.text))
      }
    }),
  )
})

test('the file with the errors can be read again without them', (t) => {
  fc.assert(
    fc.property(files, fc.string(), (csv, error) => {
      const records = splitRecords(csv).filter(({ text }) => text.trim() !== '')
      const errors = new Map(records.slice(1).map(({ line }) => [line, error]))
      t.deepEqual(read(withoutErrorColumn(formatRejected(csv, errors))), read(csv))
    }),
  )
})

test('a byte order mark and a file without the column of errors are left alone', (t) => {
  t.is(withoutErrorColumn('\uFEFFemail,name\na,b\n'), '\uFEFFemail,name\na,b\n')
  t.is(withoutErrorColumn('\uFEFFerrors,email\n"x, ""y""",a\n'), 'email\na\n')
  t.is(formatRejected('\uFEFFemail\na\n', new Map([[2, '=bad']])), "errors,email\r\n'=bad,a\r\n")
})
