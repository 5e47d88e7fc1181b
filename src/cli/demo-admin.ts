import { createServer } from 'node:http'
import { sendPage, toHtml } from './local-page.ts'

/** Where daikon sends administrators by default: `ADMIN_URL`. */
export const demoAdminPort = 9004

/** Stands in for the admin web application: it says that the sign-in has worked, or why not. */
export async function startDemoAdmin(daikonUrl: string): Promise<{ close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const error = searchParams.get('error_description')
    if (pathname === '/login') {
      const again = `<a href="${daikonUrl}/auth/admin/login/google">Sign in as administrator</a>`
      return sendPage(response, 200, 'Administration', `<p>${toHtml(error ?? '')}</p>${again}`)
    }
    const me = `<a href="${daikonUrl}/auth/admin/me">Who am I?</a>`
    sendPage(response, 200, 'Administration', `<p>You are signed in; the cookie is set.</p>${me}`)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(demoAdminPort, '127.0.0.1', resolve)
  })
  return {
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
