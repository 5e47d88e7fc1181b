import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createDemoClient } from './demo-client.ts'
import { demo } from './demo-data.ts'
import {
  renderDocuments,
  renderError,
  renderHome,
  renderSignIn,
  sendHtml,
  sendScript,
} from './demo-pages.ts'
import { type DemoSession, SignInRequiredError } from './demo-sign-in.ts'
import { readForm, startLocalServer } from './local-server.ts'

const cookieName = 'demo_session'

/** The demo application. */
export type DemoApp = { url: string; close(): Promise<void> }

/**
 * Starts a web application that uses daikon as a customer's application would: people sign in with
 * OpenID Connect, and the backend checks their permissions with its service key. It keeps sessions
 * in memory. Open pages follow the changes of the person's permissions.
 */
export async function startDemoApp({
  port,
  daikonUrl,
  serviceKey,
  consoleUrl,
}: {
  port: number
  daikonUrl: string
  serviceKey: string
  /** The URL of the admin console. If undefined, the page does not link to it. */
  consoleUrl?: string | undefined
}): Promise<DemoApp> {
  const sessions = new Map<string, DemoSession>()
  const links = { docs: `${daikonUrl}/docs`, console: consoleUrl }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', search] = (request.url ?? '').split('?')
    const query = new URLSearchParams(search)
    const sessionId = readCookie(request, cookieName)
    const session = sessions.get(sessionId)
    if (path === '/sign-in')
      return redirect(response, await client.beginSignIn(query.get('prompt')))
    if (path === '/callback') return completeSignIn(response, query)
    if (path === '/live.js') return sendScript(response)
    // An event source does not connect again after this status.
    if (path === '/events' && !session) return void response.writeHead(204).end()
    if (!session) return sendHtml(response, renderSignIn(query.get('error')))
    if (path === '/events') return follow(response, sessionId, session)
    if (path === '/documents') {
      return sendHtml(response, renderDocuments(await client.listDocuments(session)))
    }
    if (path === '/share' && request.method === 'POST') {
      const form = await readForm(request)
      await client.changeShare(session, form.get('permission') === 'view')
      return redirect(response, '/')
    }
    if (path === '/sign-out' && request.method === 'POST') {
      sessions.delete(sessionId)
      return redirect(response, client.signOutUrl(session))
    }
    const documents = await client.listDocuments(session)
    sendHtml(response, renderHome({ session, documents, links }))
  }

  async function completeSignIn(response: ServerResponse, query: URLSearchParams): Promise<void> {
    const result = await client.completeSignIn(query)
    if ('error' in result) {
      return redirect(response, `/?${new URLSearchParams({ error: result.error })}`)
    }
    const id = randomBytes(16).toString('hex')
    sessions.set(id, result)
    response.setHeader('set-cookie', `${cookieName}=${id}; HttpOnly; SameSite=Lax; Path=/`)
    redirect(response, '/')
  }

  /** Passes on daikon's events. When the stream ends, the page connects again. */
  async function follow(
    response: ServerResponse,
    sessionId: string,
    session: DemoSession,
  ): Promise<void> {
    const controller = new AbortController()
    response.on('close', () => controller.abort())
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    try {
      const events = await client.followChanges(session, controller.signal)
      for await (const chunk of events) response.write(chunk)
    } catch (error) {
      if (error instanceof SignInRequiredError) {
        sessions.delete(sessionId)
        response.write('event: ended\ndata: {}\n\n')
      }
    }
    response.end()
  }

  const server = await startLocalServer(port, (request, response) => {
    handle(request, response).catch((error) => {
      if (response.headersSent) return response.destroy()
      if (error instanceof SignInRequiredError) {
        sessions.delete(readCookie(request, cookieName))
        return redirect(response, `/?${new URLSearchParams({ error: error.message })}`)
      }
      sendHtml(response, renderError(error instanceof Error ? error.message : String(error)))
    })
  })
  const client = createDemoClient({
    daikonUrl,
    serviceKey,
    clientId: demo.clientApp,
    appUrl: server.url,
  })
  return server
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end()
}

function readCookie({ headers }: IncomingMessage, name: string): string {
  return new RegExp(`(?:^|; )${name}=([^;]*)`).exec(headers.cookie ?? '')?.[1] ?? ''
}
