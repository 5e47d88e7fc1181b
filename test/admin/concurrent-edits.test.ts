import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment({ RATE_LIMIT_PER_MINUTE: 1000 })
const { seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

type Kind = {
  /** Fields that gRPC requires in an update. */
  lists?: object
  /** The names of the methods end with it: GetUser, UpdateUser, DeleteUser. */
  noun: string
  create: () => Promise<Record<string, string>>
}

const kinds: Kind[] = [
  { noun: 'User', create: async () => ({ user_id: await seed.user('ann') }) },
  { noun: 'Workspace', create: async () => ({ workspace_id: await seed.workspace() }) },
  { noun: 'Group', create: async () => ({ group_id: await seed.group(await seed.workspace()) }) },
  {
    noun: 'Role',
    create: async () => ({ role_id: await seed.customRole(await seed.workspace(), [], []) }),
  },
  {
    noun: 'ServiceApp',
    create: async () => ({ service_app_id: (await seed.serviceApp(`s-${randomUUID()}`)).id }),
  },
  {
    noun: 'ClientApp',
    lists: { redirect_uris: [], post_logout_redirect_uris: [] },
    create: async () => ({
      client_app_id: await seed.clientApp([`https://app.example.com/${randomUUID()}`]),
    }),
  },
]

for (const transport of environment.transports) {
  const call = (method: string, message: object) => admin.call(transport, method, message)

  for (const { noun, create, lists = {} } of kinds) {
    test(`a ${noun} is changed and deleted only in the version that was read over ${transport.label}`, async (t) => {
      const id = await create()
      const read = async () => expectOk(await call(`Get${noun}`, id))
      const update = (message: object) => call(`Update${noun}`, { ...lists, ...message })
      const { etag } = await read()
      t.regex(etag, /^"[\w-]{22}"$/)
      const first = expectOk(await update({ ...id, name: 'one', if_match: etag }))
      t.not(first.etag, etag)
      t.is((await read()).etag, first.etag)
      const late = expectError(await update({ ...id, name: 'two', if_match: etag }))
      t.like(late, { code: 'aborted', reason: 'CHANGED_SINCE_READ' })
      t.is(expectError(await call(`Delete${noun}`, { ...id, if_match: etag })).code, 'aborted')
      t.is((await read()).name, 'one')
      const list = `"other", ${first.etag}`
      expectOk(await update({ ...id, name: 'three', if_match: list }))
      expectOk(await update({ ...id, name: 'one', if_match: '*' }))
      expectOk(await update({ ...id, name: 'four' }))
      const weak = `W/${(await read()).etag}`
      t.is(expectError(await update({ ...id, if_match: weak })).code, 'aborted')
      const malformed = expectError(await call(`Delete${noun}`, { ...id, if_match: 'four' }))
      t.is(malformed.code, 'invalid_argument')
      t.deepEqual(
        malformed.violations.map(({ field }) => field),
        ['if_match'],
      )
      const force = noun === 'ServiceApp' ? { force: true } : {}
      const { etag: last } = await read()
      expectOk(await call(`Delete${noun}`, { ...id, ...force, if_match: last }))
      t.is(expectError(await call(`Get${noun}`, id)).code, 'not_found')
      const gone = expectError(await call(`Delete${noun}`, { ...id, ...force, if_match: last }))
      t.is(gone.code, 'not_found')
    })
  }

  test(`members read and change groups and workspaces by version over ${transport.label}`, async (t) => {
    const workspace_id = await seed.workspace()
    const owner = await seed.user('owner')
    await seed.member(workspace_id, owner, 'owner')
    const token = await environment.token(owner, workspace_id)
    const group_id = await seed.group(workspace_id)
    for (const [noun, id] of [
      ['Group', { workspace_id, group_id }],
      ['Workspace', { workspace_id }],
    ] as const) {
      const { etag } = expectOk(await transport.call(`Get${noun}`, id, { token }))
      const message = { ...id, description: 'new', if_match: etag }
      expectOk(await transport.call(`Update${noun}`, message, { token }))
      const again = await transport.call(`Update${noun}`, message, { token })
      t.is(expectError(again).code, 'aborted')
      const removal = await transport.call(`Delete${noun}`, { ...id, if_match: etag }, { token })
      t.is(expectError(removal).code, 'aborted')
    }
  })

  test(`counts and times of use do not change an ETag over ${transport.label}`, async (t) => {
    const workspace = await seed.workspace()
    const user = await seed.user('ann')
    await seed.member(workspace, user, 'viewer')
    const role_id = await seed.customRole(workspace, [], [])
    const before = expectOk(await call('GetRole', { role_id }))
    expectOk(await call('AddRoleMember', { role_id, user_id: user }))
    const after = expectOk(await call('GetRole', { role_id }))
    t.is(after.member_count, before.member_count + 1)
    t.is(after.etag, before.etag)
    const listed = expectOk(await call('ListRoles', { workspace_id: workspace })).roles[0]
    t.is(listed.etag, undefined)
  })
}

test('of two changes at the same time that name one version, one fails', async (t) => {
  const [transport] = environment.transports
  if (!transport) throw new Error('No transport')
  const group_id = await seed.group(await seed.workspace())
  const { etag } = expectOk(await admin.call(transport, 'GetGroup', { group_id }))
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      admin.call(transport, 'UpdateGroup', { group_id, name: `name ${index}`, if_match: etag }),
    ),
  )
  const codes = outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.code))
  t.is(codes.filter((code) => code === 'ok').length, 1, codes.join())
})
