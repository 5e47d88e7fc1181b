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
const { createTargetWorkspace, userId, digestTables } = await createImportFixture(environment)
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  test.serial(
    `a file with an invalid row is rejected in full: 422 with the errors of the row ${through}`,
    async (t) => {
      const { execute, slug } = await createTargetWorkspace(transport)
      const before = await digestTables()
      const long = 'x'.repeat(201)
      const bad: [row: string, problem: string][] = [
        [`a@example.com,,${slug},`, ' has 4 cells, but the header has 5'],
        [`a@example.com,,${slug},,,`, ' has 6 cells, but the header has 5'],
        [`,,${slug},,`, '.email is required'],
        [`a@b@example.com,,${slug},,`, '.email must be an e-mail address'],
        [`a\uff20example.com,,${slug},,`, '.email must be an e-mail address'],
        [`a@example.com.,,${slug},,`, '.email must be an e-mail address'],
        [`"""a""@example.com",,${slug},,`, '.email must be an e-mail address'],
        [`a@example.com\0,,${slug},,`, '.email must not contain control characters'],
        [`a@example.com,a\0b,${slug},,`, '.name must not contain control characters'],
        [`a@example.com,"a\nb",${slug},,`, '.name must not contain control characters'],
        [`a@example.com,,${slug},,a\u0007;b`, '.groups must not contain control characters'],
        [`a@example.com,${long},${slug},,`, '.name must be at most 200 characters long'],
        [
          `a@example.com,,${slug},,${long}`,
          '.groups must contain names of at most 200 characters each',
        ],
        [
          `a@example.com,,${slug},,${Array.from({ length: 101 }, (_, at) => at).join(';')}`,
          '.groups must contain at most 100 items',
        ],
        ['a@example.com,,,,', '.workspace_slug is required'],
        ['a@example.com,,nowhere,,', '.workspace_slug does not match any workspace'],
        [`a@example.com,,%,,`, '.workspace_slug does not match any workspace'],
        [`a@example.com,,${slug},Owner,`, '.role must be one of viewer, editor, admin, owner'],
      ]
      for (const [row, problem] of bad) {
        const outcome = await execute(csvFile(`good@example.com,,${slug},,`, row))
        t.like(expectError(outcome), {
          code: 'invalid_argument',
          reason: 'ROWS_HAVE_ERRORS',
          detail: '1 of 2 rows have errors; nothing was imported',
        })
        t.deepEqual(violationMessages(outcome), [`csv[3]${problem}`], row)
      }
      t.is(await digestTables(), before)
    },
  )

  test(`a file that cannot be split into rows returns 422 ${through}`, async (t) => {
    const { preview, slug } = await createTargetWorkspace(transport)
    const row = `a@example.com,${slug}\n`
    const cellsOnLine3 = 'csv has a row of more than 100 cells on line 3'
    for (const [csv, problem] of [
      ['\n', 'csv has no header'],
      [row, 'csv has an unknown column: "a@example.com"'],
      [`email;workspace_slug\n${row}`, 'csv has an unknown column: "email;workspace_slug"'],
      [`email,workspace_slug,__proto__\n${row}`, 'csv has an unknown column: "__proto__"'],
      [`email,workspace_slug,constructor\n${row}`, 'csv has an unknown column: "constructor"'],
      [`email,workspace_slug,\n${row}`, 'csv has an unknown column: ""'],
      [`email,workspace_slug,email\n${row}`, 'csv has a duplicate column: "email"'],
      [`${'x,'.repeat(10_000)}\n`, 'csv has more than 100 columns'],
      [`email,workspace_slug\n${row}${','.repeat(500_000)}\n`, cellsOnLine3],
      [`email,workspace_slug\n${row}${'x,'.repeat(32_000)}\n`, cellsOnLine3],
      [`email,name\n${row}`, 'csv is missing the column workspace_slug'],
      [`workspace_slug\n${row}`, 'csv is missing the column email'],
      [`email,workspace_slug\n"${row}`, 'csv has an unexpected or unclosed quote on line 2'],
      [`email,workspace_slug\n"a"b,${slug}\n`, 'csv has an unexpected or unclosed quote on line 2'],
      [
        `email,workspace_slug\n"${'x\n'.repeat(100_000)}`,
        'csv has a row of more than 65536 characters or an unclosed quote on line 32770',
      ],
    ] as const) {
      const outcome = await preview(csv)
      t.is(expectError(outcome).reason, 'INVALID_REQUEST')
      t.true(violationMessages(outcome).includes(problem), `${violationMessages(outcome)}`)
    }
    t.deepEqual(violationMessages(await preview('')), ['csv is required'])
  })

  test(`columns can be in any order, optional columns can be absent, and BOM, CRLF and quotes are supported ${through}`, async (t) => {
    const { execute, slug, members } = await createTargetWorkspace(transport)
    const [ann, bo, cy] = [randomEmail(), randomEmail(), randomEmail()]
    const csv = `\ufeffworkspace_slug,"email", name \r\n${slug},${ann},"A ""quoted"", name"\r\n\r\n"${slug}",${bo},ёж 𝕏\r\n`
    const report = expectOk(await execute(csv))
    t.deepEqual(report.columns, ['workspace_slug', 'email', 'name'])
    t.deepEqual(
      report.rows.map(({ line }: any) => line),
      [2, 4],
    )
    t.is((await members())[ann].name, 'A "quoted", name')
    t.is((await members())[bo].name, 'ёж 𝕏')
    expectOk(await execute(`email,workspace_slug\r${cy},${slug}`))
    t.is((await members())[cy].role, 'viewer')
    t.deepEqual(expectOk(await execute('email,workspace_slug\n')).summary.rows, 0)
  })

  test(`rows with the same address describe one user; conflicting rows are errors ${through}`, async (t) => {
    const { execute, slug, members } = await createTargetWorkspace(transport)
    const there = await createTargetWorkspace(transport)
    const ann = randomEmail()
    const csv = csvFile(
      `${ann},,${slug},,One`,
      `${ann.toUpperCase()},Ann,${there.slug},admin,One`,
      `${ann},Ann,${slug},editor,Two`,
      `${ann},,${slug},,One;Two`,
    )
    const { rows } = expectOk(await execute(csv))
    t.deepEqual(
      rows.map(({ action }: any) => action),
      ['create', 'create', 'update', 'unchanged'],
    )
    t.deepEqual((await members())[ann], {
      name: 'Ann',
      role: 'editor',
      joined: false,
      groups: ['One', 'Two'],
    })
    t.like((await there.members())[ann], { role: 'admin', groups: ['One'] })
    t.is((await listActivity(environment.pool, await userId(ann))).length, 2)
    t.is(expectOk(await execute(csv)).summary.unchanged, 4)

    const other = csvFile(
      `${ann},Ann,${slug},editor,`,
      `${ann},Anne,${there.slug},,`,
      `${ann},,${slug},viewer,`,
    )
    t.deepEqual(violationMessages(await execute(other)), [
      'csv[3].name conflicts with line 2',
      'csv[4].role conflicts with line 2',
    ])
  })

  test(`an invalid character in the header is reported ${through}`, async (t) => {
    const { preview } = await createTargetWorkspace(transport)
    const name = `${'x'.repeat(99)}😀`
    for (const header of [`${name},${name},email,workspace_slug`, `email,workspace_slug,${name}`])
      t.regex(
        violationMessages(await preview(`${header}\n`))[0] ?? '',
        /has an unknown column: "x{99}/,
      )
  })

  test(`100,000 invalid rows are all counted, and the first 1,000 are listed ${through}`, async (t) => {
    const { preview, execute, slug } = await createTargetWorkspace(transport)
    const csv = csvFile(`${randomEmail()},,${slug},,`, 'x,\n'.repeat(99_999).trimEnd(), 'a,b,c')
    const report = expectOk(await preview(csv))
    t.deepEqual(report.summary, {
      rows: 100_001,
      create: 1,
      update: 0,
      unchanged: 0,
      errors: 100_000,
    })
    t.is(report.rows.length, 1000)
    t.is(report.omitted, 99_001)
    t.like(report.rows[0], { line: 3, action: 'error' })
    t.is(report.rows[999].line, 1002)
    const error = expectError(await execute(csv))
    t.is(error.detail, '100000 of 100001 rows have errors; nothing was imported')
    t.true(error.violations.length >= 20)
    if (transport.name === 'rest') t.is(error.violations.length, 1000)
  })
}

test.after.always('no internal errors occurred', (t) => {
  t.deepEqual(environment.failures, [])
})
