import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { runCli } from '../support/cli.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const root = join(import.meta.dirname, '../..')
const shell = promisify(execFile)
const environment = await startTestEnvironment()
const { pool, seed } = environment
const transport = environment.transports[0] as Transport
const folder = await mkdtemp(join(tmpdir(), 'daikon-migrate-from-'))
const page = await readFile(join(root, 'docs/migrating.md'), 'utf8')
const bin = join(folder, 'bin')
await mkdir(bin)
await writeFile(
  join(bin, 'daikon'),
  `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'src/daikon.ts')}" "$@"\n`,
)
await chmod(join(bin, 'daikon'), 0o755)

/** Returns the blocks of the guide after `<!-- mark -->`. */
function readBlocks(mark: string): string[] {
  const blocks = page.matchAll(new RegExp(`<!-- ${mark} -->\\n\`\`\`\\w+\\n([^]*?)^\`\`\`$`, 'gm'))
  return [...blocks].map(([, text = '']) => text)
}

for (const name of ['openfga.yaml', 'spicedb.yaml'])
  await writeFile(join(folder, name), readBlocks(`file ${name}`)[0] ?? '')
test.after.always(() => environment.stop())

/** Runs a command of the guide in the folder of its files. */
async function run(command: string): Promise<string> {
  const env = { ...process.env, DATABASE_URL: environment.databaseUrl }
  const options = { cwd: folder, env: { ...env, PATH: `${bin}:${process.env.PATH}` } }
  return (await shell('bash', ['-euc', command], options)).stdout
}

/** Writes a file and runs `daikon migrate-from` with it. Errors name the file "export". */
async function runMigration(
  system: string,
  { name, content }: { name: string; content: string },
  mapping: string,
  ...options: string[]
) {
  const [path, mappingPath] = [name, `${randomUUID()}.yaml`].map((file) => join(folder, file)) as [
    string,
    string,
  ]
  await writeFile(path, content)
  await writeFile(mappingPath, mapping)
  const args = ['migrate-from', system, path, '--mapping', mappingPath, ...options]
  const { out, err, status } = await runCli(environment.databaseUrl, ...args)
  return { out, err: err.replaceAll(path, 'export').replaceAll(mappingPath, 'mapping'), status }
}

const tomorrow = new Date(Date.now() + 86_400_000).toISOString()

/** Relationships that both systems have, with the relations of OpenFGA. */
const relationships: [subject: string, relation: string, object: string][] = [
  ['user:ann', 'owner', 'organization:acme'],
  ['user:bob', 'member', 'organization:acme'],
  ['user:cem', 'member', 'organization:acme'],
  ['user:dee', 'member', 'organization:acme'],
  ['organization:acme', 'organization', 'group:writers'],
  ['organization:acme', 'organization', 'group:interns'],
  ['user:cem', 'member', 'group:interns'],
  ['group:interns#member', 'member', 'group:writers'],
  ['organization:acme', 'organization', 'document:handbook'],
  ['user:ann', 'owner', 'document:handbook'],
  ['organization:acme#member', 'viewer', 'document:handbook'],
  ['document:plan', 'parent', 'document:draft'],
  ['user:bob', 'owner', 'document:draft'],
  ['organization:acme', 'organization', 'document:plan'],
  ['user:bob', 'owner', 'document:plan'],
  ['group:writers#member', 'editor', 'document:plan'],
]

const openFga = JSON.stringify(
  {
    continuation_token: '',
    tuples: [
      ...relationships.map(([user, relation, object]) => ({ key: { user, relation, object } })),
      {
        key: {
          user: 'user:dee',
          relation: 'viewer',
          object: 'document:plan',
          condition: { name: 'small_amount', context: { limit: 100 } },
        },
      },
      { key: { user: 'user:*', relation: 'viewer', object: 'document:plan' } },
    ],
  },
  undefined,
  2,
)

/** As `zed backup parse-relationships` prints them. */
const spiceDb = [
  ...relationships.map(([subject, relation, object]) => {
    const renamed = relation.replace('editor', 'writer').replace('viewer', 'reader')
    return `${object} ${renamed} ${subject}`
  }),
  'document:plan reader user:dee[small_amount:{"limit":100}]',
  `document:draft reader user:dee[expiration:${tomorrow}]`,
  'document:handbook writer user:dee[expiration:2020-01-31T12:00:00Z]',
].join('\n')

