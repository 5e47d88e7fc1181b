import test from 'ava'
import type { Page, Request } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import { signIn, startConsole, waitUntilIdle } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

// What the console shows during outages and after errors of its own.
if (hasBrowser) {
  const fixture = await startConsole()
  await createSampleData(fixture)
  const { consoleUrl, restUrl } = fixture
  test.after.always(() => fixture.stop())
  const outage = 'The server cannot be reached'

  /** Resolves when the console has tried to read the session as often as it does by itself. */
  function waitForLastAttempt(page: Page): Promise<void> {
    let attempts = 0
    return new Promise((resolve) => {
      const count = (request: Request) => {
        if (!request.url().endsWith('/auth/admin/me')) return
        attempts += 1
        if (attempts === 3) resolve()
      }
      page.on('requestfailed', count)
      page.on('requestfinished', count)
    })
  }

  test.serial(
    'a page that gave up loading continues when the server is back, without a click',
    async (t) => {
      const page = await fixture.openPage('/people')
      useKeyboardAlone(page)
      await page.getByRole('link', { name: 'Ben Carter' }).waitFor()
      await fixture.stopServer()
      await page.getByRole('searchbox').fill('carter')
      // The console offers this only after its last attempt to load the data. The screen has loaded,
      // so the page does not recover by being reloaded as a whole, either.
      await page.getByRole('button', { name: 'Try again' }).waitFor()
      await page.getByText('This page continues when it is back').waitFor()
      await fixture.startServer()
      await page.getByRole('link', { name: 'Ben Carter' }).waitFor()
      await page.getByText(outage).first().waitFor({ state: 'detached' })
      t.is(await page.getByRole('searchbox').inputValue(), 'carter')
      await page.context().close()
    },
  )

  test.serial('a screen whose code cannot be loaded appears when the server is back', async (t) => {
    const page = await fixture.openPage('/people')
    useKeyboardAlone(page)
    await page.getByRole('link', { name: 'Ben Carter' }).waitFor()
    await fixture.stopServer()
    await page.getByRole('link', { name: 'Activity' }).click()
    await page.getByRole('heading', { name: outage, level: 1 }).waitFor()
    await fixture.startServer()
    await page.getByRole('columnheader', { name: 'Event' }).waitFor()
    t.is(new URL(page.url()).pathname, '/activity')
    await page.context().close()
  })

  test.serial('a page that is reloaded in an outage explains it and then continues', async (t) => {
    const page = await fixture.openPage('/people')
    useKeyboardAlone(page)
    await page.getByRole('link', { name: 'Ben Carter' }).waitFor()
    const isRest = (url: URL) => url.origin === restUrl
    await page.route(isRest, (route) => route.abort('connectionrefused'))
    const lastAttempt = waitForLastAttempt(page)
    await page.reload()
    await page.getByRole('heading', { name: outage, level: 1 }).waitFor()
    await lastAttempt
    await page.getByText('This page continues when it is back').waitFor()
    await page.unroute(isRest)
    await page.getByRole('link', { name: 'Ben Carter' }).waitFor()
    await page.getByText(outage).first().waitFor({ state: 'detached' })
    t.pass()
    await page.context().close()
  })

  test.serial(
    'a page that is reloaded while the database is down continues after it',
    async (t) => {
      const page = await fixture.openPage('/people')
      useKeyboardAlone(page)
      await page.getByRole('link', { name: 'Ben Carter' }).waitFor()
      await fixture.databaseProxy.cut()
      await page.reload()
      await page.getByRole('heading', { name: outage, level: 1 }).waitFor()
      await fixture.databaseProxy.open()
      await page.getByRole('link', { name: 'Ben Carter' }).waitFor()
      await page.getByText(outage).first().waitFor({ state: 'detached' })
      t.pass()
      await page.context().close()
    },
  )

  test.serial('an error of a screen leaves the navigation and offers to reload', async (t) => {
    const page = await fixture.openPage('/client-apps')
    useKeyboardAlone(page)
    await page.getByRole('link', { name: 'Invoices' }).waitFor()
    await page.route(/\/admin\/stats$/, (route) =>
      route.fulfill({
        headers: {
          'access-control-allow-origin': consoleUrl,
          'access-control-allow-credentials': 'true',
        },
        json: {},
      }),
    )
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'This page cannot be shown', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'People' }).click()
    await page.getByRole('link', { name: 'Ben Carter' }).waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'This page cannot be shown', level: 1 }).waitFor()
    await page.unroute(/\/admin\/stats$/)
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByText('Largest workspaces').waitFor()
    t.pass()
    await page.context().close()
  })

  test.serial('an error outside of the screens is shown instead of a blank page', async (t) => {
    const page = await fixture.openPage('/people')
    useKeyboardAlone(page)
    await page.getByRole('link', { name: 'Ben Carter' }).waitFor()
    // The dialog about an ended session, which is not part of a screen, needs a channel.
    await page.evaluate('delete window.BroadcastChannel')
    await waitUntilIdle(page)
    await signIn(page.context(), 'expired')
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByRole('heading', { name: 'This page cannot be shown', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { name: 'Sign in to the admin console' }).waitFor()
    t.pass()
    await page.context().close()
  })
}
