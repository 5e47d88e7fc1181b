import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { startConsole } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

// Lists of a workspace that are longer than a page.
if (hasBrowser) {
  const fixture = await startConsole()
  const { workspaceId } = await createSampleData(fixture)
  await fixture.pool.query(
    `with people as (
       insert into users (id, email, name)
       select gen_random_uuid(), 'p' || n || '@example.org', 'Person ' || to_char(n, 'FM0000')
       from generate_series(1, 1000) n returning id, email)
     insert into members (user_id, workspace_id, role, joined_at)
     select id, $1, case when email in ('p7@example.org', 'p700@example.org') then 'owner'
       else 'viewer' end, now() from people`,
    [workspaceId],
  )
  await fixture.pool.query(
    `insert into groups (id, workspace_id, name)
     select gen_random_uuid(), $1, 'Team ' || to_char(n, 'FM0000') from generate_series(1, 500) n`,
    [workspaceId],
  )
  await fixture.pool.query(
    `insert into custom_roles (id, workspace_id, name)
     select gen_random_uuid(), $1, 'Role ' || to_char(n, 'FM00') from generate_series(1, 40) n`,
    [workspaceId],
  )
  await fixture.pool.query(
    `insert into custom_role_members (role_id, user_id, workspace_id)
     select r.id, m.user_id, $1 from custom_roles r, members m
     where r.name = 'Role 33' and m.workspace_id = $1`,
    [workspaceId],
  )
  const page = await fixture.openPage(`/workspaces/${workspaceId}`)
  useKeyboardAlone(page)
  const rows = page.getByRole('table', { name: 'Members' }).getByRole('row')
  test.after.always(() => fixture.stop())
  const reset = () => page.goto(`${fixture.consoleUrl}/workspaces/${workspaceId}`)

  test.serial('all members of a workspace can be reached, owners first', async (t) => {
    await reset()
    await page.getByText('1–20 of 1,028').waitFor()
    const owners = ['Alice Lindqvist', 'Person 0007', 'Person 0700']
    await page.getByRole('link', { name: 'Person 0700', exact: true }).waitFor()
    for (const [index, name] of owners.entries()) {
      t.true((await rows.nth(index + 1).innerText()).includes(name), name)
    }
    await page.getByRole('combobox', { name: 'Rows per page' }).selectOption('100')
    await page.getByText('1–100 of 1,028').waitFor()
    for (let number = 2; number <= 11; number += 1) {
      await page.getByRole('button', { name: 'Next page' }).click()
      await page.getByText(`${((number - 1) * 100 + 1).toLocaleString('en')}–`).waitFor()
      // The address, from which the next click continues, follows the text.
      await page.waitForURL((url) => url.searchParams.get('page') === String(number))
    }
    await page.getByText('1,001–1,028 of 1,028').waitFor()
    await page.getByRole('link', { name: 'Person 1000', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Person 1000', exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Rows per page' }).selectOption('20')
    await page.getByText('1–20 of 1,028').waitFor()
  })

  test.serial('members are searched and filtered by role, from the first page on', async (t) => {
    await reset()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('21–40 of 1,028').waitFor()
    await page.getByRole('searchbox', { name: 'Search members' }).fill('person 07')
    await page.getByText('1–20 of 119').waitFor()
    await page.getByRole('combobox', { name: 'Role', exact: true }).click()
    await page.getByRole('listbox').getByRole('option', { name: 'Owner' }).click()
    await page.getByText('1–2 of 2', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Person 0700' }).waitFor()
    const parameters = Object.fromEntries(new URL(page.url()).searchParams)
    t.deepEqual(parameters, { q: 'person 07', role: 'owner' })
    await page.getByRole('searchbox', { name: 'Search members' }).fill('nobody')
    await page.getByText('No member matches').waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByText('1–20 of 1,028').waitFor()
  })

  test.serial('the members of a large workspace are accessible', async (t) => {
    await reset()
    await page.getByText('1–20 of 1,028').waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'workspace-members-many'), [])
  })

  test.serial('groups are paged and searched, and a link to one shows it', async (t) => {
    await page.goto(`${fixture.consoleUrl}/workspaces/${workspaceId}?tab=groups`)
    await page.getByText('1–20 of 503').waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'workspace-groups-many'), [])
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('21–40 of 503').waitFor()
    await page.getByRole('searchbox', { name: 'Search groups' }).fill('team 0499')
    await page.getByRole('button', { name: 'Team 0499' }).click()
    await page.getByRole('combobox', { name: 'Add a child group' }).fill('team 0321')
    await page.getByRole('option', { name: 'Team 0321' }).click()
    await page.getByRole('button', { name: 'Add', exact: true }).last().click()
    await page.getByRole('button', { name: 'Remove Team 0321 from Team 0499' }).waitFor()
    const { rows: groups } = await fixture.pool.query(
      "select id from groups where name = 'Team 0499'",
    )
    await page.goto(`${fixture.consoleUrl}/activity?target_type=group`)
    await page.getByRole('link', { name: 'Team 0499' }).first().click()
    await page.getByRole('button', { name: 'Remove Team 0321 from Team 0499' }).waitFor()
    t.is(new URL(page.url()).searchParams.get('group'), groups[0].id)
  })

  test.serial('roles and who has them are paged and searched', async (t) => {
    await page.goto(`${fixture.consoleUrl}/workspaces/${workspaceId}?tab=roles`)
    await page.getByText('1–10 of 42').waitFor()
    await page.getByRole('searchbox', { name: 'Search roles' }).fill('role 33')
    await page.getByRole('columnheader', { name: 'Role 33' }).waitFor()
    await page.getByText('1–10 of 1,028').waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'workspace-roles-many'), [])
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('11–20 of 1,028').waitFor()
    await page
      .getByRole('searchbox', { name: 'Search members who have Role 33' })
      .fill('person 0999')
    await page.getByRole('link', { name: 'Person 0999' }).waitFor()
    await page.getByText('Person 0001', { exact: true }).waitFor({ state: 'detached' })
    t.is(await page.getByRole('button', { name: /^Remove .* from Role 33$/ }).count(), 1)
  })

  test.serial('an invitation that could not be delivered says so', async (t) => {
    await fixture.pool.query(
      `with person as (
         insert into users (id, email) values (gen_random_uuid(), 'wrong@example.org') returning id
       ), member as (
         insert into members (user_id, workspace_id, role) select id, $1, 'viewer' from person
       )
       insert into refused_invitations (user_id, workspace_id, status, refused_at)
       select id, $1, '550 5.1.1', now() from person`,
      [workspaceId],
    )
    await page.goto(`${fixture.consoleUrl}/workspaces/${workspaceId}?q=wrong%40`)
    const row = page.getByRole('row').filter({ hasText: 'wrong@example.org' })
    await row.getByText('Could not be delivered', { exact: true }).waitFor()
    await row.getByText('The mail server answered 550 5.1.1. Check the address.').waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'workspace-members-undelivered'), [])
  })

  test.serial('invited people read "Invited" until they have signed in', async (t) => {
    await page.goto(`${fixture.consoleUrl}/people?q=p700%40`)
    const row = page.getByRole('row').filter({ hasText: 'p700@example.org' })
    await row.getByText('Invited', { exact: true }).waitFor()
    await fixture.pool.query(
      "update users set last_sign_in_at = now() where email = 'p700@example.org'",
    )
    await page.goto(`${fixture.consoleUrl}/people?q=p700%40&status=active`)
    await row.getByText('Active', { exact: true }).waitFor()
    await page.goto(`${fixture.consoleUrl}/people?q=p700%40&status=invited`)
    await page.getByText('No people match').waitFor()
    t.pass()
  })
}
