import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test from 'ava'
import { createAccess } from '../../clients/typescript/src/access.ts'
import { createDaikon } from '../../clients/typescript/src/daikon.ts'
import { createDocuments } from '../support/accepts-column.ts'
import { runCliWith } from '../support/cli.ts'
import { readClientCases, seedClientCases } from '../support/client-cases.ts'
import { cloneDatabase } from '../support/database.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { waitUntil } from '../support/wait-until.ts'

const environment = await startTestEnvironment()
const { serviceKey, values } = await seedClientCases(environment, readClientCases())
test.after.always(() => environment.stop())

const url = `http://127.0.0.1:${environment.httpPort}`

test('sync keeps the copy in the database of a service current until it is interrupted', async (t) => {
  const { url: database, pool, drop } = await cloneDatabase()
  const args = ['sync', '--database', database, '--types', 'note=bigint', '--service', 'docs']
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../src/daikon.ts'), ...args],
    {
      env: { ...process.env, DAIKON_ADDRESS: url, DAIKON_SERVICE_KEY: serviceKey },
    },
  )
  const daikon = createDaikon({
    service: 'docs',
    serviceKey,
    address: `127.0.0.1:${environment.grpcPort}`,
    deadlineMs: 60_000,
  })
  t.teardown(async () => {
    child.kill('SIGKILL')
    daikon.close()
    await drop()
  })
  let text = ''
  child.stderr.on('data', (chunk) => {
    text += chunk
  })
  await waitUntil(() => text.includes('The copy is complete'))
  const facts = { type: 'note', workspaceId: values.acme ?? '', ownerId: values.alice ?? '' }
  await daikon.registerMany([
    { ...facts, id: '7' },
    { ...facts, id: 'seven' },
  ])
  await waitUntil(() => text.includes('Skipped note/seven'))
  await waitUntil(async () => {
    const { rows } = await pool.query('select id::text from daikon_access.resources_note')
    return rows.length === 1 && rows[0].id === '7'
  })
  const check = () =>
    runCliWith({ DAIKON_SERVICE_KEY: serviceKey }, ...args, '--address', url, '--check')
  const { out, status } = await check()
  t.regex(out, /^Compared resources: \d+; different: 0\.\n$/)
  t.is(status, 0)
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  t.deepEqual(await exited, [0, null])
})

test('sync --check names rows that differ, that are missing and that only the copy has', async (t) => {
  const { url: database, pool, drop } = await cloneDatabase()
  const daikon = createDaikon({
    service: 'docs',
    serviceKey,
    address: `127.0.0.1:${environment.grpcPort}`,
    deadlineMs: 60_000,
  })
  t.teardown(async () => {
    daikon.close()
    await drop()
  })
  await createDocuments(pool, 'text')
  const types = { report: 'text' } as const
  const columns = { report: 'documents.daikon_accepts' }
  const facts = { type: 'report', workspaceId: values.acme ?? '', ownerId: values.alice ?? '' }
  const folder = { type: 'shelf', id: 'shelf' }
  await daikon.register({ ...facts, ...folder })
  await daikon.registerMany(
    ['a', 'b', 'c', 'd'].map((id) => ({ ...facts, id, ...(id === 'a' && { parent: folder }) })),
  )
  await pool.query("insert into documents select unnest('{a,b,c,d}'::text[])")
  const access = createAccess({ daikon, pool, types, columns })
  void access.follow()
  await access.waitFor(daikon.lastPosition() ?? '', { timeoutMs: 60_000 })
  await waitUntil(async () => {
    const { rows } = await pool.query('select swept = generation as done from daikon_access.state')
    const found = await pool.query('select from daikon_access.columns')
    return rows[0].done && found.rowCount === 1
  })
  await access.close()
  const check = () =>
    runCliWith(
      { DAIKON_SERVICE_KEY: serviceKey },
      ...['sync', '--database', database, '--types', 'report=text', '--service', 'docs'],
      ...['--columns', 'report=documents.daikon_accepts', '--address', url, '--check'],
    )
  const before = await check()
  t.regex(before.out, /different: 0\.\n$/)
  t.is(before.status, 0)

  // A key that daikon does not send, a missing row, and an end that daikon does not know.
  await pool.query("insert into daikon_access.keys (holder, level) values ('holder', 'level')")
  const added = "(select id from daikon_access.keys where holder = 'holder')"
  await pool.query(`update daikon_access.resources_report set accepts = accepts || ${added}
    where id = 'a'`)
  await pool.query("delete from daikon_access.resources_report where id = 'b'")
  await pool.query("update daikon_access.resources_report set until = now() where id = 'c'")
  // A row, many rows and a folder that daikon does not know.
  await pool.query(`
    insert into daikon_access.resources_report
      (id, resource_id, workspace_id, accepts, maybe, generation)
    select 'unknown-' || n, gen_random_uuid(), gen_random_uuid(), '{}', '{}', 1
    from generate_series(1, 60) n`)
  await pool.query(`
    insert into daikon_access.folder_grants
      (resource_type, resource_id, key, inherit_key, maybe, generation)
    select 'shelf', gen_random_uuid(), id, id, false, 1 from daikon_access.keys limit 1`)
  const { out, status } = await check()
  t.is(status, 1)
  const lines = out.trimEnd().split('\n')
  for (const line of [
    'report/a differs.',
    'report/b is not in the copy.',
    'report/c differs.',
    'report/unknown-1 is only in the copy.',
  ])
    t.true(lines.includes(line), line)
  t.is(lines.length, 52)
  // 64 resources, and the columns of 3 of them.
  t.is(lines[50], 'And 17 more.')
  t.regex(lines[51] ?? '', /different: 67\.$/)

  await pool.query("delete from daikon_access.resources_report where id like 'unknown-%'")
  const fewer = (await check()).out.split('\n')
  for (const id of ['a', 'b', 'c'])
    t.true(fewer.includes(`report/${id} differs in its column.`), id)
  t.is(fewer.filter((line) => /^shelf.* is only in the copy/.test(line)).length, 1)
})

test('sync explains what is wrong with its settings', async (t) => {
  const { url: database, drop } = await cloneDatabase()
  t.teardown(drop)
  const run = (
    settings: Record<string, string>,
    types = 'note=bigint',
    address = url,
    columns?: string,
  ) =>
    runCliWith(
      { DAIKON_SERVICE_KEY: serviceKey, ...settings },
      ...['sync', '--database', database, '--types', types, '--service', 'docs'],
      ...['--address', address],
      ...(columns === undefined ? [] : ['--columns', columns]),
    )
  const expected: [Promise<{ err: string; status: number | null }>, RegExp][] = [
    [run({ DAIKON_SERVICE_KEY: '' }), /Set DAIKON_SERVICE_KEY/],
    [run({ DAIKON_SERVICE_KEY: 'dk_unknown' }), /responded with status 401/],
    [run({}, 'note=serial'), /no type of keys for note/],
    [run({}, 'note=bigint', url, 'note=notes'), /--columns has no column for note/],
    [run({}, 'note=bigint', url, 'note=notes.accepts'), /table of notes.accepts does not exist/],
    [run({}, 'note=bigint', 'http://auth.example.com'), /must be an https URL/],
  ]
  for (const [result, message] of expected) {
    const { err, status } = await result
    t.regex(err, message)
    t.is(status, 2)
  }
})
