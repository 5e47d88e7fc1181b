import { readFile } from 'node:fs/promises'
import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { startConsole } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

// Does by keyboard alone the actions that other tests of the console do not press.
if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const page = await fixture.openPage('/')
  const { consoleUrl, call } = fixture
  useKeyboardAlone(page)
  test.after.always(() => fixture.stop())

  const visit = (path: string) => page.goto(`${consoleUrl}${path}`)
  const button = (name: string | RegExp) =>
    page.getByRole('button', { name, exact: typeof name === 'string' })
  const dialog = page.getByRole('dialog')
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
  const chooseItem = (name: string) => page.getByRole('menuitem', { name, exact: true }).click()
  const field = (name: string) => dialog.getByRole('textbox', { name, exact: true })

  /** Confirms the open dialog, and waits until it has closed. */
  async function confirm(action: string): Promise<void> {
    await inDialog(action).click()
    await dialog.waitFor({ state: 'detached' })
  }

  /** Chooses the first option of a picker that contains the text. */
  async function pick(label: string, text: string): Promise<void> {
    await page.getByRole('combobox', { name: label, exact: true }).fill(text)
    await page.getByRole('option', { name: new RegExp(text, 'i') }).click()
  }

  const person = `/people/${data.userId}`
  const workspace = `/workspaces/${data.workspaceId}`

  for (const name of ['Daniel Weiss', 'Product']) {
    test.serial(`the share with ${name} can be revoked`, async (t) => {
      await visit(`/resources/${data.resourceId}`)
      await button(`Revoke the share with ${name}`).click()
      await dialog.getByRole('link', { name }).waitFor()
      await confirm('Revoke')
      await page.getByText('The share was revoked.').waitFor()
      await button(`Revoke the share with ${name}`).waitFor({ state: 'detached' })
      await page.getByRole('heading', { name: 'roadmap-2027', level: 1 }).waitFor()
      const { shares } = await call('GET', `/admin/permissions/${data.resourceId}`)
      t.is(shares.length, name === 'Product' ? 0 : 1)
    })
  }

  test.serial('a resource can be shared with a group until a time', async (t) => {
    await visit(`/resources/${data.resourceId}`)
    await button('Share').click()
    await dialog.getByRole('combobox', { name: 'With' }).click()
    await page.getByRole('option', { name: 'A group' }).click()
    await pick('Group', 'product')
    await dialog.getByLabel('Expires').fill('2030-01-01T10:00')
    await confirm('Share')
    const { shares } = await call('GET', `/admin/permissions/${data.resourceId}`)
    t.like(shares, [{ grantee_id: data.groupId, permission: 'view' }])
    t.is(shares[0].expires_at, '2030-01-01T09:00:00.000Z')
  })

  test.serial('a resource can be made visible to its workspace and private again', async (t) => {
    await visit(`/resources/${data.resourceId}`)
    await button('Make visible to workspace').click()
    await confirm('Make visible')
    await button('Make private').click()
    await confirm('Make private')
    await button('Make visible to workspace').waitFor()
    const resource = await call('GET', `/admin/permissions/${data.resourceId}`)
    t.is(resource.visibility, 'private')
  })

  test.serial('the badge of a resource shows who sees it through its folder', async (t) => {
    const { items } = await call('GET', '/admin/permissions?service_name=docs&page_size=100')
    const folder = items.find(
      ({ id, visibility }: { id: string; visibility: string }) =>
        id !== data.resourceId && visibility === 'private',
    )
    const { resource_type, resource_id } = folder
    await call('PATCH', `/admin/permissions/${data.resourceId}/parent`, {
      parent: { resource_type, resource_id },
    })
    const setVisibility = (visibility: string) =>
      call('PATCH', `/admin/permissions/${folder.id}/visibility`, { visibility })
    await setVisibility('workspace')
    await visit(`/resources/${data.resourceId}`)
    await page.getByText(/^through /).waitFor()
    t.is(await page.getByText('Workspace', { exact: true }).first().isVisible(), true)
    await visit('/resources')
    const row = page.getByRole('row').filter({ hasText: 'roadmap-2027' }).first()
    await row.getByText(/^through /).waitFor()
    await row.getByText('Workspace', { exact: true }).waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'resources-through-folder'), [])
    await setVisibility('private')
    await visit(`/resources/${data.resourceId}`)
    await page.getByText('Private', { exact: true }).waitFor()
    t.is(await page.getByText(/^through /).count(), 0)
  })

  test.serial('the owner of a resource can be changed', async (t) => {
    const before = await call('GET', `/admin/permissions/${data.resourceId}`)
    await visit(`/resources/${data.resourceId}`)
    await button('Change owner').click()
    await page.getByRole('dialog', { name: 'Change the owner of roadmap-2027' }).waitFor()
    await inDialog('Change').click()
    await dialog.getByText(/UUID|required/).waitFor()
    await pick('New owner', 'Grace Kim')
    await confirm('Change')
    const after = await call('GET', `/admin/permissions/${data.resourceId}`)
    t.not(after.owner_id, before.owner_id)
    await call('PATCH', `/admin/permissions/${data.resourceId}/owner`, {
      owner_id: before.owner_id,
    })
  })

  test.serial('sessions of a person can be ended one by one or together', async (t) => {
    await visit(`${person}?tab=sessions`)
    await button('End the session on Chrome on Windows').click()
    await confirm('End session')
    await button('End the session on Chrome on Windows').waitFor({ state: 'detached' })
    await button('End all sessions').click()
    await confirm('End all sessions')
    await page.getByText('No sessions').waitFor()
    t.is((await call('GET', `/admin/users/${data.userId}`)).sessions.length, 0)
  })

  test.serial('a person can be edited, exported, deactivated and activated', async (t) => {
    await visit(person)
    await button('Edit').click()
    await field('External ID').fill('hr-42')
    await confirm('Save')
    await page.getByText('hr-42').waitFor()
    await button('More').click()
    const download = page.waitForEvent('download')
    await chooseItem('Export all data')
    const text = await readFile(await (await download).path(), 'utf8')
    t.true(text.includes('hr-42'))
    await button('More').click()
    await chooseItem('Deactivate')
    await confirm('Deactivate')
    await page.getByText('Deactivated', { exact: true }).waitFor()
    await button('More').click()
    await chooseItem('Activate')
    await page.getByText('Active', { exact: true }).waitFor()
  })

  test.serial(
    'the address of a person can be corrected, with a reason after a sign-in',
    async (t) => {
      await visit(person)
      const { email } = await call('GET', `/admin/users/${data.userId}`)
      await button('More').click()
      await chooseItem('Correct the address')
      await page.getByRole('dialog', { name: 'Correct the address of Chiara Conti' }).waitFor()
      await field('E-mail address').fill('ben.carter@example.com')
      await inDialog('Correct').click()
      await dialog.getByText(/is required, because the user has signed in/).waitFor()
      await field('Reason').fill('Married')
      await inDialog('Correct').click()
      await dialog.getByText('Another user has this e-mail address').waitFor()
      await field('E-mail address').fill('chiara.corrected@example.com')
      await confirm('Correct')
      await page.getByText('chiara.corrected@example.com').first().waitFor()
      const corrected = await call('GET', `/admin/users/${data.userId}`)
      t.like(corrected, { email: 'chiara.corrected@example.com', linked_accounts: [] })
      await call('PATCH', `/admin/users/${data.userId}`, { email, reason: 'Back' })
    },
  )

  test.serial('a person can be made an administrator and lose these rights', async (t) => {
    const isAdmin = async () => (await call('GET', `/admin/users/${data.userId}`)).is_admin
    await visit(person)
    await button('More').click()
    await chooseItem('Make administrator')
    await confirm('Make administrator')
    await page.getByText('is now an administrator').waitFor()
    t.true(await isAdmin())
    await button('More').click()
    await chooseItem('Revoke administrator rights')
    const title = 'Revoke administrator rights of Chiara Conti?'
    await page.getByRole('dialog', { name: title }).waitFor()
    await confirm('Revoke')
    await page.getByText('is no longer an administrator').waitFor()
    t.false(await isAdmin())
  })

  test.serial('a person can be added to a workspace and removed from it', async (t) => {
    await visit(`${person}?tab=memberships`)
    await button('Add to a workspace').click()
    await pick('Workspace', 'partner')
    await inDialog('Add').click()
    await page.getByRole('dialog', { name: 'Send the invitation link' }).waitFor()
    await confirm('Done')
    await button('Remove from Partner portal').click()
    await confirm('Remove')
    await button('Remove from Partner portal').waitFor({ state: 'detached' })
    t.is((await call('GET', `/admin/users/${data.userId}`)).memberships.length, 1)
  })

  test.serial('a person who owns resources is erased after choosing a new owner', async (t) => {
    const email = 'elif.ylmaz@example.com'
    await call('POST', `/admin${workspace}/groups`, { name: `Reports of ${email}` })
    await visit('/people?q=elif')
    await page.getByRole('link', { name: /Elif/ }).click()
    await button('More').click()
    await chooseItem('Erase')
    await dialog.getByRole('textbox').fill(email)
    await inDialog('Erase').click()
    await pick('Give their resources to', 'ben carter')
    await inDialog('Erase').click()
    await dialog.getByText('groups: 1', { exact: true }).waitFor()
    await confirm('Done')
    await page.waitForURL(/\/people$/)
    t.is((await call('GET', '/admin/users?q=elif')).total, 0)
  })

  test.serial('what still names an erased person is listed', async (t) => {
    const email = 'named@example.com'
    const invite = `/admin/workspaces/${data.workspaceId}/members/invite`
    const { user_id } = await call('POST', invite, { email })
    const groups = `/admin/workspaces/${data.workspaceId}/groups`
    const { id } = await call('POST', groups, { name: `Reports of ${email}` })
    await visit(`/people/${user_id}`)
    await button('More').click()
    await chooseItem('Erase')
    await field(`Type ${email} to confirm`).fill(email)
    await inDialog('Erase').click()
    await page.getByRole('dialog', { name: `${email} is erased, but still named` }).waitFor()
    await dialog.getByText('groups: 1', { exact: true }).waitFor()
    if (process.env.KEPT_PICTURE) await page.screenshot({ path: process.env.KEPT_PICTURE })
    await confirm('Done')
    await page.getByText(`${email} was erased.`).waitFor()
    await call('DELETE', `/admin/groups/${id}`)
    t.pass()
  })

  test.serial('a member can be invited and removed', async (t) => {
    await visit(workspace)
    await button('Invite').click()
    await field('E-mail address').fill('guest@example.com')
    await inDialog('Invite').click()
    const link = page.getByRole('region', { name: 'Invitation link' })
    t.regex((await link.textContent()) ?? '', /^http\S+\/oauth\/invitations\/[\w-]{43}$/)
    await confirm('Done')
    await page.getByRole('searchbox', { name: 'Search members' }).fill('guest')
    await page.getByText('1–1 of 1', { exact: true }).waitFor()
    await button('Remove guest@example.com').click()
    await confirm('Remove')
    await page.getByText('No member matches').waitFor()
    t.is((await call('GET', `/admin${workspace}/members?q=guest`)).length, 0)
  })

  test.serial('the end of a membership can be set and removed', async (t) => {
    const readEnd = async () =>
      (await call('GET', `/admin${workspace}/members?q=ben.carter`))[0].expires_at
    await visit(workspace)
    for (const [time, end] of [
      ['2030-01-01T10:00', '2030-01-01T09:00:00.000Z'],
      ['', null],
    ] as const) {
      await button('Edit the membership of Ben Carter').click()
      await page.getByRole('dialog', { name: 'Membership of Ben Carter' }).waitFor()
      await dialog.getByLabel('Ends').fill(time)
      await confirm('Save')
      t.is(await readEnd(), end)
    }
  })

  test.serial('a role can be given to a group and taken back', async (t) => {
    await visit(`${workspace}?tab=roles`)
    await pick('Give Publisher to a group', 'product')
    await button('Add').nth(1).click()
    await button('Remove the group Product from Publisher').click()
    await page.getByRole('dialog', { name: 'Remove the group Product from Publisher?' }).waitFor()
    await confirm('Remove')
    await button('Remove the group Product from Publisher').waitFor({ state: 'detached' })
    const roles: { name: string; group_count: number }[] = await call(
      'GET',
      `/admin${workspace}/roles`,
    )
    t.is(roles.find(({ name }) => name === 'Publisher')?.group_count, 0)
  })

  test.serial('a group can be created, edited, filled, emptied and deleted', async (t) => {
    await visit(`${workspace}?tab=groups`)
    await button('New group').click()
    await field('Name').fill('Writers')
    await confirm('Create')
    await button('Writers').click()
    await button('Edit the group Writers').click()
    await field('Name').fill('Authors')
    await confirm('Save')
    await pick('Add a member', 'ben carter')
    await button('Add').first().click()
    await button('Remove Ben Carter from Authors').click()
    await confirm('Remove')
    await button('Remove Ben Carter from Authors').waitFor({ state: 'detached' })
    await pick('Add a child group', 'design')
    await button('Add').last().click()
    await button('Remove Design from Authors').click()
    await confirm('Remove')
    await button('Remove Design from Authors').waitFor({ state: 'detached' })
    await button('Delete the group Authors').click()
    await confirm('Delete group')
    await page.getByText('The group Authors was deleted.').waitFor()
    t.is((await call('GET', `/admin${workspace}/groups?q=authors`)).length, 0)
  })

  test.serial('a role can be edited, given to a member, taken back and deleted', async (t) => {
    await visit(`${workspace}?tab=roles`)
    await button('Actions of Publisher').click()
    await chooseItem('Edit')
    await field('Name').fill('Printer')
    await confirm('Save')
    await pick('Give Printer to', 'ben carter')
    await button('Add').first().click()
    await button('Remove Ben Carter from Printer').click()
    await confirm('Remove')
    await button('Remove Ben Carter from Printer').waitFor({ state: 'detached' })
    await button('Actions of Printer').click()
    await chooseItem('Delete')
    await confirm('Delete role')
    await page.getByText('The role Printer was deleted.').waitFor()
    t.is((await call('GET', `/admin${workspace}/roles`)).length, 1)
  })

  test.serial('a service app can be edited, deactivated, activated and deleted', async (t) => {
    await visit('/service-apps')
    await page.getByRole('link', { name: 'Invoices' }).click()
    await button('Edit').click()
    await field('Name').fill('Billing')
    await confirm('Save')
    await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor()
    await button('Deactivate').click()
    await confirm('Deactivate')
    await button('Activate').click()
    await button('Deactivate').waitFor()
    await button('Delete').click()
    await inDialog('Delete').click()
    await page.waitForURL(/\/service-apps$/)
    await page.getByRole('link', { name: 'Billing' }).waitFor({ state: 'detached' })
    t.is((await call('GET', '/admin/service-apps')).length, 1)
  })

  test.serial('a management app can be created, edited, rotated and deleted', async (t) => {
    await visit('/management-apps')
    await button('New management app').click()
    await field('Name').fill('Reports')
    await page.getByRole('checkbox', { name: 'stats:read' }).check()
    await inDialog('Create').click()
    await page.getByText(/^dm_/).waitFor()
    await button('I have saved it').click()
    await page.getByRole('link', { name: 'Reports' }).click()
    await button('Edit').click()
    await page.getByRole('checkbox', { name: 'activity:read' }).check()
    await confirm('Save')
    await page.getByText('activity:read, stats:read').waitFor()
    await button('Rotate secret').click()
    await inDialog('Create new secret').click()
    await button('I have saved it').click()
    await button('Deactivate').click()
    await confirm('Deactivate')
    await button('Activate').click()
    await button('Deactivate').waitFor()
    await button('Delete').click()
    await inDialog('Delete').click()
    await page.waitForURL(/\/management-apps$/)
    await page.getByRole('link', { name: 'Reports' }).waitFor({ state: 'detached' })
    t.is((await call('GET', '/admin/management-apps')).length, 1)
  })

  test.serial(
    'a client app can be created, edited, rotated, deactivated and deleted',
    async (t) => {
      await visit('/client-apps')
      await button('New client app').click()
      await field('Name').fill('Shop')
      await dialog.getByRole('combobox', { name: 'Type' }).click()
      await page.getByRole('option', { name: 'Confidential' }).click()
      await field('Redirect URIs').fill('https://shop.example.com/callback')
      await inDialog('Create').click()
      await button('I have saved it').click()
      await page.getByRole('link', { name: 'Shop' }).click()
      await button('Edit').click()
      await field('Redirect URIs after sign-out').fill('https://shop.example.com/')
      await dialog.getByRole('combobox', { name: 'Workspace', exact: true }).click()
      const option = page.getByRole('option').first()
      const workspace = (await option.textContent()) ?? ''
      await option.click()
      await confirm('Save')
      await page.getByRole('link', { name: workspace }).waitFor()
      await page.getByText('https://shop.example.com/', { exact: true }).waitFor()
      await button('Rotate secret').click()
      await inDialog('Create new secret').click()
      await button('I have saved it').click()
      await button('Deactivate').click()
      await confirm('Deactivate')
      await button('Activate').click()
      await button('Deactivate').waitFor()
      await button('Delete').click()
      await dialog.getByRole('textbox').fill('Shop')
      await inDialog('Delete app').click()
      await page.waitForURL(/\/client-apps$/)
      await page.getByRole('link', { name: 'Shop' }).waitFor({ state: 'detached' })
      t.is((await call('GET', '/admin/client-apps')).length, 2)
    },
  )

  test.serial('events can be exported as CSV and JSON lines', async (t) => {
    await visit('/activity?target_type=role')
    for (const [format, pattern] of [
      ['As CSV', /^id,|^created_at,|action/],
      ['As JSON lines', /"action":"role\./],
    ] as const) {
      await button('Export').click()
      const download = page.waitForEvent('download')
      await chooseItem(format)
      t.regex(await readFile(await (await download).path(), 'utf8'), pattern)
      await button('Export').waitFor()
    }
  })

  test.serial(
    'the color scheme is chosen in the header, and the account opens its record',
    async (t) => {
      await visit('/')
      await button('Colors').click()
      await page.getByRole('menuitemradio', { name: 'Dark' }).click()
      await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
      await button('Colors').click()
      await page.getByRole('menuitemradio', { name: 'As the system' }).click()
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
      await button(/^Account of/).click()
      await chooseItem('My record')
      await page.getByRole('heading', { name: 'Alice Lindqvist', level: 1 }).waitFor()
      t.pass()
    },
  )

  test.serial('a workspace can be edited and, after typing its slug, deleted', async (t) => {
    await visit('/workspaces?q=partner')
    await page.getByRole('link', { name: 'Partner portal' }).click()
    await button('Edit').click()
    await field('Name').fill('Partners')
    await confirm('Save')
    await page.getByRole('heading', { name: 'Partners', level: 1 }).waitFor()
    await button('More').click()
    await chooseItem('Delete')
    t.true(await inDialog('Delete workspace').isDisabled())
    await dialog.getByRole('textbox').fill('partners')
    await inDialog('Delete workspace').click()
    await page.waitForURL(/\/workspaces$/)
    t.is((await call('GET', '/admin/workspaces?q=partner')).total, 0)
  })
}
