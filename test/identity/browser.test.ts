import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { hasBrowser, openBrowserPage } from '../support/browser.ts'
import { startDevServer } from '../support/dev-server.ts'

if (hasBrowser) {
  test('a user signs in to the demo application, checks their permissions and signs out', async (t) => {
    const { rest, app } = await startDevServer(t)
    const page = await openBrowserPage(t)

    await page.goto(app)
    await page.getByRole('button', { name: 'Sign in with Google' }).click()
    await page.getByRole('button', { name: /Bob/ }).click()
    await page.getByRole('heading', { name: 'Hello, Bob' }).waitFor()
    await page.getByRole('button', { name: 'Check my permissions' }).click()
    const permissions = page.getByRole('listitem')
    await permissions.first().waitFor()
    t.deepEqual(await permissions.allInnerTexts(), [
      '✓ can view the roadmap',
      '✓ can edit the roadmap',
      '✓ can view the handbook',
      '✓ can edit the handbook',
      '✗ cannot view the salaries',
      '✗ cannot edit the salaries',
    ])
    // For inspection by hand; no test reads it.
    await page.screenshot({ path: join(tmpdir(), 'daikon-signed-in.png') })

    await page.goto(`${rest}/auth/admin/login/github`)
    await page.getByRole('button', { name: /Bob/ }).click()
    await page.waitForURL(/\/login\?error=not_admin/)
    await page.goto(`${rest}/auth/admin/login/microsoft`)
    await page.getByRole('button', { name: /Alice/ }).click()
    await page.getByRole('link', { name: 'Show my account' }).click()
    t.true(JSON.parse((await page.locator('body').textContent()) ?? '').is_admin)
    const cookies = await page.context().cookies(rest)
    const admin = cookies.find(({ name }) => name === 'admin_token')
    t.like(admin, { httpOnly: true, secure: false, sameSite: 'Strict', path: '/' })
    t.deepEqual(
      cookies.filter(({ name }) => name.startsWith('login_')),
      [],
    )

    await page.goto(app)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with GitHub' }).waitFor()
    t.pass()
  })
}
