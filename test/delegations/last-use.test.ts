import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createDelegatedMember } from '../support/delegated-member.ts'
import { createDelegationEnvironment } from '../support/delegations.ts'
import { expectOk } from '../support/outcome.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await createDelegationEnvironment()
const { pool, app } = environment
test.after.always(() => environment.stop())

/** An agent that may view one document of the editor, with ways to act. */
async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { people, kind, key, workspace: workspace_id } = fixture
  const { resource_id: id } = await fixture.register(people.editor)
  const agent = await createDelegatedMember(environment, transport, fixture, people.editor)
  const { delegationId, token } = agent
  const type = kind.resource_type

  const call = async (method: string, message: object, credentials: object = { key }) =>
    expectOk(await transport.call(method, message, credentials))
  const evaluate = (subject: object, name = 'view') =>
    call('Evaluate', { subject, action: { name }, resource: { type, id } })
  const check = (action: string) => {
    const checks = [{ ...kind, resource_id: id, action }]
    return call('Check', { checks }, { key, token })
  }
  const subjects = {
    'the subject delegation': { type: 'delegation', id: delegationId.toUpperCase() },
    'the subject access_token': { type: 'access_token', id: token },
  }
  const bySubject = Object.entries(subjects).flatMap(([name, subject]) => {
    const action = { name: 'view' }
    const resource = { type, id }
    return Object.entries({
      Evaluate: () => evaluate(subject),
      EvaluateBatch: () => call('EvaluateBatch', { subject, action, evaluations: [{ resource }] }),
      SearchActions: () => call('SearchActions', { subject, resource }),
      SearchResources: () => call('SearchResources', { subject, action, resource: { type } }),
    }).map(([method, use]) => [`${method} with ${name}`, use] as const)
  })
  return {
    check,
    evaluate,
    delegationId,
    /** The calls that count as actions of the agent, by what they are. */
    uses: {
      Check: () => check('view'),
      'Check of what is not covered': () => check('edit'),
      Accessible: () =>
        call('Accessible', { ...kind, workspace_id, action: 'view' }, { key, token }),
      ...Object.fromEntries(bySubject),
    },
    /** Makes a call as if the agent had never acted. Returns the day on which it last acted. */
    async dayAfter(use: () => Promise<unknown>): Promise<unknown> {
      await app.writeKeyUses()
      await pool.query('update delegations set last_used_at = null where id = $1', [delegationId])
      await use()
      await app.writeKeyUses()
      const message = { delegation_id: delegationId }
      return (await call('GetMyDelegation', message, people.editor)).last_used_at
    },
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test.serial(`a decision for an agent notes the day of its use ${over}`, async (t) => {
    const { uses, dayAfter } = await createScene(transport)
    for (const [name, use] of Object.entries(uses))
      t.regex(String(await dayAfter(use)), /^\d{4}-\d\d-\d\dT00:00:00\.000Z$/, name)
  })

  test.serial(`what an agent did not do is not noted ${over}`, async (t) => {
    const { evaluate, dayAfter, delegationId } = await createScene(transport)
    const subject = (id: string) => ({ type: 'delegation', id })
    const others = {
      // A service may ask about any delegation, whatever its agent does.
      'a denied subject': () => evaluate(subject(delegationId), 'edit'),
      'an unknown subject': () => evaluate(subject(randomUUID())),
    }
    for (const [name, use] of Object.entries(others)) t.falsy(await dayAfter(use), name)
  })
}
