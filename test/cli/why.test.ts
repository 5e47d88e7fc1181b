import test from 'ava'
import { explainAccess } from '../../src/cli/why.ts'
import { openDatabase } from '../../src/database/database.ts'
import { runCli } from '../support/cli.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
const { seed, pool } = environment
const transport = environment.transports[0] as Transport

const service = 'docs'
const expiry = new Date(Date.now() + 86_400_000).toISOString()

/**
 * Creates a scene: Alice owns the workspace Demo and its documents. Bob is in Backend, which is in
 * Writers. Carol is a viewer with two groups, Dave is not a member, and Erin is deactivated.
 */
async function createScene() {
  const demo = await seed.workspace('Demo')
  const person = async (name: string, fields: object = {}) =>
    seed.user(name, { email: `${name.toLowerCase()}@example.com`, ...fields })
  const ids = {
    alice: await person('Alice'),
    bob: await person('Bob', { external_id: 'bob-1' }),
    carol: await person('Carol'),
    dave: await person('Dave'),
    erin: await person('Erin', { is_active: false }),
    frank: await person('Frank'),
  }
  await seed.member(demo, ids.alice, 'owner')
  await seed.member(demo, ids.bob, 'editor')
  await seed.member(demo, ids.carol, 'viewer')
  await seed.member(demo, ids.erin, 'viewer')
  await seed.member(demo, ids.frank, 'editor')
  const writers = await seed.group(demo, [], 'Writers')
  const backend = await seed.group(demo, [ids.bob], 'Backend')
  await seed.group(demo, [ids.carol], 'Readers')
  await seed.group(demo, [ids.carol], 'Guests')
  await seed.childGroup(demo, writers, backend)
  // AddChildGroup would store this inherited membership.
  await pool.query(
    `insert into group_members (group_id, user_id, workspace_id, is_direct) values ($1, $2, $3, false)`,
    [writers, ids.bob, demo],
  )
  const { key } = await seed.serviceApp(service)
  const publish = await seed.serviceAction(service, 'publish')
  await seed.serviceAction(service, 'archive')
  const role = await seed.customRole(demo, [publish], [ids.carol])
  await pool.query(`update custom_roles set name = 'Publisher' where id = $1`, [role])

  const call = async (method: string, message: object) =>
    expectOk(await transport.call(method, message, { key }))
  const register = (resource_type: string, external_id: string, more: object = {}) =>
    call('Register', {
      service_name: service,
      resource_type,
      external_id,
      workspace_id: demo,
      owner_id: ids.frank,
      ...more,
    })
  const share = async (owner: string, { id }: { id?: string }, message: object) => {
    const token = await environment.token(owner, demo)
    expectOk(await transport.call('Share', { permission_id: id, ...message }, { key, token }))
  }
  const roadmap = await register('document', 'roadmap')
  const handbook = await register('document', 'handbook', { visibility: 'workspace' })
  const plans = await register('folder', 'plans')
  const parent = { resource_type: 'folder', resource_id: plans.resource_id }
  await register('document', 'budget', { parent })
  const group = { grantee_type: 'group', grantee_id: writers }
  await share(ids.frank, roadmap, { ...group, permission: 'edit' })
  const toCarol = { grantee_type: 'user', grantee_id: ids.carol }
  await share(ids.frank, plans, { ...toCarol, permission: 'view', expires_at: expiry })
  return { ids, writers, backend, handbook, plans }
}

const scene = await createScene()
const database = await openDatabase(environment.databaseUrl, () => {})
test.after.always(async () => {
  await database.close()
  await environment.stop()
})
const why = (...args: string[]) => runCli(environment.databaseUrl, 'why', ...args)

