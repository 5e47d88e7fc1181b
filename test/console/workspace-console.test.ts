// Threats: an administrator's cookie in the console of a customer, tokens in addresses and storage, and
// workspaces of others.
import test from 'ava'
import type { BrowserContext, Page, Request } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import { openContext, signIn, startConsole, waitUntilIdle } from '../support/console.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'
import { waitUntil } from '../support/wait-until.ts'

const people = {
  owner: { name: 'Olga Ivanova', email: 'olga@example.com' },
  admin: { name: 'Adam Nowak', email: 'adam@example.com' },
  viewer: { name: 'Vera Costa', email: 'vera@example.com' },
  stranger: { name: 'Stig Larsen', email: 'stig@example.com' },
}

type PersonName = keyof typeof people

if (hasBrowser) {
  const fixture = await startConsole({}, Object.values(people))
  const { consoleUrl, restUrl, seed, pool, browser } = fixture
  const workspaceId = await seed.workspace('Northwind')
  const slug = await renameSlug(workspaceId, 'northwind')
  const foreignId = await seed.workspace('Contoso')
  const foreignSlug = await renameSlug(foreignId, 'contoso')
  const ids = {} as Record<PersonName, string>
  for (const [name, person] of Object.entries(people) as [PersonName, { email: string }][])
    ids[name] = await seed.user(people[name].name, { email: person.email })
  await seed.member(workspaceId, ids.owner, 'owner')
  await seed.member(workspaceId, ids.admin, 'admin')
  await seed.member(workspaceId, ids.viewer, 'viewer')
  await seed.member(foreignId, ids.stranger, 'owner')
  await seed.serviceAction('docs', 'publish')
  test.after.always(() => fixture.stop())

  async function renameSlug(id: string, slug: string): Promise<string> {
    await pool.query('update workspaces set slug = $2 where id = $1', [id, slug])
    return slug
  }

  /** Signs a person in at the identity provider, from the page that offers it. */
  async function signInAs(page: Page, person: PersonName) {
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await chooseAccount(page, person)
  }

  async function chooseAccount(page: Page, person: PersonName) {
    await page.getByRole('link', { name: /Google/ }).click()
    await page.getByRole('button', { name: people[person].name }).click()
  }

  /** Opens the console of a workspace as a person. */
  async function openAs(person: PersonName, path = `/w/${slug}`): Promise<Page> {
    const context = await openContext(browser)
    const page = await context.newPage()
    useKeyboardAlone(page)
    await page.goto(consoleUrl + path)
    await signInAs(page, person)
    await page.waitForURL(consoleUrl + path)
    return page
  }

  const openTab = (page: Page, name: string) => page.getByRole('tab', { name }).click()
  const waitForHat = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor()

  /** Collects the requests of the console to the API. */
  function watchRequests(context: BrowserContext): Request[] {
    const seen: Request[] = []
    context.on('request', (request) => {
      const isOfPage = request.resourceType() === 'fetch'
      if (isOfPage && request.url().startsWith(restUrl)) seen.push(request)
    })
    return seen
  }
  const pathOf = (request: Request) => new URL(request.url()).pathname

  test.serial('an owner manages the workspace with a token, never with a cookie', async (t) => {
    const context = await openContext(browser)
    // The cookie of an administrator, from the other console.
    await signIn(context, await fixture.signAdminToken())
    const requests = watchRequests(context)
    const page = await context.newPage()
    useKeyboardAlone(page)
    await page.goto(`${consoleUrl}/w/${slug}?tab=groups`)
    await signInAs(page, 'owner')
    await page.waitForURL(`${consoleUrl}/w/${slug}?tab=groups`)
    await waitForHat(page, 'Owner of the workspace Northwind')

    await openTab(page, 'Members')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('E-mail address').fill('ines@example.com')
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
    await page.getByText('Send the invitation link').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('ines@example.com').first().waitFor()
    const role = page.getByRole('combobox', { name: 'Role of Vera Costa' })
    await role.selectOption('editor')
    await page.getByText('Vera Costa now has the role Editor.').waitFor()
    await role.selectOption('viewer')
    await page.getByText('Vera Costa now has the role Viewer.').waitFor()
    for (const isGuest of [true, false]) {
      await page.getByRole('button', { name: 'Edit the membership of Vera Costa' }).click()
      await page.getByRole('dialog').getByRole('switch', { name: 'Guest' }).setChecked(isGuest)
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await role.waitFor({ state: isGuest ? 'detached' : 'visible' })
    }

    await openTab(page, 'Groups')
    await page.getByRole('button', { name: 'New group' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('Product')
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'Product' }).first().click()
    await page.getByText('No members yet').waitFor()

    await openTab(page, 'Roles')
    await page.getByRole('button', { name: 'New role' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('Publisher')
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    const grant = page.getByRole('checkbox', { name: 'Publisher may publish in docs' })
    // Not `check`, which fails if the box is still empty when the click ends: React fills it later.
    await grant.click()
    await grant.and(page.locator(':checked')).waitFor()
    await waitUntilIdle(page)
    t.true(await grant.isChecked())

    await openTab(page, 'Service accounts')
    await page.getByRole('button', { name: 'New service account' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('Nightly export')
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('CI')
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    const key = await page.getByRole('dialog').getByText(/^da_/).innerText()
    await page.getByRole('button', { name: 'I have saved it' }).click()
    const authorization = `Bearer ${key.trim()}`
    const me = await fetch(`${restUrl}/users/me`, { headers: { authorization } })
    t.is(me.status, 200)
    await page.getByRole('button', { name: 'Revoke the key CI' }).click()
    const deletion = page.getByRole('dialog', { name: 'Revoke the key CI?' })
    await deletion.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('The key CI was revoked.').waitFor()
    t.is((await fetch(`${restUrl}/users/me`, { headers: { authorization } })).status, 401)

    await openTab(page, 'Activity')
    const log = page.getByRole('table', { name: 'Activity' })
    for (const event of [/API key created/i, /Service account created/i, /Member invited/i])
      await log.getByText(event).first().waitFor()
    await log.getByText('Olga Ivanova').first().waitFor()

    await openTab(page, 'Settings')
    await page.getByRole('switch', { name: 'Allow support access' }).click()
    const refusal = page.getByRole('dialog', { name: 'Forbid support access to Northwind?' })
    await refusal.getByRole('button', { name: 'Forbid' }).click()
    await waitUntil(async () => {
      const sql = 'select support_access from workspaces where id = $1'
      return (await pool.query(sql, [workspaceId])).rows[0].support_access === false
    })

    t.true(requests.length > 20)
    for (const request of requests) {
      const path = pathOf(request)
      const headers = await request.allHeaders()
      t.regex(path, /^\/(workspaces|users\/me|oauth\/token)/)
      t.is(headers.cookie, undefined, path)
      if (!path.startsWith('/oauth')) t.regex(headers.authorization ?? '', /^Bearer ey/, path)
    }
    const stored = await page.evaluate(
      'JSON.stringify([localStorage, sessionStorage, location.href])',
    )
    t.notRegex(String(stored), /eyJ|code=|verifier/)
    await context.close()
  })

  test.serial('every page passes axe, in both schemes, and fits a telephone', async (t) => {
    const page = await openAs('owner')
    await loadAxe(page)
    await waitForHat(page, 'Owner of the workspace Northwind')
    const tabs = ['Members', 'Groups', 'Roles', 'Service accounts', 'Connected apps']
    for (const tab of [...tabs, 'Activity', 'Settings']) {
      await openTab(page, tab)
      if (tab === 'Service accounts')
        await page.getByRole('button', { name: /^Nightly export/ }).click()
      const name = `workspace-${tab.toLowerCase().replace(' ', '-')}`
      t.deepEqual(await inspectPage(page, name), [], tab)
    }
    await page.context().close()
  })

  test.serial('a reload keeps the session; signing out ends it also for a reload', async (t) => {
    const page = await openAs('owner', `/w/${slug}?tab=settings`)
    await page.getByRole('heading', { name: 'Support access' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Support access' }).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${consoleUrl}/w/${slug}`)
    await waitForHat(other, 'Owner of the workspace Northwind')
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Manage the workspace northwind' }).waitFor()
    t.is(await page.getByText('Support access').count(), 0)
    await other.getByRole('heading', { name: 'Manage the workspace northwind' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Manage the workspace northwind' }).waitFor()
    await page.context().close()
  })

  test.serial('an admin manages all but owners', async (t) => {
    const page = await openAs('admin')
    await waitForHat(page, 'Admin of the workspace Northwind')
    const row = page.getByRole('row', { name: /Olga Ivanova/ })
    await row.getByText('Owner', { exact: true }).waitFor()
    t.is(await row.getByRole('button').count(), 0)
    const roles = page.getByRole('combobox', { name: 'Role of Vera Costa' }).locator('option')
    await roles.first().waitFor({ state: 'attached' })
    t.deepEqual(await roles.allTextContents(), ['Admin', 'Editor', 'Viewer'])
    await openTab(page, 'Settings')
    t.true(await page.getByRole('switch', { name: 'Allow support access' }).isDisabled())
    // The server accepts no unregistered apps.
    t.is(await page.getByText('Unregistered apps').count(), 0)
    await page.context().close()
  })

  test.serial('a viewer is told that they may not administer', async (t) => {
    const page = await openAs('viewer')
    await page.getByRole('heading', { name: 'You may not administer Northwind' }).waitFor()
    await waitForHat(page, 'Viewer of the workspace Northwind')
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'workspace-refused'), [])
    t.is(await page.getByRole('tab').count(), 0)
    await page.context().close()
  })

  test.serial('the owner of another workspace cannot open it', async (t) => {
    const page = await openAs('stranger', `/w/${foreignSlug}`)
    await waitForHat(page, 'Owner of the workspace Contoso')
    await page.goto(`${consoleUrl}/w/${slug}`)
    await page.getByRole('heading', { name: 'Manage the workspace northwind' }).waitFor()
    await page.getByRole('alert').waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'workspace-sign-in'), [])
    t.is(await page.getByText('Olga Ivanova').count(), 0)
    await page.context().close()
  })

  test.serial('the cookie of an administrator opens nothing', async (t) => {
    const context = await openContext(browser)
    const token = await fixture.signAdminToken()
    await signIn(context, token)
    const page = await context.newPage()
    await page.goto(`${consoleUrl}/w/${slug}`)
    await page.getByRole('heading', { name: 'Manage the workspace northwind' }).waitFor()
    const routes = [`/workspaces/${workspaceId}`, `/workspaces/${workspaceId}/members`, '/users/me']
    for (const path of routes) {
      const headers = { cookie: `admin_token=${token}`, origin: consoleUrl }
      t.is((await fetch(restUrl + path, { headers })).status, 401)
    }
    await context.close()
  })

  test.serial('tokens are renewed; a session that ended continues in another window', async (t) => {
    const page = await openAs('owner')
    const requests = watchRequests(page.context())
    await waitForHat(page, 'Owner of the workspace Northwind')
    // The access token is denied, as if it had expired.
    await pool.query(
      `insert into denied_tokens (token_id, expires_at)
       select access_token_id, access_expires_at from refresh_tokens on conflict do nothing`,
    )
    await openTab(page, 'Groups')
    await page.getByRole('heading', { name: 'Groups' }).waitFor()
    await page.getByRole('button', { name: 'Product' }).first().waitFor()
    t.true(requests.some((request) => pathOf(request) === '/oauth/token'))

    await page.getByRole('button', { name: 'New group' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Design')
    await pool.query('delete from browser_sessions where user_id = $1', [ids.owner])
    // Together: in between, the page could renew its tokens.
    await pool.query(
      `with denied as (
         insert into denied_tokens (token_id, expires_at)
         select access_token_id, access_expires_at from refresh_tokens on conflict do nothing)
       delete from refresh_families where user_id = $1`,
      [ids.owner],
    )
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    const opened = page.context().waitForEvent('page')
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    const window = await opened
    await chooseAccount(window, 'owner')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Design' }).first().waitFor()
    t.is(await page.evaluate('window.name'), '')
    await page.context().close()
  })

  test.serial('the code of a sign-in does not remain in the address', async (t) => {
    const context = await openContext(browser)
    const page = await context.newPage()
    await page.goto(`${consoleUrl}/w/callback?code=secret&state=of-another-window`)
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    t.is(page.url(), `${consoleUrl}/w/callback`)
    await context.close()
  })
}
