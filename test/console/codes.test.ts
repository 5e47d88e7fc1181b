import test, { type ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { startMockMailbox } from '../../src/dev/mock-mailbox.ts'
import { hasBrowser, waitTimeout } from '../support/browser.ts'
import { administrator, openContext, startConsole } from '../support/console.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'
import { waitUntil } from '../support/wait-until.ts'

const owner = { name: 'Olga Ivanova', email: 'olga@example.com' }

if (hasBrowser) {
  const mailbox = await startMockMailbox()
  const fixture = await startConsole(
    {
      ...mailbox.environment,
      SIGN_IN_METHODS: 'google,email',
      ADMIN_SIGN_IN_METHODS: 'google,email',
    },
    [owner],
  )
  const { consoleUrl, restUrl, seed, pool, browser } = fixture
  test.after.always(async () => {
    await fixture.stop()
    await mailbox.close()
  })

  /** Waits for the e-mail that the mailbox has received after `since` others, and returns its code. */
  async function receiveCode(email: string, since: number): Promise<string> {
    let code = ''
    await waitUntil(async () => {
      const mail = mailbox.mails
        .slice(since)
        .find(({ to }) => to?.some(({ address }) => address === email))
      code = /#(\d{8})/.exec(mail?.text ?? '')?.[1] ?? ''
      return code !== ''
    })
    return code
  }

  /** Types the address where the page asks for it, and then the code as the e-mail shows it. */
  async function signInByCode(t: ExecutionContext, page: Page, email: string, button: string) {
    const since = mailbox.mails.length
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor()
    t.is(new URL(page.url()).origin, restUrl)
    const code = await receiveCode(email, since)
    await page.getByLabel('Code').fill(`${code.slice(0, 4)} ${code.slice(4)}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  test.serial('an owner signs in to the console of the workspace by a code', async (t) => {
    t.timeout(waitTimeout * 2)
    const workspace = await seed.workspace('Northwind')
    await pool.query("update workspaces set slug = 'northwind' where id = $1", [workspace])
    await seed.member(workspace, await seed.user(owner.name, { email: owner.email }), 'owner')
    const context = await openContext(browser)
    const page = await context.newPage()
    useKeyboardAlone(page)
    await page.goto(`${consoleUrl}/w/northwind`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await signInByCode(t, page, owner.email, 'Continue with e-mail')
    await page.waitForURL(`${consoleUrl}/w/northwind`)
    await page.getByText('Owner of the workspace Northwind').waitFor()

    // Once the workspace refuses codes, the way back leads to the reason.
    await pool.query('update workspaces set email_sign_in = false where id = $1', [workspace])
    const other = await (await openContext(browser)).newPage()
    await other.goto(`${consoleUrl}/w/northwind`)
    await other.getByRole('button', { name: 'Sign in', exact: true }).click()
    await signInByCode(t, other, owner.email, 'Continue with e-mail')
    await other.waitForURL((url) => url.origin === consoleUrl)
    t.is(await other.getByText('Owner of the workspace Northwind').count(), 0)
    await Promise.all([context.close(), other.context().close()])
  })

  test.serial(
    'an administrator signs in to the admin console by a code, and nobody else does',
    async (t) => {
      t.timeout(waitTimeout * 2)
      const signInToConsole = async (email: string) => {
        const page = await (await openContext(browser)).newPage()
        await page.goto(`${consoleUrl}/people`)
        await page.getByRole('link', { name: /e-mail/ }).click()
        await page.getByRole('heading', { name: 'Sign in by e-mail' }).waitFor()
        await signInByCode(t, page, email, 'Send a code')
        return page
      }
      const page = await signInToConsole(administrator.email)
      await page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
      t.is(new URL(page.url()).pathname, '/people')
      const stranger = await signInToConsole('stranger@example.com')
      await stranger.getByRole('alert').waitFor()
      t.is(new URL(stranger.url()).searchParams.get('error'), 'not_admin')
      await Promise.all([page.context().close(), stranger.context().close()])
    },
  )
}
