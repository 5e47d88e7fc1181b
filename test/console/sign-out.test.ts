import test from 'ava'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import { signIn, startConsole, waitUntilIdle } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

if (hasBrowser) {
  const fixture = await startConsole()
  await createSampleData(fixture)
  const { consoleUrl, restUrl } = fixture
  test.after.always(() => fixture.stop())

  const openOverview = async (): Promise<Page> => {
    const page = await fixture.openPage('/')
    useKeyboardAlone(page)
    await page.getByText('Largest workspaces').waitFor()
    return page
  }
  const signOut = async (page: Page) => {
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }
  const waitForSignIn = (page: Page) =>
    page.getByRole('heading', { name: 'Sign in to the admin console' }).waitFor()

  test.serial('signing out on the overview removes everything from the page', async (t) => {
    const page = await openOverview()
    await signOut(page)
    await waitForSignIn(page)
    t.is(await page.getByText('Largest workspaces').count(), 0)
    t.is(await page.getByText('Northwind').count(), 0)
    const cookies = await page.context().cookies(restUrl)
    t.is(cookies.find(({ name }) => name === 'admin_token')?.value ?? '', '')
    await page.goBack()
    await page.goto(`${consoleUrl}/people`)
    await waitForSignIn(page)
    await page.context().close()
  })

  test.serial('signing out in one tab also empties the others', async (t) => {
    const page = await openOverview()
    const other = await page.context().newPage()
    await other.goto(`${consoleUrl}/people`)
    await other.getByRole('link', { name: 'Ben Carter' }).waitFor()
    await signOut(page)
    await waitForSignIn(other)
    t.is(await other.getByText('Ben Carter').count(), 0)
    await page.context().close()
  })

  test.serial('signing out after the session has ended shows the sign-in page', async (t) => {
    const page = await openOverview()
    await waitUntilIdle(page)
    await signIn(page.context(), 'expired')
    await signOut(page)
    await waitForSignIn(page)
    t.is(await page.getByRole('dialog').count(), 0)
    await page.context().close()
  })

  test.serial('a sign-out that fails says so and keeps the session', async (t) => {
    const page = await openOverview()
    await page.route(/\/auth\/admin\/logout$/, (route) => route.abort('connectionrefused'))
    await signOut(page)
    await page.getByText('You are still signed in').waitFor()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'People' }).click()
    await page.getByRole('link', { name: 'Ben Carter' }).waitFor()
    t.pass()
    await page.context().close()
  })
}
