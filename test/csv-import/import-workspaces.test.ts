import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { runCli } from '../support/cli.ts'
import { csvFile, randomEmail, violationMessages } from '../support/csv-import.ts'
import { expectOk } from '../support/outcome.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const newSlug = () => `n-${randomUUID().slice(0, 8)}`

/** Returns the e-mail address and role of the members of a workspace, and its name. */
async function findMembers(slug: string) {
  const { rows } = await pool.query(
    `select w.name, u.email, m.role from workspaces w
     left join members m on m.workspace_id = w.id left join users u on u.id = m.user_id
     where w.slug = $1 order by m.role desc, u.email`,
    [slug],
  )
  return rows
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`an import creates the missing workspaces that a row makes an owner of ${over}`, async (t) => {
    const [slug, other, existing] = [newSlug(), newSlug(), `w-${await seed.workspace()}`]
    const [ann, bob] = [randomEmail(), randomEmail()]
    const csv = csvFile(
      `${bob},Bob,${slug},,Writers`,
      `${ann},Ann,${slug},owner,Writers`,
      `${ann},,${other},owner,`,
      `${ann},,${existing},,`,
    )
    const request = { csv, create_workspaces: true }
    const preview = expectOk(await admin.call(transport, 'PreviewCsvImport', request))
    t.like(preview.summary, { create: 4, errors: 0 })
    const created = preview.rows.map(({ changes }: any) =>
      changes.filter(({ field }: any) => field === 'new_workspace').map(({ to }: any) => to),
    )
    t.deepEqual(created, [[slug], [], [other], []])
    t.deepEqual(await findMembers(slug), [])

    expectOk(await admin.call(transport, 'ExecuteCsvImport', request))
    t.deepEqual(await findMembers(slug), [
      { name: slug, email: bob, role: 'viewer' },
      { name: slug, email: ann, role: 'owner' },
    ])
    t.deepEqual(await findMembers(other), [{ name: other, email: ann, role: 'owner' }])
    const { rows } = await pool.query(
      `select a.detail from activity a join workspaces w on w.id = a.target_id
       where a.action = 'workspace.created' and w.slug = $1`,
      [slug],
    )
    t.deepEqual(rows, [{ detail: { slug } }])
    const again = expectOk(await admin.call(transport, 'ExecuteCsvImport', request))
    t.like(again.summary, { create: 0, unchanged: 4 })
  })

  test(`a workspace without an owner or with an invalid slug is an error, and nothing is created ${over}`, async (t) => {
    const slug = newSlug()
    const email = randomEmail()
    const csv = csvFile(
      `${email},,${slug},owner,`,
      `${email},,ownerless,admin,`,
      `${email},,Not A Slug,owner,`,
      `${email},,www,owner,`,
    )
    const request = { csv, create_workspaces: true }
    const rejected = await admin.call(transport, 'ExecuteCsvImport', request)
    const invalid = 'must be the slug of a workspace, or a valid one for a new workspace'
    t.deepEqual(violationMessages(rejected), [
      'csv[3].workspace_slug is new, but no row makes an owner of the workspace',
      `csv[4].workspace_slug ${invalid}`,
      `csv[5].workspace_slug ${invalid}`,
    ])
    t.deepEqual(await findMembers(slug), [])
    const unasked = await admin.call(transport, 'ExecuteCsvImport', {
      csv: csvFile(`${email},,${slug},owner,`),
    })
    t.deepEqual(violationMessages(unasked), ['csv[2].workspace_slug does not match any workspace'])
  })
}

test('REST takes the option in the query of an uploaded file', async (t) => {
  const slug = newSlug()
  const { status } = await sendRawHttp(environment.httpPort, {
    method: 'POST',
    path: '/admin/import/csv/execute?create_workspaces=true',
    headers: {
      'content-type': 'text/csv',
      cookie: `admin_token=${admin.token}`,
      'sec-fetch-site': 'same-origin',
    },
    body: csvFile(`${randomEmail()},,${slug},owner,`),
  })
  t.is(status, 200)
  t.is((await findMembers(slug)).length, 1)
})

test('the command creates workspaces with --create-workspaces', async (t) => {
  const slug = newSlug()
  const folder = await mkdtemp(join(tmpdir(), 'daikon-import-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const path = join(folder, 'members.csv')
  await writeFile(path, csvFile(`${randomEmail()},,${slug},owner,`))
  const run = (...options: string[]) => runCli(environment.databaseUrl, 'import', path, ...options)
  t.regex((await run()).err, /workspace_slug does not match any workspace/)
  t.like(await run('--create-workspaces'), {
    out: '1 created, 0 updated, 0 unchanged.\n',
    status: 0,
  })
  t.is((await findMembers(slug)).length, 1)
})
