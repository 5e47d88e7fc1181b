import test from 'ava'
import type { Page } from 'playwright-core'
import { notInBoundWorkspace, signInErrors } from '../../src/identity/sign-in-result.ts'
import { hasBrowser } from '../support/browser.ts'
import { publish } from '../support/connections.ts'
import { startConsole } from '../support/console.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'
import { startMockAuthority } from '../support/providers/mock-authority.ts'

// Connects a workspace to an identity provider, as an administrator, one test after the other.
if (hasBrowser) {
  const dns = await startDnsServer()
  const stops: (() => void)[] = []
  const authority = await startMockAuthority({ teardown: (stop) => stops.push(stop) })
  authority.document = { claims_supported: ['sub', 'email', 'groups'] }
  const fixture = await startConsole({ DNS_SERVERS: dns.address })
  const { call, consoleUrl, seed } = fixture
  const workspaceId = await seed.workspace('Northwind')
  await seed.group(workspaceId, [], 'Product')
  const path = `/workspaces/${workspaceId}?tab=sign-in`
  const page = await fixture.openPage(path)
  useKeyboardAlone(page)
  test.after.always(async () => {
    await fixture.stop()
    dns.stop()
    for (const stop of stops) stop()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
  const field = (name: string) => dialog.getByLabel(name, { exact: true })
  const status = (text: string | RegExp) => page.getByRole('status').getByText(text)
  const required = dialog.getByText('This field is required')
  const step = (name: string) => dialog.getByRole('heading', { name }).waitFor()
  const list = () => call('GET', `/admin/workspaces/${workspaceId}/connections`)
  const read = async () => (await list())[0]

  async function confirm(action: string): Promise<void> {
    await inDialog(action).click()
    await dialog.waitFor({ state: 'detached' })
  }

  /** Presses the button that tests the sign-in, and waits until the other window has closed. */
  /** A browser that has not signed in through the connection before is asked first. */
  async function testSignIn(result: string, isAsked = false): Promise<void> {
    const opened = page.context().waitForEvent('page')
    await button('Test the sign-in').click()
    const popup = await opened
    if (isAsked) await popup.getByRole('link', { name: /^Continue to / }).click()
    await page.getByRole('status').getByText(result).waitFor()
  }

  /** Chooses an option of a select in the open dialog. */
  async function choose(label: string, option: string): Promise<void> {
    await dialog.getByRole('combobox', { name: label, exact: true }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }

  test.serial('the setup refuses an issuer that cannot be used, at its field', async (t) => {
    await page.getByText('No connections yet').waitFor()
    await button('New connection').click()
    await page.getByRole('dialog', { name: 'Connect an identity provider' }).waitFor()
    await step('Step 1 of 4: Provider')
    await inDialog('Next').click()
    await required.nth(2).waitFor()
    t.is(await required.count(), 3)
    await field('Name').fill('Corp')
    await choose('Provider', 'Keycloak')
    await field('Issuer').fill(`${authority.url}/realms/none`)
    await field('E-mail domains').fill('corp.example\nnot a domain')
    await inDialog('Next').click()
    await dialog.getByText(/^Cannot be discovered/).waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'dialog-connection-provider', 'dialog'), [])
    await field('Issuer').fill(authority.url)
    await inDialog('Next').click()
    await step('Step 2 of 4: Client')
  })

  test.serial('the setup asks for the client and the mapping, errors at their rows', async (t) => {
    await inDialog('Next').click()
    await required.nth(1).waitFor()
    t.is(await required.count(), 2)
    await field('Client ID').fill('daikon')
    await field('Client secret').fill('secret')
    // Enter presses Next.
    await field('Client ID').press('Enter')
    await step('Step 3 of 4: Roles and groups')
    await dialog.getByText('The provider names the claims sub, email, groups.').waitFor()
    await field('Claim with groups').fill('groups')
    await inDialog('Add a group').click()
    await field('Value 1 of the groups claim').fill('urn:corp.example:eng')
    await inDialog('Add a group').click()
    await field('Value 2 of the groups claim').fill('urn:corp.example:eng')
    await inDialog('Create connection').click()
    await dialog.getByText('This field is already listed above').waitFor()
    t.is(await required.count(), 2)
    await inDialog('Remove group 2').click()
    await dialog.getByRole('combobox', { name: 'Group 1', exact: true }).fill('prod')
    await page.getByRole('option', { name: 'Product' }).click()
    await inDialog('Add a role').click()
    await field('Value 1 of the role claim').fill('staff')
    await choose('Role 1', 'Editor')
    await inDialog('Create connection').click()
    await required.waitFor()
    await field('Claim with roles').fill('roles')
    t.deepEqual(await inspectPage(page, 'dialog-connection-mapping', 'dialog'), [])
  })

  test.serial('a domain that the server refuses leads back to its field', async (t) => {
    await inDialog('Create connection').click()
    await step('Step 1 of 4: Provider')
    await dialog.getByText(/^Line 2 must be a domain name/).waitFor()
    await field('E-mail domains').fill('corp.example')
    await inDialog('Next').click()
    await step('Step 2 of 4: Client')
    await inDialog('Next').click()
    await step('Step 3 of 4: Roles and groups')
    await inDialog('Create connection').click()
    await step('Step 4 of 4: Test')
    const { id, domains, mapping, redirect_uri } = await read()
    t.is(redirect_uri, `${fixture.restUrl}/auth/callback/connection:${id}`)
    await dialog.getByText(redirect_uri, { exact: true }).waitFor()
    await dialog.getByText(domains[0].txt_value).waitFor()
    await dialog.getByText(`${authority.url}/authorize`, { exact: true }).waitFor()
    t.deepEqual(mapping.roles, { staff: 'editor' })
    t.deepEqual(Object.keys(mapping.groups), ['urn:corp.example:eng'])
    await inDialog('Check now: corp.example').click()
    await status(/^corp.example has no TXT record/).waitFor()
    authority.claims = { email: 'ann@corp.example', name: 'Ann Berg', sub: 'ann' }
    await testSignIn('The sign-in failed')
    t.deepEqual(await inspectPage(page, 'dialog-connection-test', 'dialog'), [])
  })

  test.serial('with the record, the domain is verified and the sign-in works', async (t) => {
    publish(dns, (await read()).domains)
    await inDialog('Check now: corp.example').click()
    await dialog.getByText('Verified', { exact: true }).waitFor()
    await testSignIn('The sign-in works', true)
    t.truthy((await read()).last_sign_in_at)
    await inDialog('Done').click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Corp', level: 2 }).waitFor()
    t.is(new URL(page.url()).searchParams.get('connection'), (await read()).id)
    const copy = page.getByRole('button', { name: 'Copy the value for corp.example' })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await copy.focus()
    await page.keyboard.press('Enter')
    await button('Copied').waitFor()
    const [{ txt_value }] = (await read()).domains
    t.is(await page.evaluate('navigator.clipboard.readText()'), txt_value)
    t.deepEqual(await inspectPage(page, 'connection'), [])
  })

  test.serial('domains are added, with an error at the field, and removed', async (t) => {
    await button('Add a domain').click()
    await page.getByRole('dialog', { name: 'Add a domain to Corp' }).waitFor()
    await field('Domain').fill('corp')
    await inDialog('Add').click()
    await dialog.getByText('Must be a domain name such as example.com').waitFor()
    await field('Domain').fill('Corp.Test')
    await confirm('Add')
    await button('Check now: corp.test').waitFor()
    dns.isBroken = true
    await button('Check now: corp.test').click()
    await status('DNS did not respond; try again').waitFor()
    dns.isBroken = false
    // The server is available, although the DNS is not.
    t.is(await page.getByText('The server cannot be reached').count(), 0)
    await button('Remove corp.test').click()
    await page.getByRole('dialog', { name: 'Remove corp.test from Corp?' }).waitFor()
    await confirm('Remove')
    await button('Check now: corp.test').waitFor({ state: 'detached' })
    t.is((await read()).domains.length, 1)
    t.is(await button('Remove corp.example').count(), 0)
  })

  test.serial('a domain whose record is missing says until when it counts', async (t) => {
    const setState = async (values: string) => {
      await fixture.pool.query(`update connection_domains set ${values}`)
      await page.reload()
      await page.getByRole('list', { name: 'Domains' }).waitFor()
    }
    await setState("failing_since = '2026-01-02T03:04:05Z'")
    await page.getByText('Record missing', { exact: true }).waitFor()
    t.is(
      await page.getByText('Off after').locator('time').getAttribute('datetime'),
      '2026-01-09T03:04:05.000Z',
    )
    await setState('verified_at = null, failing_since = null')
    await page.getByText('Off', { exact: true }).waitFor()
    await setState('verified_at = now()')
    await page.getByText('Verified', { exact: true }).waitFor()
  })

  test.serial('the connection is edited, in the version that is shown', async (t) => {
    const { id } = await read()
    await button('Edit').last().click()
    await page.getByRole('dialog', { name: 'Edit the connection Corp' }).waitFor()
    await field('Name').fill('Corp Inc')
    await call('PATCH', `/admin/workspaces/${workspaceId}/connections/${id}`, {
      client_id: 'other',
    })
    await inDialog('Save').click()
    await dialog.getByText('Client ID: daikon → other').waitFor()
    t.is((await read()).name, 'Corp')
    await confirm('Save')
    t.like(await read(), { name: 'Corp Inc', client_id: 'other' })
    await page.getByRole('heading', { name: 'Corp Inc', level: 2 }).waitFor()
    await button('Edit').last().click()
    await field('Issuer').fill(`${authority.url}/`)
    await dialog.getByText(/^Another issuer or client ID ends the sessions/).waitFor()
    await inDialog('Save').click()
    await dialog.getByText(/^Cannot be discovered/).waitFor()
    await inDialog('Cancel').click()
    await dialog.waitFor({ state: 'detached' })
  })

  test.serial('the mapping is edited, with the error of the server at its row', async (t) => {
    await button('Edit mapping').click()
    await page.getByRole('dialog', { name: 'Roles and groups of Corp Inc' }).waitFor()
    await fixture.pool.query('delete from groups where workspace_id = $1', [workspaceId])
    await inDialog('Save').click()
    await dialog.getByText('Must be the ID of a group of the workspace').waitFor()
    await inDialog('Remove group 1').click()
    await choose('Role 1', 'Admin')
    await choose('Default role', 'Editor')
    await confirm('Save')
    const { mapping, default_role } = await read()
    t.is(default_role, 'editor')
    t.deepEqual(mapping.roles, { staff: 'admin' })
    t.deepEqual(mapping.groups, {})
    const row = page.getByRole('table', { name: 'Mapping' }).getByRole('row', { name: /staff/ })
    await row.getByText('Admin').waitFor()
  })

  test.serial('a value of the mapping gives guest access', async (t) => {
    const row = page.getByRole('table', { name: 'Mapping' }).getByRole('row', { name: /staff/ })
    for (const [role, label] of [
      ['guest', 'Guest'],
      ['admin', 'Admin'],
    ] as const) {
      await button('Edit mapping').click()
      await choose('Role 1', label)
      await confirm('Save')
      t.deepEqual((await read()).mapping.roles, { staff: role })
      await row.getByText(label, { exact: true }).waitFor()
    }
  })

  test.serial('the connection is required after a sign-in, also of owners', async (t) => {
    const enforced = page.getByRole('switch', { name: 'Require the sign-in by this connection' })
    const breakGlass = page.getByRole('switch', { name: /break glass/ })
    // Another client ID forgot the sign-in.
    await enforced.press('Space')
    await page.getByRole('dialog', { name: 'Require the sign-in by Corp Inc?' }).waitFor()
    await inDialog('Require').click()
    await dialog.getByText(/^Enforcing a connection requires a verified domain/).waitFor()
    await inDialog('Cancel').click()
    await dialog.waitFor({ state: 'detached' })
    await testSignIn('The sign-in works')
    await enforced.click()
    await confirm('Require')
    await page
      .getByText('A member who has signed in otherwise has to choose the connection.')
      .waitFor()
    await breakGlass.click()
    await page.getByRole('dialog', { name: 'Lock owners out if the provider fails?' }).waitFor()
    await confirm('Forbid')
    await page.getByText('nobody can get in, not even an owner').waitFor()
    t.like(await read(), { enforced: true, break_glass: false })
    await breakGlass.click()
    await page.getByText('nobody can get in, not even an owner').waitFor({ state: 'detached' })
    await enforced.click()
    await page.locator('input[role="switch"]:not(:checked)').first().waitFor()
    t.like(await read(), { enforced: false, break_glass: true })
  })

  test.serial('the configuration of the provider is read again', async (t) => {
    await button('Read the configuration').click()
    await status(`${authority.url}/authorize`).waitFor()
    authority.document = { code_challenge_methods_supported: ['plain'] }
    await button('Read the configuration').click()
    await status('The issuer does not support PKCE with S256').waitFor()
    t.pass()
  })

  test.serial('a connection is deactivated, activated and deleted', async (t) => {
    await button('Deactivate').click()
    await page.getByRole('dialog', { name: 'Deactivate Corp Inc?' }).waitFor()
    await confirm('Deactivate')
    await button('Activate').waitFor()
    t.true(await button('Test the sign-in').isDisabled())
    t.false((await read()).is_active)
    await button('Activate').click()
    await button('Deactivate').waitFor()
    await page.getByRole('link', { name: 'All connections' }).click()
    await page.getByRole('link', { name: 'Corp Inc' }).waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'connections'), [])
    await page.getByRole('link', { name: 'Corp Inc' }).click()
    await page
      .getByRole('table', { name: 'Activity' })
      .getByText(/Connection created/i)
      .waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog', { name: 'Delete the connection Corp Inc?' }).waitFor()
    await confirm('Delete connection')
    await page.waitForURL(consoleUrl + path)
    await page.getByText('No connections yet').waitFor()
    t.deepEqual(await list(), [])
  })

  test.serial('a sign-in that has failed says why, in sentences of daikon alone', async (t) => {
    const window: Page = await page.context().newPage()
    const sentences = [
      ['access_denied', notInBoundWorkspace, notInBoundWorkspace],
      ['access_denied', 'Call 555 0100', signInErrors.access_denied],
      ['strange', 'Call 555 0100', 'The sign-in failed (strange)'],
      ['Call 555 0100', '', 'The sign-in failed'],
    ] as const
    for (const [error, error_description, shown] of sentences) {
      const query = new URLSearchParams({ state: 'unknown', error, error_description })
      for (const path of ['/w/callback', '/login']) {
        await window.goto(`${consoleUrl}${path}?${query}`)
        const alert = window.getByRole('alert')
        await alert.getByText(shown).waitFor()
        t.true((await alert.innerText()).endsWith(shown))
      }
    }
    await window.close()
  })
}
