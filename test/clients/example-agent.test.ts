// The agent of examples/agent does what its user may do and the delegation covers, until the user ends it.
import test from 'ava'
import { createDaikon } from '../../clients/typescript/src/daikon.ts'
import { type Message, type Model, runAgent } from '../../examples/agent/src/loop.ts'
import { standInModel } from '../../examples/agent/src/stand-in-model.ts'
import { createTokenSource } from '../../examples/agent/src/token.ts'
import { createDocuments, createTools } from '../../examples/agent/src/tools.ts'
import { insertDelegation } from '../support/delegation-rows.ts'
import { createOAuthClient } from '../support/oauth.ts'
import { expectOk } from '../support/outcome.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const resultsOf = (messages: Message[]) =>
  messages.flatMap((message) => (message.role === 'result' ? [message.text] : []))

test('the agent reads what it may, is told what it may not, and is cut off', async (t) => {
  const environment = await createSignInEnvironment()
  t.teardown(() => environment.stop())
  const { seed, token, pool } = environment
  const transport = environment.transports[0] as Transport
  const app = await seed.serviceApp('docs')
  const daikon = createDaikon({
    address: `127.0.0.1:${environment.grpcPort}`,
    service: 'docs',
    serviceKey: app.key,
  })
  t.teardown(() => daikon.close())

  // Ann may edit the roadmap, view the handbook, and has no access to the salaries.
  const [ann, boss] = [await seed.user('ann'), await seed.user('boss')]
  const workspace = await seed.workspace('Acme')
  await seed.member(workspace, ann, 'viewer')
  await seed.member(workspace, boss, 'owner')
  for (const [external_id, owner_id, visibility] of [
    ['roadmap', ann, 'private'],
    ['handbook', boss, 'workspace'],
    ['salaries', boss, 'private'],
  ] as const)
    expectOk(
      await transport.call(
        'Register',
        {
          ...{ service_name: 'docs', resource_type: 'document', external_id, owner_id, visibility },
          workspace_id: workspace,
        },
        { key: app.key },
      ),
    )
  const annToken = await token(ann, workspace)
  const { client_id, client_secret = '' } = await createOAuthClient(environment, {
    type: 'confidential',
  })
  const delegationId = await insertDelegation(pool, {
    ...{ user_id: ann, workspace_id: workspace, service_name: 'docs', actions: ['view'] },
    ...{ agent_type: 'client', agent_id: client_id },
  })

  const agent = {
    daikonUrl: `http://127.0.0.1:${environment.httpPort}`,
    clientId: client_id,
    clientSecret: client_secret,
    delegationId,
  }
  const documents = createDocuments()
  const getToken = createTokenSource(agent)
  const tools = createTools(daikon, documents, getToken)
  t.deepEqual(resultsOf(await runAgent(standInModel, tools, 'Write the weekly report')), [
    'handbook: Handbook\nroadmap: Roadmap',
    'How we work together.',
    'What we build next, and when.',
    'You may not read salaries.',
    'You may not publish roadmap.',
  ])
  t.false(documents.get('roadmap')?.isPublished)
  const roadmap = { type: 'document', id: 'roadmap' }
  t.true(await daikon.check({ token: annToken }, 'edit', roadmap))

  // Ann ends the delegation while the agent is at work: what it tries next is denied.
  const read = { role: 'call', tool: 'read_document', args: { id: 'roadmap' } } as const
  const interrupted: Model = async (messages) => {
    const { length } = resultsOf([...messages])
    if (length === 1) {
      const end = { delegation_id: delegationId }
      expectOk(await transport.call('DeleteMyDelegation', end, { token: annToken }))
    }
    return length < 2 ? read : { role: 'answer', text: 'Done.' }
  }
  t.deepEqual(resultsOf(await runAgent(interrupted, tools, 'Read the roadmap')), [
    'What we build next, and when.',
    'You may not read roadmap.',
  ])
  t.is(await tools.list_documents?.({}), 'There are no documents.')

  // Nor does it get another token.
  await t.throwsAsync(createTokenSource(agent)(), { message: /has ended/ })
})

test('a model that never answers is stopped, and unknown tools are results', async (t) => {
  const calls: Model = () => ({ role: 'call', tool: 'toString', args: {} })
  await t.throwsAsync(runAgent(calls, {}, 'anything'), { message: /no answer after 20 turns/ })
  const once: Model = (messages) =>
    messages.length === 1
      ? { role: 'call', tool: 'toString', args: {} }
      : { role: 'answer', text: '' }
  t.deepEqual(resultsOf(await runAgent(once, {}, 'anything')), ['There is no tool toString.'])
})
