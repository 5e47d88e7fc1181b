import type { ServerResponse } from 'node:http'
import { escapeHtml } from '../core/escape-html.ts'
import type { DemoDocument } from './demo-client.ts'
import type { DemoSession } from './demo-sign-in.ts'
import { demoStyle } from './demo-style.ts'

/** Renders the page for a person who is signed in. */
export function renderHome({
  session,
  documents,
  links,
}: {
  session: DemoSession
  documents: DemoDocument[]
  links: { docs: string; console: string | undefined }
}): string {
  const { name, email, workspace, role } = session
  const consoleLink = links.console
    ? `<a href="${escapeHtml(links.console)}">Admin console</a>`
    : ''
  return renderPage(
    'Demo documents',
    `<header>
      <a class="brand" href="/"><span class="logo" aria-hidden="true">d</span> Demo documents</a>
      <div class="person">
        <span class="avatar" aria-hidden="true">${escapeHtml(name.slice(0, 1))}</span>
        <span class="who"><b>${escapeHtml(name)}</b><small>${escapeHtml(email)}</small></span>
      </div>
    </header>
    <main>
      <p class="place"><span>Workspace <b>${escapeHtml(workspace)}</b></span><span>Role <b>${escapeHtml(role)}</b></span></p>
      <h1>Hello, ${escapeHtml(name)}</h1>
      <p class="lead">These are the documents of your workspace. For each of them, daikon decides what you may do, and says why.</p>
      <section id="documents" aria-label="Documents" aria-live="polite">${renderDocuments(documents)}</section>
      <p class="tip">Open this page in a private window as another person, and watch both while the roadmap is shared.</p>
      <details><summary>Tokens of this session</summary>
        <p>Access token</p><code>${escapeHtml(session.accessToken)}</code>
        <p>ID token</p><code>${escapeHtml(session.idToken)}</code>
      </details>
    </main>
    <footer>
      <nav aria-label="More">
        <a href="${escapeHtml(links.docs)}">API reference</a>
        ${consoleLink}
        <a href="/sign-in?prompt=select_account">Switch account</a>
      </nav>
      <form method="post" action="/sign-out"><button class="quiet">Sign out</button></form>
    </footer>
    <script src="/live.js" defer></script>`,
  )
}

/** Renders the documents as cards. The page reloads them after a change. */
export function renderDocuments(documents: DemoDocument[]): string {
  return documents.map(renderDocument).join('\n')
}

function renderDocument({ title, description, decisions, sharing }: DemoDocument): string {
  const canView = decisions.some(({ action, isAllowed }) => action === 'view' && isAllowed)
  const rows = decisions.map(
    ({ action, isAllowed, reason }) =>
      `<li class="${isAllowed ? 'yes' : 'no'}"><span class="mark" aria-hidden="true">${isAllowed ? '✓' : '–'}</span><span><b>${isAllowed ? 'Can' : 'Cannot'} ${escapeHtml(action)}</b><small>${escapeHtml(reason)}</small></span></li>`,
  )
  return `<article class="${canView ? '' : 'locked'}">
    <h2>${escapeHtml(title)}</h2>
    <p>${escapeHtml(canView ? description : 'You cannot open this document.')}</p>
    <ul>${rows.join('')}</ul>
    ${sharing ? renderSharing(sharing.isShared) : ''}
  </article>`
}

function renderSharing(isShared: boolean): string {
  return `<form method="post" action="/share">
    <button name="permission" value="${isShared ? 'none' : 'view'}" class="${isShared ? 'quiet' : 'primary'}">${isShared ? 'Stop sharing with Carol' : 'Share with Carol'}</button>
  </form>`
}

/** Renders the page for a person who is not signed in. */
export function renderSignIn(error: string | null): string {
  return renderPage(
    'Demo documents',
    `<main class="welcome">
      <span class="logo" aria-hidden="true">d</span>
      <h1>Demo documents</h1>
      ${error ? `<p class="error" role="alert">Sign-in failed: ${escapeHtml(error)}</p>` : ''}
      <p class="lead">Three documents, three people, and a server that decides who may read what.</p>
      <a class="button primary" href="/sign-in">Sign in with daikon</a>
      <dl>
        <div><dt>Alice</dt><dd>owns the workspace</dd></div>
        <div><dt>Bob</dt><dd>edits, and may share the roadmap</dd></div>
        <div><dt>Carol</dt><dd>views what is shared with her</dd></div>
      </dl>
      <p class="tip">No password is needed: npm run dev mocks the identity providers.</p>
    </main>`,
  )
}

/** Renders an error message. */
export function renderError(message: string): string {
  return renderPage(
    'Something went wrong',
    `<main class="welcome"><h1>Something went wrong</h1>
      <p class="error" role="alert">${escapeHtml(message)}</p>
      <a class="button" href="/">Back</a></main>`,
  )
}

function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${demoStyle}</style>
</head>
<body>
${body}
</body>
</html>
`
}

export function sendHtml(response: ServerResponse, html: string): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  })
  response.end(html)
}

/** Sends the script that updates the documents after a change without reloading the page. */
export function sendScript(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end(`
const documents = document.getElementById('documents')
const events = new EventSource('/events')
async function update() {
  const response = await fetch('/documents')
  const next = document.createElement('div')
  next.innerHTML = await response.text()
  // What has not changed remains, so that a click on it is not lost.
  if (response.ok && next.innerHTML !== documents.innerHTML) documents.innerHTML = next.innerHTML
}
events.addEventListener('ready', update)
events.addEventListener('changed', update)
events.addEventListener('ended', () => location.reload())
`)
}
