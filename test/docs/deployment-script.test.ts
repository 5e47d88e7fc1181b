import { execFile, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { isApiKey } from '../../src/identity/api-keys.ts'
import { createAdmin } from '../support/admin.ts'
import { createManagementApp } from '../support/management-apps.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
const [transport] = environment.transports as [Transport]
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const page = join(import.meta.dirname, '../../docs/management-apps.md')
const hasTools = ['curl', 'jq'].every((tool) => spawnSync(tool, ['--version']).status === 0)
const scriptTest = hasTools ? test : test.skip
const run = promisify(execFile)

scriptTest('the deployment script prepares a workspace, and its key works', async (t) => {
  const text = await readFile(page, 'utf8')
  const [, script = ''] = /<!-- deployment script -->\n```sh\n([\s\S]*?)^```$/m.exec(text) ?? []
  const scopes = ['workspaces:write', 'permissions:write', 'apps:write']
  const app = await createManagementApp(transport, admin, ...scopes)
  const { stdout } = await run('sh', ['-c', script], {
    env: {
      ...process.env,
      DAIKON_URL: `http://localhost:${environment.httpPort}`,
      DAIKON_CLIENT_ID: app.id,
      DAIKON_CLIENT_SECRET: app.secret,
    },
  })
  const key = stdout.trim()
  t.true(isApiKey(key))
  t.is(expectOk(await transport.call('GetMe', {}, { token: key })).name, 'Nightly export')
})
