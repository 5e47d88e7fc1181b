import { type LocalServer, startLocalServer } from './local-server.ts'
import { escapeHtml, sendPage } from './pages.ts'

/** Starts the page at ADMIN_URL, to which administrators return after sign-in: it shows the result. */
export function startDemoAdmin({
  port,
  daikonUrl,
}: {
  port: number
  daikonUrl: string
}): Promise<LocalServer> {
  return startLocalServer(port, (request, response) => {
    const [path, query] = (request.url ?? '').split('?')
    if (path === '/login') {
      const error = new URLSearchParams(query).get('error_description') ?? ''
      const link = `<a href="${daikonUrl}/auth/admin/login/google">Sign in as an administrator</a>`
      sendPage(response, 200, 'Admin sign-in', `<p role="alert">${escapeHtml(error)}</p>${link}`)
      return
    }
    const link = `<a href="${daikonUrl}/auth/admin/me">Show my account</a>`
    sendPage(response, 200, 'Admin', `<p>You are signed in as an administrator.</p>${link}`)
  })
}
