import { randomUUID } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { findFreePort } from '../../src/core/free-port.ts'
import { createAdmin } from '../support/admin.ts'
import { runCli, runCliWith } from '../support/cli.ts'
import { createManagementApp } from '../support/management-apps.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
const [transport] = environment.transports as [Transport]
const admin = await createAdmin(environment)
const app = await createManagementApp(
  transport,
  admin,
  ...['workspaces:write', 'apps:write', 'users:write'],
)
test.after.always(() => environment.stop())

const server = `http://localhost:${environment.httpPort}`
const none = 'postgresql://localhost:1/none'
const credentials = { DAIKON_CLIENT_ID: app.id, DAIKON_CLIENT_SECRET: app.secret }

/** Runs a command over the network. A database that it would use does not exist. */
function run(...args: string[]) {
  const settings = { ...credentials, DATABASE_URL: none }
  return runCliWith(settings, '--server', server, ...args)
}

async function runJson(...args: string[]) {
  const { out, err } = await run('--json', ...args)
  return JSON.parse(out || JSON.stringify({ err }))
}

test.serial('workspaces, groups and people are managed over the network', async (t) => {
  const slug = `w-${randomUUID()}`
  const owner = `${randomUUID()}@example.com`
  const created = await runJson(
    ...['workspace', 'create', '--slug', slug, '--name', 'Northwind', '--owner', owner],
  )
  t.like(created, { slug, name: 'Northwind' })
  t.like((await runJson('workspace', 'members', slug))[0], { email: owner, status: 'invited' })
  const changed = await runJson('workspace', 'update', slug, '--description', 'All of it')
  t.is(changed.description, 'All of it')
  const csv = join(await mkdtemp(join(tmpdir(), 'daikon-server-')), 'people.csv')
  const email = `${randomUUID()}@example.com`
  await writeFile(csv, `email,workspace_slug,name,groups\n${email},${slug},Ben,Product;Design\n`)
  t.is((await runJson('import', csv, '--dry-run')).summary.create, 1)
  t.is((await runJson('import', csv)).summary.create, 1)
  t.regex((await run('group', 'nest', slug, 'Product', 'Design')).out, /Design is now in Product/)
  t.deepEqual(
    (await runJson('group', 'list', slug)).map((group: Record<string, string>) => [
      group.name,
      group.in,
    ]),
    [
      ['Design', 'Product'],
      ['Product', ''],
    ],
  )
  t.is((await runJson('user', 'find', email))[0].name, 'Ben')
  t.is((await runJson('user', 'show', email)).memberships.length, 1)
  t.regex((await run('user', 'deactivate', email)).out, /is inactive/)
  t.is((await runJson('user', 'export', email)).user.is_active, false)
  t.regex((await run('user', 'delete', email)).out, /Deleted the user/)
  t.regex((await run('workspace', 'delete', slug)).out, /Deleted/)
  t.false(
    (await runJson('workspace', 'list')).some((found: { slug: string }) => found.slug === slug),
  )
})

test.serial('what still names an erased user is listed over the network and locally', async (t) => {
  const slug = `w-${randomUUID()}`
  const owner = `${randomUUID()}@example.com`
  await run('workspace', 'create', '--slug', slug, '--name', 'Kept', '--owner', owner)
  const csv = join(await mkdtemp(join(tmpdir(), 'daikon-server-')), 'people.csv')
  const emails = [0, 1, 2].map(() => `${randomUUID()}@example.com`)
  const rows = emails.map((email) => `${email},${slug},Ben,Reports of ${email}`)
  await writeFile(csv, `email,workspace_slug,name,groups\n${rows.join('\n')}\n`)
  t.is((await runJson('import', csv)).summary.create, 3)
  const [first = '', second = '', third = ''] = emails
  const kept = { kind: 'groups', count: 1 }
  t.like((await runJson('user', 'delete', first)).kept_elsewhere, [kept])
  const line = /^Still named by groups: 1$/m
  t.regex((await run('user', 'delete', second)).out, line)
  t.regex((await runCli(environment.databaseUrl, 'user', 'delete', third)).out, line)
  await run('workspace', 'delete', slug)
})

test.serial('apps are managed over the network', async (t) => {
  const service = await runJson('service-app', 'create', '--name', 'Docs', '--service', 'docs')
  t.regex(service.key, /^dk_/)
  t.is((await runJson('service-app', 'rotate', service.id, '--overlap', '0')).id, service.id)
  t.is((await runJson('service-app', 'deactivate', service.id, '--force')).is_active, false)
  t.is((await runJson('service-app', 'list')).length, 1)
  const uri = ['--redirect-uri', 'https://app.example.com/callback']
  const client = await runJson(
    ...['client-app', 'create', '--name', 'App', ...uri, '--type', 'confidential'],
  )
  t.regex(client.client_secret, /^dkcs_/)
  const renamed = await runJson('client-app', 'update', client.id, '--name', 'New')
  t.like(renamed, { name: 'New', redirect_uris: ['https://app.example.com/callback'] })
  t.regex((await runJson('client-app', 'rotate', client.id)).client_secret, /^dkcs_/)
  t.is((await runJson('client-app', 'deactivate', client.id)).is_active, false)
  t.is((await runJson('client-app', 'list')).length, 1)
})

