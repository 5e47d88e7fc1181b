// Threat: an agent that gets more than its page has shown, or without a person: a page in a frame, a click that was meant
// for something else, names that pretend, an answer that is sent to somebody else.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import { openContext, startConsole } from '../support/console.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { insertDelegation } from '../support/delegation-rows.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

if (hasBrowser) {
  const names = ['Petra Novak', 'Quentin Diaz', 'Rosa Weber', 'Sara Lind', 'Tom Reed', 'Uma Rao']
  const people = names.map((name) => ({ name, email: emailOf(name) }))
  const fixture = await startConsole({}, people)
  const { restUrl, browser, seed, pool } = fixture

  const acme = await seed.workspace('Acme')
  const contoso = await seed.workspace('Contoso')
  const { key } = await seed.serviceApp('docs')
  const bot = await createServiceAccount('report-bot')
  const callback = 'https://planner.example.com/callback?from=daikon'
  const planner = await createClient('Planner', [callback])
  test.after.always(() => fixture.stop())

  function emailOf(name: string): string {
    return `${name.split(' ')[0]?.toLowerCase()}@example.com`
  }

  async function createServiceAccount(name: string): Promise<string> {
    const id = await seed.user(name, { email: null, workspace_id: acme })
    await seed.member(acme, id)
    return id
  }

  function createClient(name: string, uris: string[]): Promise<string> {
    return seed.clientApp(uris, { name, type: 'confidential' })
  }

  async function createPerson(name: string, workspaces = [acme]): Promise<string> {
    const id = await seed.user(name, { email: emailOf(name) })
    for (const workspace of workspaces) await seed.member(workspace, id, 'editor')
    return id
  }

  async function register(owner: string, external_ids: string[], workspace = acme): Promise<void> {
    const resources = external_ids.map((external_id) => ({
      ...{ service_name: 'docs', resource_type: 'document', external_id },
      ...{ workspace_id: workspace, owner_id: owner, display_name: external_id.toUpperCase() },
    }))
    const response = await fetch(`${restUrl}/permissions/register/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-key': key },
      body: JSON.stringify({ resources }),
    })
    if (!response.ok) throw new Error(await response.text())
  }

  function linkOf(parameters: Record<string, string>): string {
    const usual = { service: 'docs', actions: 'view', reason: 'Weekly report', expires_in: '3600' }
    return `/account/delegations/new?${new URLSearchParams({ ...usual, ...parameters })}`
  }

  /** Opens a page and signs a person in, who is not asked to sign in again after that. */
  async function open(name: string, path: string): Promise<Page> {
    const context = await openContext(browser)
    await context.route('https://planner.example.com/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>Planner</h1>' }),
    )
    const page = await context.newPage()
    useKeyboardAlone(page)
    await page.goto(restUrl + path)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await signInAt(page, name)
    return page
  }

  async function signInAt(page: Page, name: string): Promise<void> {
    await page.getByRole('link', { name: /Google/ }).click()
    await page.getByRole('button', { name }).click()
  }

  const allow = (page: Page) => page.getByRole('button', { name: 'Allow', exact: true })

  /** Allows what the page asks for, and signs in again, as the page then demands. */
  async function allowAfterSignIn(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name: 'Allow', disabled: false, exact: true }).click()
    await page.getByText('Sign in again to allow this').waitFor()
    await page.getByRole('button', { name: 'Sign in again' }).click()
    await signInAt(page, name)
    await page.getByText('You have signed in again').waitFor()
    await page.getByRole('button', { name: 'Allow', disabled: false, exact: true }).click()
  }

  const textOf = async (page: Page) => (await page.innerText('main')).replace(/\s+/g, ' ')

  async function findDelegations(userId: string) {
    const { rows } = await pool.query(
      `select id, agent_type, agent_id, workspace_id, service_name, actions, resource_types, reason,
         cardinality(resources) as resources, extract(epoch from expires_at - created_at) as seconds
       from delegations where user_id = $1 and ended_at is null`,
      [userId],
    )
    return rows
  }

  test('a person sees what a service account asks for, and allows it by keyboard', async (t) => {
    const id = await createPerson('Petra Novak')
    await register(id, ['q4', 'q5'])
    const page = await open(
      'Petra Novak',
      linkOf({
        agent: bot,
        actions: 'view,edit',
        resource_types: 'document',
        resources: 'document:q4,document:q5',
      }),
    )
    await page.getByRole('heading', { name: 'report-bot wants to act for you' }).waitFor()
    const text = await textOf(page)
    t.regex(text, /A service account of the workspace Acme/)
    t.regex(text, /in the workspace Acme until \w+day,? \d+ \w+, \d\d:\d\d\./)
    t.regex(
      text,
      /It may view and edit resources of the type document in the service docs: document Q4 and document Q5, with everything below them\. It may not do anything else/,
    )
    t.regex(text, /It gives this reason: Weekly report/)
    t.regex(text, /You are signed in as petra@example\.com/)
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'delegation-link'), [])
    // Enter at once allows nothing.
    t.is(await page.evaluate('document.activeElement.tagName'), 'BODY')
    t.deepEqual(await findDelegations(id), [])
    await page.keyboard.press('Tab')
    t.is(await page.evaluate('document.activeElement.textContent'), 'Deny')
    await page.keyboard.press('Tab')
    await page.locator('button:focus:not([aria-disabled="true"])').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Sign in again to allow this').waitFor()
    t.deepEqual(await inspectPage(page, 'delegation-link-sign-in'), [])
    t.deepEqual(await findDelegations(id), [])
    await page.getByRole('button', { name: 'Sign in again' }).press('Enter')
    await signInAt(page, 'Petra Novak')
    await page.getByText('You have signed in again').waitFor()
    t.deepEqual(await findDelegations(id), [])
    await allow(page).and(page.locator(':not([aria-disabled="true"])')).press('Enter')
    await page.getByRole('heading', { name: 'report-bot can now act for you' }).waitFor()
    const [made, ...others] = await findDelegations(id)
    t.deepEqual(others, [])
    t.true((await textOf(page)).includes(made.id))
    const { id: _, seconds, ...row } = made
    t.deepEqual(row, {
      ...{ agent_type: 'service_account', agent_id: bot, workspace_id: acme },
      ...{ service_name: 'docs', actions: ['view', 'edit'], resource_types: ['document'] },
      ...{ reason: 'Weekly report', resources: 2 },
    })
    // The end is the one that the page showed, so it is earlier than an hour from the click.
    t.true(seconds > 3000 && seconds < 3600, String(seconds))
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'delegation-made'), [])
  })

  test('the answer leads back to the client, and denying makes nothing', async (t) => {
    const id = await createPerson('Quentin Diaz')
    const link = linkOf({ agent: planner, return_to: callback })
    const page = await open('Quentin Diaz', link)
    await page.getByRole('heading', { name: 'Planner wants to act for you' }).waitFor()
    t.regex(
      await textOf(page),
      /An app at planner\.example\.com.*leads you back to planner\.example\.com/,
    )
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Planner', exact: true }).waitFor()
    t.is(page.url(), `${callback}&error=access_denied`)
    t.deepEqual(await findDelegations(id), [])
    await page.goto(restUrl + link)
    await allowAfterSignIn(page, 'Quentin Diaz')
    await page.getByRole('heading', { name: 'Planner', exact: true }).waitFor()
    const [made] = await findDelegations(id)
    t.is(page.url(), `${callback}&delegation_id=${made.id}`)
    t.is(made.agent_id, planner)
  })

  test('a link that is wrong is refused, and each mistake is named', async (t) => {
    const id = await createPerson('Rosa Weber')
    const page = await open(
      'Rosa Weber',
      `/account/delegations/new?${new URLSearchParams({
        ...{ agent: 'bot', service: '', actions: '', resources: 'document' },
        ...{ reason: '', expires_in: '9000000' },
      })}`,
    )
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
    const problems = await page.getByRole('listitem').allInnerTexts()
    for (const name of ['agent', 'service', 'actions', 'resources', 'reason', 'expires_in'])
      t.true(
        problems.some((problem) => problem.startsWith(`${name} `)),
        `${name}: ${problems.join('; ')}`,
      )
    t.true(problems.includes('resources (number 1) must be type:id'), problems.join('; '))
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'delegation-link-wrong'), [])

    const alert = page.getByRole('alert')
    for (const [parameters, expected] of [
      [{ agent: randomUUID() }, /agent/i],
      [{ agent: planner, return_to: 'https://evil.example.com/' }, /return_to/],
      [{ agent: planner, return_to: `${callback}&more=1` }, /return_to/],
      [{ agent: planner, return_to: 'javascript:alert(1)' }, /return_to/],
      // A service account has no address.
      [{ agent: bot, return_to: callback }, /return_to/],
      [{ agent: bot, resources: 'document:unknown' }, /not found/i],
    ] as const) {
      await page.goto(restUrl + linkOf(parameters))
      await alert.waitFor()
      t.regex(await alert.innerText(), expected)
      t.is(await allow(page).count(), 0)
    }
    await page.goto(`${restUrl}${linkOf({ agent: bot })}&agent=${planner}`)
    await alert.getByText('agent must not be repeated').waitFor()
    t.deepEqual(await findDelegations(id), [])
  })

  test('names that pretend to be more are shown as text', async (t) => {
    await createPerson('Sara Lind')
    const name = `<b>Bank</b>\u202Eevil ${'x'.repeat(150)}`
    const agent = await createServiceAccount(name)
    const page = await open(
      'Sara Lind',
      linkOf({
        ...{ agent, reason: 'Approved by your\u2066 administrator <script>' },
        ...{ actions: 'look<i>', service: 'safe. It may not read anything' },
      }),
    )
    const heading = page.getByRole('heading', { level: 1 })
    await page.getByText('wants to act for you').first().waitFor()
    const text = await heading.innerText()
    t.true(text.startsWith('<b>Bank</b> evil xxx'))
    t.true(text.length < 130)
    t.false((await textOf(page)).includes('\u202E'))
    t.regex(await textOf(page), /Approved by your administrator <script>/)
    t.is(await page.locator('bdi *').count(), 0)
    // What the link calls a service or an action stands out as a name.
    for (const name of ['look<i>', 'safe. It may not read anything'])
      await page.locator('b bdi').getByText(name, { exact: true }).waitFor()
  })

  test('a click before the page has settled is not an answer', async (t) => {
    const id = await createPerson('Tom Reed')
    const page = await open('Tom Reed', linkOf({ agent: bot }))
    await page.locator('button[aria-disabled="false"]').waitFor()
    // Stops the time of the page.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    const isTooEarly = () => allow(page).getAttribute('aria-disabled')
    const requests: string[] = []
    page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`))
    // Another window was in front.
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`)
    await page.locator('button[aria-disabled="true"]').waitFor()
    await page.clock.runFor(450)
    t.is(await isTooEarly(), 'true')
    await allow(page).click({ force: true })
    await page.clock.runFor(100)
    await page.locator('button[aria-disabled="false"]').waitFor()
    t.deepEqual(requests, [])
    await allow(page).click()
    await page.getByText('Sign in again to allow this').waitFor()
    t.deepEqual(requests, [`POST ${restUrl}/users/me/delegations`])
    t.deepEqual(await findDelegations(id), [])

    const { headers } = await fetch(restUrl + linkOf({ agent: bot }))
    t.regex(String(headers.get('content-security-policy')), /frame-ancestors 'none'/)
    t.is(headers.get('x-frame-options'), 'DENY')
  })

  test('a person of several workspaces chooses one, sees what acts for them, and ends it', async (t) => {
    const id = await createPerson('Uma Rao', [acme, contoso])
    const page = await open('Uma Rao', linkOf({ agent: planner, resource_types: 'document' }))
    const workspace = page.getByRole('combobox', { name: 'Workspace' })
    await workspace.waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'delegation-link-workspaces'), [])
    await workspace.selectOption({ label: 'Contoso' })
    await page.getByText('in the workspace Contoso until').waitFor()
    await allowAfterSignIn(page, 'Uma Rao')
    await page.getByRole('heading', { name: 'Planner can now act for you' }).waitFor()
    const [made] = await findDelegations(id)
    t.is(made.workspace_id, contoso)

    await pool.query('delete from delegations where user_id = $1', [id])
    const { rows } = await pool.query(
      `select id from resources where external_id = any('{q4,q5}') order by external_id`,
    )
    const own = await insertDelegation(pool, {
      ...{ user_id: id, workspace_id: contoso, service_name: 'docs', actions: ['view'] },
      resources: rows.map((row) => row.id),
    })
    await pool.query(`update delegations set last_used_at = '2026-03-05' where id = $1`, [own])
    await page.getByRole('link', { name: 'Go to your account' }).click()
    await page.getByRole('heading', { name: 'Agents that act for you' }).scrollIntoViewIfNeeded()
    await page.getByRole('button', { name: 'End report-bot' }).waitFor()
    const section = page.getByRole('region', { name: 'Agents that act for you' })
    t.regex(
      (await section.innerText()).replace(/\s+/g, ' '),
      /It may view .*In Contoso, until .* last used 5 Mar 2026/,
    )
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'account-delegations'), [])
    await page.getByRole('button', { name: 'End report-bot' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).press('Enter')
    await section.getByText('No agent acts for you.').waitFor()
    t.deepEqual(await findDelegations(id), [])
    t.deepEqual(await inspectPage(page, 'account-delegations-empty'), [])

    // A server without delegations.
    await page.addInitScript(`document.addEventListener('readystatechange', () => {
      const element = document.querySelector('meta[name="daikon-settings"]')
      element.content = element.content.replace('"has_delegations":true', '"has_delegations":false')
    })`)
    await page.goto(restUrl + linkOf({ agent: planner }))
    await page.getByRole('heading', { name: 'Your data' }).waitFor()
    t.is(await page.getByRole('heading', { name: 'Agents that act for you' }).count(), 0)
  })
} else {
  test('a browser is not installed', (t) => t.pass())
}
