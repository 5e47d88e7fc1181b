import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test from 'ava'
import { createDaikon } from '../../clients/typescript/src/daikon.ts'
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
  t.like(await check(), { out: 'Compared resources: 1; different: 0.\n', status: 0 })
  await pool.query("update daikon_access.resources_note set accepts = '{}'")
  const differing = await check()
  t.is(differing.out, 'note/7 differs.\nCompared resources: 1; different: 1.\n')
  t.is(differing.status, 1)
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  t.deepEqual(await exited, [0, null])
})

test('sync explains what is wrong with its settings', async (t) => {
  const { url: database, drop } = await cloneDatabase()
  t.teardown(drop)
  const run = (settings: Record<string, string>, types = 'note=bigint', address = url) =>
    runCliWith(
      { DAIKON_SERVICE_KEY: serviceKey, ...settings },
      ...['sync', '--database', database, '--types', types, '--service', 'docs'],
      ...['--address', address],
    )
  const expected: [Promise<{ err: string; status: number | null }>, RegExp][] = [
    [run({ DAIKON_SERVICE_KEY: '' }), /Set DAIKON_SERVICE_KEY/],
    [run({ DAIKON_SERVICE_KEY: 'dk_unknown' }), /responded with status 401/],
    [run({}, 'note=serial'), /no type of keys for note/],
    [run({}, 'note=bigint', 'http://auth.example.com'), /must be an https URL/],
  ]
  for (const [result, message] of expected) {
    const { err, status } = await result
    t.regex(err, message)
    t.is(status, 2)
  }
})
