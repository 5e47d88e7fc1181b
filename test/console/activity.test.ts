import { randomUUID } from 'node:crypto'
import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { navigate, startConsole, waitForValue } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'
import { waitUntil } from '../support/wait-until.ts'

if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const { call, consoleUrl, pool } = fixture
  const page = await fixture.openPage('/')
  useKeyboardAlone(page)
  await loadAxe(page)
  test.after.always(() => fixture.stop())
  const unknownId = '0197a1b2-c3d4-7e5f-8a6b-0123456789ab'
  const member = `/admin/workspaces/${data.workspaceId}/members/${data.userId}`
  const rows = page.getByRole('table', { name: 'Activity' }).getByRole('row')
  const dialog = page.getByRole('dialog')

  test.serial('a row shows what changed from what to what', async (t) => {
    await call('PATCH', member, { role: 'editor' })
    await navigate(page, `/activity?target_id=${data.userId}`)
    await rows.nth(1).getByText('Role: Viewer → to Editor').waitFor()
    await navigate(page, `/activity?target_id=${data.groupId}&action=group.member_added`)
    await rows.nth(1).getByRole('link', { name: 'Hugo Martin' }).waitFor()
    t.pass()
  })

  test.serial(
    'an event opens in a dialog with its source and links, and is part of the address',
    async (t) => {
      await navigate(page, `/activity?target_id=${data.userId}&action=member.role_changed`)
      const event = page.getByRole('button', { name: 'Role of a member changed' })
      await event.click()
      await page.getByRole('dialog', { name: 'Role of a member changed' }).waitFor()
      const { items } = await call('GET', `/admin/activity?target_id=${data.userId}&limit=1`)
      const [entry] = items
      await page.waitForURL(`${consoleUrl}/activity?*entry=${entry.id}`)
      for (const text of [entry.ip, entry.request_id, entry.id, 'member.role_changed'])
        await dialog.getByText(text, { exact: true }).waitFor()
      for (const name of ['Chiara Conti', 'Alice Lindqvist', 'Northwind'])
        await dialog.getByRole('link', { name, exact: true }).waitFor()
      t.deepEqual(await inspectPage(page, 'dialog-event', 'dialog'), [])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await event.and(page.locator(':focus')).waitFor()
      await page.waitForURL((url) => !url.searchParams.has('entry'))
    },
  )

  test.serial('an address opens an old event, and says so if there is none', async (t) => {
    const { items } = await call('GET', '/admin/activity?action=group.created')
    const oldest = items.at(-1)
    await page.goto(`${consoleUrl}/activity?action=role.created&entry=${oldest.id}`)
    await page.getByRole('dialog', { name: 'Group created' }).waitFor()
    await dialog.getByRole('link', { name: 'All events of the target' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.waitForURL(`${consoleUrl}/activity?target_id=${oldest.target_id}`)
    for (const unknown of [unknownId, 'none']) {
      await page.goto(`${consoleUrl}/activity?entry=${unknown}`)
      await dialog.getByText('This event does not exist').waitFor()
    }
    t.pass()
  })

  test.serial('events about an object are found by its name', async (t) => {
    await page.goto(`${consoleUrl}/activity`)
    const about = page.getByRole('combobox', { name: 'About' })
    await about.fill('roadmap')
    await page.getByRole('option', { name: /roadmap-2027/ }).click()
    await page.waitForURL(`${consoleUrl}/activity?target_id=${data.resourceId}`)
    await rows.getByText('Resource shared').first().waitFor()
    await page.getByRole('combobox', { name: 'Event', exact: true }).fill('registered')
    await page.getByRole('option', { name: 'Service action registered' }).click()
    await page.getByText('No event matches').waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await waitForValue(about, '')
    await page.waitForURL(`${consoleUrl}/activity`)
    t.pass()
  })

  test.serial('what an agent did for people is found by the name of the agent', async (t) => {
    await pool.query(
      `insert into activity (id, action, target_type, target_id, actor_id, agent_type, agent_id,
         delegation_id, workspace_id, detail, created_at)
       values ($1, 'permission.visibility_changed', 'permission', $2, $3, 'service_account', $4,
         $1, $5, '{"visibility":"workspace"}', now())`,
      [randomUUID(), data.resourceId, data.userId, data.serviceAccountId, data.workspaceId],
    )
    await page.goto(`${consoleUrl}/activity?workspace_id=${data.workspaceId}`)
    await loadAxe(page)
    await page.getByRole('combobox', { name: 'Through' }).fill('night')
    await page.getByRole('option', { name: 'Nightly export (service account)' }).click()
    await page.waitForURL((url) => url.searchParams.get('agent_id') === data.serviceAccountId)
    await page.getByText('Chiara Conti, through Nightly export').waitFor()
    await waitUntil(async () => (await rows.count()) === 2)
    t.deepEqual(await inspectPage(page, 'activity-through'), [])
  })
}
