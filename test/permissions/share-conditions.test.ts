import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import {
  createWorkspaceFixture,
  type Member,
  type ResourceRecord,
} from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const small = {
  name: 'small',
  description: '',
  expression: 'context.amount <= double(params.limit)',
  parameters: { limit: 'int' },
}
const office = {
  name: 'office',
  description: 'Only from the office',
  expression: "in_cidr(context.address, '10.0.0.0/8')",
  parameters: {},
}
const conditions = [small, office]

/** A service with conditions for its documents, and a guest. */
async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { kind, key } = fixture
  const comment = await seed.serviceAction(kind.service_name, 'comment')
  const declare = (declaration: object = {}) =>
    transport.call('PutResourceType', { ...kind, roles: [], conditions, ...declaration }, { key })
  expectOk(await declare())
  const owner = await fixture.addMember('viewer')
  const guest = await fixture.addMember('viewer')
  const call = async (method: string, message: object, credentials: object = { key }) =>
    expectOk(await transport.call(method, message, credentials))
  const shareWith = (resource: ResourceRecord, message: object, person: Member = guest) =>
    transport.call(
      'Share',
      {
        permission_id: resource.id,
        grantee_type: 'user',
        grantee_id: person.id,
        permission: 'edit',
        ...message,
      },
      { key, token: owner.token },
    )
  const check = async (
    { resource_id, resource_type = 'document' }: ResourceRecord,
    context?: object,
    { person = guest, action = 'edit' } = {},
  ): Promise<boolean> => {
    const checks = [{ ...kind, resource_type, resource_id, action }]
    const message = { checks, ...(context && { context }) }
    const { results } = await call('Check', message, { token: person.token, key })
    return results[0].allowed
  }
  const accessible = async (context?: object, more: object = {}, person = guest) =>
    call(
      'Accessible',
      { ...kind, action: 'edit', workspace_id: fixture.workspace, context, ...more },
      { token: person.token, key },
    )
  const evaluate = (resource: ResourceRecord, message: object = {}) =>
    call('Evaluate', {
      subject: { type: 'user', id: guest.id },
      action: { name: 'edit' },
      resource: { type: 'document', id: resource.resource_id },
      ...message,
    })
  return {
    ...fixture,
    comment,
    declare,
    owner,
    guest,
    call,
    shareWith,
    check,
    accessible,
    evaluate,
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a share counts only while its condition is true ${over}`, async (t) => {
    const { register, owner, shareWith, check, accessible, evaluate, guest, key, call } =
      await createScene(transport)
    const document = await register(owner)
    const condition = { name: 'small', params: { limit: 100 } }
    t.like(expectOk(await shareWith(document, { condition })), { permission: 'edit', condition })
    t.false(await check(document))
    t.false(await check(document, { amount: 101 }))
    t.true(await check(document, { amount: 100 }))
    t.true(await check(document, { amount: 100 }, { action: 'view' }))
    t.false(await check(document, { amount: 100 }, { action: 'manage' }))
    t.false(await check(document, { amount: 'much' }))
    t.deepEqual((await accessible()).resource_ids, [])
    t.deepEqual((await accessible({ amount: 1 })).resource_ids, [document.resource_id])

    const explain = { explain: true }
    t.like(await evaluate(document, { context: { ...explain, amount: 3 } }), {
      decision: true,
      context: { reasons: [{ rule: 'share', permission: 'edit', condition: 'small' }] },
    })
    const missing = await evaluate(document, { context: explain })
    t.like(missing, {
      decision: false,
      context: {
        reasons: [{ rule: 'context_missing', condition: 'small', missing: ['context.amount'] }],
      },
    })
    t.regex(
      missing.context.reason_admin.en,
      /for editing under the condition small, which is not met: the request lacks context\.amount/,
    )
    const failing = await evaluate(document, { context: { ...explain, amount: 'much' } })
    t.like(failing.context.reasons, [{ rule: 'condition_failed', condition: 'small' }])
    const denied = await evaluate(document, { context: { ...explain, amount: 200 } })
    t.like(denied.context.reasons, [{ rule: 'no_grant' }])

    const search = { subject: { type: 'user' }, action: { name: 'edit' } }
    const resource = { type: 'document', id: document.resource_id }
    const find = async (context?: object) =>
      (await call('SearchSubjects', { ...search, resource, context })).results.map(
        ({ id }: { id: string }) => id,
      )
    t.false((await find()).includes(guest.id))
    t.true((await find({ amount: 5 })).includes(guest.id))
    const subject = { type: 'user', id: guest.id }
    const type = { type: 'document' }
    const resources = async (context?: object) =>
      (await call('SearchResources', { ...search, subject, resource: type, context })).results
    t.deepEqual(await resources(), [])
    t.is((await resources({ amount: 5 })).length, 1)
    const actions = async (context?: object) =>
      (await call('SearchActions', { subject, resource, context })).results
    t.deepEqual(await actions(), [])
    t.deepEqual(await actions({ amount: 5 }), [{ name: 'edit' }, { name: 'view' }])

    // Sharing again replaces the condition.
    expectOk(await shareWith(document, { permission: 'view' }))
    t.true(await check(document, undefined, { action: 'view' }))
    expectOk(await shareWith(document, { permission: 'view', condition }))
    t.false(await check(document, undefined, { action: 'view' }))
    t.is(typeof key, 'string')
  })

  test(`a condition of a group share counts below the shared folder ${over}`, async (t) => {
    const {
      register,
      owner,
      guest,
      kind,
      check,
      shareWith,
      accessible,
      workspace,
      call,
      key,
      people,
      service,
    } = await createScene(transport)
    const group = await seed.group(workspace, [guest.id])
    const folder = await register(owner, { resource_type: 'folder' })
    expectOk(
      await transport.call(
        'PutResourceType',
        { service_name: service, resource_type: 'folder', roles: [], conditions: [office] },
        { key },
      ),
    )
    const document = await register(owner, {
      parent: { resource_type: 'folder', resource_id: folder.resource_id },
    })
    const condition = { name: 'office' }
    expectOk(await shareWith(folder, { grantee_type: 'group', grantee_id: group, condition }))
    t.false(await check(document, { address: '192.168.1.1' }))
    t.true(await check(document, { address: '10.1.2.3' }))
    t.deepEqual((await accessible({ address: '10.1.2.3' })).resource_ids, [document.resource_id])
    t.deepEqual((await accessible()).resource_ids, [])
    const evaluation = await call('Evaluate', {
      subject: { type: 'group', id: group },
      action: { name: 'edit' },
      resource: { type: 'document', id: document.resource_id },
      context: { address: '10.0.0.1' },
    })
    t.true(evaluation.decision)
    t.true(await check(document, undefined, { person: people.admin }))
    t.is(kind.service_name, service)
  })

  test(`a requirement binds everybody, and rights that need the action ${over}`, async (t) => {
    const {
      register,
      owner,
      declare,
      check,
      accessible,
      people,
      kind,
      key,
      guest,
      evaluate,
      call,
    } = await createScene(transport)
    const document = await register(owner)
    const requirements = [
      { action: 'edit', condition: 'office' },
      { action: 'manage', condition: 'office' },
    ]
    t.like(expectOk(await declare({ requirements })), { requirements })
    const inside = { address: '10.0.0.1' }
    for (const person of [owner, people.owner, people.admin]) {
      t.false(await check(document, undefined, { person }))
      t.true(await check(document, inside, { person }))
      t.true(await check(document, undefined, { person, action: 'view' }))
      t.like(await accessible(undefined, {}, person), { resource_ids: [], has_full_access: false })
      t.like(await accessible(inside, {}, person), { has_full_access: false })
      t.deepEqual((await accessible(inside, {}, person)).resource_ids, [document.resource_id])
    }
    t.true((await accessible(undefined, { action: 'view' }, people.admin)).has_full_access)
    const message = {
      permission_id: document.id,
      grantee_type: 'user',
      grantee_id: guest.id,
      permission: 'view',
    }
    const credentials = { key, token: owner.token }
    const refused = expectError(await transport.call('Share', message, credentials))
    t.like(refused, { code: 'permission_denied', reason: 'REQUIREMENT_NOT_MET' })
    expectOk(await transport.call('Share', { ...message, context: inside }, credentials))
    t.is(
      expectError(
        await transport.call(
          'UpdateVisibility',
          { permission_id: document.id, visibility: 'workspace' },
          credentials,
        ),
      ).reason,
      'REQUIREMENT_NOT_MET',
    )
    t.is(
      expectError(
        await transport.call(
          'TransferOwnership',
          { permission_id: document.id, owner_id: guest.id },
          credentials,
        ),
      ).reason,
      'REQUIREMENT_NOT_MET',
    )
    const subject = { type: 'user', id: owner.id }
    const evaluation = await evaluate(document, { subject, context: { explain: true } })
    t.like(evaluation.context.reasons, [
      { rule: 'requirement_not_met', condition: 'office' },
      { rule: 'context_missing', missing: ['context.address'] },
    ])
    t.regex(
      evaluation.context.reason_admin.en,
      /edit requires the condition office, which is not met/,
    )
    const resource = { type: 'document', id: document.resource_id }
    const search = { subject: { type: 'user' }, action: { name: 'edit' }, resource }
    t.deepEqual((await call('SearchSubjects', search)).results, [])
    t.is((await call('SearchSubjects', { ...search, context: inside })).results.length, 3)
    // A change holds at once.
    expectOk(await declare())
    t.true(await check(document, undefined, { person: owner }))
    t.is(kind.resource_type, 'document')
  })

  test(`a transfer does not let the submitter of a report approve it, as documented ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { register, owner, guest, declare, call, check, kind, key } = scene
    const docs = readFileSync(join(import.meta.dirname, '../../docs/conditions.md'), 'utf8')
    const [, recipe = ''] = /## Not one's own.*?```json\n(.*?)```/s.exec(docs) ?? []
    const { conditions, requirements } = JSON.parse(recipe)
    await seed.serviceAction(kind.service_name, 'approve')
    const roles = [{ name: 'approver', description: '', actions: ['view', 'approve'] }]
    expectOk(await declare({ conditions, requirements, roles }))
    const report = await register(owner)
    const grant = { permission_id: report.id, grantee_type: 'user', role: 'approver' }
    for (const grantee_id of [owner.id, guest.id])
      await call('Share', { ...grant, grantee_id }, { key, token: owner.token })
    const approves = (person: Member) => check(report, undefined, { person, action: 'approve' })
    t.false(await approves(guest), 'a report without the attribute')
    const attributes = { submitted_by: owner.id }
    await call('UpdateAttributes', { permission_id: report.id, attributes })
    t.deepEqual([await approves(owner), await approves(guest)], [false, true])

    const transfer = { permission_id: report.id, owner_id: guest.id }
    await call('TransferOwnership', transfer, { key, token: owner.token })
    t.deepEqual([await approves(owner), await approves(guest)], [false, true])
  })

  test(`administrators see who may and who might, with and without a context ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { register, owner, guest, shareWith, declare, people, workspace, comment } = scene
    const document = await register(owner)
    const condition = { name: 'small', params: { limit: 100 } }
    expectOk(await shareWith(document, { condition }))
    const byAdmin = async (method: string, message: object) =>
      expectOk(await admin.call(transport, method, { permission_id: document.id, ...message }))
    const explain = (message: object) =>
      byAdmin('ExplainPermission', { action: 'edit', ...message })
    t.like(await explain({ user_id: guest.id }), {
      decision: false,
      reasons: [{ rule: 'context_missing', missing: ['context.amount'] }],
    })
    t.like(await explain({ user_id: guest.id, context: { amount: 7 } }), {
      decision: true,
      reasons: [{ rule: 'share', condition: 'small' }],
    })
    /** Returns the users, read in pages of one, with their conditions if they only might. */
    const list = async (message: object) => {
      const found: Record<string, string[] | 'may'> = {}
      let page_token: string | undefined
      do {
        const page = await byAdmin('ListPermissionSubjects', {
          ...message,
          page_size: 1,
          ...(page_token && { page_token }),
        })
        for (const { user_id, conditional, conditions, reasons } of page.items) {
          t.true(reasons.length > 0)
          found[user_id] = conditional ? conditions : 'may'
        }
        page_token = page.next_page_token ?? undefined
      } while (page_token)
      return found
    }
    const always = { [owner.id]: 'may', [people.owner.id]: 'may', [people.admin.id]: 'may' }
    t.deepEqual(await list({ action: 'edit' }), { ...always, [guest.id]: ['small'] })
    t.deepEqual(await list({ action: 'edit', context: { amount: 5 } }), {
      ...always,
      [guest.id]: 'may',
    })
    t.deepEqual(await list({ action: 'manage' }), always)

    // A requirement that is not met makes everyone conditional, and no one certain.
    await seed.customRole(workspace, [comment], [guest.id])
    const requirements = [
      { action: 'edit', condition: 'office' },
      { action: 'view', condition: 'office' },
    ]
    expectOk(await declare({ requirements }))
    t.deepEqual(await list({ action: 'edit' }), {
      [owner.id]: ['office'],
      [people.owner.id]: ['office'],
      [people.admin.id]: ['office'],
      [guest.id]: ['office', 'small'],
    })
    const inside = { address: '10.0.0.1' }
    t.deepEqual(await list({ action: 'edit', context: inside }), {
      ...always,
      [guest.id]: ['small'],
    })
    expectOk(await shareWith(document, { permission: 'view' }))
    t.deepEqual(await list({ action: 'comment' }), { ...always, [guest.id]: ['office'] })
    t.deepEqual(await list({ action: 'comment', context: inside }), {
      ...always,
      [guest.id]: 'may',
    })
    const first = await byAdmin('ListPermissionSubjects', { page_size: 1, context: inside })
    const other = await admin.call(transport, 'ListPermissionSubjects', {
      permission_id: document.id,
      page_size: 1,
      page_token: first.next_page_token,
    })
    t.is(expectError(other).violations[0]?.field, 'page_token')
  })

  test(`administrators get explanations about subjects of every type ${over}`, async (t) => {
    const { register, owner, guest, workspace, call, key } = await createScene(transport)
    const document = await register(owner)
    const group = await seed.group(workspace, [guest.id])
    const credentials = { key, token: owner.token }
    const shared = { permission_id: document.id, grantee_type: 'group', grantee_id: group }
    await call('Share', { ...shared, permission: 'view' }, credentials)
    const link = await call(
      'CreateLink',
      { permission_id: document.id, permission: 'edit' },
      credentials,
    )
    const explain = (message: object) =>
      admin.call(transport, 'ExplainPermission', {
        permission_id: document.id,
        action: 'view',
        user_id: '',
        ...message,
      })
    const subject = (subject_type: string, subject_id: string) => ({ subject_type, subject_id })
    const rules: [object, boolean, string][] = [
      [{ user_id: guest.id }, true, 'group_share'],
      [subject('user', guest.id), true, 'group_share'],
      [subject('group', group), true, 'group_share'],
      [subject('link', link.id), true, 'link'],
      [subject('link', randomUUID()), false, 'link_unknown'],
      [{ subject_type: 'anonymous' }, false, 'user_unknown'],
    ]
    for (const [message, decision, rule] of rules)
      t.like(expectOk(await explain(message)), { decision, reasons: [{ rule }] })
    for (const wrong of [
      {},
      subject('robot', guest.id),
      { subject_type: 'group' },
      { user_id: 'someone' },
      subject('link', link.token),
      { ...subject('user', guest.id), user_id: guest.id },
      { user_id: guest.id, context: { text: 'x'.repeat(4096) } },
    ])
      t.is(expectError(await explain(wrong)).code, 'invalid_argument', JSON.stringify(wrong))
  })

  test(`a requirement of view binds custom roles and what is public ${over}`, async (t) => {
    const {
      register,
      owner,
      declare,
      check,
      guest,
      workspace,
      comment,
      evaluate,
      call,
      people,
      accessible,
    } = await createScene(transport)
    const document = await register(owner, { visibility: 'workspace' })
    await seed.customRole(workspace, [comment], [guest.id])
    t.true(await check(document, undefined, { action: 'comment' }))
    const requirements = [{ action: 'view', condition: 'office' }]
    expectOk(await declare({ requirements, allow_public: true }))
    t.false(await check(document, undefined, { action: 'comment' }))
    t.true(await check(document, { address: '10.1.1.1' }, { action: 'comment' }))
    const withheld = await evaluate(document, {
      action: { name: 'comment' },
      context: { explain: true, address: '192.168.1.1' },
    })
    t.like(withheld.context, {
      reasons: [{ rule: 'requirement_not_met', condition: 'office' }],
    })
    t.regex(
      withheld.context.reason_admin.en,
      /: view requires the condition office, which is not met\.$/,
    )
    t.true(await check(document, undefined, { action: 'comment', person: people.admin }))
    t.deepEqual((await accessible(undefined, { action: 'comment' })).resource_ids, [])
    t.is((await accessible({ address: '10.1.1.1' }, { action: 'comment' })).resource_ids.length, 1)
    await call('UpdateVisibility', { permission_id: document.id, visibility: 'public' })
    const view = { subject: { type: 'anonymous', id: '-' }, action: { name: 'view' } }
    t.false((await evaluate(document, view)).decision)
    t.true((await evaluate(document, { ...view, context: { address: '10.1.1.1' } })).decision)
    const search = { ...view, resource: { type: 'document' } }
    t.deepEqual((await call('SearchResources', search)).results, [])
    const explained = await evaluate(document, { ...view, context: { explain: true } })
    t.like(explained.context.reasons, [
      { rule: 'requirement_not_met', condition: 'office' },
      { rule: 'context_missing' },
    ])
    // Also for a person who asks with a token of another workspace.
    const elsewhere = await seed.workspace()
    const stranger = await seed.newMember(elsewhere, 'owner')
    const person = { id: stranger, token: await environment.token(stranger, elsewhere) }
    for (const address of ['10.1.1.1', '192.168.1.1', '10.1.1.1'])
      t.is(
        await check(document, { address }, { action: 'view', person }),
        address.startsWith('10.'),
      )
    const found = await call('SearchResources', { ...search, context: { address: '10.1.1.1' } })
    t.is(found.results.length, 1)
    // An owner who is no member any more may view what is public, but is not listed.
    await environment.pool.query('delete from members where user_id = $1', [owner.id])
    const context = { address: '10.1.1.1' }
    const resource = { type: 'document', id: document.resource_id }
    const subjects = { subject: { type: 'user' }, action: { name: 'view' }, resource, context }
    const members = [...Object.values(people), guest].map(({ id }) => id)
    t.deepEqual(
      (await call('SearchSubjects', subjects)).results.map(({ id }: { id: string }) => id),
      members.toSorted(),
    )
  })

  test(`declarations are validated, and used conditions are kept ${over}`, async (t) => {
    const { declare, register, owner, shareWith, kind, key, guest } = await createScene(transport)
    const refused = expectError(
      await declare({
        conditions: [
          { ...office, expression: 'context.amount &&\n nothing' },
          { ...small, parameters: { limit: 'integer' } },
          { ...office, name: 'small' },
          { ...office, name: 'number', expression: '1 + 1' },
        ],
        requirements: [
          { action: 'fly', condition: 'office' },
          { action: 'edit', condition: 'small' },
          { action: 'edit', condition: 'unknown' },
        ],
      }),
    )
    t.is(refused.code, 'invalid_argument')
    t.deepEqual(
      refused.violations?.map(({ field }: { field: string }) => field),
      [
        'conditions[0].expression',
        'conditions[1].parameters.limit',
        'conditions[2].name',
        'conditions[3].expression',
        'requirements[0].action',
        'requirements[1].condition',
        'requirements[2].condition',
      ],
    )
    t.regex(
      refused.violations?.[0]?.message ?? '',
      /is invalid at line 2, column 2: unknown variable/,
    )
    const document = await register(owner)
    for (const [condition, field] of [
      [{ name: 'tiny', params: {} }, 'condition.name'],
      [{ name: 'small', params: {} }, 'condition.params.limit'],
      [{ name: 'small', params: { limit: 1, more: 2 } }, 'condition.params.more'],
      [{ name: 'small', params: { limit: 1.5 } }, 'condition.params.limit'],
    ] as const) {
      const outcome = expectError(await shareWith(document, { condition }))
      t.deepEqual(
        outcome.violations?.map((violation: { field: string }) => violation.field),
        [field],
      )
    }
    expectOk(await shareWith(document, { condition: { name: 'small', params: { limit: 1 } } }))
    t.like(expectError(await declare({ conditions: [office] })), {
      code: 'already_exists',
      reason: 'CONDITION_IN_USE',
      detail:
        'Shares or links use conditions that the declaration would remove, or whose parameters would not fit: small (1)',
    })
    const text = { ...small, expression: "params.limit == '1'", parameters: { limit: 'string' } }
    t.is(expectError(await declare({ conditions: [text] })).reason, 'CONDITION_IN_USE')
    const double = { ...small, expression: 'params.limit < 9.0', parameters: { limit: 'double' } }
    expectOk(await declare({ conditions: [double, office] }))
    t.like(expectOk(await declare({ dry_run: true })), { conditions_used: { small: 1, office: 0 } })
    t.is(
      expectError(await transport.call('DeleteResourceType', kind, { key })).reason,
      'CONDITION_IN_USE',
    )
    const revoke = {
      permission_id: document.id,
      grantee_type: 'user',
      grantee_id: guest.id,
      permission: 'view',
    }
    expectOk(await transport.call('RevokeShare', revoke, { key }))
    expectOk(await transport.call('DeleteResourceType', kind, { key }))
    const listed = expectOk(await admin.call(transport, 'ListResourceTypes', {}))
    t.false(listed.types.some((type: typeof kind) => type.service_name === kind.service_name))
  })

  test(`a page token is bound to the context ${over}`, async (t) => {
    const { register, owner, shareWith, accessible, kind, workspace, guest, key } =
      await createScene(transport)
    for (let count = 0; count < 3; count += 1) {
      const document = await register(owner, { resource_id: randomUUID() })
      expectOk(
        await shareWith(document, { condition: { name: 'small', params: { limit: count } } }),
      )
    }
    const context = { amount: 1, note: 'x' }
    const first = await accessible(context, { limit: 1 })
    t.is(first.resource_ids.length, 1)
    const page = { limit: 1, page_token: first.next_page_token }
    const second = await accessible({ note: 'x', amount: 1 }, page)
    t.is(second.resource_ids.length, 1)
    t.falsy(second.next_page_token)
    const other = {
      ...kind,
      action: 'edit',
      workspace_id: workspace,
      context: { amount: 2 },
      ...page,
    }
    const refused = await transport.call('Accessible', other, { token: guest.token, key })
    t.like(expectError(refused), { code: 'invalid_argument' })
  })
}

test('pages are full although most conditions are false', async (t) => {
  const { register, owner, shareWith, accessible } = await createScene(
    environment.transports[0] as Transport,
  )
  const allowed: string[] = []
  const documents = Array.from({ length: 90 }, async (_, n) => {
    const document = await register(owner, { resource_id: randomUUID() })
    const limit = n % 9 === 0 ? 10 : 0
    expectOk(await shareWith(document, { condition: { name: 'small', params: { limit } } }))
    if (limit > 0) allowed.push(document.resource_id)
  })
  await Promise.all(documents)
  for (const limit of [1, 3, 10, 11, 100]) {
    const ids: string[] = []
    let page_token: string | undefined
    do {
      const page = await accessible({ amount: 5 }, { limit, ...(page_token && { page_token }) })
      ids.push(...page.resource_ids)
      page_token = page.next_page_token || undefined
      if (page_token) t.is(page.resource_ids.length, limit)
    } while (page_token)
    t.deepEqual(ids, allowed.toSorted())
  }
})
