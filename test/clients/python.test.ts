import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { hasPythonPackages, pythonFolder, runPython } from '../support/python.ts'

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
  const generated = join(folder, 'daikon/v1')
  const current = join(pythonFolder, 'src/daikon/v1')
  for (const name of await readdir(generated))
    t.true(
      (await readFile(join(generated, name))).equals(await readFile(join(current, name))),
      `${name} differs: run .venv/bin/python generate in clients/python`,
    )
})
