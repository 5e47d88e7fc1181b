import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { type ExecutionContext } from 'ava'
import type { BrowserContext, Page } from 'playwright-core'
import { findFreePort } from '../../src/core/free-port.ts'
import { hasBrowser, launchBrowser, prepareContext } from '../support/browser.ts'
import { startIssuer } from '../support/oauth-issuer.ts'

const root = join(import.meta.dirname, '../..')
const browserTest = hasBrowser ? test : test.skip
if (!hasBrowser) console.info('Chromium is not installed: examples/spa is not tested')

/** The folder for screenshots of the example, if set. */
const { SCREENSHOTS } = process.env

browserTest(
  'examples/spa lists and shares documents, and its buttons reflect permissions',
  async (t) => {
    t.timeout(600_000)
    const { environment, issuer, createClient, stop } = await startIssuer()
    t.teardown(stop)
    const { seed } = environment
    const port = await findFreePort()
    const url = `http://localhost:${port}/`
    const { client_id } = await createClient(`${url}callback`, { post_logout_redirect_uris: [url] })
    const { key } = await seed.serviceApp('docs')
    await startExample(t, {
      DAIKON_ADDRESS: `127.0.0.1:${environment.grpcPort}`,
      DAIKON_SERVICE_KEY: key,
      VITE_DAIKON_URL: issuer,
      VITE_DAIKON_CLIENT_ID: client_id,
      PORT: String(port),
    })

    // Ann owns the workspace. Ben and Eve are members who can see only resources shared with them.
    const workspace = await seed.workspace('Acme')
    const people: Record<string, string> = {}
    for (const [name, role] of [
      ['Ann Lee', 'owner'],
      ['Ben Otto', 'viewer'],
      ['Eve Kim', 'editor'],
    ] as const) {
      const email = environment.addProviderUser({ name })
      people[name] = email
      await seed.member(workspace, await seed.user(name, { email }), role)
    }

    const browser = await launchBrowser()
    t.teardown(() => browser.close())
    const open = async (name: string) => {
      const context = await browser.newContext({ viewport: { width: 1100, height: 720 } })
      prepareContext(context)
      const page = await context.newPage()
      page.on('pageerror', (error) => t.fail(`an error or rejection was not handled: ${error}`))
      await hintUser(context, issuer, people[name] as string)
      await page.goto(url)
      await capture(page, 'welcome')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Documents' }).waitFor()
      // Back at the address where the sign-in began.
      await page.waitForURL(url)
      return page
    }

    const ann = await open('Ann Lee')
    await ann.getByText('No documents yet').waitFor()
    for (const title of ['Launch plan', 'Interview notes', 'Budget'])
      await createDocument(ann, title)
    const ben = await open('Ben Otto')
    await ben.getByText('No documents yet').waitFor()
    await capture(ben, 'empty')

    const plan = ann.getByRole('listitem').filter({ hasText: 'Launch plan' })
    await plan.getByRole('button', { name: 'Share' }).click()
    const access = ann.getByLabel('Access of Ben Otto')
    const benSelect = `document.querySelector('[aria-label="Access of Ben Otto"]')`
    await access.selectOption('Can view')
    await ann.waitForFunction(`${benSelect}.value === 'view'`)
    await capture(ann, 'share')
    await ann.getByRole('button', { name: 'Done' }).click()
    await capture(ann, 'owner')
    await ann.setViewportSize({ width: 360, height: 720 })
    // It fits a phone.
    await ann.waitForFunction('document.documentElement.scrollWidth === 360')
    await ann.setViewportSize({ width: 1100, height: 720 })

    await ben.reload()
    await ben.getByText('View only').waitFor()
    t.is(await ben.getByRole('listitem').count(), 1)
    t.is(await ben.getByRole('button', { name: /Edit|Share/ }).count(), 0)
    await capture(ben, 'viewer')

    await plan.getByRole('button', { name: 'Share' }).click()
    await access.selectOption('Can edit')
    await ann.waitForFunction(`${benSelect}.value === 'edit'`)
    await ann.getByRole('button', { name: 'Done' }).click()
    // The browser fires this event when Ben returns to the tab.
    await ben.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await ben.getByRole('button', { name: 'Edit' }).click()
    t.is(await ben.getByRole('button', { name: 'Share' }).count(), 0)
    await ben.getByLabel('Title').fill('Better launch plan')
    await capture(ben, 'edit')
    await ben.getByRole('button', { name: 'Save' }).click()
    await ben.getByRole('heading', { name: 'Better launch plan' }).waitFor()

    // The page offers to sign in before it leaves for daikon, which leads back.
    const returned = ann.waitForEvent('load')
    await ann.getByRole('button', { name: 'Sign out' }).click()
    await returned
    await ann.getByRole('button', { name: 'Sign in' }).waitFor()
    t.is(ann.url(), url)
  },
)

async function createDocument(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'New document' }).click()
  await page.getByLabel('Title').fill(title)
  await page.getByLabel('Text').fill(`Everything about the ${title.toLowerCase()}, in one place.`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: title, exact: true }).waitFor()
  await page.getByRole('button', { name: `Share ${title}` }).waitFor()
}

/** Makes the mock provider sign in a user without showing its page. */
async function hintUser(context: BrowserContext, issuer: string, email: string): Promise<void> {
  await context.route(`${issuer}/oauth/authorize?*`, async (route) => {
    const request = new URL(route.request().url())
    if (request.searchParams.has('login_hint')) return route.continue()
    request.searchParams.set('login_hint', email)
    await route.fulfill({ status: 302, headers: { location: request.href } })
  })
}

/** Saves screenshots in light mode, in dark mode, and at the width of a phone. */
async function capture(page: Page, name: string): Promise<void> {
  if (!SCREENSHOTS) return
  const size = page.viewportSize() ?? { width: 1100, height: 720 }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}.png`) })
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 360, height: 720 })
  await page.screenshot({ path: join(SCREENSHOTS, `${name}-360.png`) })
  await page.setViewportSize(size)
}

/** Starts the example as its README describes, and waits until it prints its URL. */
async function startExample(t: ExecutionContext, env: Record<string, string>): Promise<void> {
  const child = spawn('npm', ['start', '--prefix', 'examples/spa'], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(child, 'exit')
  t.teardown(async () => {
    if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGTERM')
    await ended
  })
  for await (const line of createInterface(child.stdout)) if (line.startsWith('http://')) return
  throw new Error('The example ended')
}
