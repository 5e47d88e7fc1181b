import { randomUUID } from 'node:crypto'
import test from 'ava'
import { findAgent } from '../../src/permissions/engine/find-agent.ts'
import { findActiveUser } from '../../src/permissions/engine/find-subject.ts'
import type { Subject } from '../../src/permissions/engine/question.ts'
import {
  createDecisionLog,
  type DecisionLine,
  type DecisionLogOptions,
} from '../../src/server/observability/decision-log.ts'
import { createAdmin } from '../support/admin.ts'
import { insertDelegation } from '../support/delegation-rows.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const lines: DecisionLine[] = []
let findUser = async (_subject: Subject): Promise<string | undefined> => undefined
let findAgentOf: DecisionLogOptions['findAgent'] = async () => undefined
const options = {
  sample: 1,
  findUser: (subject: Subject) => findUser(subject),
  findAgent: (delegationId: string) => findAgentOf(delegationId),
  write: (line: DecisionLine) => lines.push(line),
}
const logAll = createDecisionLog({ ...options, decisions: 'all' })
let pending: Promise<void>[] = []
const environment = await startTestEnvironment({}, undefined, {
  observers: { onDecisions: (decisions) => void pending.push(logAll(decisions)) },
})
findUser = (subject) => findActiveUser(environment.database.statements, subject)
findAgentOf = (delegationId) => findAgent(environment.database.statements, delegationId)
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

