import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { demo } from './demo-data.ts'
import { type LocalServer, startLocalServer } from './local-server.ts'
import { escapeHtml, renderPage } from './pages.ts'

type Session = { name: string; accessToken: string; refreshToken: string; permissions: string[] }

// biome-ignore lint/suspicious/noExplicitAny: the demo trusts daikon's responses
type Json = any

const providers = { google: 'Google', microsoft: 'Microsoft', github: 'GitHub' }
const cookieName = 'demo_session'

/**
 * Starts a web application as users of daikon build one: people sign in through daikon, and the
 * backend checks their permissions with its service key. It renders plain HTML and keeps its
 * sessions in memory.
 */
export async function startDemoApp({
  port,
  daikonUrl,
  serviceKey,
}: {
  port: number
  daikonUrl: string
  serviceKey: string
}): Promise<LocalServer> {
  const sessions = new Map<string, Session>()
  /** PKCE verifiers of the sign-ins in progress, by state. */
  const verifiers = new Map<string, string>()

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', search] = (request.url ?? '').split('?')
    const query = new URLSearchParams(search)
    const sessionId = readCookie(request, cookieName)
    const session = sessions.get(sessionId)
    const [, provider] = /^\/sign-in\/(\w+)$/.exec(path) ?? []
    if (provider) return redirect(response, beginSignIn(provider))
    if (path === '/callback') return completeSignIn(response, query)
    if (path === '/check' && request.method === 'POST' && session) {
      session.permissions = await checkPermissions(session.accessToken)
      return redirect(response, '/')
    }
    if (path === '/sign-out' && request.method === 'POST' && session) {
      await callDaikon('/auth/logout', {}, { authorization: `Bearer ${session.accessToken}` })
      sessions.delete(sessionId)
      return redirect(response, '/')
    }
    sendHtml(response, session ? renderSession(session) : renderSignIn(query.get('error')))
  }

  /** Returns the URL that starts a sign-in with PKCE (RFC 7636). */
  function beginSignIn(provider: string): string {
    const state = randomBytes(16).toString('hex')
    const verifier = randomBytes(32).toString('base64url')
    verifiers.set(state, verifier)
    const query = new URLSearchParams({
      redirect_uri: `${server.url}/callback`,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state,
    })
    return `${daikonUrl}/auth/login/${provider}?${query}`
  }

  async function completeSignIn(response: ServerResponse, query: URLSearchParams): Promise<void> {
    const state = query.get('state') ?? ''
    const code = query.get('code')
    const error = query.get('error')
    const code_verifier = verifiers.get(state)
    verifiers.delete(state)
    if (error || !code_verifier || !code) {
      const reason = error || 'the sign-in is unknown or already completed'
      return redirect(response, `/?${new URLSearchParams({ error: reason })}`)
    }
    const workspaces = await callDaikon(`/auth/workspaces?${new URLSearchParams({ code })}`)
    const workspace_id = workspaces[0].id
    const tokens = await callDaikon('/auth/token', { code, code_verifier, workspace_id })
    const id = randomBytes(16).toString('hex')
    sessions.set(id, {
      name: decodeClaims(tokens.access_token).name,
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      permissions: [],
    })
    response.setHeader('set-cookie', `${cookieName}=${id}; HttpOnly; SameSite=Lax; Path=/`)
    redirect(response, '/')
  }

  async function checkPermissions(token: string): Promise<string[]> {
    const { service_name, resource_type, documents } = demo
    const questions = Object.entries(documents).flatMap(([name, resource_id]) =>
      ['view', 'edit'].map((action) => ({ name, resource_id, action })),
    )
    const checks = questions.map(({ resource_id, action }) => ({
      service_name,
      resource_type,
      resource_id,
      action,
    }))
    const headers = { authorization: `Bearer ${token}`, 'x-service-key': serviceKey }
    const { results } = await callDaikon('/permissions/check', { checks }, headers)
    return questions.map(({ name, action }, index) =>
      results[index].allowed ? `✓ can ${action} the ${name}` : `✗ cannot ${action} the ${name}`,
    )
  }

  /** Sends a POST with `body` if there is one, else a GET. */
  async function callDaikon(
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Json> {
    const response = body
      ? await fetch(daikonUrl + path, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { ...headers, 'content-type': 'application/json' },
        })
      : await fetch(daikonUrl + path, { headers })
    const json = (await response.json()) as Json
    if (!response.ok) throw new Error(json.detail)
    return json
  }

  const server = await startLocalServer(port, (request, response) => {
    handle(request, response).catch((error) => {
      const body = `<p role="alert">${escapeHtml(error.message)}</p><a href="/">Back</a>`
      sendHtml(response, renderPage('Something went wrong', body))
    })
  })
  return server
}

/** The claims of a token that daikon has just returned; a backend would verify its signature. */
function decodeClaims(token: string): Json {
  const [, payload = ''] = token.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

function renderSignIn(error: string | null): string {
  const buttons = Object.entries(providers).map(
    ([provider, title]) =>
      `<form action="/sign-in/${provider}"><button>Sign in with ${title}</button></form>`,
  )
  const message = error ? `<p role="alert">Sign-in failed: ${escapeHtml(error)}</p>` : ''
  return renderPage('Demo documents', message + buttons.join('\n'))
}

function renderSession({ name, accessToken, refreshToken, permissions }: Session): string {
  const items = permissions.map((permission) => `<li>${escapeHtml(permission)}</li>`)
  return renderPage(
    `Hello, ${name}`,
    `<form method="post" action="/check"><button>Check my permissions</button></form>
    <ul>${items.join('\n')}</ul>
    <details><summary>Access token</summary><code>${escapeHtml(accessToken)}</code></details>
    <details><summary>Refresh token</summary><code>${escapeHtml(refreshToken)}</code></details>
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
