import test from 'ava'
import type { Locator } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import { navigate, startConsole } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { waitUntil } from '../support/wait-until.ts'

const long =
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(2)
const hebrew = 'דנה כהן (מנהלת)'
const emoji = '👩‍👩‍👧 🇸🇪 Family'

// Names that are long, written from right to left, or contain emoji.
if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const { pool } = fixture
  const names: [column: string, name: string][] = [
    ['amara.nwosu@example.com', long],
    ['ben.carter@example.com', hebrew],
    ['chiara.conti@example.com', emoji],
  ]
  for (const [email, name] of names)
    await pool.query('update users set name = $2 where email = $1', [email, name])
  await pool.query('update workspaces set name = $2 where id = $1', [data.workspaceId, long])
  await pool.query('update groups set name = $2 where id = $1', [data.groupId, hebrew])
  const page = await fixture.openPage('/')
  await loadAxe(page)
  test.after.always(() => fixture.stop())

  /** Whether a table fits into the page on a wide screen. */
  const fits = (table: Locator): Promise<boolean> =>
    table.evaluate(({ parentElement: parent }) => parent.scrollWidth <= parent.clientWidth)

  const workspace = `/workspaces/${data.workspaceId}`
  for (const [screen, path, table] of [
    ['people', '/people', 'People'],
    ['members', workspace, 'Members'],
    ['resource', `/resources/${data.resourceId}`, 'Who has access'],
    ['workspaces', '/workspaces', 'Workspaces'],
    ['memberships', `/people/${data.userId}?tab=memberships`, 'Memberships'],
  ] as const) {
    test.serial(`${screen}: long and foreign names fit`, async (t) => {
      await navigate(page, path)
      const list = page.getByRole('table', { name: table, exact: true })
      await list.getByText(long).or(list.getByText(hebrew)).first().waitFor()
      await waitUntil(() => fits(list))
      t.deepEqual(await inspectPage(page, `names-${screen}`), [])
    })
  }

  for (const [screen, path] of [
    ['person', `/people/${data.userId}`],
    ['group', `${workspace}?tab=groups&group=${data.groupId}`],
    ['overview', '/'],
    ['activity', '/activity'],
  ] as const) {
    test.serial(`${screen}: long and foreign names fit`, async (t) => {
      await navigate(page, path)
      await page
        .getByText(long)
        .or(page.getByText(hebrew))
        .or(page.getByText(emoji))
        .first()
        .waitFor()
      t.deepEqual(await inspectPage(page, `names-${screen}`), [])
    })
  }

  test.serial(
    'initials do not split an emoji, and the direction of a name is its own',
    async (t) => {
      await navigate(page, '/people')
      const row = page.getByRole('row').filter({ hasText: emoji })
      await row.getByText('👩‍👩‍👧🇸🇪', { exact: true }).waitFor()
      await page.locator('bdi', { hasText: hebrew }).first().waitFor()
      t.pass()
    },
  )
}
