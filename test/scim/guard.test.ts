import test from 'ava'
import { expectOk } from '../support/outcome.ts'
import { createDirectory, type Directory } from '../support/scim.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const [, rest] = environment.transports as [unknown, (typeof environment.transports)[0]]
test.after.always(() => environment.stop())

/** Provisions people and returns their IDs. The workspace also has an owner. */
async function provisionAll(directory: Directory, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index += 1)
    ids.push((await directory.provision(`person-${index}`)).id)
  return ids
}

const changes: ((directory: Directory, id: string) => ReturnType<Directory['send']>)[] = [
  (directory, id) =>
    directory.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
  (directory, id) => directory.send('DELETE', `/Users/${id}`),
  async (directory, id) => {
    const { body } = await directory.send('GET', `/Users/${id}`)
    return directory.send('PUT', `/Users/${id}`, { ...body, active: false })
  },
]

const change = (directory: Directory, id: string, index: number) =>
  (changes[index % 3] as (typeof changes)[0])(directory, id)

test('ending more than half of the memberships within an hour waits for an owner', async (t) => {
  const directory = await createDirectory(environment)
  const ids = await provisionAll(directory, 11)
  for (const [index, id] of ids.slice(0, 6).entries())
    t.true((await change(directory, id, index)).status < 300)
  const [next = '', ...others] = ids.slice(6)
  for (let index = 0; index < 3; index += 1) {
    const { status, body } = await change(directory, next, index)
    t.is(status, 409)
    t.true(body.detail.includes(`/workspaces/${directory.workspace}/scim-confirmation`))
  }
  t.true((await directory.send('GET', `/Users/${next}`)).body.active)

  const owner = { token: await environment.token(directory.owner, directory.workspace) }
  const message = { workspace_id: directory.workspace }
  const describe = async () => expectOk(await rest.call('GetScimToken', message, owner))
  const held = await describe()
  t.like(held.deactivations, { member_count: 12, ended_count: 6, is_held: true })
  t.is(held.active_user_count, 5)
  t.truthy(held.last_change_at)
  const { expires_at } = expectOk(await rest.call('ConfirmScim', message, owner))
  t.regex(expires_at, /^\d{4}-/)
  t.like((await describe()).deactivations, { is_held: false, confirmed_until: expires_at })
  for (const [index, id] of [next, ...others].entries())
    t.true((await change(directory, id, index)).status < 300)
})

test('the hour begins with the first one, and a confirmation ends after an hour', async (t) => {
  const directory = await createDirectory(environment)
  const ids = await provisionAll(directory, 20)
  const end = async (count: number) => {
    let ended = 0
    for (const [index, id] of ids.splice(0, count).entries())
      if ((await change(directory, id, index)).status < 300) ended += 1
    return ended
  }
  const { pool } = environment
  const passAnHour = () =>
    pool.query(
      `update scim_guards set hour_began_at = hour_began_at - interval '1 hour',
         confirmed_until = confirmed_until - interval '1 hour' where workspace_id = $1`,
      [directory.workspace],
    )
  // 21 members: 10 are at most half of them.
  t.is(await end(11), 10)
  await passAnHour()
  t.is(await end(4), 4)
})

test('a workspace of fewer than ten members is not held', async (t) => {
  const directory = await createDirectory(environment)
  const ids = await provisionAll(directory, 8)
  for (const [index, id] of ids.entries()) t.true((await change(directory, id, index)).status < 300)
})
