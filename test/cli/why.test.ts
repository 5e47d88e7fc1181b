import { randomUUID } from 'node:crypto'
import test from 'ava'
import { explainAccess } from '../../src/cli/why.ts'
import { createAdmin } from '../support/admin.ts'
import { runCli } from '../support/cli.ts'
import { insertDelegation } from '../support/delegation-rows.ts'
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
  const role = await seed.customRole(demo, [publish], [ids.alice, ids.carol, ids.frank])
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
  const budget = await register('document', 'budget', { parent })
  const group = { grantee_type: 'group', grantee_id: writers }
  await share(ids.frank, roadmap, { ...group, permission: 'edit' })
  const toCarol = { grantee_type: 'user', grantee_id: ids.carol }
  await share(ids.frank, plans, { ...toCarol, permission: 'view', expires_at: expiry })
  return { ids, demo, key, writers, backend, plans, records: { roadmap, handbook, budget } }
}

const scene = await createScene()
const admin = await createAdmin(environment)
const { database } = environment
test.after.always(() => environment.stop())
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
  [
    'alice',
    'publish',
    'document/roadmap',
    'Alice may publish document roadmap: Alice is an owner of Demo; Alice has the role Publisher, which includes publish.',
  ],
  [
    'frank',
    'publish',
    'document/handbook',
    'Frank may publish document handbook: Frank owns the document; the document is visible to all of Demo; Frank has the role Publisher, which includes publish.',
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
    'Bob may not manage document roadmap: Bob is an editor of Demo; Bob does not own the document; no share gives manage.',
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
    const email = `${user}@example.com`
    const { text } = await explainAccess(database, email, action, `${service}/${resource}`)
    t.is(text, sentence)

    const [, type = '', id = ''] = /^(.+)\/(.+)$/.exec(resource) ?? []
    for (const transport of environment.transports) {
      t.is(await evaluate(transport, { type: 'user', id: email }, action, { type, id }), sentence)
      const userId = scene.ids[user as keyof typeof scene.ids]
      const permissionId = scene.records[id as keyof typeof scene.records]?.id
      if (!userId || !permissionId) continue
      const message = { permission_id: permissionId, user_id: userId, action }
      const explained = expectOk(await admin.call(transport, 'ExplainPermission', message))
      t.is(explained.sentence, sentence)
    }
  })
}

test.serial('why explains what an agent may do by a delegation of the user', async (t) => {
  const { ids, demo } = scene
  const row = { workspace_id: demo, service_name: service, actions: ['view'] }
  const id = await insertDelegation(pool, { ...row, user_id: ids.frank })
  const ask = (user: string, action: string, delegation: string) =>
    why(user, action, `${service}/document/roadmap`, '--delegation', delegation)
  const denied = await ask('frank@example.com', 'edit', id)
  t.regex(
    denied.out,
    /Frank may edit document roadmap, but the delegation to report-bot covers view only\./,
  )
  const allowed = await ask('frank@example.com', 'view', id.toUpperCase())
  t.regex(allowed.out, /Frank owns the document; report-bot acts for Frank by a delegation until/)
  for (const [user, delegation] of [
    ['bob@example.com', id],
    ['nobody@example.com', id],
    ['frank@example.com', randomUUID()],
  ] as const) {
    const failed = await ask(user, 'view', delegation)
    t.is(failed.status, 2)
    t.true(failed.err.includes(`${user} has no delegation ${delegation}`), failed.err)
  }
  const malformed = await ask('frank@example.com', 'view', 'report-bot')
  t.is(malformed.status, 2)
  t.regex(malformed.err, /report-bot is not the ID of a delegation/)
})

test.serial('why takes a context', async (t) => {
  const conditions = [
    { name: 'small', description: '', expression: 'context.amount < 10', parameters: {} },
  ]
  const kind = { service_name: service, resource_type: 'invoice' }
  const { key } = scene
  expectOk(await transport.call('PutResourceType', { ...kind, roles: [], conditions }, { key }))
  const { demo, ids } = scene
  const invoice = { ...kind, external_id: 'i1', workspace_id: demo, owner_id: ids.alice }
  const { id } = expectOk(await transport.call('Register', invoice, { key }))
  const share = { permission_id: id, grantee_type: 'user', grantee_id: ids.carol }
  const condition = { name: 'small' }
  const token = await environment.token(ids.alice, demo)
  expectOk(
    await transport.call('Share', { ...share, permission: 'view', condition }, { key, token }),
  )
  const ask = (...context: string[]) =>
    why('carol@example.com', 'view', `${service}/invoice/i1`, ...context)
  const denied = await ask()
  t.regex(
    denied.out,
    /under the condition small, which is not met: the request lacks context\.amount/,
  )
  const allowed = await ask('--context', '{"amount": 9}')
  t.regex(allowed.out, /Carol may view invoice i1: .* under the condition small\./)
  for (const wrong of ['9', '[]', 'x', JSON.stringify({ text: 'x'.repeat(17_000) })]) {
    const failed = await ask('--context', wrong)
    t.not(failed.status, 0)
    t.regex(failed.err, /--context must be/)
  }
})

