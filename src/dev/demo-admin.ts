import { sendPage, toHtml } from './mock-page.ts'
import { type LocalServer, serveLocally } from './mock-server.ts'

/** Stands in for the admin web application: it says that the sign-in has worked, or why not. */
export function startDemoAdmin(daikonUrl: string): Promise<LocalServer> {
  return serveLocally(9004, (request, response) => {
    const [path, query] = (request.url ?? '').split('?')
    const error = new URLSearchParams(query).get('error_description')
    if (path === '/login') {
      const again = `<a href="${daikonUrl}/auth/admin/login/google">Sign in as administrator</a>`
      return sendPage(response, 200, 'Administration', `<p>${toHtml(error ?? '')}</p>${again}`)
    }
    const me = `<a href="${daikonUrl}/auth/admin/me">Who am I?</a>`
    sendPage(response, 200, 'Administration', `<p>You are signed in; the cookie is set.</p>${me}`)
  })
}