const sentences: [user: string, action: string, resource: string, sentence: string][] = [
  // Rules that grant access.
  [
    'alice',
    'edit',
    'document/roadmap',
    'Alice may edit document roadmap: Alice is an owner of Demo.',
  ],
  [
    'frank',
    'manage',
    'document/roadmap',
    'Frank may manage document roadmap: Frank owns the document.',
  ],
  [
    'bob',
    'edit',
    'document/roadmap',
    'Bob may edit document roadmap: the document is shared with the group Writers for editing, and Bob is in it through Backend.',
  ],
  [
    'bob',
    'edit',
    'document/handbook',
    'Bob may edit document handbook: the document is visible to all of Demo, where Bob is an editor.',
  ],
  [
    'carol',
    'view',
    'document/handbook',
    'Carol may view document handbook: the document is visible to all of Demo.',
  ],
  [
    'carol',
    'view',
    'document/budget',
    `Carol may view document budget: the folder plans above it is shared with Carol for viewing until ${expiry}.`,
  ],
  [
    'carol',
    'publish',
    'document/handbook',
    'Carol may publish document handbook: the document is visible to all of Demo; Carol has the role Publisher, which includes publish.',
  ],
  // Denials.
  [
    'nobody',
    'view',
    'document/roadmap',
    'nobody@example.com may not view document roadmap: there is no such user.',
  ],
  [
    'erin',
    'view',
    'document/roadmap',
    'Erin may not view document roadmap: Erin has been deactivated.',
  ],
  [
    'dave',
    'view',
    'document/roadmap',
    'Dave may not view document roadmap: Dave is not a member of Demo, the workspace of the document.',
  ],
  [
    'carol',
    'view',
    'document/other',
    'Carol may not view document other: docs has not registered document other.',
  ],
  [
    'alice',
    'fly',
    'document/roadmap',
    'Alice may not fly document roadmap: docs has not registered the action fly.',
  ],
  [
    'carol',
    'edit',
    'document/roadmap',
    'Carol may not edit document roadmap: Carol is a viewer of Demo; the document is private; no share names Carol or either of the 2 groups that Carol is in.',
  ],
  [
    'carol',
    'edit',
    'document/handbook',
    'Carol may not edit document handbook: Carol is a viewer of Demo; the document is visible to the workspace for viewing; no share names Carol or either of the 2 groups that Carol is in.',
  ],
  [
    'carol',
    'edit',
    'document/budget',
    'Carol may not edit document budget: Carol is a viewer of Demo; the document is private; the folder plans above it is shared with Carol for viewing only.',
  ],
  [
    'bob',
    'view',
    'document/budget',
    'Bob may not view document budget: Bob is an editor of Demo; the document is private; no share of the document or of anything above it names Bob or either of the 2 groups that Bob is in.',
  ],
  [
    'bob',
    'manage',
    'document/roadmap',
    'Bob may not manage document roadmap: Bob is an editor of Demo; Bob does not own the document; shares and visibility do not give manage.',
  ],
  [
    'carol',
    'archive',
    'document/handbook',
    'Carol may not archive document handbook: Carol is a viewer of Demo; Carol may view the document, but has no role that includes archive.',
  ],
]

for (const [user, action, resource, sentence] of sentences) {
  test.serial(sentence, async (t) => {
    const session = { em: database.fork(), statements: database.statements }
    const email = `${user}@example.com`
    const { text } = await explainAccess(session, email, action, `${service}/${resource}`)
    t.is(text, sentence)
  })
}

test.serial('daikon why prints the explanation as a sentence', async (t) => {
  t.deepEqual(await why('alice@example.com', 'edit', 'docs/document/roadmap'), {
    out: 'Alice may edit document roadmap: Alice is an owner of Demo.\n',
    err: '',
    status: 0,
  })
})

test.serial('daikon why --json prints the decision and the reasons', async (t) => {
  const byId = await why(scene.ids.bob, 'edit', 'docs/document/roadmap', '--json')
  const { decision, reasons } = JSON.parse(byId.out)
  t.true(decision)
  const { share_id, ...reason } = reasons[0]
  t.regex(share_id, /^[0-9a-f-]{36}$/)
  t.deepEqual(reason, {
    rule: 'group_share',
    permission: 'edit',
    group_id: scene.writers,
    via: [scene.backend],
  })
  t.deepEqual(await why('bob-1', 'edit', 'docs/document/roadmap', '--json'), byId)

  const denied = await why('carol@example.com', 'manage', 'docs/document/roadmap', '--json')
  t.deepEqual(JSON.parse(denied.out), { decision: false, reasons: [{ rule: 'no_grant' }] })
})

test.serial(
  'daikon why accepts a resource as service/type/id, where the ID may contain slashes',
  async (t) => {
    t.deepEqual(await why('carol@example.com', 'view', 'docs/roadmap'), {
      out: '',
      err: 'docs/roadmap is not of the form <service>/<type>/<id>\n',
      status: 2,
    })
    const { out } = await why('carol@example.com', 'view', 'docs/document/a/b')
    t.regex(out, /docs has not registered document a\/b\.$/m)
  },
)