/** Returns the sentence of an evaluation, alone and in a batch. */
async function evaluate(
  transport: Transport,
  subject: { type: string; id: string },
  name: string,
  resource: { type: string; id: string },
): Promise<string> {
  const message = { subject, action: { name }, resource, context: { explain: true } }
  const { key } = scene
  const { context } = expectOk(await transport.call('Evaluate', message, { key }))
  const batch = expectOk(
    await transport.call('EvaluateBatch', { ...message, evaluations: [{}] }, { key }),
  )
  if (batch.evaluations[0].context.reason_admin.en !== context.reason_admin.en)
    throw new Error('The batch has another sentence')
  return context.reason_admin.en
}

test.serial('the sentence names the user of an access token, but never the token', async (t) => {
  const { ids, demo } = scene
  const other = await seed.workspace('Other')
  await seed.member(other, ids.carol)
  const [token, foreign, unknown] = await Promise.all([
    environment.token(ids.carol, demo),
    environment.token(ids.carol, other),
    environment.token(randomUUID(), demo),
  ])
  const jti = randomUUID()
  const revoked = await environment.token(ids.carol, demo, { jti })
  await seed.denyToken(jti)
  const handbook = { type: 'document', id: 'handbook' }
  for (const transport of environment.transports) {
    const sentence = (id: string, type = 'access_token') =>
      evaluate(transport, { type, id }, 'view', handbook)
    t.is(
      await sentence(token),
      'Carol may view document handbook: the document is visible to all of Demo.',
    )
    t.is(
      await sentence(foreign),
      'Carol may not view document handbook: docs has not registered document handbook in the workspace of the access token.',
    )
    t.is(
      await sentence(revoked),
      'Carol may not view document handbook: the access token has been revoked.',
    )
    t.is(
      await sentence(unknown),
      'The user of the access token may not view document handbook: there is no such user.',
    )
    t.is(
      await sentence('no-token'),
      'The user of the access token may not view document handbook: the access token is not valid.',
    )
    t.is(
      await sentence('r2d2', 'constructor'),
      'r2d2 may not view document handbook: constructor is not a type of subject.',
    )
  }
})

test.serial('an evaluation without `explain` contains no names', async (t) => {
  const subject = { type: 'user', id: 'carol@example.com' }
  const resource = { type: 'document', id: 'handbook' }
  for (const transport of environment.transports) {
    const message = { subject, action: { name: 'view' }, resource }
    const { key } = scene
    t.is(expectOk(await transport.call('Evaluate', message, { key })).context ?? null, null)
  }
})

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

test.serial('a sentence names an ancestor by its display name, external ID or ID', async (t) => {
  const { ids, demo, key } = scene
  const register = async (resource_type: string, more: object) =>
    expectOk(
      await transport.call(
        'Register',
        { service_name: service, resource_type, workspace_id: demo, owner_id: ids.frank, ...more },
        { key },
      ),
    )
  const resource_id = randomUUID()
  const names: [folder: Record<string, string>, title: string][] = [
    [{ external_id: 'f-1', display_name: 'Plans' }, '"Plans"'],
    [{ external_id: 'f-2' }, 'f-2'],
    [{ resource_id }, resource_id],
  ]
  for (const [folder, title] of names) {
    const { resource_id } = await register('folder', folder)
    const external_id = `d-${randomUUID()}`
    await register('document', { external_id, parent: { resource_type: 'folder', resource_id } })
    const token = await environment.token(ids.frank, demo)
    const message = { service_name: service, resource_type: 'folder', resource_id }
    const grant = { grantee_type: 'user', grantee_id: ids.carol, permission: 'view' }
    expectOk(await transport.call('Share', { ...message, ...grant }, { key, token }))
    const { out } = await why('carol@example.com', 'view', `docs/document/${external_id}`)
    t.true(out.endsWith(`: the folder ${title} above it is shared with Carol for viewing.\n`), out)
  }
})

test.serial('daikon why suggests users for an unknown name', async (t) => {
  const suggest = async (name: string) => {
    const { out, status } = await why(name, 'edit', 'docs/document/roadmap')
    t.is(status, 0)
    return out.trim().split('\n')
  }
  const [sentence, suggestion] = await suggest('Bob')
  t.regex(sentence ?? '', /^Bob may not edit document roadmap: there is no such user\.$/)
  t.is(suggestion, 'Did you mean bob@example.com?')
  t.is((await suggest('bob@example.org'))[1], 'Did you mean bob@example.com?')
  t.is((await suggest('nothing-like-it')).length, 1)
  t.is((await suggest('x'.repeat(300))).length, 1)
  const json = await why('Bob', 'edit', 'docs/document/roadmap', '--json')
  t.deepEqual(JSON.parse(json.out), {
    decision: false,
    reasons: [{ rule: 'user_unknown' }],
    suggestions: ['bob@example.com'],
  })
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
