// Threat: in a database with a Turkish collation, in which `I` is not the capital of `i`, a name that is compared
// without regard to case passes for another.
import { randomBytes } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { createTextPattern, matchesText } from '../../src/core/text-pattern.ts'
import { createAdmin } from '../support/admin.ts'
import { administer } from '../support/database.ts'
import { createOAuthClient, signInWithOAuth } from '../support/oauth.ts'
import { expectOk } from '../support/outcome.ts'
import { createDirectory } from '../support/scim.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import { createMigratedDatabase } from '../support/template-database.ts'

const adminUrl = process.env.TEST_DATABASE_URL ?? ''
const template = `turkish_${randomBytes(6).toString('hex')}`
await createMigratedDatabase(
  adminUrl,
  template,
  "template template0 locale_provider icu icu_locale 'tr'",
)
const environment = await createSignInEnvironment({ template })
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(async () => {
  await environment.stop()
  await administer(adminUrl, `drop database ${template}`)
})

test('the database lowers I to a letter without a dot', async (t) => {
  const { rows } = await pool.query(`select lower('I') as lower`)
  t.deepEqual(rows, [{ lower: 'ı' }])
})

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`names are found in capitals and in small letters ${over}`, async (t) => {
    const mark = randomBytes(6).toString('hex')
    const id = await seed.user(`Iris İlgi ${mark}`, { email: `${mark}@example.com` })
    for (const name of ['iris', 'IRIS', 'ilgi', 'ILGI', 'İlgi']) {
      const found = await admin.call(transport, 'ListUsers', { q: `${name} ${mark}` })
      const ids = expectOk(found).items.map((user: { id: string }) => user.id)
      t.deepEqual(ids, [id], name)
    }
  })

  test(`a custom role does not pass for a role of the workspace ${over}`, async (t) => {
    const email = environment.addProviderUser({ name: 'Ann' })
    const user = await seed.user('', { email })
    const workspace_id = await seed.workspace()
    await seed.member(workspace_id, user, 'viewer')
    for (const name of ['ADMIN', 'Editor', 'IT']) {
      const role = await seed.customRole(workspace_id, [], [user])
      await pool.query('update custom_roles set name = $2 where id = $1', [role, name])
    }
    const client = await createOAuthClient(environment, { type: 'confidential', workspace_id })
    const request = { scope: 'openid roles' }
    const { tokens } = await signInWithOAuth(environment, transport, { client, email, request })
    t.like(decodeJwt(tokens.id_token), { roles: ['viewer', 'IT'] })
  })
}

test('SCIM finds people and groups in capitals and in small letters', async (t) => {
  const directory = await createDirectory(environment)
  const { id } = await directory.provision('info', { title: 'IT Director' })
  const group = await directory.send('POST', '/Groups', { displayName: 'INFRA' })
  const find = async (path: string, filter: string) => {
    const query = `filter=${encodeURIComponent(filter)}`
    const { body } = await directory.send('GET', `${path}?${query}`)
    return body.Resources.map((one: { id: string }) => one.id)
  }
  t.deepEqual(await find('/Users', `userName eq "${directory.address('INFO')}"`), [id])
  t.deepEqual(await find('/Users', 'title eq "it director"'), [id])
  t.deepEqual(await find('/Groups', 'displayName co "infr"'), [group.body.id])
})

test('a text to be erased is found however its I is written', async (t) => {
  const pattern = createTextPattern(['ilker@example.com', 'Iris İlgi']) ?? ''
  for (const text of ['İLKER@EXAMPLE.COM', 'ILKER@example.com', 'ıris ilgi', 'IRIS ILGI']) {
    t.true(matchesText(pattern, text), text)
    const { rows } = await pool.query('select $1::text ~* $2 as found', [text, pattern])
    t.deepEqual(rows, [{ found: true }], text)
  }
})
