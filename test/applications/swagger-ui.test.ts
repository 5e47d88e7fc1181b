import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { decodeJwt } from 'jose'
import {
  chooseUser,
  createBoundApp,
  openApplication,
  readRecipe,
  takePicture,
  testApplication,
  waitForSignIn,
} from '../support/applications.ts'
import { keepConnections } from '../support/keep-connections.ts'
import { startIssuer } from '../support/oauth-issuer.ts'
import { waitUntil } from '../support/wait-until.ts'

const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

testApplication('Swagger UI signs in from a popup and sends the access token', [], async (t) => {
  const daikon = await startIssuer()
  t.teardown(() => daikon.stop())
  const received: string[] = []
  let script = ''
  const openIdConnectUrl = `${daikon.issuer}/.well-known/openid-configuration`
  const spec = {
    openapi: '3.1.0',
    info: { title: 'Documents', version: '1' },
    components: { securitySchemes: { daikon: { type: 'openIdConnect', openIdConnectUrl } } },
    security: [{ daikon: [] }],
    paths: { '/documents': { get: { responses: { 200: { description: 'The documents' } } } } },
  }
  const server = createServer(keepConnections, async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === '/documents') {
      received.push(request.headers.authorization ?? '')
      return response.setHeader('content-type', 'application/json').end('[]')
    }
    if (pathname === '/openapi.json')
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(spec))
    if (pathname === '/swagger-initializer.js') return response.end(script)
    const file = pathname === '/' ? 'index.html' : pathname
    const type = { html: 'text/html', css: 'text/css', js: 'text/javascript' }
    const extension = file.split('.').at(-1) as keyof typeof type
    response.setHeader('content-type', type[extension] ?? 'application/octet-stream')
    response.end(await readFile(join(folder, file)).catch(() => ''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  const redirectUri = `${url}/oauth2-redirect.html`
  const row = { type: 'public', popup_sign_in: true }
  const app = await createBoundApp(daikon, redirectUri, 'editor', row)
  script = await readRecipe('swagger-ui', { ...app, url })

  const page = await openApplication(t)
  await page.goto(url)
  // A dialog that opens before the configuration of daikon has arrived is rendered again, or stays empty.
  await page.waitForFunction(
    `JSON.stringify(window.ui?.getSystem().authSelectors.definitionsToAuthorize()).includes('authorization_code')`,
  )
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  const dialog = page.locator('.dialog-ux')
  const flow = dialog.locator('.auth-container', { hasText: 'authorization_code' })
  await flow.getByLabel('client_id').waitFor()
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    flow.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click(),
  ])
  await chooseUser(popup, app.email)
  await flow.getByRole('button', { name: 'Remove authorization' }).waitFor()
  await takePicture(page, 'swagger-ui')
  if (!popup.isClosed()) await popup.waitForEvent('close')
  await page.getByRole('button', { name: 'Close' }).last().click()
  await page
    .getByRole('button', { name: /documents/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.getByRole('button', { name: 'Execute' }).click()
  await waitUntil(() => received.length > 0)
  const [, token = ''] = (received[0] ?? '').split(' ')
  t.like(decodeJwt(token), { email: app.email, wrole: 'editor', client_id: app.id })
  await page.goto(`${app.issuer}/oauth/logout`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  const parameters = new URLSearchParams({
    client_id: app.id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  })
  await page.goto(`${app.issuer}/oauth/authorize?${parameters}`)
  await waitForSignIn(page)
})
