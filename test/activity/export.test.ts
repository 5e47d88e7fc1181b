import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import test from 'ava'
import fc from 'fast-check'
import { csvCell } from '../../src/activity/export.ts'
import { cloneDatabase } from '../support/database.ts'

const database = await cloneDatabase()
const empty = await cloneDatabase()
test.after.always(() => Promise.all([database.drop(), empty.drop()]))

/** Each entry has 1.4 KiB of detail, 140 MiB in total. */
const many = 100_000
test.before(async () => {
  await database.pool.query(
    `insert into activity (id, action, target_type, detail)
     select (lpad(to_hex(n), 12, '0') || '70008000000000000000')::uuid, 'group.created', 'group',
       jsonb_build_object('name', '=' || n || repeat(',"', 700))
     from generate_series(1, $1::int) n`,
    [many],
  )
})

const tool = join(import.meta.dirname, '../../src/daikon.ts')

/** Runs the command-line tool with a heap smaller than the log. */
function run(url: string, ...args: string[]) {
  const env = { ...process.env, DATABASE_URL: url, NODE_OPTIONS: '--max-old-space-size=128' }
  const child = spawn(process.execPath, [tool, 'activity', 'export', ...args], { env })
  return { child, errors: text(child.stderr), ended: once(child, 'close') }
}

for (const format of ['jsonl', 'csv']) {
  test(`100,000 entries are exported as ${format} once each, in order, with little memory`, async (t) => {
    const { child, errors, ended } = run(database.url, '--format', format)
    let lines = 0
    for await (const line of createInterface(child.stdout)) {
      if (format === 'csv' && lines === 0 && line.startsWith('id,created_at,')) continue
      lines += 1
      const id = `${lines.toString(16).padStart(12, '0')}70008000000000000000`
      const exportedId = /[0-9a-f]{8}(-[0-9a-f]+){4}/.exec(line)?.[0].replaceAll('-', '')
      if (exportedId !== id) t.is(exportedId, id)
    }
    t.is(lines, many)
    t.deepEqual(await ended, [0, null])
    t.is(await errors, `Exported ${many} entries.\n`)
  })
}

test('the export ends silently when its reader closes the pipe', async (t) => {
  const { child, errors, ended } = run(database.url, '--format', 'jsonl')
  await once(child.stdout, 'data')
  child.stdout.destroy()
  t.deepEqual(await ended, [1, null])
  t.regex(await errors, /^(write )?EPIPE\n$/)
})

test('an empty log is exported as a header or as an empty file; --json prints the count', async (t) => {
  const csv = run(empty.url, '--format', 'csv')
  t.is(
    await text(csv.child.stdout),
    'id,created_at,action,target_type,target_id,actor_id,workspace_id,detail,service_app_id,key_prefix,request_id,ip,actor_type,api_key_prefix,agent_type,agent_id,delegation_id\r\n',
  )
  const jsonl = run(empty.url, '--format', 'jsonl', '--json')
  t.is(await text(jsonl.child.stdout), '')
  t.is(await jsonl.errors, '{"exported":0}\n')
  t.deepEqual(await jsonl.ended, [0, null])
})

test('errors are printed to standard error with a non-zero exit status', async (t) => {
  for (const args of [[], ['--format', 'xml'], ['--form', 'csv']]) {
    const { child, errors, ended } = run(empty.url, ...args)
    t.is(await text(child.stdout), '')
    t.regex(await errors, /^error: /)
    t.deepEqual(await ended, [2, null])
  }
  const unreachable = run('postgresql://nobody@127.0.0.1:1/none', '--format', 'csv')
  t.is(await text(unreachable.child.stdout), '')
  t.deepEqual(await unreachable.ended, [2, null])
  t.notRegex(await unreachable.errors, /\n {4}at /)
})

test('--help lists the formats', async (t) => {
  const { child, ended } = run(empty.url, '--help')
  t.regex(await text(child.stdout), /--format <format>.*"csv", "jsonl"/s)
  t.deepEqual(await ended, [0, null])
})

test('no cell starts like a spreadsheet formula', (t) => {
  const rows = {
    '=1+1': "'=1+1",
    '+1': "'+1",
    '-1, "two"': `"'-1, ""two"""`,
    '@x': "'@x",
    '\tx': "'\tx",
    '\rx': `"'\rx"`,
    plain: 'plain',
    'a=b': 'a=b',
    '': '',
  }
  for (const [cell, written] of Object.entries(rows)) t.is(csvCell(cell), written)
})

test('a cell is read back unchanged except for a leading apostrophe', (t) => {
  const cell = fc.string({
    unit: fc.constantFrom(...'=+-@\t\r\n",;\'ab é'.split('')),
    maxLength: 8,
  })
  fc.assert(
    fc.property(cell, (value) => {
      const written = csvCell(value)
      const quoted = /^"((?:[^"]|"")*)"$/.exec(written)?.[1]
      if (quoted === undefined) t.notRegex(written, /[",\r\n]/)
      const read = quoted === undefined ? written : quoted.replaceAll('""', '"')
      t.notRegex(read, /^[=+\-@\t\r]/)
      t.is(/^[=+\-@\t\r]/.test(value) ? read.slice(1) : read, value)
    }),
  )
})
