import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { readClientCases, seedClientCases } from '../support/client-cases.ts'
import { installPackedClient } from '../support/pack-client.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const run = promisify(execFile)

/** The packages that the consumer uses in addition to the Node.js client. */
const frameworks = [
  'express@5.2.1',
  'fastify@5.12.8',
  'hono@4.13.19',
  '@types/express@5.0.6',
  '@types/node@26.6.6',
]

test('the packed client can be installed and used in an empty folder', async (t) => {
  t.timeout(600_000)
  const { folder, files, size, checkTypes } = await installPackedClient(t, 'typescript', frameworks)
  t.true(files.includes('dist/testing.d.ts'))
  t.true(size < 220_000, `the package has ${size} bytes`)
  await checkTypes(join(import.meta.dirname, 'consumer'), {
    types: ['node'],
    // The declarations of fastify do not compile with every version of TypeScript.
    skipLibCheck: true,
  })

  const environment = await startTestEnvironment()
  t.teardown(() => environment.stop())
  const { serviceKey, values } = await seedClientCases(environment, readClientCases())
  const env = {
    ...process.env,
    ADDRESS: `127.0.0.1:${environment.grpcPort}`,
    KEY: serviceKey,
    TOKEN: values['bob.token'],
    WORKSPACE: values.acme,
  }
  const api = await run(process.execPath, ['api.ts'], { cwd: folder, env })
  t.is(api.stdout, 'the client works\n')
  const guards = await run(process.execPath, ['guards.ts'], { cwd: folder, env })
  t.is(guards.stdout, 'guards work\n')
  const types = await run(process.execPath, ['types.ts'], { cwd: folder, env })
  t.is(types.stdout, 'types are checked\n')
})

test('the packed browser client has no dependencies, and its hooks render on a server', async (t) => {
  t.timeout(600_000)
  const { folder, files, size, npm, checkTypes } = await installPackedClient(t, 'browser', [])
  t.true(files.includes('dist/react.d.ts'))
  t.true(size < 36_000, `the package has ${size} bytes`)
  t.deepEqual(await readdir(join(folder, 'node_modules')), ['.package-lock.json', '@daikon-auth'])
  const { dependencies } = JSON.parse(
    await readFile(join(folder, 'node_modules/@daikon-auth/browser/package.json'), 'utf8'),
  )
  t.is(dependencies, undefined)
  const script = `import { createDaikonBrowser } from '@daikon-auth/browser'; console.log(typeof createDaikonBrowser)`
  const core = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder })
  t.is(core.stdout, 'function\n')

  const react = [
    'react@19.3.1',
    'react-dom@19.3.1',
    '@types/react@19.3.0',
    '@types/react-dom@19.3.0',
  ]
  await npm('install', '--prefer-offline', '--no-audit', '--no-fund', ...react)
  const lib = ['es2023', 'dom', 'dom.iterable']
  await checkTypes(join(import.meta.dirname, 'browser-consumer'), {
    lib,
    types: [],
    jsx: 'react-jsx',
  })
  const rendered = await run(process.execPath, ['render.ts'], { cwd: folder })
  t.is(rendered.stdout, '<p>Loading</p>\n')
})
