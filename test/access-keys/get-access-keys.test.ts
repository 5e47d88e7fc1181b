import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createKeyNames } from '../../src/access-keys/key-names.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

/** Returns the names of the keys in an answer, as `<level>@<holder>`. */
async function namesOf(
  service: string,
  grants: { holders: string[]; levels: string[] }[],
  known: string[],
) {
  const sql = 'select secret from access_key_secrets where service_name = $1'
  const { rows } = await environment.pool.query(sql, [service])
  const names = createKeyNames(rows[0].secret)
  const levels = ['admin', 'owner', 'visible', 'public', 'view', 'edit']
  const plain = new Map([
    ...known.map((name) => [names.holder(name), name] as const),
    ...levels.map((name) => [names.level(name), name] as const),
  ])
  const found = grants.flatMap((one) =>
    one.holders.flatMap((holder) =>
      one.levels.map((level) => `${plain.get(level) ?? '?'}@${plain.get(holder) ?? '?'}`),
    ),
  )
  return found.toSorted()
}

for (const transport of environment.transports) {
  const title = (text: string) => `${text} over ${transport.label}`

  test(
    title('the user of a token or a named subject holds keys of the role, and of their groups'),
    async (t) => {
      const fixture = await createWorkspaceFixture(environment, transport)
      const { workspace: w, people, key, kind, service } = fixture
      const group = await environment.seed.group(w, [people.viewer.id])
      const asked = { ...kind, action: 'edit' }
      const known = [w, `${w}:${people.viewer.id}`, `${w}:${group}`, `${w}:${people.editor.id}`]
      const get = async (message: object, credentials: object) =>
        expectOk(await transport.call('GetAccessKeys', message, credentials))

      const viewer = await get(asked, { key, token: people.viewer.token })
      t.deepEqual(
        await namesOf(service, viewer.grants, known),
        [
          `edit@${w}:${group}`,
          `edit@${w}:${people.viewer.id}`,
          `owner@${w}:${people.viewer.id}`,
        ].toSorted(),
      )
      t.deepEqual(viewer.maybe_grants, [])
      t.regex(viewer.position, /^[0-9a-f]{12}-\d+$/)
      for (const { holders, levels } of viewer.grants)
        for (const name of [...holders, ...levels]) t.is(name.length, 22)

      const subject = { type: 'user', id: people.editor.id.toUpperCase() }
      const editor = await get({ ...asked, subject }, { key })
      t.deepEqual(
        await namesOf(service, editor.grants, known),
        [
          `edit@${w}:${people.editor.id}`,
          `owner@${w}:${people.editor.id}`,
          `visible@${w}`,
        ].toSorted(),
      )
      const admin = await get({ ...asked, subject: { type: 'user', id: people.admin.id } }, { key })
      t.deepEqual(await namesOf(service, admin.grants, known), [`admin@${w}`])
      const ofGroup = await get(
        { ...asked, action: 'view', subject: { type: 'group', id: group } },
        { key },
      )
      t.true((await namesOf(service, ofGroup.grants, known)).includes(`view@${w}:${group}`))
    },
  )

  test(
    title('unknown actions, inactive users and types that name no one hold nothing'),
    async (t) => {
      const fixture = await createWorkspaceFixture(environment, transport)
      const { people, key, kind } = fixture
      const grantsOf = async (subject: object, action = 'view') => {
        const message = { ...kind, action, subject }
        const found = expectOk(await transport.call('GetAccessKeys', message, { key }))
        return [...found.grants, ...found.maybe_grants]
      }
      const user = { type: 'user', id: people.owner.id }
      t.deepEqual(await grantsOf(user, 'publish'), [])
      t.deepEqual(await grantsOf({ type: 'robot', id: 'r2' }), [])
      t.deepEqual(await grantsOf({ type: 'access_token', id: 'x.y.z' }), [])
      t.deepEqual(await grantsOf({ type: 'link', id: randomUUID() }), [])
      t.deepEqual(await grantsOf({ type: 'group', id: randomUUID() }), [])
      t.deepEqual(await grantsOf({ type: 'anonymous', id: 'anyone' }), [], 'the type is not public')
      t.true((await grantsOf(user)).length > 0)
      await environment.pool.query('update users set is_active = false where id = $1', [
        people.owner.id,
      ])
      t.deepEqual(await grantsOf(user), [])
    },
  )

  test(
    title('the type and requirements decide about what is public, and what is only possible'),
    async (t) => {
      const fixture = await createWorkspaceFixture(environment, transport)
      const { workspace: w, people, key, kind, service } = fixture
      const conditions = [
        { name: 'office', description: '', expression: 'context.office == true', parameters: {} },
      ]
      const requirements = [{ action: 'view', condition: 'office' }]
      const declaration = { ...kind, allow_public: true, roles: [], conditions, requirements }
      expectOk(await transport.call('PutResourceType', declaration, { key }))
      const asked = { ...kind, action: 'view', subject: { type: 'user', id: people.viewer.id } }
      const found = expectOk(await transport.call('GetAccessKeys', asked, { key }))
      t.deepEqual(found.grants, [])
      const known = [w, 'public', `${w}:${people.viewer.id}`]
      t.true((await namesOf(service, found.maybe_grants, known)).includes('public@public'))
    },
  )

  test(title('a token is limited to its workspace, and memberships end'), async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { workspace: w, people, key, kind } = fixture
    const other = await environment.seed.workspace()
    await environment.seed.member(other, people.viewer.id, 'owner')
    const asked = { ...kind, action: 'view' }
    const call = (message: object, credentials: object) =>
      transport.call('GetAccessKeys', { ...asked, ...message }, credentials)
    const token = { key, token: people.viewer.token }
    const own = expectOk(await call({}, token))
    const subject = { type: 'user', id: people.viewer.id }
    const all = expectOk(await call({ subject }, { key }))
    const holders = (answer: any) => new Set(answer.grants.flatMap((one: any) => one.holders))
    t.true(holders(all).size > holders(own).size)
    t.deepEqual(holders(expectOk(await call({ subject, workspace_id: w }, { key }))), holders(own))
    t.is(expectError(await call({ workspace_id: other }, token)).code, 'permission_denied')
    const ofToken = { type: 'access_token', id: people.viewer.token }
    t.is(
      expectError(await call({ subject: ofToken, workspace_id: other }, { key })).code,
      'permission_denied',
    )
    t.deepEqual(holders(expectOk(await call({ subject: ofToken }, { key }))), holders(own))

    t.falsy(own.valid_until)
    const sql = `update members set expires_at = '2035-01-02T03:04:05Z'
      where user_id = $1 and workspace_id = $2`
    await environment.pool.query(sql, [people.viewer.id, w])
    t.regex(expectOk(await call({ subject }, { key })).valid_until, /^2035-01-02T03:04:05/)
  })

  test(
    title('both a token and a subject are refused, and so is neither, and a foreign service'),
    async (t) => {
      const fixture = await createWorkspaceFixture(environment, transport)
      const { people, key, kind } = fixture
      const asked = { ...kind, action: 'view' }
      const subject = { type: 'user', id: people.viewer.id }
      const both = { key, token: people.viewer.token }
      t.is(
        expectError(await transport.call('GetAccessKeys', { ...asked, subject }, both)).code,
        'invalid_argument',
      )
      t.is(
        expectError(await transport.call('GetAccessKeys', asked, { key })).code,
        'unauthenticated',
      )
      const foreign = { ...asked, service_name: 'other', subject }
      t.is(
        expectError(await transport.call('GetAccessKeys', foreign, { key })).code,
        'permission_denied',
      )
    },
  )
}
