import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import {
  createImportFixture,
  csvFile,
  randomEmail,
  violationMessages,
} from '../support/csv-import.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const { admin, createTargetWorkspace, userId, emailOf, digestTables } =
  await createImportFixture(environment)
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  test.serial(
    `a preview reports what every row would do and changes nothing ${through}`,
    async (t) => {
      const { preview, slug, owner, workspace } = await createTargetWorkspace(transport)
      const [ann, bo] = [randomEmail(), randomEmail()]
      const editor = await seed.newMember(workspace, 'editor', 'ed')
      const group = `g-${randomUUID()}`
      await seed.group(workspace, [editor], group)
      const before = await digestTables()
      const report = expectOk(
        await preview(
          csvFile(
            `${ann},Ann,${slug},,`,
            ` ${bo.toUpperCase()} ,,${slug},admin,${group}; New ;New;`,
            `${await emailOf(editor)},,${slug},viewer,${group};Newer`,
            `${await emailOf(owner)},,${slug},,`,
            `nobody,x,${slug},superuser,`,
          ),
        ),
      )
      t.is(await digestTables(), before)
      t.deepEqual(report, {
        columns: ['email', 'name', 'workspace_slug', 'role', 'groups'],
        summary: { rows: 5, create: 2, update: 1, unchanged: 1, errors: 1 },
        omitted: 0,
        rows: [
          {
            line: 2,
            email: ann,
            action: 'create',
            errors: [],
            changes: [
              { field: 'user', from: '', to: ann },
              { field: 'name', from: '', to: 'Ann' },
              { field: 'role', from: '', to: 'viewer' },
            ],
          },
          {
            line: 3,
            email: bo,
            action: 'create',
            errors: [],
            changes: [
              { field: 'user', from: '', to: bo },
              { field: 'role', from: '', to: 'admin' },
              { field: 'new_groups', from: '', to: 'New' },
              { field: 'groups', from: '', to: `${group};New` },
            ],
          },
          {
            line: 4,
            email: await emailOf(editor),
            action: 'update',
            errors: [],
            changes: [
              { field: 'role', from: 'editor', to: 'viewer' },
              { field: 'new_groups', from: '', to: 'Newer' },
              { field: 'groups', from: group, to: `${group};Newer` },
            ],
          },
          {
            line: 5,
            email: await emailOf(owner),
            action: 'unchanged',
            errors: [],
            changes: [],
          },
          {
            line: 6,
            email: 'nobody',
            action: 'error',
            changes: [],
            errors: [
              { field: 'email', message: 'must be an e-mail address' },
              { field: 'role', message: 'must be one of viewer, editor, admin, owner' },
            ],
          },
        ],
      })
    },
  )

  test.serial(
    `an import applies and records the changes in its preview; repeating it changes nothing ${through}`,
    async (t) => {
      const { preview, execute, slug, workspace, members } = await createTargetWorkspace(transport)
      const [ann, bo] = [randomEmail(), randomEmail()]
      const id = await seed.newMember(workspace, 'editor', 'ed')
      const ed = await emailOf(id)
      const csv = csvFile(
        `${ann},=1+1,${slug},,Writers`,
        `${bo},Bo,${slug},owner,Readers;Writers`,
        `${ed},Eddie,${slug},admin,Readers`,
      )
      const previewed = expectOk(await preview(csv))
      t.deepEqual(expectOk(await execute(csv)), previewed)
      const now = await members()
      t.deepEqual(now[ann], { name: '=1+1', role: 'viewer', joined: false, groups: ['Writers'] })
      t.deepEqual(now[bo], {
        name: 'Bo',
        role: 'owner',
        joined: false,
        groups: ['Readers', 'Writers'],
      })
      t.deepEqual(now[ed], { name: 'Eddie', role: 'admin', joined: true, groups: ['Readers'] })

      const entry = (action: string, detail: object) => ({
        action,
        target_type: 'user',
        actor_id: admin.id,
        detail,
        workspace_id: action === 'user.renamed' ? null : workspace,
      })
      t.deepEqual(await listActivity(pool, await userId(ann)), [
        entry('member.invited', {
          email: ann,
          role: 'viewer',
          expires_at: 'never',
          guest: 'false',
        }),
      ])
      t.deepEqual(await listActivity(pool, id), [
        entry('user.renamed', { from: 'ed', to: 'Eddie' }),
        entry('member.role_changed', { from: 'editor', to: 'admin' }),
      ])
      const { rows: groups } = await pool.query(
        'select id, name, created_by from groups where workspace_id = $1 order by name',
        [workspace],
      )
      t.deepEqual(
        groups.map(({ name, created_by }) => [name, created_by]),
        [
          ['Readers', admin.id],
          ['Writers', admin.id],
        ],
      )
      const ofGroup = await listActivity(pool, groups[1].id)
      t.deepEqual(
        ofGroup.map(({ action, detail }) => [action, detail.name]),
        [
          ['group.created', 'Writers'],
          ['group.members_added', 'Writers'],
        ],
      )
      const added = ofGroup.at(-1)?.detail.user_ids.split(' ').sort()
      t.deepEqual(added, [await userId(ann), await userId(bo)].sort())
      const sum = { rows: '3', created: '2', updated: '1' }
      const { rows } = await pool.query(
        `select actor_id, target_type, detail from activity where action = 'import.executed'
       order by id desc limit 1`,
      )
      t.deepEqual(rows, [{ actor_id: admin.id, target_type: 'import', detail: sum }])

      const before = await digestTables()
      const again = expectOk(await execute(csv))
      t.deepEqual(again.summary, { rows: 3, create: 0, update: 0, unchanged: 3, errors: 0 })
      t.is(await digestTables(), before)
    },
  )

  test(`an import never removes anything: empty cells leave name, role and groups unchanged ${through}`, async (t) => {
    const { execute, slug, workspace, members } = await createTargetWorkspace(transport)
    const id = await seed.newMember(workspace, 'editor', 'ed')
    await seed.group(workspace, [id], 'Writers')
    const ed = await emailOf(id)
    const { summary } = expectOk(await execute(csvFile(`${ed},,${slug},,`)))
    t.is(summary.unchanged, 1)
    expectOk(await execute(csvFile(`${ed},,${slug},,Readers`)))
    t.deepEqual(await members().then((all) => all[ed]), {
      name: 'ed',
      role: 'editor',
      joined: true,
      groups: ['Readers', 'Writers'],
    })
  })

  test.serial(`an import sets external IDs, which identify one user each ${through}`, async (t) => {
    const { execute, preview, slug, owner, workspace } = await createTargetWorkspace(transport)
    const [ann, bo] = [randomEmail(), randomEmail()]
    const ed = await emailOf(await seed.newMember(workspace, 'editor'))
    const file = (...rows: string[]) =>
      ['email,workspace_slug,external_id', ...rows].map((row) => `${row}\n`).join('')
    const id = randomUUID()
    const csv = file(`${ann},${slug},${id}-a`, `${bo},${slug},`, `${ed},${slug},${id}-e`)
    const previewed = expectOk(await preview(csv))
    t.deepEqual(previewed.rows[2].changes, [{ field: 'external_id', from: '', to: `${id}-e` }])
    t.deepEqual(expectOk(await execute(csv)), previewed)
    t.is(expectOk(await execute(csv)).summary.unchanged, 3)
    const { rows } = await pool.query(
      'select email, external_id from users where email = any($1) order by external_id',
      [[ann, bo, ed]],
    )
    t.deepEqual(
      rows.map(({ email, external_id }) => [email, external_id]),
      [
        [ann, `${id}-a`],
        [ed, `${id}-e`],
        [bo, null],
      ],
    )
    t.is((await listActivity(pool, await userId(ed))).at(-1)?.action, 'user.updated')

    const before = await digestTables()
    const other = 'identifies another user'
    const form = 'must not be in the form of a UUID or an e-mail address'
    const cases: [string[], string][] = [
      [[`${bo},${slug},${id}-a`], `csv[2].external_id ${other}`],
      [[`${bo},${slug},${ed.toUpperCase()}`], `csv[2].external_id ${form}`],
      [[`${bo},${slug},${bo}`], `csv[2].external_id ${form}`],
      [[`${bo},${slug},${owner.toUpperCase()}`], `csv[2].external_id ${form}`],
      [[`${bo},${slug},${randomUUID()}`], `csv[2].external_id ${form}`],
      [
        [`${bo},${slug},${id}-n`, `${ann},${slug},${id}-n`],
        `csv[3].external_id ${other} on line 2`,
      ],
      [
        [`${bo},${slug},${id}-n`, `${bo},${slug},${id}-m`],
        'csv[3].external_id conflicts with line 2',
      ],
      [
        [`${bo},${slug},${'x'.repeat(256)}`],
        'csv[2].external_id must be at most 255 characters long',
      ],
    ]
    for (const [lines, message] of cases) {
      t.deepEqual(violationMessages(await execute(file(...lines))), [message])
      t.is(expectOk(await preview(file(...lines))).summary.errors, 1)
    }
    t.is(await digestTables(), before)
  })

  test(`the last owner cannot be demoted unless the file has another joined owner ${through}`, async (t) => {
    const { execute, preview, slug, owner, workspace, members } =
      await createTargetWorkspace(transport)
    const email = await emailOf(owner)
    const problem = 'would leave the workspace without an owner'
    const demote = `${email},,${slug},admin,`
    t.deepEqual(violationMessages(await execute(csvFile(demote))), [`csv[2].role ${problem}`])
    const [row] = expectOk(await preview(csvFile(demote))).rows
    t.like(row, { action: 'error', changes: [] })
    // An invited owner may never accept.
    t.is(
      expectError(await execute(csvFile(`${randomEmail()},,${slug},owner,`, demote))).code,
      'invalid_argument',
    )
    const editor = await emailOf(await seed.newMember(workspace, 'editor'))
    expectOk(await execute(csvFile(demote, `${editor},,${slug},owner,`)))
    t.is((await members())[email].role, 'admin')
    t.is((await members())[editor].role, 'owner')
  })

  test(`importing requires an administrator ${through}`, async (t) => {
    const { slug, owner, workspace } = await createTargetWorkspace(transport)
    const csv = csvFile(`${randomEmail()},,${slug},,`)
    const token = await environment.token(owner, workspace)
    for (const method of ['PreviewCsvImport', 'ExecuteCsvImport']) {
      t.is(expectError(await transport.call(method, { csv })).code, 'unauthenticated')
      t.is(expectError(await transport.call(method, { csv }, { token })).code, 'unauthenticated')
    }
  })
}

test.serial('a large import collects the statistics of its tables', async (t) => {
  const [transport] = environment.transports
  if (!transport) throw new Error('No transport')
  const { execute, slug } = await createTargetWorkspace(transport)
  const rows = Array.from({ length: 1000 }, () => `${randomEmail()},,${slug},,`)
  expectOk(await execute(csvFile(...rows)))
  const { rows: tables } = await pool.query(
    `select relname from pg_class where relname in ('users', 'members') and reltuples >= 1000`,
  )
  t.is(tables.length, 2)
})

test.after.always('no internal errors occurred', (t) => {
  t.deepEqual(environment.failures, [])
})
