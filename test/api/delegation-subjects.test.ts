import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { type DelegationRow, insertDelegation } from '../support/delegation-rows.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { seed, pool } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

type Scene = Awaited<ReturnType<typeof createScene>>

/** Ann, an editor, owns a document in a folder and another document; a third is someone else's. */
async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, service, key, people } = fixture
  const id = await seed.user('Ann', { email: `ann-${randomUUID()}@example.com` })
  await seed.member(workspace, id, 'editor')
  const ann = { id, token: await environment.token(id, workspace) }
  const folder = await fixture.register(ann, { resource_type: 'folder' })
  const parent = { resource_type: 'folder', resource_id: folder.resource_id }
  const document = await fixture.register(ann, { parent })
  const loose = await fixture.register(ann)
  const foreign = await fixture.register(people.owner)
  const publish = await seed.serviceAction(service, 'publish')
  await seed.customRole(workspace, [publish], [ann.id])
  const delegate = (row: Partial<DelegationRow> = {}) =>
    insertDelegation(pool, {
      ...{ user_id: ann.id, workspace_id: workspace, service_name: service, ...row },
    })
  const call = async (method: string, message: object) =>
    expectOk(await transport.call(method, message, { key }))
  const evaluate = (id: string, action: string, record = document, context: object = {}) =>
    call('Evaluate', {
      subject: { type: 'delegation', id },
      action: { name: action },
      resource: { type: record.resource_type, id: record.resource_id },
      context,
    })
  /** Returns the rules and the sentence of an explained evaluation. */
  async function explain(id: string, action: string, record = document) {
    const { decision, context } = await evaluate(id, action, record, { explain: true })
    const { decision: unexplained } = await evaluate(id, action, record)
    if (unexplained !== decision) throw new Error('The explained decision differs')
    const names = [record.resource_id, document.resource_id]
    const sentence = names.reduce(
      (text, name) => text.replaceAll(name, 'd'),
      context.reason_admin.en,
    )
    return { decision, reasons: context.reasons, sentence }
  }
  return { ...fixture, ann, folder, document, loose, foreign, delegate, call, evaluate, explain }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a delegation is a subject of the Access API ${over}`, async (t) => {
    const { delegate, evaluate, call, folder, document, loose, foreign, ann } =
      await createScene(transport)
    const id = await delegate({ actions: ['view', 'publish'], resources: [folder.id] })
    const subject = { type: 'delegation', id }
    t.true((await evaluate(id, 'view')).decision)
    t.true((await evaluate(id, 'publish')).decision)
    t.false((await evaluate(id, 'edit')).decision)
    t.false((await evaluate(id, 'view', loose)).decision)
    t.false((await evaluate(id, 'view', foreign)).decision)
    const resource = { type: 'document', id: document.resource_id }
    const { results } = await call('SearchActions', { subject, resource })
    t.deepEqual(
      results.map(({ name }: { name: string }) => name),
      ['publish', 'view'],
    )
    const search = async (type: string, action: string, more: object = {}) => {
      const message = { subject, action: { name: action }, resource: { type }, ...more }
      const { results } = await call('SearchResources', message)
      return results.map(({ id }: { id: string }) => id)
    }
    t.deepEqual(await search('document', 'view'), [document.resource_id])
    t.deepEqual(await search('folder', 'publish'), [folder.resource_id])
    t.deepEqual(await search('document', 'edit'), [])
    const elsewhere = { context: { workspace_id: await seed.workspace() } }
    t.deepEqual(await search('document', 'view', elsewhere), [])
    const subjects = { subject: { type: 'delegation' }, action: { name: 'view' }, resource }
    t.deepEqual((await call('SearchSubjects', subjects)).results, [])
    const evaluations = [
      {},
      { action: { name: 'edit' } },
      { subject: { type: 'user', id: ann.id } },
    ]
    const batch = { subject, action: { name: 'view' }, resource, evaluations }
    const decided = await call('EvaluateBatch', batch)
    t.deepEqual(
      decided.evaluations.map(({ decision }: { decision: boolean }) => decision),
      [true, false, true],
    )
  })

  test(`a workspace is searched for a delegation that names the type ${over}`, async (t) => {
    const { delegate, call, workspace } = await createScene(transport)
    const search = async (id: string) => {
      const subject = { type: 'delegation', id }
      const message = { subject, action: { name: 'view' }, resource: { type: 'workspace' } }
      const resource = { type: 'workspace', id: workspace }
      const { decision } = await call('Evaluate', { ...message, resource })
      const { results } = await call('SearchResources', message)
      t.is(results.length === 1, decision)
      return results.map(({ id }: { id: string }) => id)
    }
    t.deepEqual(await search(await delegate({ resource_types: ['workspace'] })), [workspace])
    t.deepEqual(await search(await delegate()), [])
  })

  test(`a delegation of another service, or an unknown one, names nobody ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { delegate, explain, evaluate, document } = scene
    const other = `other-${randomUUID().slice(0, 8)}`
    const { key } = await seed.serviceApp(other)
    const unknown = [
      await delegate({ service_name: other }),
      randomUUID(),
      await delegate({ service_name: other, ended_at: new Date() }),
    ]
    for (const id of unknown) {
      const { decision, reasons, sentence } = await explain(id, 'view')
      t.false(decision)
      t.deepEqual(reasons, [{ rule: 'user_unknown' }])
      t.is(sentence, `${id} may not view document d: there is no such delegation.`)
    }
    const malformed = await evaluate('report-bot', 'view', document, { explain: true })
    t.false(malformed.decision)
    t.deepEqual(malformed.context.reasons, [{ rule: 'user_unknown' }])
    // The other way round: the other service asks with its own key.
    const subject = { type: 'delegation', id: await delegate() }
    const resource = { type: 'document', id: document.resource_id }
    const message = { subject, action: { name: 'view' }, resource, context: { explain: true } }
    const outcome = expectOk(await transport.call('Evaluate', message, { key }))
    t.false(outcome.decision)
    t.deepEqual(outcome.context.reasons, [{ rule: 'user_unknown' }])
  })

  test(`reasons name the delegation, or what denies ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { delegate, explain, service, document, loose, foreign, folder, workspace } = scene
    const expires_at = new Date(Date.now() + 3_600_000)
    const expiry = expires_at.toISOString()
    const agent = { type: 'client' as const, id: randomUUID() }
    const of = (row: Partial<DelegationRow>) =>
      delegate({ expires_at, agent_type: agent.type, agent_id: agent.id, ...row })
    const named = (delegation_id: string) => ({
      delegation_id,
      agent: { ...agent, name: 'report-bot' },
    })

    const viewing = await of({ actions: ['view'] })
    const allowed = await explain(viewing, 'view')
    t.true(allowed.decision)
    t.deepEqual(allowed.reasons.at(-1), {
      rule: 'delegation',
      ...named(viewing),
      expires_at: expiry,
    })
    t.true(allowed.reasons.some(({ rule }: { rule: string }) => rule === 'owner'))
    t.is(
      allowed.sentence,
      `Ann may view document d: Ann owns the document; Ann owns the folder ${folder.resource_id} above it; report-bot acts for Ann by a delegation until ${expiry}.`,
    )

    const denied = async (
      id: string,
      action: string,
      record: typeof document,
      expected: { reasons: object[]; sentence: string },
    ) => {
      const { decision, ...found } = await explain(id, action, record)
      t.false(decision)
      t.deepEqual(found, expected)
    }
    const uncovered = (id: string, ...limits: string[]) =>
      limits.map((uncovered) => ({ rule: 'delegation_does_not_cover', ...named(id), uncovered }))
    await denied(viewing, 'edit', document, {
      reasons: uncovered(viewing, 'action'),
      sentence: 'Ann may edit document d, but the delegation to report-bot covers view only.',
    })
    const three = await of({ actions: ['view', 'edit', 'comment'] })
    await denied(three, 'publish', document, {
      reasons: uncovered(three, 'action'),
      sentence:
        'Ann may publish document d, but the delegation to report-bot covers view, edit, and comment only.',
    })
    const folders = await of({ resource_types: ['folder'] })
    await denied(folders, 'manage', document, {
      reasons: uncovered(folders, 'action', 'type'),
      sentence:
        'Ann may manage document d, but the delegation to report-bot does not cover manage and covers resources of the type folder only.',
    })
    const one = await of({ resources: [folder.id] })
    await denied(one, 'edit', loose, {
      reasons: uncovered(one, 'resource'),
      sentence:
        'Ann may edit document d, but the delegation to report-bot does not cover the document.',
    })
    await denied(viewing, 'edit', foreign, {
      reasons: [{ rule: 'no_grant' }, ...uncovered(viewing, 'action')],
      sentence: `Ann may not edit document d: Ann is an editor of workspace; the document is private; no share names Ann; the delegation to report-bot covers view only.`,
    })
    await denied(viewing, 'view', foreign, {
      reasons: [{ rule: 'no_grant' }],
      sentence: `Ann may not view document d: Ann is an editor of workspace; the document is private; no share names Ann.`,
    })
    const ended = await of({ ended_at: new Date() })
    await denied(ended, 'view', document, {
      reasons: [{ rule: 'delegation_ended', ...named(ended) }],
      sentence: 'Ann may view document d, but the delegation to report-bot has ended.',
    })
    const past = new Date(Date.now() - 1000)
    for (const ended_at of [undefined, past]) {
      const expired = await of({ expires_at: past, ...(ended_at && { ended_at }) })
      await denied(expired, 'view', document, {
        reasons: [
          { rule: 'delegation_expired', ...named(expired), expires_at: past.toISOString() },
        ],
        sentence: `Ann may view document d, but the delegation to report-bot expired at ${past.toISOString()}.`,
      })
    }
    const unknown = { ...document, resource_id: randomUUID() }
    await denied(one, 'view', unknown, {
      reasons: [{ rule: 'resource_unknown' }],
      sentence: `Ann may not view document d: ${service} has not registered document d.`,
    })
    const onWorkspace = { ...document, resource_type: 'workspace', resource_id: workspace }
    await denied(viewing, 'view', onWorkspace, {
      reasons: uncovered(viewing, 'type'),
      sentence:
        'Ann may view workspace d, but the delegation to report-bot does not cover the type workspace.',
    })
    const wide = await of({ actions: ['view'] })
    await pool.query('delete from members where user_id = $1', [scene.ann.id])
    const left = await explain(wide, 'view')
    t.false(left.decision)
    t.deepEqual(
      left.reasons.map(({ rule }: { rule: string }) => rule),
      ['not_a_member', 'delegation_ended'],
    )
  })

  test(`administrators explain a delegation, and what would be ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { delegate, document, foreign, ann, people, evaluate } = scene
    const id = await delegate({ actions: ['view'] })
    const ask = async (method: string, message: object) =>
      expectOk(await admin.call(transport, method, message))
    const subject = { user_id: '', subject_type: 'delegation', subject_id: id }
    const record = { permission_id: document.id }
    const viewed = await ask('ExplainPermission', { ...record, ...subject, action: 'view' })
    t.true(viewed.decision)
    t.like(viewed.reasons.at(-1), { rule: 'delegation', delegation_id: id })
    const edited = await ask('ExplainPermission', { ...record, ...subject, action: 'edit' })
    t.false(edited.decision)
    t.regex(edited.sentence, /Ann may edit document .*, but .* covers view only\./)
    // As an agent of the user, as `daikon why --delegation` asks.
    const ofUser = { ...record, user_id: ann.id, delegation_id: id }
    t.deepEqual(await ask('ExplainPermission', { ...ofUser, action: 'edit' }), edited)
    const named = { ...ofUser, user_id: '', subject_type: 'user', action: 'view' }
    const { rows } = await pool.query('select email from users where id = $1', [ann.id])
    const byEmail = { ...named, subject_id: rows[0].email }
    t.deepEqual(await ask('ExplainPermission', byEmail), viewed)
    const foreigners: object[] = [
      { ...ofUser, user_id: people.owner.id },
      { ...ofUser, user_id: randomUUID() },
      { ...ofUser, delegation_id: randomUUID() },
      { ...record, user_id: '', subject_type: 'anonymous', delegation_id: id },
      { ...record, ...subject, delegation_id: id },
    ]
    for (const message of foreigners) {
      const call = { ...message, action: 'view' }
      const { violations } = expectError(await admin.call(transport, 'ExplainPermission', call))
      t.deepEqual(
        violations.map(({ field }) => field),
        ['delegation_id'],
        JSON.stringify(message),
      )
    }
    // What would be with a share: the delegation still covers viewing only.
    const whatIf = (action: string, more: object = {}) => {
      const share = { grantee_type: 'user', grantee_id: ann.id, permission: 'edit' }
      const assumed = { with: [{ share }], action, ...more }
      const message = { permission_id: foreign.id, subject: { type: 'delegation', id }, ...assumed }
      return admin.call(transport, 'WhatIf', message)
    }
    const shared = expectOk(await whatIf('view'))
    t.true(shared.decision, JSON.stringify(shared))
    t.false(expectOk(await whatIf('edit')).decision)
    t.false((await evaluate(id, 'view', foreign)).decision)
    const agent = { type: 'client', id: randomUUID() }
    const { violations } = expectError(await whatIf('view', { agent }))
    t.deepEqual(
      violations.map(({ field }) => field),
      ['agent'],
    )
  })

  test(`a requirement refuses agents, or names one ${over}`, async (t) => {
    const scene = await createScene(transport)
    const { delegate, explain, kind, key, evaluate, call, ann, document } = scene
    const declare = async (expression: string) => {
      const condition = { name: 'agents', description: '', parameters: {}, expression }
      const requirements = [{ action: 'publish', condition: 'agents' }]
      const message = { ...kind, roles: [], conditions: [condition], requirements }
      expectOk(await transport.call('PutResourceType', message, { key }))
    }
    const agent_id = randomUUID()
    const id = await delegate({ actions: ['publish', 'view'], agent_type: 'client', agent_id })
    const other = await delegate({ actions: ['publish', 'view'] })
    const isAllowed = async (id: string) => (await evaluate(id, 'publish')).decision
    t.true(await isAllowed(id))
    await declare("agent.type == ''")
    t.false(await isAllowed(id))
    t.true((await evaluate(id, 'view')).decision)
    const { reasons, sentence } = await explain(id, 'publish')
    t.like(reasons[0], { rule: 'requirement_not_met', condition: 'agents' })
    t.regex(sentence, /publish requires the condition agents, which is not met/)
    const resource = { type: 'document', id: document.resource_id }
    const person = { type: 'user', id: ann.id }
    const ofPerson = { subject: person, action: { name: 'publish' }, resource }
    t.true((await call('Evaluate', ofPerson)).decision)
    await declare(`agent.type == 'client' && agent.id == '${agent_id}'`)
    t.true(await isAllowed(id))
    t.false(await isAllowed(other))
    t.false((await call('Evaluate', ofPerson)).decision)
    const search = { subject: { type: 'delegation', id }, action: { name: 'publish' } }
    const { results } = await call('SearchResources', { ...search, resource: { type: 'document' } })
    t.is(results.length, 2)
    // The subject is the user, not the agent.
    await declare(`subject.type == 'user' && subject.id == '${ann.id}' && subject.role == 'editor'`)
    t.true(await isAllowed(id))
  })
}

test('the reason of a decision names what ended a delegation', async (t) => {
  const { findReason } = await import('../../src/permissions/evaluate/decision-reason.ts')
  const [transport] = environment.transports as [Transport]
  const scene: Scene = await createScene(transport)
  const { service, document, delegate } = scene
  const kind = { serviceName: service, resourceType: 'document' }
  const { createEngine } = await import('../../src/permissions/engine/engine.ts')
  const engine = createEngine(environment.database, { keysRequired: false })
  const rows: [row: Partial<DelegationRow>, action: string, reason: string][] = [
    [{ actions: ['view'] }, 'view', 'owner'],
    [{ actions: ['view'] }, 'edit', 'delegation_does_not_cover'],
    [{ ended_at: new Date() }, 'view', 'delegation_ended'],
    [{ expires_at: new Date(Date.now() - 1) }, 'view', 'delegation_expired'],
  ]
  for (const [row, action, reason] of rows) {
    const subject = { delegationId: await delegate(row) }
    const check = { ...kind, resourceId: document.resource_id, action, subject }
    const [bits] = await engine.loadBits([check])
    t.is(findReason(check, bits), reason)
  }
})
