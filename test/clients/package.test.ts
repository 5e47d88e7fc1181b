import { execFile } from 'node:child_process'
import { copyFile, cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { readClientCases, seedClientCases } from '../support/client-cases.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** What the consumer uses besides the client. */
const frameworks = [
  'express@5.2.1',
  'fastify@5.12.8',
  'hono@4.13.19',
  '@types/express@5.0.6',
  '@types/node@26.6.6',
]

const compilerOptions = {
  rootDir: '.',
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  // The declarations of fastify do not compile with every version of TypeScript.
  skipLibCheck: true,
}

/** Copies the client, so that the build does not replace files that another test runs. */
async function copyClient(target: string): Promise<string> {
  const filter = (path: string) => !/dist$|node_modules$/.test(path)
  await cp(join(root, 'clients/typescript'), target, { recursive: true, filter })
  await copyFile(join(root, 'LICENSE'), join(target, 'LICENSE'))
  await symlink(join(root, 'node_modules'), join(target, 'node_modules'))
  return target
}

test('the packed client is installed into an empty folder and used there', async (t) => {
  t.timeout(600_000)
  const folder = await mkdtemp(join(tmpdir(), 'daikon-client-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const npm = (...args: string[]) => run('npm', args, { cwd: folder, maxBuffer: 2 ** 26 })
  const source = await copyClient(join(folder, 'source'))
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: source,
  })
  const [{ filename, files, size }] = JSON.parse(stdout.slice(stdout.indexOf('[')))
  const names = files.map(({ path }: { path: string }) => path)
  for (const name of ['LICENSE', 'README.md', 'dist/daikon.js', 'dist/testing.d.ts'])
    t.true(names.includes(name), name)
  const outside = names.filter(
    (name: string) => !/^(dist\/|LICENSE$|README\.md$|package\.json$)/.test(name),
  )
  t.deepEqual(outside, [])
  t.true(size < 120_000, `the package has ${size} bytes`)

  await writeFile(join(folder, 'package.json'), '{"name": "consumer", "type": "module"}')
  await npm(
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    join(folder, filename),
    ...frameworks,
  )
  const consumer = join(import.meta.dirname, 'consumer')
  for (const file of await readdir(consumer))
    await copyFile(join(consumer, file), join(folder, file))
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['api.ts', 'guards.ts'] }),
  )
  for (const compiler of ['typescript/bin/tsc', 'typescript-5/bin/tsc']) {
    const path = join(root, 'node_modules', compiler)
    const checked = await run(process.execPath, [path, '-p', '.'], { cwd: folder }).catch(
      (error) => error,
    )
    t.is(checked.stdout, '', compiler)
  }

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
})
