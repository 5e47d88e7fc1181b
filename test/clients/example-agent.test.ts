// The agent of examples/agent does what its user may do and the delegation covers, until the user ends it.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { createDaikon } from '../../clients/typescript/src/daikon.ts'
import { type Message, type Model, runAgent } from '../../examples/agent/src/loop.ts'
import { createDocuments, createTools } from '../../examples/agent/src/tools.ts'
import { findFreePort } from '../../src/core/free-port.ts'
import { insertDelegation } from '../support/delegation-rows.ts'
import { createOAuthClient } from '../support/oauth.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const root = join(import.meta.dirname, '../..')
const environment = await startTestEnvironment()
const { seed, token, pool } = environment
const transport = environment.transports[0] as Transport
const { key } = await seed.serviceApp('docs')

const resultsOf = (messages: Message[]) =>
  messages.flatMap((message) => (message.role === 'result' ? [message.text] : []))

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
      { key },
    ),
  )
const annToken = await token(ann, workspace)
test.after.always(() => environment.stop())

/** Creates a client app to which Ann has delegated what she may view. */
async function createAgent() {
  const client = await createOAuthClient(environment, { type: 'confidential' })
  const { client_id: clientId, client_secret: clientSecret = '' } = client
  const delegationId = await insertDelegation(pool, {
    ...{ user_id: ann, workspace_id: workspace, service_name: 'docs', actions: ['view'] },
    ...{ agent_type: 'client', agent_id: clientId },
  })
  const end = async () =>
    expectOk(
      await transport.call(
        'DeleteMyDelegation',
        { delegation_id: delegationId },
        { token: annToken },
      ),
    )
  return { clientId, clientSecret, delegationId, end }
}

/** Starts the example as its README says. */
function start(
  t: ExecutionContext,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
  { port, args = [] }: { port?: number; args?: string[] },
): ChildProcess & { output: Promise<string>; errors: Promise<string> } {
  const env = {
    ...process.env,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    DAIKON_ADDRESS: `127.0.0.1:${environment.grpcPort}`,
    DAIKON_URL: `http://127.0.0.1:${environment.httpPort}`,
    DAIKON_SERVICE_KEY: key,
    PORT: String(port),
  }
  const command = ['start', '--silent', '--prefix', 'examples/agent', '--', ...args]
  const started = spawn('npm', command, { cwd: root, env, detached: true })
  t.teardown(() => {
    if (started.exitCode === null) process.kill(-(started.pid as number), 'SIGTERM')
  })
  return Object.assign(started, { output: text(started.stdout), errors: text(started.stderr) })
}

const transcript = [
  'Write the weekly report',
  '> list_documents ',
  'handbook: Handbook\nroadmap: Roadmap',
  '> read_document handbook',
  'How we work together.',
  '> read_document roadmap',
  'What we build next, and when.',
  '> read_document salaries',
  'You may not read salaries.',
  '> publish_document roadmap',
  'You may not publish roadmap.',
  'That is all that I may do.',
].join('\n')

test.serial('examples/agent asks its user, does what it may, and is cut off', async (t) => {
  t.timeout(600_000)
  const agent = await createAgent()
  const { clientId, delegationId } = agent
  const port = await findFreePort()
  const asking = start(t, agent, { port })
  const link = await new Promise<URL>((resolve, reject) => {
    asking.stdout?.once('data', (line) => resolve(new URL(`${line}`.replace('Open ', ''))))
    asking.once('exit', async () => reject(new Error(await asking.errors)))
  })
  const { agent: asked, return_to: back, ...terms } = Object.fromEntries(link.searchParams)
  t.is(link.pathname, '/account/delegations/new')
  t.is(asked, clientId)
  t.like(terms, { service: 'docs', actions: 'view', expires_in: '86400' })
  // The page leads back once Ann has allowed it.
  const answer = await fetch(`${back}?delegation_id=${delegationId}`)
  t.is(answer.status, 200)
  const output = await asking.output
  const expected = `Delegation ${delegationId}\n${transcript}\n`
  t.is(output.slice(output.indexOf('Delegation')), expected, await asking.errors)
  t.true(await mayAnnEdit())

  const again = start(t, agent, { args: [delegationId] })
  t.is(await again.output, `Delegation ${delegationId}\n${transcript}\n`, await again.errors)

  await agent.end()
  const after = start(t, agent, { args: [delegationId] })
  t.is(await after.output, `Delegation ${delegationId}\n`)
  t.regex(await after.errors, /has ended/)
})

/** Ann herself may edit what the agent may not publish. */
async function mayAnnEdit(): Promise<boolean> {
  const daikon = createDaikon(clientOptions)
  try {
    return await daikon.check({ token: annToken }, 'edit', { type: 'document', id: 'roadmap' })
  } finally {
    daikon.close()
  }
}

const clientOptions = {
  address: `127.0.0.1:${environment.grpcPort}`,
  service: 'docs',
  serviceKey: key,
  deadlineMs: 30_000,
}

test('a delegation that ends while the agent is at work ends what it may do', async (t) => {
  const { clientId, clientSecret, delegationId, end } = await createAgent()
  const daikon = createDaikon({ ...clientOptions, agent: { clientId, clientSecret } })
  t.teardown(() => daikon.close())
  const getToken = async () => (await daikon.exchange({ delegationId })).token
  const tools = createTools(daikon, createDocuments(), getToken)
  const read = { role: 'call', tool: 'read_document', args: { id: 'roadmap' } } as const
  const interrupted: Model = async (messages) => {
    const { length } = resultsOf([...messages])
    if (length === 1) await end()
    return length < 2 ? read : { role: 'answer', text: 'Done.' }
  }
  t.deepEqual(resultsOf(await runAgent(interrupted, tools, 'Read the roadmap')), [
    'What we build next, and when.',
    'You may not read roadmap.',
  ])
  t.is(await tools.list_documents?.({}), 'There are no documents.')
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
