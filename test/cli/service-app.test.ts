import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { runCli } from '../support/cli.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

const run = (...args: string[]) => runCli(environment.databaseUrl, 'service-app', ...args)
const read = { name: 'documents:read', description: 'Read your documents' }
const docs = { uri: 'https://docs.example.com/mcp', name: 'Documents', scopes: [read] }
const plain = { uri: 'https://plain.example.com', name: 'Plain' }

test('the API resources of a service app are set, replaced and removed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'daikon-cli-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const file = join(folder, 'docs.json')
  await writeFile(file, JSON.stringify(docs))
  const option = '--api-resource'
  const created = await run(
    ...['create', '--json', '--name', 'Docs', '--service', 'docs', option, `@${file}`],
  )
  const app = JSON.parse(created.out)
  t.deepEqual(app.api_resources, [docs])
  const update = async (...args: string[]) =>
    JSON.parse((await run('update', app.id, '--json', ...args)).out)
  t.deepEqual((await update('--name', 'New')).api_resources, [docs])
  const both = await update(option, JSON.stringify(plain), option, `@${file}`)
  t.deepEqual(both.api_resources, [{ ...plain, scopes: [] }, docs])
  t.regex((await run('list')).out, /https:\/\/plain\.example\.com https:\/\/docs\.example\.com/)
  t.deepEqual((await update('--no-api-resources')).api_resources, [])
  for (const [text, message] of [
    ['{', /--api-resource is not JSON/],
    ['{"uri": "/mcp", "name": "x"}', /api_resources\[0\]\.uri must be an absolute https URI/],
    [`@${file}.missing`, /docs\.json\.missing/],
  ] as const) {
    const refused = await run('update', app.id, option, text)
    t.not(refused.status, 0)
    t.regex(refused.err, message)
  }
})
