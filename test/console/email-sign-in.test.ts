// Owners refuse codes by e-mail in their workspace; administrators see it.
import test from 'ava'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import { openContext, startConsole } from '../support/console.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'
import { waitUntil } from '../support/wait-until.ts'

if (hasBrowser) {
  const owner = { name: 'Olga Ivanova', email: 'olga@example.com' }
  const editor = { name: 'Adam Nowak', email: 'adam@example.com' }
  const codes = {
    SIGN_IN_METHODS: 'google,email',
    SMTP_URL: 'smtp://127.0.0.1:1',
    SMTP_FROM: 'daikon@example.com',
  }
  const fixture = await startConsole(codes, [owner, editor])
  const { consoleUrl, seed, pool, browser } = fixture
  const workspaceId = await seed.workspace('Northwind')
  await pool.query(`update workspaces set slug = 'northwind' where id = $1`, [workspaceId])
  for (const [{ name, email }, role] of [
    [owner, 'owner'],
    [editor, 'admin'],
  ] as const)
    await seed.member(workspaceId, await seed.user(name, { email }), role)
  test.after.always(() => fixture.stop())

  async function openSettings({ name }: { name: string }): Promise<Page> {
    const page = await (await openContext(browser)).newPage()
    useKeyboardAlone(page)
    await page.goto(`${consoleUrl}/w/northwind?tab=settings`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('link', { name: /Google/ }).click()
    await page.getByRole('button', { name }).click()
    await page.getByRole('heading', { name: 'Support access' }).waitFor()
    return page
  }

  const switchOf = (page: Page) => page.getByRole('switch', { name: 'Accept codes by e-mail' })

  const areAccepted = async () => {
    const sql = 'select email_sign_in from workspaces where id = $1'
    return (await pool.query(sql, [workspaceId])).rows[0].email_sign_in as boolean
  }

  test.serial('an owner refuses codes by e-mail, and accepts them again', async (t) => {
    const page = await openSettings(owner)
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'workspace-email-sign-in'), [])
    await switchOf(page).click()
    const dialog = page.getByRole('dialog', { name: 'Refuse codes by e-mail in Northwind?' })
    await dialog.waitFor()
    t.deepEqual(await inspectPage(page, 'workspace-email-sign-in-dialog'), [])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    t.true(await areAccepted())
    await switchOf(page).click()
    await dialog.getByRole('button', { name: 'Refuse' }).click()
    await waitUntil(async () => !(await areAccepted()))
    await dialog.waitFor({ state: 'detached' })

    const admin = await fixture.openPage(`/workspaces/${workspaceId}?tab=details`)
    await admin.getByText('Refused by an owner').waitFor()
    await loadAxe(admin)
    t.deepEqual(await inspectPage(admin, 'workspace-details-email-sign-in'), [])

    await switchOf(page).and(page.locator(':not(:checked)')).waitFor()
    await switchOf(page).click()
    await waitUntil(areAccepted)
    await switchOf(page).and(page.locator(':checked')).waitFor()
    await admin.reload()
    await admin.getByText('Accepted').waitFor()
  })

  test.serial('others only see whether codes are accepted', async (t) => {
    const page = await openSettings(editor)
    t.true(await switchOf(page).isDisabled())
    t.true(await switchOf(page).isChecked())
  })
} else {
  test('a browser is not installed', (t) => t.pass())
}
