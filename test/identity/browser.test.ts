import test from 'ava'
import type { Page } from 'playwright-core'
import { hasBrowser, openBrowserPage } from '../support/browser.ts'
import { startDevServer } from '../support/dev-server.ts'

if (hasBrowser) {
  test('a user signs in to the demo application, shares a document and signs out', async (t) => {
    const { rest, app } = await startDevServer(t)
    const page = await openBrowserPage(t)

    const signIn = async (page: Page, name: string) => {
      await page.goto(app)
      await page.getByRole('link', { name: 'Sign in with daikon' }).click()
      await page.getByRole('link', { name: 'Continue with Google' }).click()
      await page.getByRole('button', { name: new RegExp(name) }).click()
      await page.getByRole('heading', { name: `Hello, ${name}` }).waitFor()
      await page.waitForLoadState()
    }
    const decisions = (page: Page) => page.getByRole('listitem').locator('b').allInnerTexts()

    await signIn(page, 'Bob')
    t.deepEqual(await decisions(page), [
      'Can view',
      'Can edit',
      'Can view',
      'Can edit',
      'Cannot view',
      'Cannot edit',
    ])
    await page.getByText('is visible to all of Demo').first().waitFor()

    // Carol immediately sees what Bob shares with her.
    const carol = await openBrowserPage(t)
    await signIn(carol, 'Carol')
    t.deepEqual((await decisions(carol)).slice(0, 2), ['Cannot view', 'Cannot edit'])
    // The page that follows must not interrupt the visit to another one.
    const reloaded = page.waitForEvent('load')
    await page.getByRole('button', { name: 'Share with Carol' }).click()
    await carol.getByText(/Carol may view .* is shared with Carol for viewing/).waitFor()
    t.deepEqual((await decisions(carol)).slice(0, 2), ['Can view', 'Cannot edit'])
    // Alice revokes it in another browser.
    const alice = await openBrowserPage(t)
    await signIn(alice, 'Alice')
    await alice.getByRole('button', { name: 'Stop sharing with Carol' }).click()
    await carol.getByText('You cannot open this document.').first().waitFor()
    await reloaded

    // The address field of the page of sign-in has a flow of its own, which ends by itself.
    const isOfFlow = ({ name }: { name: string }) => name.startsWith('login_')
    const before = (await page.context().cookies(rest)).filter(isOfFlow)
    t.true(before.length <= 1)
    await page.goto(`${rest}/auth/admin/login/github`)
    await page.getByRole('button', { name: /Bob/ }).click()
    await page.getByText('Sign-in failed').waitFor()
    await page.goto(`${rest}/auth/admin/login/microsoft`)
    await page.getByRole('button', { name: /Alice/ }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const cookies = await page.context().cookies(rest)
    const admin = cookies.find(({ name }) => name === 'admin_token')
    t.like(admin, { httpOnly: true, secure: false, sameSite: 'Strict', path: '/' })
    t.deepEqual(cookies.filter(isOfFlow), before)

    await page.goto(app)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Sign in with daikon' }).click()
    // The browser is also signed out of daikon.
    await page.getByRole('link', { name: 'Continue with GitHub' }).waitFor()

    // Without the app, the person signs out on a page of daikon.
    await signIn(page, 'Bob')
    await page.goto(`${rest}/oauth/logout`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    await page.goto(`${rest}/oauth/logout`)
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    // The app, which shows documents with its service key, finds out that the session has ended.
    await page.goto(app)
    await page.getByRole('link', { name: 'Sign in with daikon' }).waitFor()
  })
}
