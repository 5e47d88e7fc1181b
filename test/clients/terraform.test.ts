import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { createAdmin } from '../support/admin.ts'
import { createManagementApp } from '../support/management-apps.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const provider = join(import.meta.dirname, '../../clients/terraform-provider-daikon')
const isInstalled = (name: string, argument: string) => spawnSync(name, [argument]).status === 0
const hasGo = isInstalled('go', 'version')
const tofu = [process.env.TOFU, 'tofu', 'terraform'].find(
  (name) => name && isInstalled(name, '-version'),
)
const goTest = hasGo ? test.serial : test.serial.skip
const tofuTest = hasGo && tofu ? test.serial : test.serial.skip
if (!hasGo) console.info('Go is not installed: clients/terraform-provider-daikon is not tested')
else if (!tofu)
  console.info('Neither OpenTofu nor Terraform is installed: the provider runs without')

const environment = await startTestEnvironment()
const [transport] = environment.transports
if (!transport) throw new Error('No transport')
const scopes = [
  'users:read',
  ...['workspaces', 'permissions', 'apps', 'webhooks'].map((area) => `${area}:write`),
]
const app = await createManagementApp(transport, await createAdmin(environment), ...scopes)
const settings = {
  DAIKON_URL: `http://127.0.0.1:${environment.httpPort}`,
  DAIKON_CLIENT_ID: app.id,
  DAIKON_CLIENT_SECRET: app.secret,
}
// The service app that remains when the others are destroyed.
await environment.seed.serviceApp('other')
await call('RegisterActions', { service_name: 'docs', actions: [{ name: 'publish' }] })
await environment.seed.user('Bob', { email: 'bob@consulting.example' })
test.after.always(() => environment.stop())

goTest('the provider passes gofmt, go vet and go test', async (t) => {
  t.timeout(600_000)
  t.is(await run(t, 'gofmt', ['-l', '.'], { cwd: provider }), '')
  await run(t, 'go', ['vet', './...'], { cwd: provider })
  const output = await run(t, 'go', ['test', '-count=1', '-v', './...'], { cwd: provider })
  t.notRegex(output, /--- SKIP/)
})

