import { join } from 'node:path'
import test from 'ava'
import { useDocumentsExample } from '../support/documents-example.ts'
import { hasPythonPackages, python, pythonFolder } from '../support/python.ts'

// clients/python/install, which .ci/run calls, installs what this test needs.
const testWithPython = hasPythonPackages ? test : test.skip

testWithPython(
  'examples/documents-fastapi lists, shares, and survives daikon being away',
  async (t) => {
    t.timeout(300_000)
    // Instead of an environment that the command creates, with packages from the network.
    const env = { PYTHON: python, PYTHONPATH: join(pythonFolder, 'src') }
    await useDocumentsExample(t, ['examples/documents-fastapi/start'], { env, invalidStatus: 422 })
  },
)
