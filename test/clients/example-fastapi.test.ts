import { join } from 'node:path'
import test from 'ava'
import { useDocumentsExample } from '../support/documents-example.ts'
import { hasPythonPackages, python, pythonFolder } from '../support/python.ts'

// .ci/run calls clients/python/install, which installs the packages for this test.
const testWithPython = hasPythonPackages ? test : test.skip

testWithPython(
  'examples/documents-fastapi lists and shares documents, and survives an outage of daikon',
  async (t) => {
    t.timeout(600_000)
    // Replaces the environment that the command would create with packages from the network.
    const env = { PYTHON: python, PYTHONPATH: join(pythonFolder, 'src') }
    await useDocumentsExample(t, ['examples/documents-fastapi/start'], { env })
  },
)
