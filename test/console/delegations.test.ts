// Threat: delegations that outlive the trust in an agent. Administrators end those of all, owners and admins those in
// their workspace, and only owners refuse delegations.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import { navigate, openContext, startConsole } from '../support/console.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { insertDelegation } from '../support/delegation-rows.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'
import { waitUntil } from '../support/wait-until.ts'

if (hasBrowser) {
  const owner = { name: 'Olga Ivanova', email: 'olga@example.com' }
  const admin = { name: 'Adam Nowak', email: 'adam@example.com' }
  const fixture = await startConsole({}, [owner, admin])
  const { consoleUrl, restUrl, pool, seed, browser } = fixture

  const north = await createWorkspace('Northwind')
  const south = await createWorkspace('Southwind')
  const ownerId = await seed.user(owner.name, { email: owner.email })
  const adminId = await seed.user(admin.name, { email: admin.email })
  const veraId = await seed.user('Vera Costa', { email: 'vera@example.com' })
  await seed.member(north, ownerId, 'owner')
  await seed.member(north, adminId, 'admin')
  for (const workspace of [north, south]) await seed.member(workspace, veraId)

  const { key } = await seed.serviceApp('docs')
  const [q4 = '', folder = ''] = await registerResources(['q4-report', 'reports'])
  const bot = await seed.user('report-bot', { email: null, workspace_id: north })
  await seed.member(north, bot)
  const planner = await seed.clientApp(['https://planner.example.com/callback'], {
    name: 'Planner',
    type: 'confidential',
  })
  const toBot = { agent_id: bot, workspace_id: north, service_name: 'docs' }
  const toPlanner = { agent_type: 'client' as const, agent_id: planner, service_name: 'docs' }
  const delegations = {
    ownerBot: await insertDelegation(pool, {
      ...toBot,
      user_id: ownerId,
      actions: ['view', 'edit'],
      resource_types: ['document'],
      resources: [q4, folder],
    }),
    veraBot: await insertDelegation(pool, { ...toBot, user_id: veraId }),
    adminPlanner: await insertDelegation(pool, {
      ...toPlanner,
      user_id: adminId,
      workspace_id: north,
      resource_types: ['document', 'folder'],
    }),
    veraPlanner: await insertDelegation(pool, {
      ...toPlanner,
      user_id: veraId,
      workspace_id: south,
    }),
  }
  // As the API stores them.
  await pool.query(`update delegations set agent_name = 'Planner' where agent_type = 'client'`)
  await pool.query(
    `update delegations set reason = 'Writes the weekly report', last_used_at = '2026-03-05T00:00Z'
     where id = $1`,
    [delegations.ownerBot],
  )

  async function createWorkspace(name: string): Promise<string> {
    const id = await seed.workspace(name)
    await pool.query('update workspaces set slug = $2 where id = $1', [id, name.toLowerCase()])
    return id
  }

  async function registerResources(names: string[]): Promise<string[]> {
    const resources = names.map((external_id) => ({
      ...{ service_name: 'docs', resource_type: 'document', external_id },
      ...{ workspace_id: north, owner_id: ownerId },
    }))
    const response = await fetch(`${restUrl}/permissions/register/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-key': key },
      body: JSON.stringify({ resources }),
    })
    if (!response.ok) throw new Error(await response.text())
    const { rows } = await pool.query('select id, external_id from resources')
    return names.map((name) => rows.find((row) => row.external_id === name).id)
  }

  /** Returns the names of the delegations that have not ended. */
  async function listLive(): Promise<string[]> {
    const { rows } = await pool.query('select id from delegations where ended_at is null')
    const ids = new Set(rows.map(({ id }) => id))
    return Object.entries(delegations).flatMap(([name, id]) => (ids.has(id) ? [name] : []))
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

  const tableOf = (page: Page) => page.getByRole('table', { name: 'Delegations' })

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

  test.serial('an administrator sees what agents may do for all', async (t) => {
    await page.getByRole('link', { name: 'Delegations' }).click()
    await waitForRows(page, 4)
    t.deepEqual(await inspectPage(page, 'delegations'), [])
    const row = tableOf(page).getByRole('row', { name: /report-bot.*Olga Ivanova/ })
    t.regex(
      (await row.innerText()).replace(/\s+/g, ' '),
      /It may view and edit resources of the type document in the service docs: document q4-report and document reports, with everything below them\. Reason: Writes the weekly report/,
    )
    await row.getByText('Service account').waitFor()
    await row.getByText('5 Mar 2026').waitFor()
    await row.getByRole('link', { name: 'Northwind' }).waitFor()
    const everyAction = tableOf(page).getByRole('row', { name: /Planner.*Adam Nowak/ })
    await everyAction.getByText('Client app').waitFor()
    t.regex(
      (await everyAction.innerText()).replace(/\s+/g, ' '),
      /It may do everything but manage, with all resources of the types document and folder in the service docs\./,
    )
    await everyAction.getByText('Never').waitFor()
  })

  test.serial('an administrator filters the delegations as the API does', async (t) => {
    for (const [filter, count] of [
      [`agent_id=${bot}`, 2],
      [`user_id=${veraId}`, 2],
      [`workspace_id=${south}`, 1],
      [`agent_id=${planner}&workspace_id=${north}`, 1],
    ] as const) {
      await navigate(page, `/delegations?${filter}`)
      await waitForRows(page, count)
    }
    await navigate(page, '/delegations')
    const agent = page.getByRole('combobox', { name: 'Agent' })
    await agent.fill(randomUUID())
    await page.getByText('Choose a workspace first, or type the whole ID').waitFor()
    await agent.fill(bot)
    await page.getByRole('option', { name: 'report-bot' }).click()
    await waitForRows(page, 2)
    await navigate(page, `/delegations?agent_id=${randomUUID()}`)
    await page.getByText('No delegation matches').waitFor()
    t.deepEqual(await inspectPage(page, 'delegations-filtered'), [])
    await button('Clear the filters').click()
    await waitForRows(page, 4)
    await agent.fill('plan')
    await page.getByRole('option', { name: 'Planner (client app)' }).click()
    await waitForRows(page, 2)
    await page.getByRole('combobox', { name: 'Person' }).fill('Vera')
    await page.getByRole('option', { name: /Vera Costa/ }).click()
    await waitForRows(page, 1)
    await page.getByRole('combobox', { name: 'Workspace' }).fill('North')
    await page.getByRole('option', { name: 'Northwind' }).click()
    await page.getByText('No delegation matches').waitFor()
    await agent.fill('report')
    await page.getByRole('option', { name: 'report-bot (service account)' }).click()
    await waitForRows(page, 1)
  })

  test.serial('an administrator pages through the delegations', async (t) => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, () =>
        insertDelegation(pool, { ...toPlanner, user_id: veraId, workspace_id: south }),
      ),
    )
    await page.goto(`${consoleUrl}/delegations`)
    await loadAxe(page)
    await waitForRows(page, 20)
    await button('Next page').click()
    await waitForRows(page, 4)
    t.is(new URL(page.url()).search, '?page=2')
    await pool.query('delete from delegations where id = any($1)', [ids])
    await page.reload()
    await loadAxe(page)
  })

  test.serial('an administrator ends a delegation', async (t) => {
    await navigate(page, `/delegations?user_id=${veraId}&agent_id=${planner}`)
    await waitForRows(page, 1)
    await button('End the delegation to Planner').click()
    const ending = dialog('End the delegation to Planner?')
    await ending.getByText('Vera Costa').waitFor()
    t.deepEqual(await inspectPage(page, 'delegations-end', 'dialog'), [])
    await ending.getByRole('button', { name: 'Cancel' }).click()
    t.true((await listLive()).includes('veraPlanner'))
    await button('End the delegation to Planner').click()
    await ending.getByRole('button', { name: 'End delegation' }).click()
    await page.getByText('No delegation matches').waitFor()
    t.deepEqual(await listLive(), ['ownerBot', 'veraBot', 'adminPlanner'])
  })

  test.serial(
    'the pages of a workspace, a person and an agent list their delegations',
    async (t) => {
      await navigate(page, `/workspaces/${north}?tab=delegations`)
      await waitForRows(page, 3)
      t.is(await tableOf(page).getByRole('columnheader', { name: 'Workspace' }).count(), 0)
      t.deepEqual(await inspectPage(page, 'workspace-delegations'), [])
      await navigate(page, `/people/${veraId}?tab=delegations`)
      await waitForRows(page, 1)
      t.is(await tableOf(page).getByRole('columnheader', { name: 'Acts for' }).count(), 0)
      t.deepEqual(await inspectPage(page, 'person-delegations'), [])
      await navigate(page, `/client-apps/${planner}`)
      await waitForRows(page, 1)
      t.deepEqual(await inspectPage(page, 'client-app-delegations'), [])
      await navigate(page, `/workspaces/${north}?tab=service-accounts&account=${bot}`)
      await page.getByRole('link', { name: 'For whom it acts' }).click()
      await waitForRows(page, 2)
      t.is(new URL(page.url()).searchParams.get('agent'), bot)
    },
  )

  test.serial('an admin ends delegations in the workspace, and does not refuse them', async (t) => {
    const workspace = await openWorkspace(admin, 'delegations')
    const requests: string[] = []
    workspace.on('request', (request) => {
      if (request.url().startsWith(restUrl)) requests.push(request.url())
    })
    await waitForRows(workspace, 3)
    await tableOf(workspace).getByText('Olga Ivanova').waitFor()
    // In the time zone of this browser, the stored time is on the day before.
    await tableOf(workspace).getByText('5 Mar 2026').first().waitFor()
    t.deepEqual(await inspectPage(workspace, 'workspace-console-delegations'), [])
    await workspace.getByRole('combobox', { name: 'Person' }).fill('Vera')
    await workspace.getByRole('option', { name: /Vera Costa/ }).click()
    await waitForRows(workspace, 1)
    await workspace
      .getByRole('button', { name: 'End the delegation to report-bot', exact: true })
      .click()
    await workspace
      .getByRole('dialog', { name: 'End the delegation to report-bot?' })
      .getByRole('button', { name: 'End delegation' })
      .click()
    await workspace.getByText('No delegation matches').waitFor()
    await workspace.getByRole('button', { name: 'Clear the filters' }).click()
    await waitForRows(workspace, 2)
    await workspace.getByRole('combobox', { name: 'Agent' }).fill('plan')
    await workspace.getByRole('option', { name: 'Planner', exact: true }).click()
    await waitForRows(workspace, 1)
    t.deepEqual(await listLive(), ['ownerBot', 'adminPlanner'])
    t.true(requests.length > 0)
    for (const url of requests)
      t.true(url.startsWith(`${restUrl}/workspaces/${north}`), `${url} is a route of the workspace`)

    await workspace.getByRole('tab', { name: 'Settings' }).click()
    const allowed = workspace.getByRole('switch', { name: 'Allow delegations' })
    await allowed.waitFor()
    t.true(await allowed.isDisabled())
    t.true(await allowed.isChecked())
    await workspace.context().close()
  })

  test.serial('an owner refuses delegations, and allows them again', async (t) => {
    const workspace = await openWorkspace(owner, 'settings')
    const allowed = workspace.getByRole('switch', { name: 'Allow delegations' })
    await allowed.waitFor()
    t.deepEqual(await inspectPage(workspace, 'workspace-delegations-switch'), [])
    await allowed.click()
    const refusing = workspace.getByRole('dialog', { name: 'Refuse delegations in Northwind?' })
    await refusing.waitFor()
    t.deepEqual(await inspectPage(workspace, 'workspace-delegations-dialog', 'dialog'), [])
    await refusing.getByRole('button', { name: 'Cancel' }).click()
    await refusing.waitFor({ state: 'detached' })
    t.true(await areAllowed())
    await allowed.click()
    await refusing.getByRole('button', { name: 'Refuse' }).click()
    await refusing.waitFor({ state: 'detached' })
    t.false(await areAllowed())
    t.deepEqual(await listLive(), [])
    await allowed.and(workspace.locator(':not(:checked)')).waitFor()
    // What the refusal has ended is no longer in the list.
    await workspace.getByRole('tab', { name: 'Delegations' }).click()
    await workspace.getByText('No delegations').waitFor()
    t.deepEqual(await inspectPage(workspace, 'workspace-delegations-empty'), [])

    await page.goto(`${consoleUrl}/workspaces/${north}?tab=details`)
    await page.getByText('Refused by an owner').waitFor()
    await workspace.getByRole('tab', { name: 'Settings' }).click()
    await allowed.click()
    await waitUntil(areAllowed)
    await workspace.context().close()
  })

  async function areAllowed(): Promise<boolean> {
    const sql = 'select delegations from workspaces where id = $1'
    return (await pool.query(sql, [north])).rows[0].delegations
  }
} else {
  test('a browser is not installed', (t) => t.pass())
}
