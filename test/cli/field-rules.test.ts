import { randomUUID } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { runCli } from '../support/cli.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool } = environment
const folder = await mkdtemp(join(tmpdir(), 'daikon-rules-'))
test.after.always(() => environment.stop())

/** Runs the operator's tool. */
function run(...args: string[]) {
  return runCli(environment.databaseUrl, ...args)
}

async function count(table: string): Promise<number> {
  const { rows } = await pool.query(`select count(*)::int as count from ${table}`)
  return rows[0].count
}

test('an app is refused where the administrators’ method refuses it, each problem named', async (t) => {
  const refused: [string[], string][] = [
    [
      ['service-app', 'create', '--name', '', '--service', ''],
      'name is required; service_name is required',
    ],
    [
      ['--json', 'service-app', 'create', '--name', 'a\u0001b', '--service', 'x'.repeat(300)],
      'name must not be blank or contain control characters; service_name must be at most 200 characters long',
    ],
    [
      ['client-app', 'create', '--name', '  ', '--redirect-uri', 'http://localhost:1/x'],
      'name must not be blank or contain control characters',
    ],
    [['service-app', 'deactivate', 'x'], 'service_app_id must be a UUID'],
    [['client-app', 'deactivate', 'x', '--json'], 'client_app_id must be a UUID'],
  ]
  await Promise.all(
    refused.map(async ([args, err]) => {
      t.deepEqual(await run(...args), { out: '', err: `${err}\n`, status: 1 }, args.join(' '))
    }),
  )
  t.is(await count("service_apps where name <> 'Held'"), 0)
  t.is(await count('client_apps'), 0)
})

test('the old key holds for 0 to 30 days, a day by default', async (t) => {
  const made = await run('--json', 'service-app', 'create', '--name', 'Held', '--service', 'held')
  const { id } = JSON.parse(made.out)
  const rotate = (...more: string[]) => run('service-app', 'rotate', id, ...more)

  await Promise.all(
    ['', ' ', '1e9', '-1', 'x', 'Infinity'].map(async (hours) => {
      const { err, status } = await rotate(`--overlap=${hours}`)
      t.is(status, 1, hours)
      t.regex(err, /It must be a number of hours/)
    }),
  )
  t.deepEqual(await rotate('--overlap', '720.1'), {
    ...{ out: '', err: 'overlap_seconds must be at most 2592000\n', status: 1 },
  })
  t.is(await count(`service_keys where app_id = '${id}'`), 1, 'nothing is rotated')

  const seconds = async () => {
    const { rows } = await pool.query(
      `select detail->>'overlap_seconds' as seconds from activity
       where target_id = $1 and action = 'service_app.key_rotated' order by id desc limit 1`,
      [id],
    )
    return rows[0]?.seconds
  }
  t.regex((await rotate()).out, /^The old key holds for 24 h\. /)
  t.is(await seconds(), '86400')
  t.regex((await rotate('--overlap', '0.5')).out, /^The old key holds for 0\.5 h\. /)
  t.is(await seconds(), '1800')
  t.regex((await rotate('--overlap', '0')).out, /^The old key holds for 0 h\. /)
  t.is(await seconds(), '0')
})

test('a file without a character is refused like an empty field', async (t) => {
  const path = join(folder, `${randomUUID()}.csv`)
  await writeFile(path, '')
  for (const more of [[], ['--dry-run']]) {
    const refused = await run('import', path, ...more)
    t.deepEqual(refused, { out: '', err: 'csv is required\n', status: 1 })
  }
})
