import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

const command = process.env.SCHEMATHESIS ?? 'st'
const isInstalled = spawnSync(command, ['--version']).status === 0
if (!isInstalled) console.info('schemathesis is not installed: pip install schemathesis==4.32.5')
const testWithSchemathesis = isInstalled ? test : test.skip

testWithSchemathesis(
  'requests that schemathesis generates from /openapi.json have documented responses',
  async (t) => {
    const args = ['tools/run-schemathesis.ts']
    const {
      stdout,
      stderr,
      code = 0,
    } = await run(process.execPath, args, { cwd: root }).catch((error) => error)
    t.log(stdout)
    t.is(code, 0, stderr)
  },
)
