import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { navigate, startConsole } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

// Actions on several people or members, with one confirmation.
if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const { call } = fixture
  const page = await fixture.openPage('/')
  useKeyboardAlone(page)
  await loadAxe(page)
  test.after.always(() => fixture.stop())

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
  const checkbox = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
  const bar = page.getByRole('status').filter({ hasText: 'selected' })
  const members = `/admin/workspaces/${data.workspaceId}/members`

  /** Returns a property of the people whose names match, by name. */
  async function readPeople(q: string, property: string): Promise<Record<string, unknown>> {
    const { items } = await call('GET', `/admin/users?q=${q}`)
    return Object.fromEntries(
      items.map((user: Record<string, unknown>) => [user.name, user[property]]),
    )
  }

  async function readMembers(property: string): Promise<Record<string, unknown>> {
    const items = await call('GET', `${members}?page_size=100`)
    return Object.fromEntries(
      items.map((member: Record<string, unknown>) => [member.name, member[property]]),
    )
  }

  test.serial('people are selected across pages, and a filter ends the selection', async (t) => {
    await navigate(page, '/people')
    await checkbox('Ben Carter').check()
    await button('Next page').click()
    await checkbox('Zoe Andersson').waitFor()
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
    await bar.getByText('7 selected').waitFor()
    t.deepEqual(await inspectPage(page, 'people-selected'), [])
    await button('Clear the selection').click()
    await bar.waitFor({ state: 'detached' })
    await checkbox('Zoe Andersson').check()
    await page.getByRole('searchbox').fill('carter')
    await checkbox('Ben Carter').waitFor()
    await bar.waitFor({ state: 'detached' })
    t.false(await checkbox('Ben Carter').isChecked())
  })

  test.serial('all people who match are selected, also those on other pages', async (t) => {
    const { total } = await call('GET', '/admin/users')
    await navigate(page, '/people')
    await checkbox('Ben Carter').check()
    await button(`Select all ${total} that match`).click()
    await bar.getByText(`${total} selected`).waitFor()
    t.is(await button(`Select all ${total} that match`).count(), 0)
    await button('Clear the selection').click()
  })

  test.serial(
    'an action on many people can be stopped, and the others remain selected',
    async (t) => {
      await fixture.pool.query(`insert into users (id, email, name)
      select gen_random_uuid(), 'crowd-' || i || '@example.com', 'Crowd ' || i from generate_series(1, 120) i`)
      await navigate(page, '/people?q=crowd')
      await checkbox('Crowd 100').check()
      await button('Select all 120 that match').click()
      await bar.getByText('120 selected').waitFor()
      await button('Deactivate').click()
      let calls = 0
      await page.route('**/admin/users/batch', async (route) => {
        calls += 1
        // The second part waits for the click.
        if (calls === 2) await inDialog('Stop').click()
        await route.continue()
      })
      await inDialog('Deactivate').click()
      await dialog.waitFor({ state: 'detached' })
      await page.unroute('**/admin/users/batch')
      await bar.getByText('20 selected').waitFor()
      const { total } = await call('GET', '/admin/users?q=crowd&is_active=false')
      t.deepEqual([calls, total], [2, 100])
      await fixture.pool.query(`delete from users where email like 'crowd-%'`)
    },
  )

  test.serial('people are deactivated together, and each failure is reported', async (t) => {
    await navigate(page, '/people?q=li')
    for (const name of ['Alice Lindqvist', 'Wen Li', 'Oscar Lind']) await checkbox(name).check()
    await button('Deactivate').click()
    await page.getByRole('dialog', { name: 'Deactivate 3 people?', exact: true }).waitFor()
    await dialog.getByText('All their sessions end now').waitFor()
    await dialog.getByText('Wen Li').waitFor()
    t.deepEqual(await inspectPage(page, 'dialog-bulk-deactivate', 'dialog'), [])
    await inDialog('Deactivate').click()
    await dialog.getByText('1 of 3 failed, and remain selected').waitFor()
    await dialog.getByText(/Alice Lindqvist: .*their own account/).waitFor()
    t.deepEqual(await inspectPage(page, 'dialog-bulk-failures', 'dialog'), [])
    await inDialog('Close').nth(1).click()
    await dialog.waitFor({ state: 'detached' })
    await bar.getByText('1 selected').waitFor()
    t.true(await checkbox('Alice Lindqvist').isChecked())
    t.like(await readPeople('li', 'is_active'), {
      'Alice Lindqvist': true,
      'Wen Li': false,
      'Oscar Lind': false,
    })
  })

  test.serial('people are activated together, whatever version of them was read', async (t) => {
    const [{ id }] = (await call('GET', '/admin/users?q=wen')).items
    await navigate(page, `/people/${id}`)
    await page.getByRole('heading', { name: 'Wen Li', level: 1 }).waitFor()
    await call('PATCH', `/admin/users/${id}`, { external_id: 'changed-by-another' })
    await navigate(page, '/people?status=deactivated')
    await checkbox('Wen Li').focus()
    await page.keyboard.press('Space')
    await checkbox('Oscar Lind').check()
    await button('Activate').click()
    await page.getByRole('dialog', { name: 'Activate 2 people?', exact: true }).waitFor()
    await inDialog('Activate').click()
    await page.getByText('2 people can sign in again.').waitFor()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('No people match').waitFor()
    t.like(await readPeople('li', 'is_active'), { 'Wen Li': true, 'Oscar Lind': true })
  })

  test.serial('people are added to a workspace together, and members reported', async (t) => {
    await navigate(page, '/people?q=r')
    for (const name of ['Amara Nwosu', 'Ben Carter']) await checkbox(name).check()
    await button('Add to a workspace').click()
    await page.getByRole('dialog', { name: 'Add 2 people to a workspace', exact: true }).waitFor()
    t.true(await inDialog('Add').isDisabled())
    await dialog.getByRole('combobox', { name: 'Workspace' }).fill('finance')
    await page.getByRole('option', { name: 'Finance' }).click()
    await dialog.getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('option', { name: 'Editor' }).click()
    await inDialog('Add').click()
    await dialog.getByText(/Amara Nwosu: .*member/).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    const [{ id }] = (await call('GET', '/admin/users?q=ben.carter')).items
    const { memberships } = await call('GET', `/admin/users/${id}`)
    const [finance] = memberships.filter(
      ({ workspace_name }: { workspace_name: string }) => workspace_name === 'Finance',
    )
    t.is(finance.role, 'editor')
  })

  test.serial('members get a role together', async (t) => {
    await navigate(page, `/workspaces/${data.workspaceId}?role=viewer`)
    for (const name of ['Chiara Conti', 'Elif Yılmaz']) await checkbox(name).check()
    await button('Change role').click()
    await page.getByRole('dialog', { name: 'Change the role of 2 members', exact: true }).waitFor()
    await dialog.getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('listbox').getByRole('option', { name: 'Admin' }).click()
    t.deepEqual(await inspectPage(page, 'dialog-bulk-role', 'dialog'), [])
    await inDialog('Change').click()
    await page.getByText('2 members with the role Admin.').waitFor()
    await dialog.waitFor({ state: 'detached' })
    t.like(await readMembers('role'), { 'Chiara Conti': 'admin', 'Elif Yılmaz': 'admin' })
  })

  test.serial('members are removed together, but not the last owner', async (t) => {
    await navigate(page, `/workspaces/${data.workspaceId}`)
    for (const name of ['Alice Lindqvist', 'Hugo Martin', 'Grace Kim']) await checkbox(name).check()
    await bar.getByRole('button', { name: 'Remove', exact: true }).click()
    await page
      .getByRole('dialog', { name: 'Remove 3 members from Northwind?', exact: true })
      .waitFor()
    await inDialog('Remove').click()
    await dialog.getByText(/Alice Lindqvist: .*owner/).waitFor()
    const names = Object.keys(await readMembers('role'))
    t.true(names.includes('Alice Lindqvist'))
    t.false(names.includes('Hugo Martin') || names.includes('Grace Kim'))
  })
}
