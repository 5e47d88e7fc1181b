import { connect, createServer } from 'node:net'
import test from 'ava'
import { findFreePort } from '../../src/core/free-port.ts'
import { hasBrowser, launchBrowser, prepareContext, waitTimeout } from '../support/browser.ts'
import { createEmailEnvironment } from '../support/email-sign-in.ts'
import { createAuthorizationRequest, createOAuthClient } from '../support/oauth.ts'

const browserTest = hasBrowser ? test.serial : test.serial.skip
const folder = process.env.SCREENSHOTS

/** The widths and color schemes in which pages are displayed. */
const looks = [
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
  { width: 1000, colorScheme: 'light' },
] as const

browserTest('the pages of codes work without scripts, at 360 px, light and dark', async (t) => {
  t.timeout(waitTimeout * 4)
  const port = await findFreePort()
  const BASE_URL = `http://localhost:${port}`
  const environment = await createEmailEnvironment({ options: { BASE_URL } })
  t.teardown(() => environment.stop())
  // The pages name BASE_URL, whose port is known before the server listens.
  const relay = createServer((socket) => {
    const upstream = connect(environment.httpPort, '127.0.0.1')
    socket.pipe(upstream).pipe(socket)
    for (const end of [socket, upstream]) end.on('error', () => end.destroy())
  })
  relay.listen(port, '127.0.0.1')
  t.teardown(() => relay.close())
  const known = environment.addProviderUser()
  const redirectUri = `${BASE_URL}/health`
  const { client_id } = await createOAuthClient(environment, { name: 'Example' }, [redirectUri])
  const browser = await launchBrowser()
  t.teardown(() => browser.close())

  for (const [index, { width, colorScheme }] of looks.entries()) {
    const context = await browser.newContext({
      viewport: { width, height: 740 },
      colorScheme,
      javaScriptEnabled: false,
    })
    prepareContext(context)
    const page = await context.newPage()
    const refused: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') refused.push(message.text())
    })
    const look = async (name: string) => {
      const scroll = await page
        .locator('html')
        .evaluate((html) => [html.scrollWidth, html.clientWidth])
        .catch(() => [0, 0])
      t.true((scroll[0] ?? 0) <= (scroll[1] ?? 0), `${name} is wider than ${width}`)
      if (folder)
        await page.screenshot({
          path: `${folder}/${name}-${width}-${colorScheme}.png`,
          fullPage: true,
        })
    }
    const { request } = createAuthorizationRequest(client_id, { redirect_uri: redirectUri })
    await page.goto(`${BASE_URL}/oauth/authorize?${new URLSearchParams(request)}`)
    await look('sign-in')
    const email = `browser-${index}@example.com`
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('button', { name: 'Continue with e-mail' }).click()
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor()
    await look('code')
    await page.getByRole('link', { name: 'Use another address' }).click()
    await look('address')
    await page.getByRole('button', { name: 'Send a code' }).click()
    await environment.work()
    await page.getByLabel('Code').fill('0000 0001')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await look('wrong-code')
    const code = environment.codeOf(email)
    await page.getByLabel('Code').fill(`${code.slice(0, 4)} ${code.slice(4)}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL((url) => url.pathname === '/health')
    t.truthy(new URL(page.url()).searchParams.get('code'))
    t.deepEqual(refused, [])
    await context.close()
  }

  // The page of somebody who signs in another way.
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    javaScriptEnabled: false,
  })
  prepareContext(context)
  const page = await context.newPage()
  const { request } = createAuthorizationRequest(client_id, { redirect_uri: redirectUri })
  await page.goto(`${BASE_URL}/oauth/authorize?${new URLSearchParams(request)}`)
  await page.getByLabel('E-mail address').fill(known)
  await page.getByRole('button', { name: 'Continue with e-mail' }).click()
  await environment.work()
  await page.getByLabel('Code').fill(environment.codeOf(known))
  await environment.pool.query(
    'insert into users (id, email) values (gen_random_uuid(), $1) on conflict do nothing',
    [known],
  )
  await environment.pool.query(
    "insert into linked_accounts (provider, subject, user_id, email) select 'google', email, id, email from users where email = $1 on conflict do nothing",
    [known],
  )
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'One more sign-in' }).waitFor()
  if (folder) await page.screenshot({ path: `${folder}/confirm-360-light.png`, fullPage: true })
  t.is(await page.getByRole('link', { name: 'Continue with Google' }).count(), 1)
})
