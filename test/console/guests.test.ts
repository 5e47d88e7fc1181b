import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { startConsole, waitUntilIdle } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

// Guests in the admin console: members, invitations, people, the import, mappings and what-if.
if (hasBrowser) {
  const fixture = await startConsole()
  const { workspaceId, resourceId } = await createSampleData(fixture)
  const { call, consoleUrl } = fixture
  const page = await fixture.openPage('/')
  useKeyboardAlone(page)
  test.after.always(() => fixture.stop())

  const workspace = `/workspaces/${workspaceId}`
  const visit = (path: string) => page.goto(`${consoleUrl}${path}`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const guest = dialog.getByRole('switch', { name: 'Guest' })
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
  const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text })
  const readMember = async (q: string) =>
    (await call('GET', `/admin${workspace}/members?q=${encodeURIComponent(q)}`))[0]

  test.serial('a member becomes a guest, by keyboard, and sees what that changes', async (t) => {
    // Daniel has a share of the roadmap.
    await fixture.pool.query(
      "update resources set parent_id = $1, inherits = true where external_id = 'salaries'",
      [resourceId],
    )
    // A group above his has a share of another one.
    const groups = await call('GET', `/admin${workspace}/groups`)
    const idOf = (group: string) => groups.find(({ name }: { name: string }) => name === group).id
    const { user_id } = await readMember('daniel')
    await call('POST', `/admin/groups/${idOf('Design')}/members/${user_id}`, {})
    const { items } = await call('GET', '/admin/permissions?q=handbook')
    const share = { grantee_type: 'group', grantee_id: idOf('Product'), permission: 'view' }
    await call('POST', `/admin/permissions/${items[0].id}/share`, share)
    await visit(`${workspace}?q=daniel`)
    await button('Edit the membership of Daniel Weiss').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Membership of Daniel Weiss' }).waitFor()
    await dialog.getByLabel('Ends').waitFor()
    await guest.focus()
    await page.keyboard.press('Space')
    await dialog.getByText('The role Editor becomes Viewer.').waitFor()
    // Another resource inherits from the one that is shared with him.
    await dialog.getByText(/Sees 3 of 5 resources in the workspace/).waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'workspace-member-guest', 'dialog'), [])
    await inDialog('Save').click()
    await dialog.waitFor({ state: 'detached' })
    await rowOf('Daniel Weiss').getByText('Guest', { exact: true }).waitFor()
    t.like(await readMember('daniel'), { guest: true, role: 'viewer' })
    // A guest is a viewer.
    t.is(await page.getByRole('combobox', { name: 'Role of Daniel Weiss' }).count(), 0)
  })

  test.serial('a guest is invited, without another role', async (t) => {
    await visit(workspace)
    await button('Invite').click()
    await dialog.getByLabel('E-mail address').fill('pia@agency.example')
    await dialog.getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('listbox').getByRole('option', { name: 'Admin' }).click()
    await guest.check()
    t.true(await dialog.getByRole('combobox', { name: 'Role' }).isDisabled())
    t.is(await dialog.getByRole('combobox', { name: 'Role' }).inputValue(), 'Viewer')
    await dialog.getByText(/Sees 0 of \d resources in the workspace/).waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'workspace-invite-guest', 'dialog'), [])
    await inDialog('Invite').click()
    await button('Done').click()
    await rowOf('pia@agency.example').getByText('Guest', { exact: true }).waitFor()
    t.like(await readMember('pia@'), { guest: true, role: 'viewer', status: 'invited' })
  })

  test.serial('members are filtered by guests', async (t) => {
    await visit(workspace)
    await page.getByRole('combobox', { name: 'Role', exact: true }).click()
    await page.getByRole('listbox').getByRole('option', { name: 'Guest' }).click()
    await page.getByText('1–2 of 2', { exact: true }).waitFor()
    await rowOf('Daniel Weiss').waitFor()
    await rowOf('pia@agency.example').waitFor()
    t.is(new URL(page.url()).searchParams.get('role'), 'guest')
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'workspace-guests'), [])
  })

  test.serial(
    'the person is a guest there, and the resource says why they do not see it',
    async (t) => {
      const { user_id } = await readMember('pia@')
      await visit(`/people/${user_id}?tab=memberships`)
      await rowOf('Northwind').getByText('Guest', { exact: true }).waitFor()
      await call('PATCH', `/admin/permissions/${resourceId}/visibility`, {
        visibility: 'workspace',
      })
      await fixture.pool.query('update members set joined_at = now() where user_id = $1', [user_id])
      await visit(`/resources/${resourceId}?user_id=${user_id}`)
      await page
        .getByText(/pia@agency.example is a guest of Northwind, and .+ is visible to members only/)
        .waitFor()
      await loadAxe(page)
      t.deepEqual(await inspectPage(page, 'resource-guest'), [])
    },
  )

  test.serial('what-if explains what a member would see as a guest', async (t) => {
    const { user_id } = await readMember('chiara')
    await visit(`/resources/${resourceId}?user_id=${user_id}`)
    await waitUntilIdle(page)
    await button('What if…').click()
    await page.getByRole('combobox', { name: 'Assume' }).click()
    await page.getByRole('option', { name: 'A role in the workspace' }).click()
    const assumed = page.getByRole('group', { name: 'What if they had' })
    await assumed.getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('option', { name: 'Guest' }).click()
    await assumed.getByRole('button', { name: 'Add', exact: true }).click()
    await assumed.getByText('the role Guest in the workspace').waitFor()
    await assumed.getByText(/Chiara Conti is a guest of Northwind/).waitFor()
    await waitUntilIdle(page)
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'resource-what-if-guest'), [])
  })

  test.serial('a CSV file makes guests, and its preview says what that changes', async (t) => {
    const rows = ['email,workspace_slug,guest', 'chiara.conti@example.com,northwind,true']
    const buffer = Buffer.from([...rows, 'quinn@agency.example,northwind,true', ''].join('\n'))
    await visit('/import')
    const input = page.locator('input[type=file]')
    await input.setInputFiles({ name: 'guests.csv', mimeType: 'text/csv', buffer })
    await page.getByText('guest', { exact: true }).first().waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'import-guests'), [])
    await button('Import 2 changes').click()
    await page.getByText('The file was imported.').waitFor()
    for (const q of ['chiara', 'quinn'])
      t.like(await readMember(q), { guest: true, role: 'viewer' }, q)
  })

  test.serial('a guest becomes a member again', async (t) => {
    await visit(`${workspace}?q=daniel`)
    await button('Edit the membership of Daniel Weiss').click()
    await guest.uncheck()
    await dialog.getByText('They see what is visible to the workspace immediately.').waitFor()
    await inDialog('Save').click()
    await page.getByRole('combobox', { name: 'Role of Daniel Weiss' }).waitFor()
    t.like(await readMember('daniel'), { guest: false, role: 'viewer' })
  })
}
