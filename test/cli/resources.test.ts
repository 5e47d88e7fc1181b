import { randomUUID } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { toResourceId } from '../../src/permissions/resource-id.ts'
import { runCli } from '../support/cli.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const folder = await mkdtemp(join(tmpdir(), 'daikon-resources-'))
const workspace = await seed.workspace()
const slug = `w-${workspace}`
const owner = await seed.newMember(workspace, 'editor')
const { rows } = await pool.query('select email from users where id = $1', [owner])
const email: string = rows[0].email
test.after.always(() => environment.stop())

const header =
  'service_name,resource_type,external_id,workspace_slug,owner_email,visibility,parent_resource_type,parent_external_id'

/** Runs `daikon resources import` with a file. */
async function runImport(content: string, extension = 'csv', ...options: string[]) {
  const path = join(folder, `${randomUUID()}.${extension}`)
  await writeFile(path, content)
  return runCli(environment.databaseUrl, 'resources', 'import', path, ...options)
}

const csvFile = (...lines: string[]) => [header, ...lines, ''].join('\n')

/** Returns the external IDs of the resources of a service and of their parents. */
async function findResources(service: string) {
  const { rows } = await pool.query(
    `select r.external_id, p.external_id as parent, r.visibility
     from resources r join resource_kinds k on k.id = r.kind_id
     left join resources p on p.id = r.parent_id
     where k.service_name = $1 order by r.external_id`,
    [service],
  )
  return rows
}

test('a CSV file can list parents in any order, and importing it again changes nothing', async (t) => {
  const service = randomUUID()
  const csv = csvFile(
    `${service},page,plan,${slug},${email},,book,guide`,
    `${service},book,guide,${slug},${email.toUpperCase()},workspace,,`,
    '',
    `${service},page,"a, b",${slug},${email},,,`,
  )
  t.deepEqual(await runImport(csv), {
    out: '3 registered, 0 registered already.\n',
    err: '',
    status: 0,
  })
  t.deepEqual(await findResources(service), [
    { external_id: 'a, b', parent: null, visibility: 'private' },
    { external_id: 'guide', parent: null, visibility: 'workspace' },
    { external_id: 'plan', parent: 'guide', visibility: 'private' },
  ])
  const repeated = await runImport(csv, 'csv', '--json')
  t.deepEqual(JSON.parse(repeated.out), { registered: 0, unchanged: 3 })
})

test('attributes are JSON, and public resources need a type that allows them', async (t) => {
  const service = randomUUID()
  await pool.query(
    `with kind as (
       insert into resource_kinds (service_name, resource_type) values ($1, 'page') returning id
     ) insert into resource_types (kind_id, id, description, allow_public)
     select id, gen_random_uuid(), '', true from kind`,
    [service],
  )
  const header =
    'service_name,resource_type,external_id,workspace_slug,owner_email,visibility,attributes'
  const line = (type: string, more: string) => `${service},${type},plan,${slug},${email},${more}`
  const csv = [header, line('page', 'public,"{""level"": [1, null]}"'), ''].join('\n')
  t.like(await runImport(csv), { out: '1 registered, 0 registered already.\n', status: 0 })
  const json = { service_name: service, resource_type: 'page', external_id: 'other' }
  const attributes = { level: null }
  const fields = { ...json, workspace_slug: slug, owner_email: email, attributes }
  t.like(await runImport(JSON.stringify(fields), 'jsonl'), { status: 0 })
  const { rows } = await pool.query(
    `select r.external_id, r.visibility, r.attributes
     from resources r join resource_kinds k on k.id = r.kind_id
     where k.service_name = $1 order by r.external_id`,
    [service],
  )
  t.deepEqual(rows, [
    { external_id: 'other', visibility: 'private', attributes: { level: null } },
    { external_id: 'plan', visibility: 'public', attributes: { level: [1, null] } },
  ])
  const invalid = [header, line('page', ',[]'), line('page', ',{'), ''].join('\n')
  t.is(
    (await runImport(invalid)).err,
    'Line 2: attributes must be a JSON object\nLine 3: attributes must be a JSON object\n',
  )
  const closed = await runImport([header, line('book', 'public,'), ''].join('\n'))
  t.regex(closed.err, /^Line 2: visibility /)
})

test('a JSON Lines file of more than one batch is imported with parents first', async (t) => {
  const service = randomUUID()
  const items = Array.from({ length: 1500 }, (_, index) => ({
    service_name: service,
    resource_type: 'page',
    external_id: `n${index}`,
    workspace_id: workspace,
    owner_id: owner,
    visibility: null,
    ...(index % 500 !== 499 && { parent: { resource_type: 'page', external_id: 'n1499' } }),
  }))
  const file = items.map((item) => `${JSON.stringify(item)}\n`).join('')
  t.like(await runImport(file, 'jsonl'), {
    out: '1500 registered, 0 registered already.\n',
    err: 'Writing: 0 of 1500\nWriting: 1000 of 1500\n',
    status: 0,
  })
  const resources = await findResources(service)
  t.is(resources.filter(({ parent }) => parent === 'n1499').length, 1497)
})