test.serial('a command prints the same over the network and on the database', async (t) => {
  await run('service-app', 'create', '--name', 'Same', '--service', `s-${randomUUID()}`)
  for (const kind of ['service-app', 'client-app']) {
    const local = await runCli(environment.databaseUrl, kind, 'list', '--json')
    t.deepEqual(await runJson(kind, 'list'), JSON.parse(local.out))
  }
})

test.serial('commands without an admin method say that they need the database', async (t) => {
  for (const args of [
    ['management-app', 'list'],
    ['admin', 'promote', 'a@example.com'],
    ['activity', 'verify'],
    ['doctor'],
    ['migrate'],
  ]) {
    const { out, err, status } = await run(...args)
    t.deepEqual({ out, status }, { out: '', status: 2 }, args.join(' '))
    t.regex(err, /needs the database: run it without --server/)
  }
})

test.serial('mistakes are explained in one line', async (t) => {
  const closed = `http://localhost:${await findFreePort()}`
  const attempts: [settings: Record<string, string>, url: string, message: RegExp][] = [
    [{}, server, /^Set DAIKON_CLIENT_ID and DAIKON_CLIENT_SECRET to use --server\n$/],
    [{ ...credentials, DAIKON_CLIENT_SECRET: 'dm_no' }, server, /rejected the credentials/],
    [credentials, 'http://auth.example.com', /must be an https URL/],
    [credentials, closed, /^Cannot reach http:\/\/localhost:\d+ \(ECONNREFUSED\)\n$/],
  ]
  for (const [settings, url, message] of attempts) {
    const { err, status } = await runCliWith(settings, '--server', url, 'workspace', 'list')
    t.is(status, 2)
    t.regex(err, message)
  }
  const narrow = await createManagementApp(transport, admin, 'stats:read')
  const settings = { DAIKON_CLIENT_ID: narrow.id, DAIKON_CLIENT_SECRET: narrow.secret }
  const denied = await runCliWith(settings, '--server', server, 'workspace', 'list')
  t.regex(denied.err, /needs the scope workspaces:read/)
  t.is(denied.status, 1)
  const invalid = await run('service-app', 'deactivate', 'x')
  t.is(invalid.err, 'service_app_id must be a UUID\n')
})

test.serial('why explains decisions over the network', async (t) => {
  const { id, secret } = await createManagementApp(transport, admin, 'permissions:read')
  const reader = { DAIKON_CLIENT_ID: id, DAIKON_CLIENT_SECRET: secret, DATABASE_URL: none }
  const { seed } = environment
  const workspace = await seed.workspace('Demo')
  const email = `${randomUUID()}@example.com`
  const owner = await seed.user('Alice', { email })
  await seed.member(workspace, owner, 'editor')
  const { key } = await seed.serviceApp('wiki')
  const resource = { service_name: 'wiki', resource_type: 'page', external_id: 'home/start' }
  expectOk(
    await transport.call(
      'Register',
      { ...resource, workspace_id: workspace, owner_id: owner },
      { key },
    ),
  )
  const why = (...args: string[]) => runCliWith(reader, '--server', server, 'why', ...args)
  const name = 'wiki/page/home/start'
  const { out } = await why(email, 'edit', name)
  const local = await runCli(environment.databaseUrl, 'why', email, 'edit', name)
  t.is(out, local.out)
  t.regex(out, /owns/)
  t.regex((await why(email, 'edit', name, '--context', '{"amount": 5}')).out, /owns/)
  t.regex((await why('nobody@example.com', 'edit', name)).out, /nobody@example.com/)
  const [localPart = ''] = email.split('@')
  t.notRegex((await why(localPart, 'edit', name)).out, /Did you mean/)
  const lister = await createManagementApp(transport, admin, 'permissions:read', 'users:read')
  const settings = { ...reader, DAIKON_CLIENT_ID: lister.id, DAIKON_CLIENT_SECRET: lister.secret }
  const suggested = await runCliWith(settings, '--server', server, 'why', localPart, 'edit', name)
  t.regex(suggested.out, new RegExp(`^Did you mean ${email}\\?$`, 'm'))
  t.regex((await why(email, 'edit', 'wiki/page/missing')).err, /not found|does not exist/i)
})
