import test from 'ava'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import { openContext, startConsole } from '../support/console.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'
import { seedGrant } from '../support/request-fixture.ts'

if (hasBrowser) {
  const people = [
    { name: 'Petra Novak', email: 'petra@example.com' },
    { name: 'Quentin Diaz', email: 'quentin@example.com' },
    { name: 'Rosa Weber', email: 'rosa@example.com' },
    { name: 'Sara Lind', email: 'sara@example.com' },
  ]
  const fixture = await startConsole({ SIGN_IN_METHODS: 'google,github,passkey' }, people)
  const { restUrl, browser, seed, pool } = fixture
  test.after.always(() => fixture.stop())

  /** Signs a person in to the account page. */
  async function open(name: string, path = '/account'): Promise<Page> {
    const context = await openContext(browser)
    const page = await context.newPage()
    useKeyboardAlone(page)
    await page.goto(restUrl + path)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await signInAt(page, 'Google', name)
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    return page
  }

  async function signInAt(page: Page, provider: string, name: string): Promise<void> {
    await page.getByRole('link', { name: new RegExp(provider) }).click()
    await page.getByRole('button', { name }).click()
  }

  /** Signs in again, as the dialog asks. */
  async function stepUp(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name: 'Sign in again' }).click()
    await signInAt(page, 'Google', name)
    await page.getByText('You have signed in again').waitFor()
  }

  test('a person links an account, adds a passkey and removes the first account', async (t) => {
    const page = await open('Petra Novak')
    const session = await page.context().newCDPSession(page)
    await session.send('WebAuthn.enable')
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    })
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Add GitHub' }).click()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await stepUp(page, 'Petra Novak')
    await page.getByRole('button', { name: 'Add GitHub' }).click()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Petra Novak' }).click()
    await page.getByRole('heading', { name: 'Add this account?' }).waitFor()
    t.true((await page.innerText('main')).includes('petra@example.com'))
    await page.getByRole('button', { name: 'Add petra@example.com' }).click()
    await page.getByText('The account was added: GitHub.').waitFor()

    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await dialog.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename / }).waitFor()
    await page.getByRole('button', { name: 'Remove Google' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'Add Google' }).waitFor()
    const { rows } = await pool.query(
      `select array_agg(a.provider order by a.provider) as providers from linked_accounts a
       join users u on u.id = a.user_id where u.email = 'petra@example.com'`,
    )
    t.deepEqual(rows[0].providers, ['github', 'passkey'])
  })

  test('the page is accessible, loads little and keeps no token', async (t) => {
    const id = await seed.user('Quentin Diaz', { email: 'quentin@example.com' })
    await seed.member(await seed.workspace('Northwind'), id, 'editor')
    await seed.member(await seed.workspace('Contoso'), id, 'viewer', { joined_at: null })
    const page = await open('Quentin Diaz')
    const requests: string[] = []
    page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    await page.reload()
    await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
    const assets = requests.filter((path) => path.startsWith('/account/assets/'))
    t.is(new Set(assets).size, 2)
    const calls = requests.filter((path) => /^\/(users|workspaces|oauth\/token)/.test(path))
    t.true(calls.length <= 8, calls.join())
    t.deepEqual(
      requests.filter((path) => !calls.includes(path) && !path.startsWith('/account')),
      ['/oauth/authorize'],
    )
    t.is(await page.evaluate('JSON.stringify([{...localStorage}, {...sessionStorage}])'), '[{},{}]')
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'account'), [])
    await page.getByRole('button', { name: 'Leave Northwind' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Join Contoso' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Join' }).click()
    await page.getByRole('button', { name: 'Leave Contoso' }).waitFor()
  })

  test('a person disconnects an app', async (t) => {
    const id = await seed.user('Sara Lind', { email: 'sara@example.com' })
    const workspace = await seed.workspace('Fabrikam')
    await seed.member(workspace, id, 'editor')
    const host = `${await seedGrant(fixture, id, workspace)}.example.com`
    const page = await open('Sara Lind')
    await page.getByText('in Fabrikam, openid').waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'account with an app'), [])
    await page.getByRole('button', { name: `Disconnect ${host}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('You have given no app access.').waitFor()
    const { rowCount } = await pool.query('select from consents where user_id = $1', [id])
    t.is(rowCount, 0)
  })

  test('a person deletes their account', async (t) => {
    const page = await open('Rosa Weber')
    await page.getByRole('button', { name: 'Delete your account' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Delete my account' }).click()
    await stepUp(page, 'Rosa Weber')
    await page.getByRole('button', { name: 'Delete your account' }).click()
    await dialog.getByRole('button', { name: 'Delete my account' }).click()
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    const { rowCount } = await pool.query(`select from users where email = 'rosa@example.com'`)
    t.is(rowCount, 0)
  })
} else {
  test('a browser is not installed', (t) => t.pass())
}
