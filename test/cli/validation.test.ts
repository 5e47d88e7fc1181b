import { randomUUID } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { runCli } from '../support/cli.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool } = environment
const folder = await mkdtemp(join(tmpdir(), 'daikon-validation-'))
test.after.always(() => environment.stop())

function run(...args: string[]) {
  return runCli(environment.databaseUrl, ...args)
}

async function countRows(table: string): Promise<number> {
  const { rows } = await pool.query(`select count(*)::int as count from ${table}`)
  return rows[0].count
}

test('the rules of the admin API validate arguments, and every violation is printed', async (t) => {
  const invalid: [args: string[], violations: RegExp[]][] = [
    [
      ['service-app', 'create', '--name', '', '--service', ''],
      [/^name is required/, /; service_name is required$/],
    ],
    [
      ['--json', 'service-app', 'create', '--name', 'a\u0001b', '--service', 'x'.repeat(300)],
      [/^name must not .* control characters/, /; service_name must .*200 characters/],
    ],
    [
      ['client-app', 'create', '--name', '  ', '--redirect-uri', 'http://localhost:1/x'],
      [/^name must not .*blank/],
    ],
    [['service-app', 'deactivate', 'x'], [/^service_app_id must be a UUID$/]],
    [['client-app', 'deactivate', 'x', '--json'], [/^client_app_id must be a UUID$/]],
  ]
  await Promise.all(
    invalid.map(async ([args, violations]) => {
      const { out, err, status } = await run(...args)
      t.deepEqual({ out, status }, { out: '', status: 2 }, args.join(' '))
      for (const violation of violations) t.regex(err.trimEnd(), violation)
    }),
  )
  t.is(await countRows("service_apps where name <> 'Rotated'"), 0)
  t.is(await countRows('client_apps'), 0)
})

test('the overlap of a key rotation must be 0 to 720 hours, with a default of 24', async (t) => {
  const created = await run(
    '--json',
    'service-app',
    'create',
    '--name',
    'Rotated',
    '--service',
    'rotated',
  )
  const { id } = JSON.parse(created.out)
  const rotate = (...options: string[]) => run('service-app', 'rotate', id, ...options)

  await Promise.all(
    ['', ' ', '1e9', '-1', 'x', 'Infinity'].map(async (hours) => {
      const { err, status } = await rotate(`--overlap=${hours}`)
      t.is(status, 2, hours)
      t.regex(err, /Must be a number of hours\./)
    }),
  )
  const rejected = await rotate('--overlap', '720.1')
  t.like(rejected, { out: '', status: 2 })
  t.regex(rejected.err, /^overlap_seconds must be .*2592000/)
  t.is(await countRows(`service_keys where app_id = '${id}'`), 1, 'no key was created')

  const readRecordedOverlap = async () => {
    const { rows } = await pool.query(
      `select detail->>'overlap_seconds' as seconds from activity
       where target_id = $1 and action = 'service_app.key_rotated' order by id desc limit 1`,
      [id],
    )
    return rows[0]?.seconds
  }
  t.regex((await rotate()).out, /^The old key expires in 24 h\.\n/)
  t.is(await readRecordedOverlap(), '86400')
  t.regex((await rotate('--overlap', '0.5')).out, /^The old key expires in 0\.5 h\.\n/)
  t.is(await readRecordedOverlap(), '1800')
  t.regex((await rotate('--overlap', '0')).out, /^The old key has expired\.\n/)
  t.is(await readRecordedOverlap(), '0')
})

test('an empty import file is rejected', async (t) => {
  const path = join(folder, `${randomUUID()}.csv`)
  await writeFile(path, '')
  for (const options of [[], ['--dry-run']]) {
    const rejected = await run('import', path, ...options)
    t.deepEqual(rejected, { out: '', err: 'csv is required\n', status: 2 })
  }
})