tofuTest(`the example is created, changed, imported and destroyed with ${tofu}`, async (t) => {
  t.timeout(600_000)
  const folder = await mkdtemp(join(tmpdir(), 'daikon-tofu-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await run(t, 'go', ['build', '-o', join(folder, 'terraform-provider-daikon'), '.'], {
    cwd: provider,
  })
  const rc = `provider_installation {\n dev_overrides { "daikon-auth/daikon" = "${folder}" }\n direct {}\n}\n`
  await writeFile(join(folder, 'tofu.rc'), rc)
  const example = await readFile(join(provider, 'examples/main.tf'), 'utf8')
  const configure = (text: string) => writeFile(join(folder, 'main.tf'), text)
  const env = {
    TF_CLI_CONFIG_FILE: join(folder, 'tofu.rc'),
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    TF_CLI_ARGS: '-no-color',
    TF_VAR_consultant_until: new Date(Date.now() + 86_400_000).toISOString(),
    // Only loopback addresses may receive events in plaintext. Nothing listens there.
    TF_VAR_webhook_url: 'http://127.0.0.1:9/',
    CHECKPOINT_DISABLE: '1',
  }
  const execute = (...args: string[]) => run(t, tofu as string, args, { cwd: folder, env })
  const fail = (...args: string[]) => run(t, tofu as string, args, { cwd: folder, env }, 1)
  // Exits with 2 if there are changes.
  const expectNoChanges = () => execute('plan', '-detailed-exitcode')
  const readState = async () => JSON.parse(await execute('show', '-json')).values

  await configure(example)
  t.regex(await execute('apply', '-auto-approve'), /10 added, 0 changed, 0 destroyed/)
  await expectNoChanges()
  const { outputs, root_module } = await readState()
  t.regex(outputs.service_key.value, /^dk_/)
  t.truthy(outputs.client_secret.value)
  t.regex(outputs.webhook_secret.value, /^whsec_/)
  const ids = new Map<string, string>(
    root_module.resources
      .filter(({ mode }: { mode: string }) => mode === 'managed')
      .map(({ address, values }: { address: string; values: { id: string } }) => [
        address,
        values.id,
      ]),
  )
  const idOf = (address: string) => ids.get(address) as string

  const changed = example
    .replace('"Acme"', '"Acme Inc."')
    .replace('role         = "editor"', 'role         = "viewer"')
    .replace('var.consultant_until', 'timeadd(var.consultant_until, "12h")')
    .replace('"Writers"', '"Authors"')
    .replace('[daikon_group.staff.id]', '[]')
    .replace('[data.daikon_service_actions.documents.ids["publish"]]', '[]')
    .replace('"view", "publish"', '"edit"')
    .replace('"Documents"', '"Documents 2"\n  rotation = "1"')
    .replace('"Staff"', '"Staff"\n  child_group_ids = []')
    .replace('allow_public  = true', '')
    .replace('"https://portal.acme.example/"', '')
    .replace('["member.*"]', '["member.*", "group.*"]')
  await configure(changed)
  t.regex(await execute('apply', '-auto-approve'), /0 added, 9 changed, 0 destroyed/)
  await expectNoChanges()
  const rotated = (await readState()).outputs
  t.not(rotated.service_key.value, outputs.service_key.value)
  t.is(rotated.client_secret.value, outputs.client_secret.value)
  const group = await call('GetGroup', { group_id: idOf('daikon_group.writers') })
  t.is(group.name, 'Authors')

  // What was removed by others is created again; what they have changed is not overwritten unseen.
  await call('DeleteGroup', { group_id: idOf('daikon_group.staff') })
  await execute('plan', '-out', 'saved')
  await call('UpdateWorkspace', { workspace_id: idOf('daikon_workspace.acme'), name: 'Other' })
  t.regex(await execute('apply', 'saved'), /1 added, 0 changed/)
  await configure(changed.replace('"Acme Inc."', '"Acme"'))
  await execute('plan', '-out', 'saved')
  await call('UpdateWorkspace', { workspace_id: idOf('daikon_workspace.acme'), name: 'Another' })
  t.regex(await fail('apply', 'saved'), /has\s+changed\s+since\s+the\s+plan\s+was\s+made/)
  await configure(changed.replace('"edit"]', '"launch"]'))
  t.regex(await fail('apply', '-auto-approve'), /roles\[0\]\.actions\[0\]/)

  await configure(changed)
  await execute('apply', '-auto-approve')
  const current = (await readState()).root_module.resources
  await rm(join(folder, 'terraform.tfstate'))
  const imports = current
    .filter(({ mode }: { mode: string }) => mode === 'managed')
    .map(({ address, values }: any) => `import {\n to = ${address}\n id = "${values.id}"\n}\n`)
  await configure(
    changed.replace('keep_last_owner = true', '').replace('rotation = "1"', '') + imports.join(''),
  )
  t.regex(await execute('apply', '-auto-approve'), /10 imported, 0 added, 0 changed, 0 destroyed/)
  await expectNoChanges()

  t.regex(await fail('destroy', '-auto-approve'), /LAST_OWNER[\s\S]*keep_last_owner/)
  await configure(changed)
  await execute('apply', '-auto-approve')
  await execute('destroy', '-auto-approve')
  t.is(await readState(), undefined)
  const { items } = await call('ListWorkspaces', { q: 'acme' })
  t.deepEqual(items, [])
})

async function call(method: string, message: object): Promise<Record<string, any>> {
  const outcome = await (transport as any).call(`AdminService/${method}`, message, app.as)
  return expectOk(outcome)
}

/** Runs a command while the server of this process answers it. Returns its output. */
async function run(
  t: ExecutionContext,
  command: string,
  args: string[],
  { cwd, env }: { cwd: string; env?: Record<string, string> },
  status = 0,
): Promise<string> {
  const options = { cwd, env: { ...process.env, ...settings, ...env }, maxBuffer: 2 ** 26 }
  const { code, stdout, stderr } = await promisify(execFile)(command, args, options).then(
    (output) => ({ ...output, code: 0 }),
    (error) => error,
  )
  t.is(code, status, `${command} ${args.join(' ')}\n${stdout}${stderr}`)
  return status === 0 ? stdout : stdout + stderr
}
