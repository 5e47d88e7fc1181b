// Runs the commands and the program of docs/agents.md as a reader pastes them.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { createDelegatedMember } from '../support/delegated-member.ts'
import { insertDelegation } from '../support/delegation-rows.ts'
import { createOAuthClient } from '../support/oauth.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** The first two are requests for tokens of a client app and of a service account, the third are checks. */
type Commands = [ofClient: string, ofAccount: string, checks: string]

function blocksOf(page: string, language: string): string[] {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))
  return Array.from(blocks, ([, text = '']) => text)
}

test('the commands and the program of docs/agents.md work when pasted', async (t) => {
  t.timeout(120_000)
  const environment = await startTestEnvironment()
  t.teardown(() => environment.stop())
  const { pool, httpPort, grpcPort } = environment
  const transport = environment.transports[0] as Transport
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, service, people, register, key } = fixture
  const ann = people.editor
  const roadmap = await register(ann, { resource_type: 'document' })
  const { client_id, client_secret } = await createOAuthClient(environment, {
    type: 'confidential',
  })
  const delegationId = await insertDelegation(pool, {
    ...{ user_id: ann.id, workspace_id: workspace, service_name: service, actions: ['view'] },
    ...{ agent_type: 'client', agent_id: client_id },
  })
  const { agent } = await createDelegatedMember(environment, transport, fixture, ann)

  const page = await readFile(join(root, 'docs/agents.md'), 'utf8')
  const [ofClient, ofAccount, checks] = blocksOf(page, 'sh') as Commands
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DAIKON: `http://127.0.0.1:${httpPort}`,
    CLIENT_ID: client_id,
    CLIENT_SECRET: client_secret,
    DELEGATION_ID: delegationId,
    ACCESS_TOKEN: ann.token,
    API_KEY: agent.key,
    KEY: key,
    ROADMAP: roadmap.resource_id,
  }
  const paste = async (command: string) => {
    const adapted = command.replaceAll('"docs"', `"${service}"`)
    const { stdout } = await run('bash', ['-euc', adapted], { env })
    return JSON.parse(stdout)
  }
  const readAgent = (token: string) => {
    t.is(decodeProtectedHeader(token).typ, 'dt+jwt')
    const { sub, act } = decodeJwt(token)
    return { sub, act }
  }

  const { access_token: token } = await paste(ofClient)
  const ofClientApp = { sub: ann.id, act: { sub: client_id, typ: 'client' } }
  t.deepEqual(readAgent(token), ofClientApp)
  const ofServiceAccount = { sub: ann.id, act: { sub: agent.id, typ: 'service_account' } }
  t.deepEqual(readAgent((await paste(ofAccount)).access_token), ofServiceAccount)
  env.AGENT_TOKEN = token
  const { results } = await paste(checks)
  t.deepEqual(
    results.map(({ allowed }: { allowed: boolean }) => allowed),
    [true, false],
  )

  const [program = ''] = blocksOf(page, 'ts')
  const folder = await mkdtemp(join(tmpdir(), 'daikon-agents-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const variables = { clientId: client_id, clientSecret: client_secret, delegationId }
  const declared = Object.entries(variables).map(
    ([name, value]) => `const ${name} = ${JSON.stringify(value)}\n`,
  )
  const adapted = program
    .replace('@daikon-auth/client', join(root, 'clients/typescript/src/daikon.ts'))
    .replace("'docs'", `'${service}'`)
    .replace('localhost:50051', `127.0.0.1:${grpcPort}`)
  const file = join(folder, 'exchange.ts')
  await writeFile(
    file,
    `${declared.join('')}${adapted}process.stdout.write(token)\ndaikon.close()\n`,
  )
  const { stdout } = await run(process.execPath, [file])
  t.deepEqual(readAgent(stdout), ofClientApp)
})
