import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { readClientCases, seedClientCases } from '../support/client-cases.ts'
import {
  createEnvironment,
  hasPythonPackages,
  installArgs,
  python,
  pythonFolder,
  runPython,
} from '../support/python.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const run = promisify(execFile)

// .ci/run calls clients/python/install, which installs the packages for these tests.
const testWithPython = hasPythonPackages ? test : test.skip

testWithPython('pytest passes for clients/cases.json, errors, batching and guards', async (t) => {
  t.timeout(600_000)
  const { output, code } = await runPython(['-m', 'pytest'])
  t.is(code, 0, output)
})

testWithPython(
  'mypy --strict accepts the client, its tests and a program that uses it',
  async (t) => {
    t.timeout(600_000)
    const { output, code } = await runPython(['-m', 'mypy'])
    t.is(code, 0, output)
  },
)

testWithPython('ruff finds nothing to change', async (t) => {
  const folders = ['.', 'generate', '../../examples/documents-fastapi']
  for (const args of [['check'], ['format', '--check']]) {
    const command = ['-m', 'ruff', ...args, '--no-cache', '--config', 'pyproject.toml', ...folders]
    const { output, code } = await runPython(command)
    t.is(code, 0, output)
  }
})

testWithPython('the generated code is up to date', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'daikon-python-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await runPython(['generate', folder])
  const generated = join(folder, 'daikon/v1')
  const current = join(pythonFolder, 'src/daikon/v1')
  for (const name of await readdir(generated))
    t.true(
      (await readFile(join(generated, name))).equals(await readFile(join(current, name))),
      `${name} differs: run .venv/bin/python generate in clients/python`,
    )
})

testWithPython(
  'the wheel and the sdist can be built, and the wheel works in an empty environment',
  async (t) => {
    t.timeout(600_000)
    const folder = await mkdtemp(join(tmpdir(), 'daikon-python-'))
    t.teardown(() => rm(folder, { recursive: true }))
    const runIn = async (command: string, ...args: string[]) => {
      const { stdout } = await run(command, args, { cwd: folder, env: { ...process.env, ...env } })
      return stdout
    }
    let env: Record<string, string> = { PIP_DISABLE_PIP_VERSION_CHECK: '1' }
    await runIn(python, '-m', 'build', '--no-isolation', '--outdir', folder, pythonFolder)
    const files = await readdir(folder)
    const wheel = files.find((name) => name.endsWith('.whl')) ?? ''
    const sdist = files.find((name) => name.endsWith('.tar.gz')) ?? ''
    t.true((await stat(join(folder, wheel))).size < 150_000)
    t.true((await stat(join(folder, sdist))).size < 115_000)
    const packed = (await runIn('tar', 'tf', sdist)).split('\n')
    const installed = (await runIn(python, '-m', 'zipfile', '--list', wheel)).split('\n')
    for (const name of ['LICENSE', 'daikon/py.typed', 'daikon/v1/access_pb2.pyi'])
      for (const list of [packed, installed])
        t.true(
          list.some((line) => line.includes(name)),
          name,
        )
    t.false([...packed, ...installed].some((line) => /tests|__pycache__|\.venv/.test(line)))
    const license = await readFile(join(pythonFolder, 'LICENSE'))
    t.true(license.equals(await readFile(join(pythonFolder, '../../LICENSE'))))

    const consumer = await createEnvironment(folder)
    await runIn(python, '-m', 'pip', '--python', consumer, ...installArgs, join(folder, wheel))
    const server = await startTestEnvironment()
    t.teardown(() => server.stop())
    const { serviceKey, values } = await seedClientCases(server, readClientCases())
    env = {
      ADDRESS: `127.0.0.1:${server.grpcPort}`,
      KEY: serviceKey,
      TOKEN: values['bob.token'] as string,
      WORKSPACE: values.acme as string,
    }
    const script = join(import.meta.dirname, 'python-consumer.py')
    t.regex(await runIn(consumer, script), /^daikon-auth-client \d+\.\d+\.\d+\S* works\n$/)
  },
)

testWithPython('the API documentation is generated from docstrings', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'daikon-python-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const modules = ['daikon', 'daikon.testing', 'daikon.fastapi', 'daikon.django']
  const env = { PYTHONPATH: 'src' }
  const { output, code } = await runPython(['-m', 'pdoc', '-o', folder, ...modules], env)
  t.is(code, 0, output)
  t.regex(
    await readFile(join(folder, 'daikon/testing.html'), 'utf8'),
    /apply the same rules as the server/,
  )
})
