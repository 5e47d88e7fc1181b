import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createImportFixture, csvFile, violationMessages } from '../support/csv-import.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createDirectory } from '../support/scim.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

/** What people see as nothing: zero-width characters, Hangul fillers, a Braille pattern, and spaces. */
const blankNames = ['\u200b', '\u2060\ufeff', '\u3164', '\uffa0\u115f', '\u2800', '\u00a0 \u3000']

for (const transport of environment.transports) {
  const over = `over ${transport.name}`

  test(`names that show nothing are refused ${over}`, async (t) => {
    const { admin } = await createImportFixture(environment)
    const create = (name: string) =>
      admin.call(transport, 'CreateWorkspace', { name, slug: `s-${randomUUID().slice(0, 8)}` })
    for (const name of blankNames) {
      const { code, violations } = expectError(await create(name))
      t.is(code, 'invalid_argument')
      t.deepEqual(violations, [
        { field: 'name', message: 'must not be blank or contain control characters' },
      ])
    }
    expectOk(await create('👩‍💻 \u3164'))
  })

  test(`rows of a file with names that show nothing are refused ${over}`, async (t) => {
    const { admin } = await createImportFixture(environment)
    const slug = `w-${await environment.seed.workspace()}`
    const csv = csvFile(`a@example.com,\u3164,${slug},viewer,\u200b`)
    const outcome = await admin.call(transport, 'ExecuteCsvImport', { csv })
    t.deepEqual(violationMessages(outcome), [
      'csv[2].name must not be blank',
      'csv[2].groups must not contain blank names',
    ])
  })
}

test('groups of a directory with names that show nothing are refused', async (t) => {
  const { send } = await createDirectory(environment)
  for (const displayName of blankNames) {
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:Group']
    const { status, body } = await send('POST', '/Groups', { schemas, displayName })
    t.is(status, 400)
    t.is(body.scimType, 'invalidValue')
  }
})