test('errors name the line, an invalid file registers nothing, and the status is 1', async (t) => {
  const service = randomUUID()
  const line = (more: string) => `${service},page,${more}`
  const csv = csvFile(
    line(`ok,${slug},${email},,,`),
    line(`a,${slug},nobody@example.com,,,`),
    line(`b,unknown,${email},,,`),
  )
  t.like(await runImport(csv), {
    err:
      'Line 3: owner_email does not exist\nLine 4: workspace_slug does not exist\n' +
      'No resources were registered.\n',
    status: 1,
  })
  const invalid = csvFile(
    line(`ok,${slug},${email},open,,`),
    line(`,${slug},${email},,page,`),
    line(`ok,,${email},,,`),
  )
  t.like(await runImport(invalid), {
    err:
      'Line 2: visibility must be one of private, workspace, public\n' +
      'Line 3: resource_id is required, or external_id\n' +
      'Line 3: parent.resource_id is required, or external_id\n' +
      'Line 4: workspace_id is required\n' +
      'No resources were registered.\n',
    status: 1,
  })
  const cycle = csvFile(
    line(`a,${slug},${email},,page,b`),
    line(`b,${slug},${email},,page,a`),
    line(`c,${slug},${email},,,`),
  )
  const { err } = await runImport(cycle)
  t.regex(err, /^Line 2: parent: A resource cannot be .*\nLine 3: parent: A resource cannot be/)
  const twice = csvFile(line(`a,${slug},${email},,,`), line(`a,${slug},${email},,,`))
  t.regex((await runImport(twice)).err, /^Line 3: external_id is duplicated\n/)
  t.deepEqual(await findResources(service), [])

  t.regex((await runImport('nonsense\n')).err, /^Line 1: unknown column "nonsense"\n/)
  t.regex((await runImport('{"a": 1}\n[]\n', 'jsonl')).err, /^Line 1: unknown .*\nLine 2: must be/)
  t.like(await runImport(csv, 'txt'), { status: 2 })
})

test('a dry run names every problem and the counts, and changes nothing', async (t) => {
  const service = randomUUID()
  const stranger = await seed.user('Stranger', { email: `${randomUUID()}@example.com` })
  const { rows } = await pool.query('select email from users where id = $1', [stranger])
  const line = (more: string) => `${service},page,${more}`
  const valid = csvFile(line(`a,${slug},${email},,page,b`), line(`b,${slug},${email},,,`))
  const dryRun = (csv: string, ...options: string[]) =>
    runImport(csv, 'csv', '--dry-run', ...options)
  t.deepEqual(await dryRun(valid), {
    out: 'Lines: 2, to register: 2, registered already: 0.\nDry run: nothing was changed.\n',
    err: '',
    status: 0,
  })
  t.deepEqual(await findResources(service), [])

  await runImport(csvFile(line(`b,${slug},${email},,,`)))
  const again = await dryRun(valid, '--json')
  t.deepEqual(JSON.parse(again.out), { lines: 2, registered: 1, unchanged: 1, problems: [] })
  const invalid = await dryRun(
    csvFile(
      line(`b,${slug},${rows[0].email},,,`),
      line(`c,unknown,${email},,,`),
      line(`d,${slug},${email},open,,`),
      line(`e,${slug},${rows[0].email},,,`),
      line(`f,${slug},${email},public,page,c`),
      `${service},workspace,g,${slug},${email},,,`,
      ...Array.from({ length: 25 }, (_, index) => line(`x${index},${slug},none@example.com,,,`)),
    ),
  )
  t.is(invalid.status, 1)
  t.deepEqual(invalid.out.trim().split('\n'), [
    'Line 3: workspace_slug does not exist',
    'Line 4: visibility must be one of private, workspace, public',
    ...Array.from({ length: 25 }, (_, index) => `Line ${index + 8}: owner_email does not exist`),
    'Line 2: The resource is registered with another workspace or owner',
    'Line 7: resource_type must not be workspace, which names the workspaces of daikon',
    'Line 5: owner_email must be a member of the workspace',
    'Line 6: visibility must not be public: the declaration of page does not allow it',
    'Lines: 31, problems: 31.',
    'Dry run: nothing was changed.',
  ])
  const orphan = await dryRun(csvFile(line(`f,${slug},${email},,page,none`)), '--json')
  t.deepEqual(
    { ...JSON.parse(orphan.out), status: orphan.status },
    {
      lines: 1,
      problems: ['Line 2: parent must be a resource of the same service and workspace'],
      status: 1,
    },
  )
  t.deepEqual(
    (await findResources(service)).map(({ external_id }) => external_id),
    ['b'],
  )
})

test('batches before an error stay registered, and importing a corrected file registers the rest', async (t) => {
  const service = randomUUID()
  const nonMember = await seed.user()
  const item = (index: number, owner_id: string) =>
    `${JSON.stringify({
      service_name: service,
      resource_type: 'page',
      external_id: `n${index}`,
      workspace_id: workspace,
      owner_id,
    })}\n`
  const file = (last: string) =>
    Array.from({ length: 1001 }, (_, index) => item(index, index < 1000 ? owner : last)).join('')
  t.like(await runImport(file(nonMember), 'jsonl'), {
    err:
      'Writing: 0 of 1001\nWriting: 1000 of 1001\n' +
      'Line 1001: owner_id must be a member of the workspace\n' +
      '1000 resources were registered. Import the file again to register the others.\n',
    status: 1,
  })
  t.like(await runImport(file(owner), 'jsonl'), {
    out: '1 registered, 1000 registered already.\n',
    status: 0,
  })
})

test('resource-id prints the name-based UUID of an external ID', async (t) => {
  const { out, status } = await runCli('', 'resource-id', 'docs', 'document', 'report-2026')
  t.is(status, 0)
  t.is(out, `${toResourceId('docs', 'document', 'report-2026')}\n`)
  t.is(out, 'c0d35104-da70-5a19-8148-4d61a07c712b\n')
})
