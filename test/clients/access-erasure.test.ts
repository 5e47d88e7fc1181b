import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createDaikon, type RemoteDaikon } from '../../clients/typescript/src/daikon.ts'
import { createDaikon as createFetchDaikon } from '../../clients/typescript/src/fetch.ts'
import { type Copy, createCopy } from '../support/access-copy.ts'
import { signAccountToken } from '../support/account-page.ts'
import { createAdmin } from '../support/admin.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome, Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { seed, grpcPort, httpPort } = environment
const [transport] = environment.transports as [Transport]
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

type Credentials = { service: string; serviceKey: string }
type Way = {
  connect(credentials: Credentials): RemoteDaikon
  erase(userId: string, workspaceId: string, heirId: string): Promise<Outcome>
}

const ways: Record<string, Way> = {
  'an administrator deletes the user': {
    connect: (credentials) =>
      createDaikon({ ...credentials, address: `127.0.0.1:${grpcPort}`, deadlineMs: 60_000 }),
    erase: (user_id, _, transfer_to) =>
      admin.call(transport, 'DeleteUser', { user_id, transfer_to }),
  },
  'the user deletes the account': {
    connect: (credentials) =>
      createFetchDaikon({
        ...credentials,
        url: `http://127.0.0.1:${httpPort}`,
        deadlineMs: 60_000,
      }),
    erase: async (userId, workspaceId, transfer_to) => {
      const token = await signAccountToken(environment, userId, workspaceId)
      return transport.call('DeleteMe', { transfer_to }, { token })
    },
  },
}

/** The keys of the copy that something accepts, as `<level>@<holder>`. */
async function acceptedKeys({ pool }: Copy): Promise<string[]> {
  const { rows } = await pool.query(`
    select level || '@' || holder as key from daikon_access.keys k where exists (
        select from daikon_access.resources_document r where k.id = any(r.accepts || r.maybe))
      or exists (select from daikon_access.folder_grants f where f.key = k.id)
      or exists (select from daikon_access.ends e where e.key = k.id)`)
  return rows.map(({ key }) => key)
}

/** All rows of the copy, as text. */
async function readEverything({ pool }: Copy): Promise<string> {
  const { rows } = await pool.query(
    "select table_name from information_schema.tables where table_schema = 'daikon_access'",
  )
  const texts = await Promise.all(
    rows.map(async ({ table_name }) => {
      const text = `select t::text as text from daikon_access."${table_name}" t`
      return (await pool.query(text)).rows.map(({ text }) => text)
    }),
  )
  return texts.flat().join('\n')
}

for (const [title, { connect, erase }] of Object.entries(ways))
  test.serial(`nothing of a user is left in a copy after ${title}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { workspace, service, key: serviceKey, people, kind } = fixture
    const conditions = [
      { name: 'office', description: '', expression: 'context.inside == true', parameters: {} },
    ]
    const roles = [{ name: 'reviewer', actions: ['view'] }]
    const declaration = { ...kind, roles, conditions, requirements: [], allow_public: false }
    expectOk(await transport.call('PutResourceType', declaration, { key: serviceKey }))
    const ann = await seed.newMember(workspace, 'viewer', 'annabel')
    const home = await seed.workspace('annabel')
    await seed.member(home, ann, 'owner')
    const heir = people.editor.id
    const groupId = await seed.group(workspace, [ann, people.viewer.id])

    const copy = await createCopy(t, environment.pool, 'text')
    const follower = copy.follow(connect({ service, serviceKey }))
    const { daikon } = follower
    const document = (id: string) => ({ type: 'document', id })
    const facts = { workspaceId: workspace, ownerId: people.owner.id }
    const folder = { type: 'folder', id: 'folder' }
    await daikon.register({ ...facts, ...folder })
    const ids = ['assigned', 'conditional', 'edited', 'ending', 'grouped', 'viewed']
    await daikon.registerMany([
      ...ids.map((id) => ({ ...facts, ...document(id) })),
      { ...facts, ...document('inherited'), parent: folder },
      { ...facts, ...document('owned'), ownerId: ann },
      { ...document('private'), workspaceId: home, ownerId: ann },
    ])
    const grantee = { userId: ann }
    const expiresAt = new Date(Date.now() + 86_400_000)
    await daikon.shareMany([
      { resource: document('viewed'), grantee, grant: 'view' },
      { resource: document('edited'), grantee, grant: 'edit' },
      { resource: document('assigned'), grantee, grant: { role: 'reviewer' } },
      { resource: document('ending'), grantee, grant: 'view', expiresAt },
      { resource: document('conditional'), grantee, grant: 'view', condition: { name: 'office' } },
      { resource: document('grouped'), grantee: { groupId }, grant: 'view' },
      { resource: folder, grantee, grant: 'view' },
    ])
    const all = [...ids, 'inherited', 'owned', 'private'].toSorted()
    await copy.pool.query('insert into documents select unnest($1::text[])', [all])
    await copy.settle(follower)

    const list = (userId: string, action?: string) => copy.list(follower, { userId }, action)
    const holdersOf = async (userId: string) => {
      const { grants } = await daikon.accessKeys({ userId }, 'view', 'document')
      return grants.flatMap(({ holders }) => holders)
    }
    t.deepEqual(
      await list(ann),
      all.filter((id) => id !== 'conditional'),
    )
    t.deepEqual(await list(heir, 'edit'), [])
    const shared = await holdersOf(people.viewer.id)
    const own = new Set((await holdersOf(ann)).filter((holder) => !shared.includes(holder)))
    const isOwn = (key: string) => own.has(key.split('@')[1] ?? '')
    // Of the user in the shared workspace, and of owners and admins of the own one.
    t.is(own.size, 2)
    t.true((await acceptedKeys(copy)).filter(isOwn).length > 4)
    const before = await readEverything(copy)
    t.true(before.includes(home))
    for (const name of [ann, 'annabel']) t.false(before.includes(name))

    expectOk(await erase(ann, workspace, heir))
    await copy.settle(follower)
    t.deepEqual(await holdersOf(ann), [])
    t.deepEqual(await list(ann), [])
    t.deepEqual((await acceptedKeys(copy)).filter(isOwn), [])
    const after = await readEverything(copy)
    for (const name of [ann, 'annabel', home]) t.false(after.includes(name))
    t.deepEqual(await list(people.viewer.id), ['grouped'])
    t.deepEqual(await list(heir, 'edit'), ['owned'])
    t.deepEqual(
      await list(people.owner.id),
      all.filter((id) => id !== 'private'),
    )
    const { compared, differences } = await copy.findDifferences(follower)
    t.deepEqual(differences, [])
    t.true(compared > ids.length)
    t.deepEqual(follower.failures, [])
    t.is(follower.cursors.length, 1)
    t.deepEqual(await list(randomUUID()), [])
  })
