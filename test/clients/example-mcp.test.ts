// The official SDK's client signs in at the MCP server of examples/mcp-server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  type CallToolResult,
  Client,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import test, { type ExecutionContext } from 'ava'
import { decodeJwt } from 'jose'
import type { Page } from 'playwright-core'
import { prepareSignIn, type SignIn } from '../../examples/mcp-server/src/sign-in.ts'
import { findFreePort } from '../../src/core/free-port.ts'
import { hasBrowser, openBrowserPage } from '../support/browser.ts'
import { startIssuer } from '../support/oauth-issuer.ts'

const root = join(import.meta.dirname, '../..')
const browserTest = hasBrowser ? test : test.skip
if (!hasBrowser) console.info('Chromium is not installed: examples/mcp-server is not tested')

browserTest('the client of the MCP SDK signs in, and reads what its user may read', async (t) => {
  t.timeout(600_000)
  const { environment, issuer, createClient, stop } = await startIssuer()
  t.teardown(stop)
  const { seed, token } = environment
  const app = await seed.serviceApp('docs')
  const resource = `http://localhost:${await findFreePort()}/mcp`
  const scopes = ['documents:read', 'documents:write', 'documents:delete']
  await seed.apiResource(app.id, resource, scopes)
  await startExample(t, {
    DAIKON_ADDRESS: `127.0.0.1:${environment.grpcPort}`,
    DAIKON_SERVICE_KEY: app.key,
    MCP_URL: resource,
    PORT: new URL(resource).port,
  })

  // Ann may edit the roadmap, view the handbook, and has no access to the salaries.
  const email = environment.addProviderUser({ name: 'Ann Lee' })
  const [ann, boss] = [await seed.user('Ann Lee', { email }), await seed.user('boss')]
  const workspace = await seed.workspace('Acme')
  await seed.member(workspace, ann, 'viewer')
  await seed.member(workspace, boss, 'owner')
  const [transport] = environment.transports
  for (const [external_id, owner_id, visibility] of [
    ['roadmap', ann, 'private'],
    ['handbook', boss, 'workspace'],
    ['salaries', boss, 'private'],
  ] as const)
    await transport?.call(
      'Register',
      {
        ...{ service_name: 'docs', resource_type: 'document', external_id, owner_id, visibility },
        workspace_id: workspace,
      },
      { key: app.key, token: await token(boss, workspace) },
    )

  const { client_id } = await createClient('http://127.0.0.1/callback', {
    name: 'Editor',
    consent_required: true,
  })
  const page = await openBrowserPage(t)
  const asked: URLSearchParams[] = []
  const signIn = await prepareSignIn(client_id, 0, (url) => {
    asked.push(url.searchParams)
    url.searchParams.set('login_hint', email)
    allow(page, url.href).catch((error) => t.fail(String(error)))
  })
  t.teardown(() => signIn.close())
  const call = (name: string, args: Record<string, unknown> = {}) =>
    callTool(signIn, new URL(resource), name, args)

  // The client learns from the MCP server where to sign in, and for which scope.
  const listed = textOf(await call('list_documents')).split('\n')
  t.deepEqual(listed.toSorted(), ['handbook: Handbook', 'roadmap: Roadmap'])
  t.is(asked.length, 1)
  t.is(asked[0]?.get('resource'), resource)
  t.is(asked[0]?.get('scope'), 'documents:read')
  t.true(asked[0]?.has('code_challenge'))

  t.regex(textOf(await call('read_document', { id: 'roadmap' })), /What we build next/)
  const refused = await call('read_document', { id: 'salaries' })
  t.true(refused.isError)
  t.is(textOf(refused), 'There is no document salaries on which the user may do this.')
  t.true((await call('read_document', { id: 'unknown' })).isError)
  t.is(asked.length, 1)

  // A tool that changes something needs a scope more.
  t.is(textOf(await call('write_document', { id: 'roadmap', text: 'Nothing.' })), 'Saved.')
  t.is(asked.length, 2)
  t.is(asked[1]?.get('scope'), 'documents:read documents:write')
  t.is(textOf(await call('read_document', { id: 'roadmap' })), 'Nothing.')
  // A scope is not a permission.
  t.true((await call('write_document', { id: 'handbook', text: 'Mine.' })).isError)

  // The token is good for this API alone.
  const tokens = (await signIn.provider.tokens()) as StoredOAuthTokens
  const claims = decodeJwt(tokens.access_token)
  t.like(claims, { aud: resource, client_id, sub: ann, scope: 'documents:read documents:write' })
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  t.is((await fetch(`${issuer}/users/me`, { headers })).status, 401)
  t.is((await fetch(resource, { method: 'POST' })).status, 401)
  const everything = { authorization: `Bearer ${await token(ann, workspace)}` }
  t.is((await fetch(resource, { method: 'POST', headers: everything })).status, 401)

  // Once Ann has disconnected the app, the next call shows nothing, although the token has not expired.
  const grants = `${issuer}/users/me/grants`
  const granted = await (await fetch(grants, { headers: everything })).json()
  const [grant, ...others] = granted as { id: string; resource: string; scopes: string[] }[]
  t.is(others.length, 0)
  t.like(grant, { resource, scopes: ['documents:read', 'documents:write'] })
  const ended = await fetch(`${grants}/${grant?.id}`, { method: 'DELETE', headers: everything })
  t.true(ended.ok)
  t.true((await call('read_document', { id: 'roadmap' })).isError)
  t.is(asked.length, 2)
})

/** Signs in, and allows what the client asks for. A page that was answered too soon is shown again. */
async function allow(page: Page, url: string): Promise<void> {
  await page.goto(url)
  const done = page.getByText('You are signed in')
  const button = page.getByRole('button', { name: 'Allow' })
  for (;;) {
    await done.or(button).waitFor()
    if (await done.isVisible()) return
    const next = page.waitForEvent('load')
    await button.click()
    await next
  }
}

/** Calls a tool. If that needs a sign-in or another scope, the client signs in and calls it again. */
async function callTool(
  signIn: SignIn,
  url: URL,
  name: string,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  const transport = new StreamableHTTPClientTransport(url, { authProvider: signIn.provider })
  const client = new Client({ name: 'test', version: '1.0.0' })
  try {
    await client.connect(transport)
    return await client.callTool({ name, arguments: args })
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error
    await transport.finishAuth(await signIn.waitForCallback())
    return callTool(signIn, url, name, args)
  } finally {
    await client.close()
  }
}

function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

/** Starts the MCP server, and waits until it prints its URL. */
async function startExample(t: ExecutionContext, env: Record<string, string>): Promise<void> {
  const command = ['start', '--prefix', 'examples/mcp-server']
  const options = { cwd: root, env: { ...process.env, ...env }, detached: true }
  const server = spawn('npm', command, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(async () => {
    if (server.exitCode !== null) return
    process.kill(-(server.pid as number), 'SIGTERM')
    await once(server, 'exit')
  })
  for await (const line of createInterface({ input: server.stdout }))
    if (line === env.MCP_URL) return
  throw new Error('the MCP server did not start')
}
