import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { hasPythonPackages, pythonFolder, runPython } from '../support/python.ts'

const run = promisify(execFile)

// clients/python/install, which .ci/run calls, installs what these tests need.
const testWithPython = hasPythonPackages ? test : test.skip

testWithPython('pytest passes: clients/cases.json, errors, batching, guards', async (t) => {
  t.timeout(300_000)
  const { output, code } = await runPython(['-m', 'pytest'])
  t.is(code, 0, output)
})

testWithPython('mypy --strict accepts the client and its tests', async (t) => {
  t.timeout(300_000)
  const { output, code } = await runPython(['-m', 'mypy'])
  t.is(code, 0, output)
})

testWithPython('the generated code is up to date', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'daikon-python-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await runPython(['generate', folder])
  const generated = 'daikon/v1'
  for (const name of await readdir(join(folder, generated))) {
    const paths = [join(folder, generated, name), join(pythonFolder, 'src', generated, name)]
    const { stdout } = await run('diff', ['-u', ...paths]).catch((error) => error)
    t.is(stdout, '', 'run clients/python/generate')
  }
})