/** Returns the lines that were written since the last call. */
async function takeLines(): Promise<DecisionLine[]> {
  await Promise.all(pending)
  pending = []
  return lines.splice(0)
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test.serial(`each decision is one line with exactly the documented keys ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, kind, service, workspace } = fixture
    const record = await fixture.register(people.owner)
    await fixture.share(people.owner, record, { user: people.editor.id }, 'edit')
    await takeLines()
    const request_id = randomUUID()
    const checks = ['view', 'edit', 'manage'].map((action) => ({
      ...kind,
      resource_id: record.resource_id,
      action,
    }))
    const credentials = { ...fixture.as(people.editor), headers: { 'x-request-id': request_id } }
    expectOk(await transport.call('Check', { checks }, credentials))
    const written = await takeLines()
    t.is(written.length, 3)
    for (const { time, duration_ms, ...line } of written) {
      t.false(Number.isNaN(Date.parse(time)))
      t.true(duration_ms > 0)
      const { action, allowed, reason, ...others } = line
      t.deepEqual(
        [action, allowed, reason],
        action === 'manage' ? ['manage', false, 'no_grant'] : [action, true, 'share'],
      )
      t.deepEqual(others, {
        event: 'decision',
        request_id,
        service,
        subject: people.editor.id,
        agent: null,
        delegation_id: null,
        workspace_id: workspace,
        resource: `${kind.service_name}/${kind.resource_type}/${record.resource_id}`,
      } as never)
    }
  })

  test.serial(`subjects are IDs or fixed words, never what was sent ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, kind, key } = fixture
    const record = await fixture.register(people.owner)
    await takeLines()
    const { rows } = await environment.pool.query('select email from users where id = $1', [
      people.owner.id,
    ])
    const subjects = [
      [{ type: 'user', id: rows[0].email }, people.owner.id, true, 'workspace_role'],
      [
        { type: 'user', id: people.owner.id.toUpperCase() },
        people.owner.id,
        true,
        'workspace_role',
      ],
      [{ type: 'access_token', id: people.viewer.token }, people.viewer.id, false, 'no_grant'],
      [{ type: 'user', id: 'secret@example.com' }, 'unknown', false, 'user_unknown'],
      [{ type: 'user', id: randomUUID() }, 'unknown', false, 'user_unknown'],
      [{ type: 'access_token', id: 'secret' }, 'unknown', false, 'invalid'],
    ] as const
    for (const [subject, id, allowed, reason] of subjects) {
      const message = {
        subject,
        action: { name: 'edit' },
        resource: { type: kind.resource_type, id: record.resource_id },
      }
      expectOk(await transport.call('Evaluate', message, { key }))
      const [line] = await takeLines()
      t.like(line, { subject: id, allowed, reason }, subject.type)
      t.notRegex(JSON.stringify(line), /secret|@/)
    }
  })

  test.serial(
    `links, groups, API keys and visitors are logged with their reasons ${over}`,
    async (t) => {
      const fixture = await createWorkspaceFixture(environment, transport)
      const { people, kind, key, workspace } = fixture
      const record = await fixture.register(people.owner)
      const call = async (method: string, message: object, credentials: object = { key }) =>
        expectOk(await transport.call(method, message, credentials))
      const link = await call(
        'CreateLink',
        { permission_id: record.id, permission: 'view' },
        fixture.as(people.owner),
      )
      const group = await call(
        'CreateGroup',
        { workspace_id: workspace, name: 'Press' },
        people.owner,
      )
      const shared = { permission_id: record.id, grantee_type: 'group', grantee_id: group.id }
      await call('Share', { ...shared, permission: 'view' }, fixture.as(people.owner))
      const account = await call(
        'CreateServiceAccount',
        { workspace_id: workspace, name: 'Robot', role: 'admin' },
        people.owner,
      )
      const apiKey = await call(
        'CreateKey',
        { workspace_id: workspace, service_account_id: account.id, name: 'night' },
        people.owner,
      )
      await takeLines()
      const unknown = `dl_${'x'.repeat(43)}`
      const expected = [
        [{ type: 'link', id: link.token }, 'view', link.id, true, 'link'],
        [{ type: 'link', id: link.token }, 'edit', link.id, false, 'no_grant'],
        [{ type: 'link', id: unknown }, 'view', 'unknown', false, 'invalid'],
        [{ type: 'group', id: group.id }, 'view', group.id, true, 'group_share'],
        [{ type: 'group', id: group.id }, 'edit', group.id, false, 'no_grant'],
        [{ type: 'api_key', id: apiKey.key }, 'edit', account.id, true, 'workspace_role'],
        [{ type: 'anonymous', id: 'x' }, 'view', 'anonymous', false, 'user_unknown'],
      ] as const
      for (const [subject, action, id, allowed, reason] of expected) {
        const resource = { type: kind.resource_type, id: record.resource_id }
        await call('Evaluate', { subject, action: { name: action }, resource })
        const written = await takeLines()
        t.is(written.length, 1)
        const line = { subject: id, action: reason === 'invalid' ? null : action, allowed, reason }
        t.like(written[0], line, `${subject.type} ${action}`)
        t.notRegex(JSON.stringify(written), /dl_|da_/)
      }
    },
  )

  test.serial(`decisions about a delegation name its user, its agent and it ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, kind, key, service, workspace } = fixture
    const record = await fixture.register(people.owner)
    const row = { user_id: people.owner.id, workspace_id: workspace, service_name: service }
    const agent_id = randomUUID()
    const insert = (more: object = {}) =>
      insertDelegation(environment.pool, { ...row, agent_type: 'client', agent_id, ...more })
    const [live, ended, expired] = [
      await insert(),
      await insert({ ended_at: new Date() }),
      await insert({ expires_at: new Date(Date.now() - 1000) }),
    ]
    await takeLines()
    const expected = [
      [live, 'view', true, 'workspace_role'],
      [live.toUpperCase(), 'view', true, 'workspace_role'],
      [live, 'edit', false, 'delegation_does_not_cover'],
      [ended, 'view', false, 'delegation_ended'],
      [expired, 'view', false, 'delegation_expired'],
    ] as const
    for (const [id, name, allowed, reason] of expected) {
      const resource = { type: kind.resource_type, id: record.resource_id }
      const message = { subject: { type: 'delegation', id }, action: { name }, resource }
      expectOk(await transport.call('Evaluate', message, { key }))
      const [line] = await takeLines()
      t.like(line, { subject: people.owner.id, agent: `client:${agent_id}` }, id)
      t.like(line, { delegation_id: id.toLowerCase(), action: name, allowed, reason }, id)
    }
    const unknown = { type: 'delegation', id: randomUUID() }
    const resource = { type: kind.resource_type, id: record.resource_id }
    const message = { subject: unknown, action: { name: 'view' }, resource }
    expectOk(await transport.call('Evaluate', message, { key }))
    const [line] = await takeLines()
    t.like(line, { subject: 'unknown', agent: null, delegation_id: null, allowed: false })
  })

  test.serial(`the pages lead from a complaint to the cause ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, kind, key } = fixture
    const record = await fixture.register(people.owner)
    await fixture.share(people.owner, record, { user: people.editor.id }, 'edit')
    const share = { grantee_type: 'user', grantee_id: people.editor.id, permission: 'edit' }
    const revocation = { permission_id: record.id, ...share }
    expectOk(await transport.call('RevokeShare', revocation, fixture.as(people.owner)))
    await takeLines()

    // The complaint: the editor can no longer edit the document.
    const checks = [{ ...kind, resource_id: record.resource_id, action: 'edit' }]
    const credentials = fixture.as(people.editor)
    const { results } = expectOk(await transport.call('Check', { checks }, credentials))
    t.false(results[0].allowed)

    // Why, now.
    const explained = expectOk(
      await transport.call(
        'Evaluate',
        {
          subject: { type: 'user', id: people.editor.id },
          action: { name: 'edit' },
          resource: { type: kind.resource_type, id: record.resource_id },
          context: { explain: true },
        },
        { key },
      ),
    )
    t.is(explained.context.reasons[0].rule, 'no_grant')

    // What was asked, then.
    const [line] = await takeLines()
    t.like(line, { subject: people.editor.id, action: 'edit', reason: 'no_grant' })

    // Who changed it.
    const { items } = expectOk(
      await admin.call(transport, 'ListActivity', { action: 'permission.share_revoked' }),
    )
    const cause = items.find(({ target_id }: { target_id: string }) => target_id === record.id)
    t.is(cause.actor_id, people.owner.id)
    t.is(cause.detail.grantee_id, people.editor.id)
  })
}

test.serial('only denials are logged if that is chosen, and a sample if it is set', async (t) => {
  const [transport] = environment.transports
  if (!transport) return t.fail()
  const { kind } = await createWorkspaceFixture(environment, transport)
  const decided = {
    call: { requestId: 'r' } as never,
    principal: {},
    checks: Array.from({ length: 1000 }, () => ({
      serviceName: kind.service_name,
      resourceType: kind.resource_type,
      resourceId: randomUUID(),
      action: 'view',
      subject: { isAnonymous: true },
    })),
    // Public, and nothing.
    bits: Array.from({ length: 1000 }, (_, index) => (index % 2 ? (1 << 20) | 1024 : 1 << 20)),
    milliseconds: 1,
  }
  await createDecisionLog({ ...options, decisions: 'denied' })(decided)
  t.deepEqual(new Set((await takeLines()).map(({ allowed }) => allowed)), new Set([false]))
  await createDecisionLog({ ...options, decisions: 'all', sample: 0.5 })(decided)
  const sampled = (await takeLines()).length
  t.true(sampled > 300 && sampled < 700, String(sampled))
  await createDecisionLog({ ...options, decisions: 'all', sample: 0 })(decided)
  t.is((await takeLines()).length, 0)
})
