import test from 'ava'
import { hasBrowser, openBrowserPage } from '../support/browser.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { waitUntil } from '../support/wait-until.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())
const address = `http://127.0.0.1:${environment.httpPort}`

if (hasBrowser) {
  test.serial('/docs and /redoc work in a browser and load nothing from other hosts', async (t) => {
    const page = await openBrowserPage(t)
    const requested: string[] = []
    const consoleErrors: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    page.on('console', (line) => line.type() === 'error' && consoleErrors.push(line.text()))
    page.on('pageerror', (error) => consoleErrors.push(error.message))

    await page.goto(`${address}/docs`)
    await page.locator('#operations-tag-Auth').click()
    const call = page.locator('#operations-Auth-AuthService_GetKeySet')
    await call.locator('.opblock-summary-control').click()
    await call.getByRole('button', { name: 'Try it out' }).click()
    await call.getByRole('button', { name: 'Execute' }).click()
    const response = call.locator('.live-responses-table .response')
    await response.filter({ hasText: /200[\s\S]*RS256/ }).waitFor()

    t.deepEqual(consoleErrors, [])

    await page.goto(`${address}/redoc`)
    const described = page.locator('h2', { hasText: 'Check permissions' })
    await described.first().waitFor({ state: 'attached' })
    // Redoc sets two styles before it has its nonce. The page is readable without them.
    const expectedWarnings = /^Applying inline style violates/
    t.deepEqual(
      consoleErrors.filter((line) => !expectedWarnings.test(line)),
      [],
    )
    const otherHosts = requested.filter(
      (url) => !url.startsWith(`${address}/`) && !/^(data|blob):/.test(url),
    )
    t.deepEqual(otherHosts, [])
  })

  test.serial('/docs follows the color scheme and fits a narrow screen', async (t) => {
    const page = await openBrowserPage(t)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(`${address}/docs`)
    await page.locator('.opblock-tag').first().waitFor()
    // The page follows the scheme and the width after it has rendered.
    const isDark = () =>
      page.evaluate<boolean>(
        "getComputedStyle(document.documentElement).backgroundColor === 'rgb(28, 32, 34)'",
      )
    const fits = () => page.evaluate<boolean>('document.documentElement.scrollWidth === 360')
    await waitUntil(isDark)
    await waitUntil(fits)
    await page.locator('.opblock-tag').first().click()
    await page.locator('.opblock-summary').first().click()
    await page.locator('.opblock-body').first().waitFor()
    await waitUntil(fits)
    await page.emulateMedia({ colorScheme: 'light' })
    await waitUntil(async () => !(await isDark()))
    t.pass()
  })
}
