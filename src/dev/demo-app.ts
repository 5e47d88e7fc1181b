import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { demo } from './demo-data.ts'
import { renderPage, toHtml } from './mock-page.ts'
import { type LocalServer, serveLocally } from './mock-server.ts'

type Session = { name: string; accessToken: string; refreshToken: string; answers: string[] }

// biome-ignore lint/suspicious/noExplicitAny: the demo takes daikon's answers as they come
type Answer = any

type DemoAppParts = { daikonUrl: string; serviceKey: string }

const providers = { google: 'Google', microsoft: 'Microsoft', github: 'GitHub' }

/**
 * A web application as daikon's users build one: people sign in through daikon, and its backend asks
 * daikon what they may do. Plain HTML; its sessions live in memory.
 */
export async function startDemoApp(parts: DemoAppParts): Promise<LocalServer> {
  const sessions = new Map<string, Session>()
  const verifiers = new Map<string, string>()

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', search] = (request.url ?? '').split('?')
    const query = new URLSearchParams(search)
    const session = sessions.get(readCookie(request, 'demo_session'))
    const [, provider] = /^\/sign-in\/(\w+)$/.exec(path) ?? []
    if (provider) return redirect(response, beginSignIn(provider))
    if (path === '/callback') return completeSignIn(response, query)
    if (path === '/check' && request.method === 'POST' && session) {
      session.answers = await check(session.accessToken)
      return redirect(response, '/')
    }
    if (path === '/sign-out' && request.method === 'POST' && session) {
      await ask('/auth/logout', {}, { authorization: `Bearer ${session.accessToken}` })
      sessions.delete(readCookie(request, 'demo_session'))
      return redirect(response, '/')
    }
    sendHtml(response, session ? signedInPage(session) : signInPage(query.get('error')))
  }

  /** RFC 7636: the challenge goes along, the verifier stays here until the code is back. */
  function beginSignIn(provider: string): string {
    const [state, verifier] = [
      randomBytes(16).toString('hex'),
      randomBytes(32).toString('base64url'),
    ]
    verifiers.set(state, verifier)
    const query = new URLSearchParams({
      redirect_uri: `${server.url}/callback`,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state,
    })
    return `${parts.daikonUrl}/auth/login/${provider}?${query}`
  }

  async function completeSignIn(response: ServerResponse, query: URLSearchParams): Promise<void> {
    const [state, code, error] = ['state', 'code', 'error'].map((name) => query.get(name) ?? '')
    const code_verifier = verifiers.get(state ?? '')
    verifiers.delete(state ?? '')
    if (error || !code_verifier || !code) {
      return redirect(response, `/?${new URLSearchParams({ error: error || 'unknown sign-in' })}`)
    }
    const workspaces = await ask(`/auth/workspaces?${new URLSearchParams({ code })}`)
    const workspace_id = workspaces[0].id
    const tokens = await ask('/auth/token', { code, code_verifier, workspace_id })
    const id = randomBytes(16).toString('hex')
    sessions.set(id, {
      name: JSON.parse(Buffer.from(tokens.access_token.split('.')[1], 'base64url').toString()).name,
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      answers: [],
    })
    response.setHeader('set-cookie', `demo_session=${id}; HttpOnly; SameSite=Lax; Path=/`)
    redirect(response, '/')
  }

  async function check(token: string): Promise<string[]> {
    const { service_name, resource_type, documents } = demo
    const checks = Object.values(documents).flatMap((resource_id) =>
      ['view', 'edit'].map((action) => ({ service_name, resource_type, resource_id, action })),
    )
    const headers = { authorization: `Bearer ${token}`, 'x-service-key': parts.serviceKey }
    const { results } = await ask('/permissions/check', { checks }, headers)
    return Object.keys(documents).flatMap((name, at) =>
      ['view', 'edit'].map((action, more) => {
        const { allowed } = results[at * 2 + more]
        return `${allowed ? '✓ may' : '✗ may not'} ${action} the ${name}`
      }),
    )
  }

  async function ask(
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await fetch(parts.daikonUrl + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    })
    const json = (await answer.json()) as Answer
    if (!answer.ok) throw new Error(json.detail)
    return json
  }

  const server = await serveLocally(9101, (request, response) => {
    handle(request, response).catch((error) => {
      const back = `<p>${toHtml(error.message)}</p><a href="/">Back</a>`
      sendHtml(response, renderPage('That did not work', back))
    })
  })
  return server
}

function signInPage(error: string | null): string {
  const buttons = Object.entries(providers).map(
    ([provider, title]) =>
      `<form action="/sign-in/${provider}"><button>Sign in with ${title}</button></form>`,
  )
  const message = error ? `<p role="alert">The sign-in ended with: ${toHtml(error)}</p>` : ''
  return renderPage('Demo documents', message + buttons.join('\n'))
}

function signedInPage({ name, accessToken, refreshToken, answers }: Session): string {
  const items = answers.map((answer) => `<li>${toHtml(answer)}</li>`).join('\n')
  return renderPage(
    `Hello, ${name}`,
    `<form method="post" action="/check"><button>What may I do? (POST /permissions/check)</button></form>
    <ul>${items}</ul>
    <details><summary>Access token</summary><code>${toHtml(accessToken)}</code></details>
    <details><summary>Refresh token</summary><code>${toHtml(refreshToken)}</code></details>
    <form method="post" action="/sign-out"><button>Sign out</button></form>`,
  )
}

function sendHtml(response: ServerResponse, html: string): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(html)
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end()
}

function readCookie({ headers }: IncomingMessage, name: string): string {
  return new RegExp(`(?:^|; )${name}=([^;]*)`).exec(headers.cookie ?? '')?.[1] ?? ''
}
