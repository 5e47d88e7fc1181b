import test from 'ava'
import pg from 'pg'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import {
  createWorkspaceFixture,
  type Member,
  type ResourceRecord,
} from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment({ MAX_FACTS_CACHE_BYTES: 10_000_000 })
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const unblocked = {
  name: 'unblocked',
  description: '',
  expression: '!has(resource.attributes.blocked) || !(subject.id in resource.attributes.blocked)',
  parameters: {},
}
const office = {
  name: 'office',
  description: '',
  expression: "in_cidr(context.address, '10.0.0.0/8')",
  parameters: {},
}
const released = {
  name: 'released',
  description: '',
  expression: 'resource.type == "folder" && resource.attributes.released == true',
  parameters: {},
}
const conditions = [unblocked, office, released]
const requires = (action: string, condition = 'unblocked') => ({
  action,
  condition,
  inherited: true,
})

/** Folders whose requirements documents inherit. */
async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { kind, key, people, register, workspace } = fixture
  const comment = await environment.seed.serviceAction(kind.service_name, 'comment')
  const call = async (method: string, message: object, credentials: object = { key }) =>
    expectOk(await transport.call(method, message, credentials))
  const put = (declaration: object, type = 'folder') =>
    transport.call(
      'PutResourceType',
      { ...kind, resource_type: type, roles: [], conditions, ...declaration },
      { key },
    )
  const declare = async (declaration: object, type = 'folder') =>
    expectOk(await put(declaration, type))
  const above = ({ resource_id, resource_type = 'folder' }: ResourceRecord) => ({
    parent: { resource_type, resource_id },
  })
  const folder = (parent?: ResourceRecord, more: object = {}) =>
    register(people.owner, { resource_type: 'folder', ...(parent && above(parent)), ...more })
  const document = (parent: ResourceRecord, more: object = {}) =>
    register(people.owner, { ...above(parent), ...more })
  const block = ({ id }: ResourceRecord, ...blocked: Member[]) =>
    call('UpdateAttributes', {
      permission_id: id,
      attributes: { blocked: blocked.length > 0 ? blocked.map((one) => one.id) : null },
    })
  const evaluate = (
    subject: object,
    action: string,
    record: ResourceRecord,
    context: object = {},
  ) =>
    call('Evaluate', {
      subject,
      action: { name: action },
      resource: { type: record.resource_type ?? 'document', id: record.resource_id },
      context: { explain: true, ...context },
    })
  const may = async (
    subject: object,
    action: string,
    record: ResourceRecord,
    context: object = {},
  ): Promise<boolean> => {
    const { decision } = await evaluate(subject, action, record, context)
    const plain = await evaluate(subject, action, record, { ...context, explain: false })
    if (plain.decision !== decision) throw new Error('An explanation differs from the decision')
    return decision
  }
  const user = ({ id }: Member) => ({ type: 'user', id })
  const accessible = (person: Member, action = 'view', context?: object) =>
    call(
      'Accessible',
      { ...kind, action, workspace_id: workspace, ...(context && { context }) },
      fixture.as(person),
    )
  return {
    ...fixture,
    ...{ comment, call, put, declare, folder, document, block, evaluate, may, user, accessible },
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a requirement binds what inherits only if it says so ${over}`, async (t) => {
    const { declare, folder, document, block, may, user, people, accessible, evaluate } =
      await createScene(transport)
    const outer = await folder(undefined, { visibility: 'workspace' })
    const plan = await document(await folder(outer))
    const other = await document(await folder(undefined, { visibility: 'workspace' }))
    await block(outer, people.viewer, people.admin)
    const seenBy = async (person: Member) =>
      (await accessible(person)).resource_ids.filter((id: string) =>
        [plan.resource_id, other.resource_id].includes(id),
      )
    const [viewer, adminUser, editor] = [people.viewer, people.admin, people.editor].map(user)

    await declare({ requirements: [{ action: 'view', condition: 'unblocked', inherited: false }] })
    t.false(await may(viewer as object, 'view', outer))
    t.true(await may(viewer as object, 'view', plan), 'not inherited')

    const declared = await declare({ requirements: [requires('view')] })
    t.deepEqual(declared.requirements, [requires('view')])
    t.false(await may(viewer as object, 'view', outer))
    t.false(await may(viewer as object, 'view', plan))
    t.true(await may(viewer as object, 'view', other))
    // Whatever grants the action.
    t.false(await may(adminUser as object, 'view', plan))
    t.true(await may(adminUser as object, 'edit', plan), 'another action')
    t.true(await may(editor as object, 'view', plan))
    t.deepEqual(await seenBy(people.viewer), [other.resource_id])
    t.deepEqual(await seenBy(people.admin), [other.resource_id])
    t.is((await accessible(people.admin)).has_full_access, false)
    t.is((await accessible(people.admin, 'edit')).has_full_access, true)

    const reason = {
      rule: 'requirement_not_met',
      condition: 'unblocked',
      resource_type: 'folder',
      resource_id: outer.resource_id,
    }
    const { context } = await evaluate(viewer as object, 'view', plan)
    t.deepEqual(context.reasons, [reason])
    t.regex(
      context.reason_admin.en,
      new RegExp(
        `: view requires the condition unblocked of folder ${outer.resource_id}, which is not met\\.$`,
      ),
    )
    t.deepEqual((await evaluate(viewer as object, 'view', outer)).context.reasons, [reason])

    await block(outer)
    t.true(await may(viewer as object, 'view', plan))
    t.is((await seenBy(people.viewer)).length, 2)
  })

  test(`every ancestor of the type must pass, and is named if it does not ${over}`, async (t) => {
    const { declare, folder, document, block, may, user, people, evaluate } =
      await createScene(transport)
    await declare({ requirements: [requires('view'), requires('view', 'office')] })
    const outer = await folder()
    const middle = await folder(outer)
    const plan = await document(middle, { visibility: 'workspace' })
    const viewer = user(people.viewer)
    const address = { address: '10.0.0.1' }
    t.true(await may(viewer, 'view', plan, address))
    await block(middle, people.viewer)
    t.false(await may(viewer, 'view', plan, address))
    await block(outer, people.viewer)
    await block(middle)
    t.false(await may(viewer, 'view', plan, address))
    const of = ({ resource_id }: ResourceRecord, condition: string) => ({
      condition,
      resource_type: 'folder',
      resource_id,
    })
    const lacking = (record: ResourceRecord) => [
      { rule: 'requirement_not_met', ...of(record, 'office') },
      { rule: 'context_missing', ...of(record, 'office'), missing: ['context.address'] },
    ]
    const { context } = await evaluate(viewer, 'view', plan)
    t.deepEqual(context.reasons, [
      ...lacking(middle),
      { rule: 'requirement_not_met', ...of(outer, 'unblocked') },
      ...lacking(outer),
    ])
    const failed = await evaluate(viewer, 'view', plan, { address: 'nowhere' })
    t.like(failed.context.reasons[1], { rule: 'condition_failed', ...of(middle, 'office') })
  })

  test(`the condition reads the ancestor, and the subject and action of the question ${over}`, async (t) => {
    const { declare, folder, document, may, user, people, call } = await createScene(transport)
    await declare({ requirements: [requires('view', 'released')] })
    const above = await folder(undefined, { attributes: { released: true } })
    const plan = await document(above, {
      visibility: 'workspace',
      attributes: { released: false },
    })
    t.true(await may(user(people.viewer), 'view', plan))
    await call('UpdateAttributes', { permission_id: plan.id, attributes: { released: true } })
    await call('UpdateAttributes', { permission_id: above.id, attributes: { released: false } })
    t.false(await may(user(people.viewer), 'view', plan))
  })

  test(`inheritance that ends or begins, and moves, count at once ${over}`, async (t) => {
    const { declare, folder, document, block, may, user, people, call, isAllowed } =
      await createScene(transport)
    await declare({ requirements: [requires('view')] })
    const [outer, elsewhere] = [await folder(), await folder()]
    const inner = await folder(outer)
    const plan = await document(inner, { visibility: 'workspace' })
    await block(outer, people.viewer)
    const sees = async () => {
      const checked = await isAllowed(people.viewer, 'view', plan)
      if (checked !== (await may(user(people.viewer), 'view', plan)))
        throw new Error('Check and Evaluate differ')
      return checked
    }
    const place = ({ id }: ResourceRecord, message: object) =>
      call('UpdateParent', { permission_id: id, ...message })
    t.false(await sees())
    await place(inner, { inherits: false })
    t.true(await sees())
    await place(inner, { inherits: true })
    t.false(await sees())
    await place(plan, { inherits: false })
    t.true(await sees())
    await place(plan, { inherits: true })
    const { resource_type, resource_id } = elsewhere
    await place(inner, { parent: { resource_type, resource_id } })
    t.true(await sees())
    await block(elsewhere, people.viewer)
    t.false(await sees())
    await place(plan, { detach: true })
    t.true(await sees())
  })

  test(`a requirement binds what is needed underneath ${over}`, async (t) => {
    const fixture = await createScene(transport)
    const { declare, folder, document, block, may, user, people, call, key, comment, workspace } =
      fixture
    await declare({ requirements: [requires('view'), requires('edit'), requires('manage')] })
    await environment.seed.customRole(workspace, [comment], [people.viewer.id])
    const outer = await folder(undefined, { visibility: 'workspace' })
    const [inner, plan] = [await folder(outer), await document(outer)]
    const moved = await document(await folder(), { visibility: 'workspace' })
    t.true(await may(user(people.viewer), 'comment', plan))
    await block(outer, people.viewer, people.editor, people.owner)
    // A custom role gives its actions on what the user may view.
    t.false(await may(user(people.viewer), 'comment', plan))
    const { context } = await fixture.evaluate(user(people.viewer), 'comment', plan)
    t.like(context.reasons, [{ rule: 'requirement_not_met', resource_id: outer.resource_id }])
    // Rights on the resource, also of its owner.
    const refusal = { ok: false, code: 'permission_denied', reason: 'REQUIREMENT_NOT_MET' }
    const asOwner = { key, token: people.owner.token }
    const grantee = { grantee_type: 'user', grantee_id: people.admin.id, permission: 'view' }
    const share = { permission_id: plan.id, ...grantee }
    const refused = await transport.call('Share', share, asOwner)
    t.like(refused, refusal)
    t.regex(
      expectError(refused).detail,
      new RegExp(`^manage requires the condition unblocked of folder ${outer.resource_id}`),
    )
    const transfer = { permission_id: plan.id, owner_id: people.editor.id }
    t.like(await transport.call('TransferOwnership', transfer, asOwner), refusal)
    // The new parent must be editable.
    await block(outer, people.admin)
    const { resource_type, resource_id } = inner
    const move = { permission_id: moved.id, parent: { resource_type, resource_id } }
    const asAdmin = { key, token: people.admin.token }
    t.like(await transport.call('UpdateParent', move, asAdmin), refusal)
    await block(outer)
    await call('UpdateParent', move, asAdmin)
    await call('Share', share, asOwner)
    // Services and administrators are not bound.
    await block(outer, people.owner)
    await call('TransferOwnership', transfer)
  })

  test(`users who may manage a document can remove it from a blocked folder, unless manage is required, too ${over}`, async (t) => {
    const { declare, folder, document, block, may, user, people, key } =
      await createScene(transport)
    await declare({ requirements: [requires('view')] })
    const outer = await folder()
    const plan = await document(outer)
    await block(outer, people.owner)
    const leave = () =>
      transport.call(
        'UpdateParent',
        { permission_id: plan.id, inherits: false },
        { key, token: people.owner.token },
      )
    t.false(await may(user(people.owner), 'view', plan))
    await declare({ requirements: [requires('view'), requires('manage')] })
    t.like(await leave(), { ok: false, reason: 'REQUIREMENT_NOT_MET' })
    await declare({ requirements: [requires('view')] })
    expectOk(await leave())
    t.true(await may(user(people.owner), 'view', plan))
  })

  test(`a requirement binds groups, links and the public of every workspace ${over}`, async (t) => {
    const { declare, folder, document, may, people, call, key, kind, as, user, workspace, share } =
      await createScene(transport)
    await declare({ allow_public: true, requirements: [requires('view', 'released')] })
    await declare({ allow_public: true }, 'document')
    const above = await folder(undefined, { attributes: { released: true } })
    const plan = await document(above, { visibility: 'public' })
    const group = await environment.seed.group(workspace, [people.viewer.id])
    const secret = await document(above)
    await share(people.owner, secret, { group }, 'view')
    const { token } = await call(
      'CreateLink',
      { permission_id: secret.id, permission: 'view' },
      as(people.owner),
    )
    const elsewhere = await environment.seed.workspace()
    const stranger = await environment.seed.newMember(elsewhere, 'owner')
    const foreign = await environment.token(stranger, elsewhere)
    const subjects: [object, ResourceRecord][] = [
      [{ type: 'anonymous', id: '-' }, plan],
      [{ type: 'group', id: group }, secret],
      [{ type: 'link', id: token }, secret],
      [{ type: 'access_token', id: foreign }, plan],
      [user(people.viewer), secret],
    ]
    const checks = [{ ...kind, resource_id: plan.resource_id, action: 'view' }]
    const checkOfStranger = async () =>
      (await call('Check', { checks }, { token: foreign, key })).results[0].allowed
    const found = async (subject: object) => {
      const message = { subject, action: { name: 'view' }, resource: { type: 'document' } }
      const context = { workspace_id: workspace }
      return (await call('SearchResources', { ...message, context })).results.length as number
    }
    const subjectsOf = async (type: string) => {
      const resource = { type: 'document', id: secret.resource_id }
      const message = { subject: { type }, action: { name: 'view' }, resource }
      return (await call('SearchSubjects', message)).results.length as number
    }
    for (const [subject, record] of subjects)
      t.true(await may(subject, 'view', record), JSON.stringify(subject))
    t.true(await checkOfStranger())
    t.is(await found({ type: 'anonymous', id: '-' }), 1)
    t.is(await found({ type: 'link', id: token }), 1)
    t.is(await found({ type: 'group', id: group }), 2)
    t.is(await subjectsOf('user'), 3)
    t.is(await subjectsOf('group'), 1)
    await call('UpdateAttributes', { permission_id: above.id, attributes: { released: false } })
    for (const [subject, record] of subjects)
      t.false(await may(subject, 'view', record), JSON.stringify(subject))
    t.false(await checkOfStranger())
    t.is(await found({ type: 'anonymous', id: '-' }), 0)
    t.is(await found({ type: 'link', id: token }), 0)
    t.is(await found({ type: 'group', id: group }), 0)
    t.is(await subjectsOf('user'), 0)
    t.is(await subjectsOf('group'), 0)
  })

  test(`a dry run counts what is below, and a change of inheritance is recorded ${over}`, async (t) => {
    const { declare, folder, document, kind, call } = await createScene(transport)
    t.is((await declare({ dry_run: true, requirements: [requires('view')] })).resources_below, 0)
    const outer = await folder()
    const inner = await folder(outer)
    await document(inner)
    const apart = await document(inner)
    await call('UpdateParent', { permission_id: apart.id, inherits: false })
    const { resource_type, resource_id } = apart
    await document(outer, { parent: { resource_type, resource_id } })
    t.like(await declare({ dry_run: true, requirements: [requires('view')] }), {
      resources: 2,
      resources_below: 2,
    })
    const plain = { requirements: [{ action: 'view', condition: 'unblocked', inherited: false }] }
    t.falsy((await declare({ dry_run: true, ...plain })).resources_below)
    await declare(plain)
    await declare({ requirements: [requires('view')] })
    t.deepEqual((await declare({ requirements: [requires('view')] })).requirements, [
      requires('view'),
    ])
    const { types } = await call('ListResourceTypes', { service_name: kind.service_name })
    t.deepEqual(types[0].requirements, [requires('view')])
    const { rows } = await environment.pool.query(
      `select detail->>'added' as added, detail->>'removed' as removed from activity
       where action = 'resource_type.declared' and detail->>'service_name' = $1 order by id`,
      [kind.service_name],
    )
    t.is(rows.length, 2)
    t.deepEqual(rows[1], {
      added: 'view requires unblocked, inherited',
      removed: 'view requires unblocked',
    })
    const absent = [{ action: 'view', condition: 'unblocked' }]
    t.deepEqual((await declare({ requirements: absent })).requirements, plain.requirements)
  })

  test(`administrators see the ancestor in explanations and in what would be ${over}`, async (t) => {
    const { declare, folder, document, block, people } = await createScene(transport)
    await declare({ requirements: [requires('view')] })
    const outer = await folder()
    const plan = await document(outer, { visibility: 'workspace' })
    await block(outer, people.viewer)
    const reasons = [
      {
        rule: 'requirement_not_met',
        condition: 'unblocked',
        resource_type: 'folder',
        resource_id: outer.resource_id,
      },
    ]
    const subject = { type: 'user', id: people.viewer.id }
    const explained = await admin.call(transport, 'ExplainPermission', {
      permission_id: plan.id,
      action: 'view',
      user_id: people.viewer.id,
    })
    t.like(expectOk(explained), { decision: false, reasons })
    const whatIf = { permission_id: plan.id, subject, action: 'view' }
    const membership = { with: [{ membership: { role: 'admin' } }] }
    const assumed = await admin.call(transport, 'WhatIf', { ...whatIf, ...membership })
    t.like(expectOk(assumed), { decision: false, reasons })
  })
}

test('an inherited requirement is refused while an older node is connected', async (t) => {
  const separate = await startTestEnvironment()
  t.teardown(() => separate.stop())
  const { connectionString } = separate.pool.options as { connectionString: string }
  for (const transport of separate.transports) {
    const { kind, key } = await createWorkspaceFixture(separate, transport)
    const put = (requirements: object[]) =>
      transport.call('PutResourceType', { ...kind, roles: [], conditions, requirements }, { key })
    const older = new pg.Client({ connectionString })
    older.on('error', () => {})
    await older.connect()
    await older.query(`select set_config('application_name', 'daikon/84', false)`)
    const refused = await put([requires('view')])
    t.like(refused, { ok: false, code: 'already_exists', reason: 'ROLLOUT_IN_PROGRESS' })
    t.regex(expectError(refused).detail, /^An inherited requirement is refused/)
    expectOk(await put([{ action: 'view', condition: 'unblocked' }]))
    await older.query(`set application_name = 'psql'`)
    await older.end()
    expectOk(await put([requires('view')]))
  }
})
