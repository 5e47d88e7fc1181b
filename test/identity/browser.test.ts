import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { hasBrowser, openBrowserPage } from '../support/browser.ts'
import { startDevServer } from '../support/dev-server.ts'

if (hasBrowser) {
  test('a newcomer signs in with a browser, asks what they may do, and signs out', async (t) => {
    const { rest, app } = await startDevServer(t)
    const page = await openBrowserPage(t)

    await page.goto(app)
    await page.getByRole('button', { name: 'Sign in with Google' }).click()
    await page.getByRole('button', { name: /Bob/ }).click()
    await page.getByRole('heading', { name: 'Hello, Bob' }).waitFor()
    await page.getByRole('button', { name: /What may I do/ }).click()
    const answers = page.getByRole('listitem')
    await answers.first().waitFor()
    t.deepEqual(await answers.allInnerTexts(), [
      '✓ may view the roadmap',
      '✓ may edit the roadmap',
      '✓ may view the handbook',
      '✓ may edit the handbook',
      '✗ may not view the salaries',
      '✗ may not edit the salaries',
    ])
    // A picture for whoever runs this; nothing compares it.
    await page.screenshot({ path: join(tmpdir(), 'daikon-signed-in.png') })

    await page.goto(`${rest}/auth/admin/login/github`)
    await page.getByRole('button', { name: /Bob/ }).click()
    await page.waitForURL(/\/login\?error=not_admin/)
    await page.goto(`${rest}/auth/admin/login/microsoft`)
    await page.getByRole('button', { name: /Alice/ }).click()
    await page.getByRole('link', { name: 'Who am I?' }).click()
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