/** The decisions of both systems about the documents. */
const decisions: [user: string, action: string, document: string, allowed: boolean][] = [
  ['ann', 'manage', 'handbook', true],
  ['ann', 'edit', 'draft', true],
  ['bob', 'view', 'handbook', true],
  ['bob', 'edit', 'handbook', false],
  ['bob', 'edit', 'plan', true],
  ['cem', 'edit', 'plan', true],
  ['cem', 'edit', 'draft', true],
  ['cem', 'manage', 'plan', false],
  ['dee', 'edit', 'plan', false],
  ['dee', 'edit', 'handbook', false],
  ['eve', 'view', 'handbook', false],
  ['eve', 'view', 'plan', false],
]

async function createService(name: string) {
  const { key } = await seed.serviceApp(name)
  const type = { service_name: name, resource_type: 'document' }
  const small = { name: 'small', description: '', expression: 'context.amount < params.limit' }
  const conditions = [{ ...small, parameters: { limit: 'int' } }]
  expectOk(await transport.call('PutResourceType', { ...type, roles: [], conditions }, { key }))
  return async (user: string, action: string, document: string, context?: object) => {
    const message = {
      subject: { type: 'user', id: user },
      action: { name: action },
      resource: { type: 'document', id: document },
      ...(context && { context }),
    }
    return expectOk(await transport.call('Evaluate', message, { key })).decision as boolean
  }
}

test.serial('the guide migrates the same model from OpenFGA and from SpiceDB', async (t) => {
  for (const name of ['ann', 'bob', 'cem', 'dee', 'eve'])
    await seed.user(name, { external_id: name, email: `${name}@example.com` })
  await writeFile(join(folder, 'tuples.json'), openFga)
  await writeFile(join(folder, 'relationships.txt'), spiceDb)
  const countRows = async () => {
    const { rows } = await pool.query(
      `select (select count(*)::int from members) as members,
         (select count(*)::int from group_members) as group_members,
         (select count(*)::int from resources) as resources,
         (select count(*)::int from shares) as shares`,
    )
    return rows[0]
  }

  for (const [system, service, unmapped] of [
    ['openfga', 'docs', 1],
    ['spicedb', 'wiki', 0],
  ] as const) {
    const evaluate = await createService(service)
    const [preview = '', migrate = ''] = readBlocks(`migrate-from ${system}`)
    const before = await countRows()
    t.is(await run(preview), readBlocks(`preview ${system}`)[0] ?? '')
    t.deepEqual(await countRows(), before)

    const expected = [
      `Members: 4, groups: 2, nested groups: 1, left out: ${unmapped}.`,
      '3 registered, 0 registered already.',
      `${system === 'openfga' ? 2 : 3} granted.`,
    ]
    t.is(await run(migrate), `${expected.join('\n')}\n`)
    for (const [user, action, document, allowed] of decisions)
      t.is(await evaluate(user, action, document), allowed, `${user} ${action} ${document}`)
    t.true(await evaluate('dee', 'view', 'plan', { amount: 5 }))
    t.false(await evaluate('dee', 'view', 'plan', { amount: 500 }))
    t.is(await evaluate('dee', 'view', 'draft'), system === 'spicedb')

    const migrated = await countRows()
    t.regex(await run(migrate), /^0 registered, 3 registered already\.$/m)
    t.deepEqual(await countRows(), migrated)
  }
  t.deepEqual(await countRows(), { members: 4, group_members: 2, resources: 6, shares: 5 })
})

test('what is wrong in the files is reported with file, line and column, all at once', async (t) => {
  const content = 'document:1#owner@user:ann\ndocument:1#\n\n  document:2@user:ann\n'
  const mapping = 'users: {user: name}\nresources:\n  document: {owner: owner}\n'
  t.deepEqual(await runMigration('spicedb', { name: 'invalid.txt', content }, mapping, '--apply'), {
    out: '',
    err:
      'mapping:1:9: users.user must be one of external_id, email, emails\n' +
      'mapping:3:3: resources.document has no service\n' +
      'export:2:12: expected a relation\n' +
      'export:4:13: expected "#"\n' +
      'Nothing was changed.\n',
    status: 1,
  })
  const backup = { name: 'store.zedbackup', content: 'Obj\u0001' }
  const rejected = await runMigration('spicedb', backup, mapping)
  t.is(rejected.status, 2)
  t.regex(rejected.err, /^export is a binary backup; .*zed backup parse-relationships export$/m)
})

/** Creates a workspace with an owner and a member, who have e-mail addresses and external IDs. */
async function createPeople() {
  const id = randomUUID().slice(0, 8)
  const workspace = await seed.workspace()
  const addUser = (name: string) =>
    seed.user(name, { email: `${name}-${id}@example.com`, external_id: `${name}-${id}` })
  const [owner, member] = [await addUser('owner'), await addUser('member')]
  await addUser('stranger')
  await seed.member(workspace, owner, 'owner')
  await seed.member(workspace, member, 'editor')
  return { id, slug: `w-${workspace}`, workspace, owner, member }
}

