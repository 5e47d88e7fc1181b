import test from 'ava'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import { openContext, startConsole } from '../support/console.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'
import { createScimClient, seedConnection } from '../support/scim.ts'

const people = {
  owner: { name: 'Olga Ivanova', email: 'olga@example.com' },
  admin: { name: 'Adam Nowak', email: 'adam@example.com' },
}

// An owner connects the directory of a company in the workspace console, one test after the other.
if (hasBrowser) {
  const fixture = await startConsole({}, Object.values(people))
  const { consoleUrl, restUrl, seed, browser } = fixture
  const workspace = await seed.workspace('Northwind')
  const path = `/w/w-${workspace}?tab=sign-in`
  for (const role of ['owner', 'admin'] as const)
    await seed.member(workspace, await seed.user(people[role].name, people[role]), role)
  const domain = 'corp.example'
  const page = await openAs('owner')
  test.after.always(() => fixture.stop())

  /** Opens the console of the workspace as a person. */
  async function openAs(person: keyof typeof people): Promise<Page> {
    const context = await openContext(browser)
    const page = await context.newPage()
    useKeyboardAlone(page)
    await page.goto(consoleUrl + path)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('link', { name: /Google/ }).click()
    await page.getByRole('button', { name: people[person].name }).click()
    await page.waitForURL(consoleUrl + path)
    return page
  }

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
  const section = page.getByRole('region', { name: 'Directory (SCIM)' })

  /** Returns a client of the directory with a token. */
  const createClient = (token: string) =>
    createScimClient({ httpPort: Number(new URL(restUrl).port), workspace, domain, token })

  /** Returns the token that the dialog shows, and closes it. */
  async function readToken(): Promise<string> {
    await page.getByRole('dialog', { name: 'Copy the SCIM token' }).waitFor()
    const token = await dialog.getByText(/^ds_/).innerText()
    await inDialog('I have saved it').click()
    await dialog.waitFor({ state: 'detached' })
    return token.trim()
  }

  let directory: ReturnType<typeof createClient>

  test.serial('only owners see the sign-in of their workspace', async (t) => {
    const page = await openAs('admin')
    await page.getByRole('tab', { name: 'Members' }).waitFor()
    t.is(await page.getByRole('tab', { name: 'Sign-in' }).count(), 0)
    await page.context().close()
  })

  test.serial('a token needs a verified domain, and is shown once', async (t) => {
    await section.getByText('No token yet').waitFor()
    await section.getByText(`${restUrl}/scim/v2/${workspace}`, { exact: true }).waitFor()
    await button('Create token').click()
    await page.getByText(/^The workspace has no verified domain/).waitFor()
    await button('Close the notification').click()
    await seedConnection(fixture, workspace, domain)
    await button('Create token').click()
    directory = createClient(await readToken())
    await section.getByText(`${directory.token.slice(0, 10)}…`).waitFor()
    t.is((await directory.send('GET', '/Users')).status, 200)
  })

  test.serial('many deactivations wait until the owner confirms them', async (t) => {
    const ids: string[] = []
    for (let index = 0; index < 11; index += 1)
      ids.push((await directory.provision(`person-${index}`)).id)
    const end = async (id: string | undefined) =>
      (await directory.send('DELETE', `/Users/${id}`)).status
    // With the owner and the admin, there are 13 members.
    for (const id of ids.slice(0, 6)) t.is(await end(id), 204)
    t.is(await end(ids[6]), 409)
    await page.reload()
    await section.getByText('Deactivations wait for you').waitFor()
    await section.getByText(/^The directory has ended 6 of 13 memberships/).waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'workspace-directory'), [])
    await button('Confirm…').press('Enter')
    await page.getByRole('dialog', { name: 'Let the directory end more memberships?' }).waitFor()
    await inDialog('Confirm deactivations').click()
    await dialog.waitFor({ state: 'detached' })
    await section.getByText('An owner has confirmed deactivations').waitFor()
    t.is(await end(ids[6]), 204)
  })

  test.serial('a connection opens as in the console of administrators', async (t) => {
    await page.getByRole('link', { name: 'company' }).click()
    await page.getByRole('heading', { name: 'company', level: 2 }).waitFor()
    await page.getByRole('img', { name: /address, such as ann@corp.example$/ }).waitFor()
    await button('Add a domain').click()
    await dialog.getByLabel('Domain', { exact: true }).fill('corp.test')
    await inDialog('Add').click()
    await dialog.waitFor({ state: 'detached' })
    await button('Check now: corp.test').waitFor()
    await page.reload()
    const log = page.getByRole('table', { name: 'Activity' })
    await log.getByText('Connection updated').first().waitFor()
    const domains = page.getByRole('list', { name: 'Domains' }).getByRole('listitem')
    await domains.nth(1).waitFor()
    t.is(await domains.count(), 2)
    await page.getByRole('link', { name: 'All connections' }).click()
    await section.waitFor()
  })

  test.serial('a token is rotated and revoked', async (t) => {
    await button('Rotate token').click()
    await page.getByRole('dialog', { name: 'Rotate the SCIM token?' }).waitFor()
    await inDialog('Create new token').click()
    const rotated = createClient(await readToken())
    t.is((await directory.send('GET', '/Users')).status, 401)
    t.is((await rotated.send('GET', '/Users')).status, 200)
    await button('Revoke token').click()
    await page.getByRole('dialog', { name: 'Revoke the SCIM token?' }).waitFor()
    await inDialog('Revoke').click()
    await dialog.waitFor({ state: 'detached' })
    await section.getByText('No token yet').waitFor()
    t.is((await rotated.send('GET', '/Users')).status, 401)
  })
}
