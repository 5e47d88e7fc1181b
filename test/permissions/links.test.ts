import { createHash, randomUUID } from 'node:crypto'
import test from 'ava'
import pg from 'pg'
import { deleteExpiredLinks } from '../../src/permissions/link-expiry.ts'
import { createStores } from '../../src/server/stores.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type ResourceRecord } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment({
  MAX_FACTS_CACHE_BYTES: 10_000_000,
  MAX_LINKS_PER_RESOURCE: 3,
})
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const actions = ['comment', 'edit', 'manage', 'publish', 'view']

/** A folder with a document in it, whose type has the roles `commenter` and `manager`. */
async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { people, key, kind, service } = fixture
  for (const name of ['comment', 'publish']) await seed.serviceAction(service, name)
  const declaration = {
    ...kind,
    roles: [
      { name: 'commenter', actions: ['view', 'comment'] },
      { name: 'manager', actions: ['manage'] },
    ],
  }
  expectOk(await transport.call('PutResourceType', declaration, { key }))
  const record = await fixture.register(people.editor)
  const credentials = fixture.as(people.editor)
  const create = (message: object, { id }: ResourceRecord = record) =>
    transport.call('CreateLink', { permission_id: id, ...message }, credentials)
  const call = async (method: string, message: object) =>
    expectOk(await transport.call(method, message, { key }))
  const decide = async (token: string, { resource_type, resource_id }: ResourceRecord) => {
    const evaluations = actions.map((name) => ({
      subject: { type: 'link', id: token },
      action: { name },
      resource: { type: resource_type, id: resource_id },
    }))
    const { evaluations: results } = await call('EvaluateBatch', { evaluations })
    return actions.filter((_, index) => results[index].decision)
  }
  const explain = async (
    token: string,
    name: string,
    { resource_type, resource_id }: ResourceRecord,
  ) => {
    const message = {
      subject: { type: 'link', id: token },
      action: { name },
      resource: { type: resource_type, id: resource_id },
      context: { explain: true },
    }
    const { decision, context } = await call('Evaluate', message)
    return { decision, reasons: context.reasons, sentence: context.reason_admin.en }
  }
  /** Returns what a link opens, read in pages of one. */
  const search = async (token: string, action: string, type: string, context?: object) => {
    const found: string[] = []
    let page: object = { limit: 1 }
    for (;;) {
      const message = {
        subject: { type: 'link', id: token },
        action: { name: action },
        resource: { type },
        page,
        ...(context && { context }),
      }
      const result = await call('SearchResources', message)
      found.push(...result.results.map(({ id }: { id: string }) => id))
      if (!result.page.next_token) return found
      page = { token: result.page.next_token }
    }
  }
  return { ...fixture, declaration, record, credentials, create, call, decide, explain, search }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a link is created, listed and revoked, and its token is kept nowhere ${over}`, async (t) => {
    const { record, create, credentials, people, kind, decide } = await createScene(transport)
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const created = expectOk(await create({ permission: 'view', name: 'Press', expires_at }))
    t.regex(created.token, /^dl_[\w-]{43}$/)
    t.like(created, { permission: 'view', name: 'Press', created_by: people.editor.id })
    const { rows } = await pool.query('select * from resource_links where id = $1', [created.id])
    t.is(rows[0].token_hash, createHash('sha256').update(created.token).digest('hex'))
    t.false(JSON.stringify(rows).includes(created.token))
    const natural = { ...kind, resource_id: record.resource_id }
    const second = expectOk(
      await transport.call('CreateLink', { ...natural, role: 'commenter' }, credentials),
    )
    t.like(second, { role: 'commenter' })
    for (const reference of [{ permission_id: record.id }, natural]) {
      const { links } = expectOk(await transport.call('ListLinks', reference, credentials))
      t.deepEqual(
        links.map(({ id }: { id: string }) => id),
        [created.id, second.id],
      )
      t.true(links.every((link: object) => !('token' in link)))
      t.is(new Date(links[0].expires_at).toISOString(), expires_at)
    }
    t.deepEqual(await decide(created.token, record), ['view'])
    const revoke = (link_id: string, reference: object) =>
      transport.call('DeleteLink', { ...reference, link_id }, credentials)
    expectOk(await revoke(created.id, natural))
    t.deepEqual(await decide(created.token, record), [])
    t.is(expectError(await revoke(created.id, natural)).reason, 'LINK_NOT_FOUND')
    expectOk(await revoke(second.id, { permission_id: record.id }))
    const events = await pool.query(
      `select action, detail from activity where target_id = $1 and action like '%link%' order by id`,
      [record.id],
    )
    t.deepEqual(
      events.rows.map(({ action, detail }) => [action, detail.link_id, detail.permission]),
      [
        ['permission.link_created', created.id, 'view'],
        ['permission.link_created', second.id, 'commenter'],
        ['permission.link_revoked', created.id, 'view'],
        ['permission.link_revoked', second.id, 'commenter'],
      ],
    )
    t.false(JSON.stringify(events.rows).includes(created.token.slice(3)))
  })

  test(`links take manage, and grant neither manage nor unknown roles ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { record, people, create, key } = scene
    const link = expectOk(await create({ permission: 'view' }))
    const reference = { permission_id: record.id }
    const attempts: [string, object][] = [
      ['CreateLink', { ...reference, permission: 'view' }],
      ['ListLinks', reference],
      ['DeleteLink', { ...reference, link_id: link.id }],
    ]
    for (const [method, message] of attempts) {
      const byViewer = await transport.call(method, message, scene.as(people.viewer))
      t.is(expectError(byViewer).code, 'permission_denied', method)
      const byService = await transport.call(method, message, { key })
      t.is(expectError(byService).code, 'unauthenticated', method)
    }
    const violation = async (message: object) => {
      const [first] = expectError(await create(message)).violations
      return `${first?.field} ${first?.message}`
    }
    t.is(await violation({ role: 'manager' }), 'role must not contain manage')
    t.is(await violation({ role: 'unknown' }), 'role is not a role of document: unknown')
    t.is(await violation({}), 'permission is required, or role')
    const both = { permission: 'view', role: 'commenter' }
    t.is(await violation(both), 'role must not be combined with permission')
    t.is(await violation({ permission: 'manage' }), 'permission must be one of view, edit')
    const past = { permission: 'view', expires_at: '2020-01-01T00:00:00Z' }
    t.is(await violation(past), 'expires_at must be in the future')
    for (let count = 1; count < 3; count += 1) expectOk(await create({ permission: 'view' }))
    const tooMany = expectError(await create({ permission: 'view' }))
    t.is(tooMany.reason, 'QUOTA_EXCEEDED')
    t.regex(tooMany.detail, /quota of 3 links per resource \(MAX_LINKS_PER_RESOURCE\)/)
  })

  test(`a link opens its resource and what inherits from it, and nothing else ${over}`, async (t) => {
    const { people, register, create, decide, search, workspace, kind, key, ...scene } =
      await createScene(transport)
    const { resource_type, resource_id, ...folder } = await register(people.editor, {
      resource_type: 'folder',
    })
    const parent = { resource_type, resource_id }
    const inside = await register(people.owner, { parent })
    const below = await register(people.owner, {
      parent: { resource_type: 'document', resource_id: inside.resource_id },
    })
    const closed = await register(people.owner, { parent })
    const cut = { permission_id: closed.id, inherits: false }
    expectOk(await transport.call('UpdateParent', cut, { key }))
    const open = await register(people.owner, { visibility: 'workspace' })
    const root = { ...folder, resource_type, resource_id }
    const { token } = expectOk(await create({ permission: 'edit' }, root))
    const { token: comments } = expectOk(await create({ role: 'commenter' }))
    for (const one of [root, inside, below]) t.deepEqual(await decide(token, one), ['edit', 'view'])
    t.deepEqual(await decide(comments, scene.record), ['comment', 'view'])
    for (const one of [closed, open, scene.record]) t.deepEqual(await decide(token, one), [])
    for (const one of [root, inside, open]) t.deepEqual(await decide(comments, one), [])

    const documents = [inside.resource_id, below.resource_id].toSorted()
    t.deepEqual(await search(token, 'view', 'document'), documents)
    t.deepEqual(await search(token, 'edit', 'document'), documents)
    t.deepEqual(await search(token, 'manage', 'document'), [])
    t.deepEqual(await search(token, 'comment', 'document'), [])
    t.deepEqual(await search(token, 'view', 'folder'), [resource_id])
    t.deepEqual(await search(token, 'view', 'unknown'), [])
    t.deepEqual(await search(comments, 'comment', 'document'), [scene.record.resource_id])
    t.deepEqual(await search(token, 'view', 'document', { workspace_id: workspace }), documents)
    const elsewhere = { workspace_id: await seed.workspace() }
    t.deepEqual(await search(token, 'view', 'document', elsewhere), [])
    const actionSearch = {
      subject: { type: 'link', id: comments },
      resource: { type: 'document', id: scene.record.resource_id },
    }
    const found = await scene.call('SearchActions', actionSearch)
    t.deepEqual(
      found.results.map(({ name }: { name: string }) => name),
      ['comment', 'view'],
    )
    // Links are no subjects of searches.
    const subjects = await scene.call('SearchSubjects', {
      subject: { type: 'link' },
      action: { name: 'view' },
      resource: { type: 'document', id: inside.resource_id },
    })
    t.deepEqual(subjects.results, [])
    const people_ = await scene.call('SearchSubjects', {
      subject: { type: 'user' },
      action: { name: 'view' },
      resource: { type: 'document', id: inside.resource_id },
    })
    t.is(people_.results.length, 3)

    // Another service cannot use the link for its own resources.
    const other = await createWorkspaceFixture(environment, transport)
    const message = {
      subject: { type: 'link', id: token },
      action: { name: 'view' },
      resource: { type: 'document' },
    }
    const foreign = expectOk(await transport.call('SearchResources', message, { key: other.key }))
    t.deepEqual(foreign.results, [])
  })

  test(`any valid link may view what is public, and lists never contain it ${over}`, async (t) => {
    const { declaration, key, register, people, create, decide, explain, search } =
      await createScene(transport)
    const allowed = { ...declaration, allow_public: true }
    expectOk(await transport.call('PutResourceType', allowed, { key }))
    const open = await register(people.owner, { visibility: 'public' })
    const elsewhere = await seed.workspace()
    const stranger = await seed.newMember(elsewhere, 'owner')
    const foreign = await register(
      { id: stranger, token: '' },
      { visibility: 'public', workspace_id: elsewhere },
    )
    const { token } = expectOk(await create({ role: 'commenter' }))
    for (const one of [open, foreign]) {
      t.deepEqual(await decide(token, one), ['view'])
      t.deepEqual((await explain(token, 'view', one)).reasons, [{ rule: 'public' }])
      t.deepEqual(await decide('dl_unknown', one), [])
    }
    t.false((await search(token, 'view', 'document')).includes(open.resource_id))
  })

  test(`a link opens nothing once its workspace is deleted ${over}`, async (t) => {
    const { workspace, people, kind, record, create, decide, search } = await createScene(transport)
    const { token } = expectOk(await create({ permission: 'view' }))
    t.deepEqual(await decide(token, record), ['view'])
    t.deepEqual(await search(token, 'view', kind.resource_type), [record.resource_id])
    expectOk(await transport.call('DeleteWorkspace', { workspace_id: workspace }, people.owner))
    // The row of the link exists until it has been swept.
    const { rows } = await pool.query('select from resource_links where workspace_id = $1', [
      workspace,
    ])
    t.is(rows.length, 1)
    t.deepEqual(await decide(token, record), [])
    t.deepEqual(await search(token, 'view', kind.resource_type), [])
  })

  test(`decisions about links are explained ${over}`, async (t) => {
    const { record, register, people, create, explain } = await createScene(transport)
    const { id, token } = expectOk(await create({ permission: 'view', name: 'Press' }))
    const { resource_id } = record
    t.deepEqual(await explain(token, 'view', record), {
      decision: true,
      reasons: [{ rule: 'link', permission: 'view', link_id: id }],
      sentence: `Anyone with the link Press may view document ${resource_id}: the link opens the document for viewing.`,
    })
    const explained = await admin.call(transport, 'ExplainPermission', {
      permission_id: record.id,
      user_id: '',
      subject_type: 'link',
      subject_id: id,
      action: 'view',
    })
    t.like(expectOk(explained).reasons[0], { rule: 'link', permission: 'view', link_id: id })
    t.deepEqual(await explain(token, 'edit', record), {
      decision: false,
      reasons: [{ rule: 'no_grant' }],
      sentence: `Anyone with the link Press may not edit document ${resource_id}: the link opens the document for viewing only, which does not include edit.`,
    })
    const other = await register(people.owner)
    const closed = await explain(token, 'view', other)
    t.deepEqual(closed.reasons, [{ rule: 'no_grant' }])
    t.regex(closed.sentence, /the link does not open the document\.$/)
    const unknown = await explain(`dl_${'x'.repeat(43)}`, 'view', record)
    t.deepEqual(unknown.reasons, [{ rule: 'link_unknown' }])
    t.regex(unknown.sentence, /^Anyone with the link may not view .*: the link is not valid\.$/)
    t.deepEqual((await explain(id, 'view', record)).reasons, [{ rule: 'link_unknown' }])
  })

  test.serial(`an expired link grants nothing, and its expiry is recorded ${over}`, async (t) => {
    const { record, create, decide, explain, credentials } = await createScene(transport)
    const { id, token } = expectOk(await create({ permission: 'edit' }))
    t.deepEqual(await decide(token, record), ['edit', 'view'])
    await pool.query(`update resource_links set expires_at = statement_timestamp() where id = $1`, [
      id,
    ])
    t.deepEqual(await decide(token, record), [])
    t.deepEqual((await explain(token, 'view', record)).reasons, [{ rule: 'link_unknown' }])
    const reference = { permission_id: record.id }
    const { links } = expectOk(await transport.call('ListLinks', reference, credentials))
    t.deepEqual(links, [])
    const missing = await transport.call('DeleteLink', { ...reference, link_id: id }, credentials)
    t.is(expectError(missing).code, 'not_found')
    t.true((await deleteExpiredLinks(createStores(environment.database.fork()))) >= 1)
    const { rows } = await pool.query(
      `select detail ->> 'link_id' as link from activity
       where target_id = $1 and action = 'permission.link_expired'`,
      [record.id],
    )
    t.deepEqual(rows, [{ link: id }])
  })

  test(`a role that a link has cannot be removed, and never gives manage ${over}`, async (t) => {
    const { record, create, decide, declaration, key, kind } = await createScene(transport)
    const { token } = expectOk(await create({ role: 'commenter' }))
    const removed = { ...declaration, roles: [] }
    const refused = expectError(await transport.call('PutResourceType', removed, { key }))
    t.is(refused.reason, 'ROLE_IN_USE')
    const dry = { ...declaration, dry_run: true }
    const { roles_used } = expectOk(await transport.call('PutResourceType', dry, { key }))
    t.deepEqual(roles_used, { commenter: 1, manager: 0 })
    const grown = {
      ...kind,
      roles: [{ name: 'commenter', actions: ['edit', 'manage', 'publish'] }],
    }
    expectOk(await transport.call('PutResourceType', grown, { key }))
    t.deepEqual(await decide(token, record), ['edit', 'publish', 'view'])
  })

  test(`a link counts only while its condition is true ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { record, create, declaration, key, search, register, people, call, credentials } = scene
    const conditions = [
      {
        name: 'small',
        description: '',
        expression:
          "context.amount <= params.limit && subject.type == 'link' && subject.role == ''",
        parameters: { limit: 'int' },
      },
      { name: 'named', description: '', expression: 'subject.id == context.link', parameters: {} },
    ]
    const declare = (more: object = {}) =>
      transport.call('PutResourceType', { ...declaration, conditions, ...more }, { key })
    expectOk(await declare())
    const below = await register(people.owner, {
      parent: { resource_type: 'document', resource_id: record.resource_id },
    })
    const condition = { name: 'small', params: { limit: 10 } }
    const created = expectOk(await create({ permission: 'edit', condition }))
    t.deepEqual(created.condition, condition)
    t.is(created.permission, 'edit')
    const { links } = expectOk(
      await transport.call('ListLinks', { permission_id: record.id }, credentials),
    )
    t.deepEqual(links[0].condition, condition)
    t.is(links[0].permission, 'edit')
    const { token, id } = created
    const evaluate = async (
      context: object,
      { resource_id }: ResourceRecord = record,
      action = 'view',
      subject: object = { type: 'link', id: token },
    ) =>
      call('Evaluate', {
        subject,
        action: { name: action },
        resource: { type: 'document', id: resource_id },
        context,
      })
    for (const resource of [record, below]) {
      for (const action of ['view', 'edit']) {
        t.false((await evaluate({}, resource, action)).decision)
        t.false((await evaluate({ amount: 11 }, resource, action)).decision)
        t.true((await evaluate({ amount: 10 }, resource, action)).decision)
      }
      t.false((await evaluate({ amount: 10 }, resource, 'manage')).decision)
    }
    const ids = [record.resource_id, below.resource_id].toSorted()
    t.deepEqual(await search(token, 'edit', 'document', { amount: 1 }), ids)
    t.deepEqual(await search(token, 'edit', 'document', { amount: 11 }), [])
    t.deepEqual(await search(token, 'edit', 'document'), [])

    const batch = await call('EvaluateBatch', {
      subject: { type: 'link', id: token },
      action: { name: 'view' },
      resource: { type: 'document', id: record.resource_id },
      evaluations: [{ context: { amount: 10 } }, { context: { amount: 11 } }, {}],
    })
    t.deepEqual(
      batch.evaluations.map(({ decision }: { decision: boolean }) => decision),
      [true, false, false],
    )

    const missing = await evaluate({ explain: true })
    t.deepEqual(missing.context.reasons, [
      { rule: 'context_missing', condition: 'small', link_id: id, missing: ['context.amount'] },
    ])
    t.regex(
      missing.context.reason_admin.en,
      /the link opens the document for editing under the condition small, which is not met: the request lacks context\.amount\.$/,
    )
    const denied = await evaluate({ explain: true, amount: 11 })
    t.deepEqual(denied.context.reasons, [{ rule: 'no_grant' }])
    const allowed = await evaluate({ explain: true, amount: 10 }, below)
    t.like(allowed.context.reasons[0], { rule: 'link', condition: 'small', link_id: id })
    t.is(allowed.context.reasons[0].inherited_from.resource_id, record.resource_id)

    // The subject of the condition is the link itself, which its token never names.
    const own = expectOk(await create({ role: 'commenter', condition: { name: 'named' } }))
    const link = { type: 'link', id: own.token }
    t.true((await evaluate({ link: own.id }, record, 'comment', link)).decision)
    t.false((await evaluate({ link: own.token }, record, 'comment', link)).decision)

    const violation = async (wrong: object) => {
      const [first] = expectError(await create({ permission: 'view', condition: wrong })).violations
      return `${first?.field} ${first?.message}`
    }
    t.is(
      await violation({ name: 'unknown' }),
      'condition.name is not a condition of document: unknown',
    )
    t.is(await violation({ name: 'small' }), 'condition.params.limit is required')
    t.regex(
      await violation({ name: 'small', params: { limit: 'x' } }),
      /^condition\.params\.limit /,
    )

    const dry = expectOk(await declare({ dry_run: true }))
    t.deepEqual(dry.conditions_used, { small: 1, named: 1 })
    const refused = expectError(await declare({ conditions: [conditions[0]] }))
    t.is(refused.reason, 'CONDITION_IN_USE')
    t.regex(refused.detail, /named \(1\)$/)
    const text = { ...conditions[0], parameters: { limit: 'bool' }, expression: 'params.limit' }
    t.is(
      expectError(await declare({ conditions: [text, conditions[1]] })).reason,
      'CONDITION_IN_USE',
    )
    const always = { ...conditions[0], expression: 'params.limit > 0' }
    expectOk(await declare({ conditions: [always, conditions[1]] }))
    t.true((await evaluate({})).decision)
    const { rows } = await pool.query(
      `select detail ->> 'condition' as condition from activity
       where target_id = $1 and action = 'permission.link_created' order by id`,
      [record.id],
    )
    t.deepEqual(
      rows.map(({ condition }) => condition),
      ['small {"limit":10}', 'named'],
    )
  })

  test(`the requirements of a type bind its links ${over}`, async (t) => {
    const { record, create, declaration, key, search, call, people, kind, ...scene } =
      await createScene(transport)
    const restricted = {
      ...declaration,
      allow_public: true,
      conditions: [
        {
          name: 'open',
          description: '',
          expression: '!has(resource.attributes.closed) && context.hour < 18',
          parameters: {},
        },
      ],
      requirements: [
        { action: 'view', condition: 'open' },
        { action: 'manage', condition: 'open' },
      ],
    }
    expectOk(await transport.call('PutResourceType', restricted, { key }))
    const reference = { permission_id: record.id }
    const { token } = expectOk(await create({ permission: 'edit', context: { hour: 1 } }))
    const decide = async (context: object, action = 'view', resource = record) => {
      const { decision, context: explained } = await call('Evaluate', {
        subject: { type: 'link', id: token },
        action: { name: action },
        resource: { type: 'document', id: resource.resource_id },
        context: { ...context, explain: true },
      })
      return decision ? true : explained.reasons[0].rule
    }
    t.true(await decide({ hour: 17 }))
    t.is(await decide({ hour: 18 }), 'requirement_not_met')
    t.is(await decide({}), 'requirement_not_met')
    t.true(await decide({}, 'edit'))
    t.deepEqual(await search(token, 'view', 'document', { hour: 9 }), [record.resource_id])
    t.deepEqual(await search(token, 'view', 'document', { hour: 18 }), [])
    const open = await scene.register(people.owner, { visibility: 'public' })
    t.true(await decide({ hour: 9 }, 'view', open))
    t.is(await decide({ hour: 19 }, 'view', open), 'requirement_not_met')
    const closed = { ...reference, attributes: { closed: true } }
    expectOk(await transport.call('UpdateAttributes', closed, { key }))
    t.is(await decide({ hour: 17 }), 'requirement_not_met')
    const reopened = { ...reference, attributes: { closed: null } }
    expectOk(await transport.call('UpdateAttributes', reopened, { key }))

    // What takes `manage` takes its context, in a query too.
    const { credentials } = scene
    const allowed = { context: { hour: 2 } }
    const late = { context: { hour: 20 } }
    const [link] = expectOk(
      await transport.call('ListLinks', { ...reference, ...allowed }, credentials),
    ).links
    for (const [method, message] of [
      ['CreateLink', { ...reference, permission: 'view' }],
      ['ListLinks', reference],
      ['DeleteLink', { ...reference, link_id: link.id }],
      ['Unregister', reference],
    ] as const) {
      for (const context of [{}, late]) {
        const refused = await transport.call(method, { ...message, ...context }, credentials)
        t.is(expectError(refused).reason, 'REQUIREMENT_NOT_MET', method)
      }
      expectOk(await transport.call(method, { ...message, ...allowed }, credentials))
    }
    t.is(kind.service_name, scene.service)
  })

  test(`a link with a condition opens what is public in its folder, too ${over}`, async (t) => {
    const { declaration, record, create, key, people, register, search } =
      await createScene(transport)
    const conditions = [
      { name: 'paid', description: '', expression: 'context.paid', parameters: {} },
    ]
    const declared = { ...declaration, conditions, allow_public: true }
    expectOk(await transport.call('PutResourceType', declared, { key }))
    const { resource_type, resource_id } = record
    const parent = { resource_type, resource_id }
    const open = await register(people.editor, { parent, visibility: 'public' })
    await register(people.editor, { visibility: 'public' })
    const { token } = expectOk(await create({ permission: 'view', condition: { name: 'paid' } }))
    const opened = [resource_id, open.resource_id].toSorted()
    t.deepEqual(await search(token, 'view', resource_type, { paid: true }), opened)
    t.deepEqual(await search(token, 'view', resource_type), [])
  })

  test(`administrators manage links, and unregistering removes them ${over}`, async (t) => {
    const { record, key, decide } = await createScene(transport)
    const reference = { permission_id: record.id }
    const call = async (method: string, message: object) =>
      expectOk(await admin.call(transport, method, message))
    const first = await call('CreateLink', { ...reference, permission: 'view' })
    const second = await call('CreateLink', { ...reference, permission: 'view' })
    t.is((await call('ListLinks', reference)).links.length, 2)
    await call('DeleteLink', { ...reference, link_id: first.id })
    t.deepEqual(await decide(second.token, record), ['view'])
    expectOk(await transport.call('Unregister', reference, { key }))
    t.deepEqual(await decide(second.token, record), [])
    const { rows } = await pool.query('select from resource_links where id = $1', [second.id])
    t.is(rows.length, 0)
  })
}

test('the last use of a link is stored to the day', async (t) => {
  const transport = environment.transports[0] as Transport
  const { record, create, decide, credentials } = await createScene(transport)
  const { token } = expectOk(await create({ permission: 'view' }))
  const lastUse = async () => {
    const reference = { permission_id: record.id }
    const { links } = expectOk(await transport.call('ListLinks', reference, credentials))
    return links[0].last_used_on
  }
  const today = () => new Date().toISOString().slice(0, 10)
  t.falsy(await lastUse())
  const first = today()
  await decide(token, record)
  await environment.app.writeKeyUses()
  t.true([first, today()].includes(await lastUse()))
})

test('a token of another form is no link', async (t) => {
  const transport = environment.transports[0] as Transport
  const { record, decide } = await createScene(transport)
  for (const token of ['x', `dk_${'x'.repeat(43)}`, randomUUID()])
    t.deepEqual(await decide(token, record), [])
})

test('a link with a condition is refused while an older node is connected', async (t) => {
  const separate = await startTestEnvironment()
  t.teardown(() => separate.stop())
  const [transport] = separate.transports
  if (!transport) return t.fail()
  const { register, people, kind, key, as } = await createWorkspaceFixture(separate, transport)
  const conditions = [{ name: 'always', description: '', expression: 'true', parameters: {} }]
  expectOk(await transport.call('PutResourceType', { ...kind, roles: [], conditions }, { key }))
  const record = await register(people.owner)
  const create = (more: object) =>
    transport.call(
      'CreateLink',
      { permission_id: record.id, permission: 'view', ...more },
      as(people.owner),
    )
  const { connectionString } = separate.pool.options as { connectionString: string }
  const older = new pg.Client({ connectionString })
  await older.connect()
  await older.query(`set application_name = 'daikon/54'`)
  const condition = { name: 'always' }
  t.is(expectError(await create({ condition })).reason, 'ROLLOUT_IN_PROGRESS')
  expectOk(await create({}))
  await older.query(`set application_name = 'psql'`)
  await older.end()
  expectOk(await create({ condition }))
})