const mappingFor = (slug: string, service: string, more = '') => `
users: {user: external_id}
workspaces: {org: {roles: {admin: admin, member: viewer}, everyone: member, slugs: {1: ${slug}}}}
groups: {team: {workspace_slug: ${slug}, members: [member]}}
resources:
  document: {service: ${service}, workspace: org, owner: owner, parent: parent, shares: {editor: edit, viewer: view, boss: boss} ${more}}
`

test('what is wrong in the database is reported with its place, and nothing changes', async (t) => {
  const { id, slug } = await createPeople()
  const service = `docs-${id}`
  const migrate = (lines: string[], more = '') => {
    const content = JSON.stringify(
      lines.map((line) => {
        const [user, relation, object] = line.split(' ')
        return { user, relation, object }
      }),
    ).replaceAll('},{', '},\n{')
    return runMigration(
      'openfga',
      { name: `${randomUUID()}.json`, content },
      mappingFor(slug, service, more),
      '--apply',
    )
  }
  const expectErrors = async (lines: string[], errors: string[], more = '') => {
    const err = [...errors, 'Nothing was changed.', ''].join('\n')
    t.deepEqual(await migrate(lines, more), { out: '', err, status: 1 })
    const { rows } = await pool.query(
      `select (select count(*)::int from groups g join workspaces w on w.id = g.workspace_id
         where w.slug = $1) as groups,
         (select count(*)::int from resources r join resource_kinds k on k.id = r.kind_id
         where k.service_name = $2) as resources`,
      [slug, service],
    )
    t.deepEqual(rows, [{ groups: 0, resources: 0 }])
  }
  const document = ['org:1 org document:1', `user:owner-${id} owner document:1`]
  const team = `user:member-${id} member team:eng`

  await expectErrors(
    [team, ...document, 'user:x member team:eng', 'user:y admin org:1'],
    ['export:4:1: no user has the external_id x', 'export:5:1: no user has the external_id y'],
  )
  await expectErrors(
    [team, ...document, `user:stranger-${id} member team:eng`],
    [`export:4:1: stranger-${id}@example.com must be a member of the workspace ${slug}`],
  )
  await expectErrors(
    [team, 'team:ops#member member team:eng', 'team:eng#member member team:ops', ...document],
    ['export:3:1: The child contains the group, or is the group itself'],
  )
  await expectErrors(
    [team, ...document, 'org:1 org document:2', `user:stranger-${id} owner document:2`],
    ['export:5:1: owner_external_id must be a member of the workspace'],
  )
  await expectErrors(
    [team, ...document, 'document:9 parent document:1'],
    ['export:4:1: parent must be a resource of the same service and workspace'],
  )
  await expectErrors(
    [team, ...document, 'document:1 parent document:1'],
    ['export:4:1: parent: A resource cannot be its own ancestor'],
  )
  await expectErrors(
    [team, ...document, `team:${'x'.repeat(201)}#member member team:eng`],
    ['export:4:1: name must be at most 200 characters long'],
  )
  await expectErrors(
    [
      team,
      ...document,
      'team:ops#member viewer document:1',
      `user:stranger-${id} editor document:1`,
      'team:eng#member boss document:1',
    ],
    [
      'export:4:1: group_name must be a group of the workspace',
      'export:5:1: grantee_external_id must be a member of the workspace',
      'export:6:1: role is not a role of document: boss',
    ],
  )
  await expectErrors(
    [team, ...document, 'user:* viewer document:1'],
    ['export:4:1: visibility must not be public: the declaration of document does not allow it'],
    ', wildcard: public',
  )
  await expectErrors(
    [team, ...document, 'user:* viewer document:1'],
    [
      'Tuples that are not mapped: 1. Run the command without --apply to see which, and with --skip-unmapped to leave them out.',
    ],
  )
  await expectErrors(
    [team, 'org:1 org document:1', `user:${'x'.repeat(300)} owner document:1`],
    ['export:3:1: owner_external_id must be at most 255 characters long'],
  )
})

