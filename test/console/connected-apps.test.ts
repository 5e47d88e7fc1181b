// Threat: grants that outlive the trust in an app. Administrators end those of all, owners and admins those in their
// workspace, and only owners refuse apps that are not registered.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import { navigate, openContext, startConsole } from '../support/console.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'
import { waitUntil } from '../support/wait-until.ts'

if (hasBrowser) {
  const owner = { name: 'Olga Ivanova', email: 'olga@example.com' }
  const admin = { name: 'Adam Nowak', email: 'adam@example.com' }
  const fixture = await startConsole({ CLIENT_METADATA_HOSTS: '*' }, [owner, admin])
  const { consoleUrl, restUrl, pool, seed, browser } = fixture

  const north = await createWorkspace('Northwind')
  const south = await createWorkspace('Southwind')
  const ownerId = await seed.user(owner.name, { email: owner.email })
  const adminId = await seed.user(admin.name, { email: admin.email })
  const veraId = await seed.user('Vera Costa', { email: 'vera@example.com' })
  await seed.member(north, ownerId, 'owner')
  await seed.member(north, adminId, 'admin')
  for (const workspace of [north, south]) await seed.member(workspace, veraId)

  const { id: serviceId } = await seed.serviceApp('docs')
  const api = 'https://docs.example.com/mcp'
  const apiId = await seed.apiResource(serviceId, api, ['documents:read', 'documents:write'])
  const editorUrl = 'https://editor.example.com/oauth/client.json'
  const [editor, viewer, assistant] = await Promise.all([
    createClient('Editor', editorUrl),
    createClient('', 'https://editor.example.com/oauth/viewer.json'),
    createClient('Assistant', 'https://assistant.example.org/client.json'),
  ])
  const invoices = await seed.clientApp(['https://invoices.example.com/callback'], {
    name: 'Invoices',
    consent_required: true,
  })
  const grants = {
    ownerEditor: await createGrant(ownerId, north, editor, 'editor.example.com'),
    veraEditor: await createGrant(veraId, south, editor, 'editor.example.com'),
    veraViewer: await createGrant(veraId, north, viewer, 'editor.example.com'),
    veraAssistant: await createGrant(veraId, south, assistant, 'assistant.example.org'),
    adminAssistant: await createGrant(adminId, north, assistant, 'assistant.example.org'),
    adminInvoices: await createGrant(adminId, north, invoices, 'invoices.example.com', null),
  }

  async function createWorkspace(name: string): Promise<string> {
    const id = await seed.workspace(name)
    await pool.query('update workspaces set slug = $2 where id = $1', [id, name.toLowerCase()])
    return id
  }

  function createClient(name: string, metadata_uri: string): Promise<string> {
    return seed.clientApp([], { name, metadata_uri })
  }

  /** Lets a user have agreed. The day is another one in time zones behind UTC. */
  async function createGrant(
    userId: string,
    workspaceId: string,
    clientId: string,
    host: string,
    resourceId: string | null = apiId,
  ): Promise<string> {
    const id = randomUUID()
    const scopes = resourceId ? ['documents:read', 'documents:write'] : ['openid', 'email']
    await pool.query(
      `insert into consents (id, user_id, workspace_id, client_id, resource_id, scopes, host,
         metadata_hash, created_at, last_used_at)
       values ($1, $2, $3, $4, $5, $6, $7, '', '2026-03-04T01:00Z', '2026-03-05T00:30Z')`,
      [id, userId, workspaceId, clientId, resourceId, scopes, host],
    )
    return id
  }

  /** Returns the names of the grants that exist. */
  async function listGrants(): Promise<string[]> {
    const { rows } = await pool.query('select id from consents')
    const ids = new Set(rows.map(({ id }) => id))
    return Object.entries(grants).flatMap(([name, id]) => (ids.has(id) ? [name] : []))
  }

  async function openWorkspace({ name }: { name: string }, tab: string): Promise<Page> {
    // A time zone behind UTC.
    const context = await openContext(browser, { timezoneId: 'America/New_York' })
    const page = await context.newPage()
    useKeyboardAlone(page)
    await page.goto(`${consoleUrl}/w/northwind?tab=${tab}`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('link', { name: /Google/ }).click()
    await page.getByRole('button', { name }).click()
    await page.getByText(/of the workspace Northwind/).waitFor()
    await loadAxe(page)
    return page
  }

  const tableOf = (page: Page) => page.getByRole('table', { name: 'Connected apps' })

  /** Waits until a list has a number of rows besides its head. */
  const waitForRows = (page: Page, count: number) =>
    waitUntil(async () => {
      const isBusy = await tableOf(page).getAttribute('aria-busy')
      const rows = await tableOf(page).getByRole('row').count()
      return isBusy === 'false' && rows === count + 1
    })

  const page = await fixture.openPage('/')
  useKeyboardAlone(page)
  await loadAxe(page)
  test.after.always(() => fixture.stop())

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = (name: string) => page.getByRole('dialog', { name })

  test.serial('an administrator sees the apps of all, by host', async (t) => {
    await page.getByRole('link', { name: 'Connected apps' }).click()
    await waitForRows(page, 6)
    t.deepEqual(await inspectPage(page, 'connected-apps'), [])
    const row = tableOf(page).getByRole('row', { name: /calls itself “Editor”.*Olga/ })
    for (const text of ['editor.example.com', 'Northwind', api, 'documents:read documents:write'])
      await row.getByText(text, { exact: true }).waitFor()
    await row.getByText('5 Mar 2026').waitFor()
    const registered = tableOf(page).getByRole('row', { name: /client app Invoices/ })
    await registered.getByText('All services').waitFor()
    t.is(await registered.getByText('calls itself').count(), 0)
    t.is(await button('End all access').count(), 0)
  })

  test.serial('an administrator filters the apps as the API does', async (t) => {
    for (const [filter, count] of [
      [`client_id=${encodeURIComponent(editorUrl)}`, 2],
      [`client_id=${invoices}`, 1],
      ['host=assistant.example.org', 2],
      [`user_id=${veraId}`, 3],
      [`workspace_id=${south}`, 2],
      [`resource=${encodeURIComponent(api)}`, 5],
      [`workspace_id=${north}&host=editor.example.com`, 2],
    ] as const) {
      await navigate(page, `/connected-apps?${filter}`)
      await waitForRows(page, count)
    }
    // Others would lose their access, too.
    t.is(await button('End all access').count(), 0)
    await navigate(page, '/connected-apps')
    await page.getByRole('textbox', { name: 'Host' }).fill('editor.example.org')
    await page.keyboard.press('Enter')
    await page.getByText('No app matches').waitFor()
    t.is(new URL(page.url()).search, '?host=editor.example.org')
    t.deepEqual(await inspectPage(page, 'connected-apps-filtered'), [])
    await button('Clear the filters').click()
    await waitForRows(page, 6)
    await page.getByRole('textbox', { name: 'API' }).fill(api)
    await page.keyboard.press('Enter')
    await waitForRows(page, 5)
    await page.getByRole('combobox', { name: 'Person' }).fill('Vera')
    await page.getByRole('option', { name: /Vera Costa/ }).click()
    await waitForRows(page, 3)
    await page.getByRole('combobox', { name: 'Workspace' }).fill('South')
    await page.getByRole('option', { name: 'Southwind' }).click()
    await waitForRows(page, 2)
    await page.getByRole('textbox', { name: 'Client ID' }).fill(editorUrl)
    await page.keyboard.press('Enter')
    await waitForRows(page, 1)
  })

  test.serial('an administrator ends one grant', async (t) => {
    await navigate(page, `/connected-apps?user_id=${veraId}&workspace_id=${north}`)
    await waitForRows(page, 1)
    await button('End the access of editor.example.com').click()
    const ending = dialog('End the access of editor.example.com?')
    await ending.getByText('Vera Costa').waitFor()
    t.deepEqual(await inspectPage(page, 'connected-apps-end', 'dialog'), [])
    await ending.getByRole('button', { name: 'Cancel' }).click()
    t.true((await listGrants()).includes('veraViewer'))
    await button('End the access of editor.example.com').click()
    await ending.getByRole('button', { name: 'End access' }).click()
    await page.getByText('No app matches').waitFor()
    const left = ['ownerEditor', 'veraEditor', 'veraAssistant', 'adminAssistant', 'adminInvoices']
    t.deepEqual(await listGrants(), left)
  })

  test.serial('an administrator ends all grants of a client, or of a host', async (t) => {
    await navigate(page, '/connected-apps')
    await waitForRows(page, 5)
    await tableOf(page).getByRole('link', { name: editorUrl }).first().click()
    await waitForRows(page, 2)
    await button('End all access').click()
    const ofClient = dialog(`End all access of ${editorUrl}?`)
    await ofClient.waitFor()
    t.deepEqual(await inspectPage(page, 'connected-apps-end-all', 'dialog'), [])
    await ofClient.getByRole('button', { name: 'End all access' }).click()
    await page.getByText('No app matches').waitFor()
    t.deepEqual(await listGrants(), ['veraAssistant', 'adminAssistant', 'adminInvoices'])

    grants.ownerEditor = await createGrant(ownerId, north, editor, 'editor.example.com')
    await navigate(page, '/connected-apps?host=assistant.example.org')
    await waitForRows(page, 2)
    await button('End all access').click()
    const ofHost = dialog('End all access of assistant.example.org?')
    await ofHost.getByRole('button', { name: 'End all access' }).click()
    await page.getByText('2 grants have ended.').first().waitFor()
    await page.getByText('No app matches').waitFor()
    t.deepEqual(await listGrants(), ['ownerEditor', 'adminInvoices'])
    grants.veraAssistant = await createGrant(veraId, south, assistant, 'assistant.example.org')
  })

  test.serial('the page of a workspace lists its apps alone', async (t) => {
    await navigate(page, `/workspaces/${south}?tab=connected-apps`)
    await waitForRows(page, 1)
    await tableOf(page).getByText('assistant.example.org', { exact: true }).waitFor()
    t.is(await tableOf(page).getByRole('columnheader', { name: 'Workspace' }).count(), 0)
    t.deepEqual(await inspectPage(page, 'workspace-connected-apps'), [])
  })

  test.serial('the page of a person lists the apps of this person', async (t) => {
    await navigate(page, `/people/${adminId}`)
    await page.getByRole('tab', { name: 'Connected apps' }).click()
    await page.keyboard.press('Enter')
    await waitForRows(page, 1)
    await tableOf(page).getByText('invoices.example.com', { exact: true }).waitFor()
    t.is(await tableOf(page).getByRole('columnheader', { name: 'Person' }).count(), 0)
    t.deepEqual(await inspectPage(page, 'person-connected-apps'), [])
  })

  test.serial('an admin ends grants in the workspace, and does not refuse apps', async (t) => {
    const workspace = await openWorkspace(admin, 'connected-apps')
    const requests: string[] = []
    workspace.on('request', (request) => {
      if (request.url().startsWith(restUrl)) requests.push(request.url())
    })
    await waitForRows(workspace, 2)
    await tableOf(workspace).getByText('Olga Ivanova').waitFor()
    // In the time zone of this browser, the stored time is on the day before.
    await tableOf(workspace).getByText('5 Mar 2026').first().waitFor()
    t.deepEqual(await inspectPage(workspace, 'workspace-console-connected-apps'), [])
    await workspace
      .getByRole('button', { name: 'End the access of invoices.example.com', exact: true })
      .click()
    const ending = workspace.getByRole('dialog', {
      name: 'End the access of invoices.example.com?',
    })
    await ending.getByRole('button', { name: 'End access' }).click()
    await waitForRows(workspace, 1)
    t.deepEqual(await listGrants(), ['ownerEditor', 'veraAssistant'])
    t.true(requests.length > 0)
    for (const url of requests)
      t.true(url.startsWith(`${restUrl}/workspaces/${north}`), `${url} is a route of the workspace`)

    await workspace.getByRole('tab', { name: 'Settings' }).click()
    const allowed = workspace.getByRole('switch', { name: 'Allow unregistered apps' })
    await allowed.waitFor()
    t.true(await allowed.isDisabled())
    t.true(await allowed.isChecked())
    await workspace.context().close()
  })

  test.serial('an owner refuses unregistered apps, and allows them again', async (t) => {
    grants.adminInvoices = await createGrant(adminId, north, invoices, 'invoices.example.com', null)
    const workspace = await openWorkspace(owner, 'settings')
    const allowed = workspace.getByRole('switch', { name: 'Allow unregistered apps' })
    await allowed.waitFor()
    t.deepEqual(await inspectPage(workspace, 'workspace-unregistered-apps'), [])
    await allowed.click()
    const refusing = workspace.getByRole('dialog', {
      name: 'Refuse unregistered apps in Northwind?',
    })
    await refusing.waitFor()
    t.deepEqual(await inspectPage(workspace, 'workspace-unregistered-apps-dialog', 'dialog'), [])
    await refusing.getByRole('button', { name: 'Cancel' }).click()
    await refusing.waitFor({ state: 'detached' })
    t.true(await areAllowed())
    await allowed.click()
    await refusing.getByRole('button', { name: 'Refuse' }).click()
    await refusing.waitFor({ state: 'detached' })
    t.false(await areAllowed())
    t.deepEqual(await listGrants(), ['veraAssistant', 'adminInvoices'])
    await allowed.and(workspace.locator(':not(:checked)')).waitFor()
    // What the refusal has ended is no longer in the list.
    await workspace.getByRole('tab', { name: 'Connected apps' }).click()
    await waitForRows(workspace, 1)

    await navigate(page, `/workspaces/${north}?tab=details`)
    await page.getByText('Refused by an owner').waitFor()
    await workspace.getByRole('tab', { name: 'Settings' }).click()
    await allowed.click()
    await waitUntil(areAllowed)
    await page.reload()
    await page.getByText('Unregistered apps').waitFor()
    t.is(await page.getByText('Refused by an owner').count(), 0)
    await workspace.context().close()
  })

  async function areAllowed(): Promise<boolean> {
    const sql = 'select third_party_clients from workspaces where id = $1'
    return (await pool.query(sql, [north])).rows[0].third_party_clients
  }
} else {
  test('a browser is not installed', (t) => t.pass())
}
