import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { runCliWith } from '../support/cli.ts'
import { cloneDatabase } from '../support/database.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'

const root = join(import.meta.dirname, '../..')
const shell = promisify(execFile)

const sizes = { people: 2000, workspaces: 5, resources: 10_000, shares: 10_000 }

const emailOf = (person: number) => `person-${person}@example.com`
const slugOf = (person: number) => `acme-${person % sizes.workspaces}`

/** The files that the page names, of a company that moves to daikon. */
function createFiles(): Record<string, string> {
  const count = (length: number, line: (index: number) => string) =>
    Array.from({ length }, (_, index) => line(index))
  const toCsv = (lines: string[]) => `${lines.join('\n')}\n`
  return {
    'people.csv': toCsv([
      'email,workspace_slug,name,role,groups,external_id',
      ...count(sizes.people, (index) => {
        const role = index < sizes.workspaces ? 'owner' : 'viewer'
        const group = `Team ${Math.floor(index / sizes.workspaces) % 20}`
        return `${emailOf(index)},${slugOf(index)},Person ${index},${role},${group},hr-${index}`
      }),
    ]),
    // Person n of a workspace owns the documents n, n + 2,000 and so on.
    'resources.csv': toCsv([
      'service_name,resource_type,external_id,workspace_slug,owner_external_id,attributes',
      ...count(sizes.resources, (index) => {
        const owner = index % sizes.people
        return `docs,document,doc-${index},${slugOf(owner)},hr-${owner},"{""number"": ${index}}"`
      }),
    ]),
    // Each document is shared with a group or with the person after its owner in the workspace.
    'shares.csv': toCsv([
      'service_name,resource_type,external_id,grantee_email,group_name,permission',
      ...count(sizes.shares, (index) => {
        const document = `docs,document,doc-${index}`
        if (index % 10 === 0) return `${document},,Team 7,view`
        const grantee = (index + sizes.workspaces) % sizes.people
        return `${document},${emailOf(grantee)},,edit`
      }),
    ]),
  }
}

/** Returns the commands that the page marks with `<!-- migrate -->`. */
async function readCommands(): Promise<string> {
  const page = await readFile(join(root, 'docs/migrating.md'), 'utf8')
  const blocks = [...page.matchAll(/<!-- migrate -->\n```sh\n([\s\S]*?)^```$/gm)]
  return blocks.map(([, text]) => text).join('\n')
}

test('the guide moves 2,000 people with 10,000 resources and shares into a production server', async (t) => {
  const database = await cloneDatabase()
  t.teardown(() => database.drop())
  const folder = createKeyFolder(t)
  const settings = {
    DATABASE_URL: database.url,
    DEBUG: 'false',
    SERVICE_KEYS_REQUIRED: 'true',
    RATE_LIMIT_ENABLED: 'false',
    COOKIE_SECURE: 'true',
    BASE_URL: 'https://auth.example.com',
    ADMIN_URL: 'https://admin.example.com',
    ALLOWED_HOSTS: '127.0.0.1',
    SESSION_SECRET_KEY: randomUUID(),
    JWT_PRIVATE_KEY_PATH: join(folder, 'private.pem'),
    JWT_PUBLIC_KEY_PATH: join(folder, 'public.pem'),
  }
  t.is((await runCliWith(settings, 'keys', 'make')).status, 0)
  const server = await startServer(t, folder, settings)
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const command = `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'src/daikon.ts')}" "$@"\n`
  await writeFile(join(bin, 'daikon'), command)
  await chmod(join(bin, 'daikon'), 0o755)
  for (const [name, content] of Object.entries(createFiles()))
    await writeFile(join(folder, name), content)

  const commands = (await readCommands()).replaceAll(
    'https://auth.example.com',
    `http://127.0.0.1:${server.httpPort}`,
  )
  const env = { ...process.env, ...settings, PATH: `${bin}:${process.env.PATH}` }
  const { stdout } = await shell('bash', ['-euc', commands], { cwd: folder, env })
  t.regex(stdout, /^2000 created, 0 updated, 0 unchanged\.$/m)
  t.regex(stdout, /^10000 registered, 0 registered already\.$/m)
  t.regex(stdout, /^10000 granted\.$/m)
  t.regex(stdout, /"decision":true/)

  const { rows } = await database.pool.query(
    `select (select count(*)::int from workspaces where slug like 'acme-%') as workspaces,
       (select count(*)::int from users where email like 'person-%') as people,
       (select count(*)::int from resources) as resources,
       (select count(*)::int from shares) as shares`,
  )
  t.deepEqual(rows, [sizes])

  // The key alone decides for everybody, and only the key.
  const [key = ''] = /dk_[\w-]+/.exec(stdout) ?? []
  const evaluate = async (person: number, action: string, document: number, serviceKey = key) => {
    const response = await fetch(`http://127.0.0.1:${server.httpPort}/access/v1/evaluation`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-key': serviceKey },
      body: JSON.stringify({
        subject: { type: 'user', id: `hr-${person}` },
        action: { name: action },
        resource: { type: 'document', id: `doc-${document}` },
      }),
    })
    if (response.status !== 200) return response.status
    return ((await response.json()) as { decision: boolean }).decision
  }
  t.true(await evaluate(123, 'edit', 4123))
  t.true(await evaluate(128, 'edit', 4123))
  t.false(await evaluate(133, 'view', 4123))
  // Person 35 is in the group Team 7 of acme-0.
  t.true(await evaluate(35, 'view', 4000))
  t.false(await evaluate(35, 'edit', 4000))
  t.is(await evaluate(123, 'edit', 4123, randomUUID()), 401)
})