test('the preview names every orphan, and --skip-unmapped leaves them out', async (t) => {
  const { id, slug, workspace, owner: owner_id } = await createPeople()
  const service = `docs-${id}`
  const { key } = await seed.serviceApp(service)
  const owner = `user:owner-${id}`
  const lines = [
    'document:1#org@org:1',
    `document:1#owner@${owner}`,
    `document:2#owner@${owner}`,
    'document:3#parent@document:2',
    `document:3#owner@${owner}`,
    'document:4#org@org:1',
    `document:4#owner@${owner}`,
    'document:4#parent@document:elsewhere',
    `document:4#viewer@user:member-${id}`,
    'document:5#org@org:1',
    `document:5#owner@${owner}`,
    'document:5#parent@document:4',
    ...Array.from({ length: 25 }, (_, index) => `document:x${index}#viewer@user:member-${id}`),
  ]
  const file = { name: `${id}.txt`, content: lines.join('\n') }
  const migrate = (...options: string[]) =>
    runMigration('spicedb', file, mappingFor(slug, service), ...options)
  const preview = await migrate()
  t.deepEqual([preview.err, preview.status], ['', 0])
  const [, sections = ''] = preview.out.split('\nNot mapped:\nNone.\n')
  t.deepEqual(sections.replaceAll(join(folder, file.name), 'export').trim().split('\n'), [
    'Orphans, which cannot be created:',
    'export:3:1: document:2 has no workspace',
    'export:4:1: document:3 has no workspace',
    ...Array.from(
      { length: 25 },
      (_, index) => `export:${index + 13}:1: document:x${index} has no workspace and no owner`,
    ),
    '',
    'Parents outside the export, which must be registered:',
    'export:8:1: document:elsewhere, the parent of document:4',
    '',
    'Members: 0, groups: 0, nested groups: 0, resources: 3, shares: 1, not mapped: 0, orphans: 27.',
    'Preview: nothing was changed. Add --apply to migrate.',
  ])
  const refused = await migrate('--apply')
  t.is(refused.status, 1)
  t.regex(refused.err, /^Objects that cannot be created: 27\. Run .* --skip-unmapped to leave/)
  t.deepEqual(await migrate('--apply', '--skip-unmapped'), {
    out:
      'Members: 0, groups: 0, nested groups: 0, left out: 0 and 29 orphans.\n' +
      '1 registered, 0 registered already.\n0 granted.\n',
    err: '',
    status: 0,
  })
  const parent = { service_name: service, resource_type: 'document', external_id: 'elsewhere' }
  const place = { workspace_id: workspace, owner_id }
  expectOk(await transport.call('Register', { ...parent, ...place }, { key }))
  t.regex((await migrate('--apply', '--skip-unmapped')).out, /27 orphans\.\n2 registered, 1/)
})

test('people with e-mail addresses are created, and members keep a higher role', async (t) => {
  const { id, slug, workspace } = await createPeople()
  const mapping = {
    users: { user: 'emails' },
    emails: {
      1: `owner-${id}@example.com`,
      2: `member-${id}@example.com`,
      3: `new-${id}@example.com`,
    },
    workspaces: { org: { roles: { admin: 'admin', member: 'viewer' } } },
    groups: { team: { workspace_slug: slug, members: ['member'] } },
    resources: {
      document: { service: `docs-${id}`, workspace_slug: slug, default_owner: 'user:1' },
    },
  }
  const content = [
    'schema: |-',
    '  definition user {}',
    'relationships: |-',
    `  org:${slug}#member@user:1`,
    `  org:${slug}#admin@user:2`,
    `  org:${slug}#member@user:3`,
    '  team:eng#member@user:3',
    '  document:7#viewer@user:4',
  ].join('\n')
  const file = { name: `${id}.yaml`, content }
  const { out, err, status } = await runMigration(
    'spicedb',
    file,
    JSON.stringify(mapping),
    '--apply',
    '--skip-unmapped',
    '--json',
  )
  t.is(err, '')
  t.deepEqual(
    { out: JSON.parse(out), status },
    {
      out: {
        members: 3,
        groups: 1,
        nested_groups: 0,
        unmapped: 1,
        registered: 0,
        unchanged: 0,
        granted: 0,
        orphans: 0,
      },
      status: 0,
    },
  )
  const { rows } = await pool.query(
    `select split_part(u.email, '-', 1) as name, m.role, array_remove(array_agg(g.name), null) as groups
     from members m join users u on u.id = m.user_id
     left join group_members gm on gm.user_id = u.id left join groups g on g.id = gm.group_id
     where m.workspace_id = $1 group by 1, 2 order by 1`,
    [workspace],
  )
  t.deepEqual(rows, [
    { name: 'member', role: 'admin', groups: [] },
    { name: 'new', role: 'viewer', groups: ['eng'] },
    { name: 'owner', role: 'owner', groups: [] },
  ])
})
