// Threats: an address that passes to another person.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createDirectory } from '../support/scim.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

/** Provisions Dan, renames him, and gives his name to another person. */
async function passOn(newName: string, change: object, before: (id: string) => Promise<unknown>) {
  const directory = await createDirectory(environment)
  const dan = await directory.provision('dan')
  await before(dan.id)
  const value = { userName: directory.address(newName), ...change }
  await directory.patch(`/Users/${dan.id}`, { op: 'replace', value })
  const second = await directory.send('POST', '/Users', { userName: directory.address('dan') })
  return { directory, dan, second }
}

const renames: [title: string, name: string, change: object][] = [
  ['a rename', 'dan.lee', {}],
  [
    'the rename of Entra ID before it deletes',
    `${randomUUID().replaceAll('-', '')}dan`,
    { active: false },
  ],
]

for (const [title, name, change] of renames)
  test(`a userName is free after ${title}`, async (t) => {
    const { directory, dan, second } = await passOn(name, change, async () => {})
    t.is(second.status, 201)
    t.not(second.body.id, dan.id)
    const filter = encodeURIComponent(`userName eq "${directory.address('dan')}"`)
    const found = await directory.send('GET', `/Users?filter=${filter}`)
    t.deepEqual(
      found.body.Resources.map(({ id }: { id: string }) => id),
      [second.body.id],
    )
  })

const uses: Record<string, (id: string) => Promise<unknown>> = {
  'signs in with a linked account': (id) =>
    environment.pool.query(
      `insert into linked_accounts (provider, subject, user_id, email)
       select 'google', $2, id, email from users where id = $1`,
      [id, randomUUID()],
    ),
  'is a member of another workspace': async (id) =>
    environment.seed.member(await environment.seed.workspace(), id, 'viewer'),
}

for (const [title, use] of Object.entries(uses))
  test(`a userName is not free while the person who had the address ${title}`, async (t) => {
    const { second } = await passOn('dan.lee', {}, use)
    t.is(second.status, 409)
    t.is(second.body.scimType, 'uniqueness')
    t.regex(second.body.detail, /still signs in with it elsewhere/)
  })
