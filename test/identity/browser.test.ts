import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { chromium } from 'playwright-core'
import { startDev } from '../support/dev.ts'

const executablePath = '/usr/bin/chromium'
const quiet = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
]

// Where there is no browser there is nothing to test; CI installs one.
if (existsSync(executablePath)) {
  test('a newcomer signs in with a browser, asks what they may do, and signs out', async (t) => {
    const { rest, app } = await startDev(t)
    const profile = await mkdtemp(join(tmpdir(), 'daikon-browser-'))
    const browser = await chromium.launchPersistentContext(profile, { executablePath, args: quiet })
    t.teardown(async () => {
      await browser.close()
      await rm(profile, { recursive: true, force: true })
    })
    const page = await browser.newPage()

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
    const cookies = await browser.cookies(rest)
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
