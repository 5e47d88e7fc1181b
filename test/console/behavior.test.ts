import test from 'ava'
import type { Request } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import { startConsole, waitForValue } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'
import { waitUntil } from '../support/wait-until.ts'

// Behavior that users expect of every web application.
if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const { consoleUrl } = fixture
  const page = await fixture.openPage('/')
  useKeyboardAlone(page)
  test.after.always(() => fixture.stop())
  const visit = (path: string) => page.goto(`${consoleUrl}${path}`)

  /** Waits until a list that has opened has set its selection, in a timer. It would undo the arrow key. */
  const waitForTimers = () => page.evaluate(() => new Promise((done) => setTimeout(done)))

  /** Rejects requests to a path with a method until the returned function is called. */
  async function rejectRequests(method: string, path: RegExp): Promise<() => Promise<void>> {
    const headers = {
      'access-control-allow-origin': consoleUrl,
      'access-control-allow-credentials': 'true',
    }
    await page.route(path, (route) => {
      if (route.request().method() !== method) return route.fallback()
      const problem = { status: 409, title: 'Conflict', detail: 'The office is closed' }
      return route.fulfill({ status: 409, headers, json: problem })
    })
    return () => page.unroute(path)
  }

  test.serial(
    'a list shows why loading failed, retries, and shows that it is loading',
    async (t) => {
      const accept = await rejectRequests('GET', /\/admin\/users\?/)
      await visit('/people')
      await page.getByRole('alert').getByText('The office is closed').waitFor()
      await accept()
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route(/\/admin\/users\?/, async (route) => {
        await released
        await route.continue()
      })
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.locator('table[aria-busy="true"]').waitFor()
      release()
      await page.getByRole('link', { name: 'Ben Carter' }).waitFor()
      await page.locator('table[aria-busy="false"]').waitFor()
      await page.unroute(/\/admin\/users\?/)
      t.pass()
    },
  )

  test.serial('a change that the server rejects is undone, and the reason is shown', async (t) => {
    await visit(`/workspaces/${data.workspaceId}?tab=roles`)
    const box = page.getByRole('checkbox', { name: 'Publisher may export in docs' })
    const acceptActions = await rejectRequests('POST', /\/admin\/roles\/[^/]+\/actions$/)
    await box.click()
    await page.getByText('The office is closed').waitFor()
    await box.and(page.locator(':not(:checked)')).waitFor()
    await acceptActions()

    await visit(`/workspaces/${data.workspaceId}`)
    const role = page.getByRole('combobox', { name: 'Role of Ben Carter' })
    const acceptRoles = await rejectRequests('PATCH', /\/members\//)
    await role.selectOption('owner')
    await page.getByText('The office is closed').waitFor()
    await waitForValue(role, 'admin')
    await acceptRoles()
    await role.selectOption('editor')
    await page.getByText('Ben Carter now has the role Editor.').waitFor()
    await role.locator('option:checked', { hasText: 'Editor' }).waitFor({ state: 'attached' })
    t.pass()
  })

  test.serial('keys open the list of roles, and give no role on the way to another', async (t) => {
    await visit(`/workspaces/${data.workspaceId}`)
    const role = page.getByRole('combobox', { name: 'Role of Ben Carter' })
    const before = await role.inputValue()
    let changes = 0
    const count = (request: Request) => {
      if (request.method() === 'PATCH') changes += 1
    }
    page.on('request', count)
    await role.focus()
    for (const key of ['ArrowUp', 'Escape', 'End', 'Escape', 'v', 'Escape'])
      await page.keyboard.press(key)
    t.is(await role.inputValue(), before)
    t.true(await role.evaluate((select) => select.ownerDocument.activeElement === select))
    await role.selectOption('viewer')
    await page.getByText('Ben Carter now has the role Viewer.').waitFor()
    t.is(changes, 1)
    page.off('request', count)
  })

  test.serial(
    'destructive actions require confirmation in a dialog that names the object',
    async (t) => {
      const openConfirmation = async (path: string, buttons: string[], title: string) => {
        await visit(path)
        for (const name of buttons) {
          const button = page.getByRole('button', { name, exact: true })
          await button.or(page.getByRole('menuitem', { name, exact: true })).click()
        }
        await page.getByRole('dialog', { name: title, exact: true }).waitFor()
        await page.locator('[role="dialog"]:focus-within').waitFor()
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
      const workspace = `/workspaces/${data.workspaceId}`
      await openConfirmation(workspace, ['Remove Ben Carter'], 'Remove Ben Carter from Northwind?')
      await openConfirmation(workspace, ['More', 'Delete'], 'Delete Northwind?')
      const roleMenu = ['Actions of Publisher', 'Delete']
      await openConfirmation(`${workspace}?tab=roles`, roleMenu, 'Delete the role Publisher?')
      const sessions = `/people/${data.userId}?tab=sessions`
      const device = 'the session on Chrome on Windows'
      await openConfirmation(sessions, [`End ${device}`], `End ${device}?`)
      await openConfirmation(sessions, ['End all sessions'], 'End all sessions of Chiara Conti?')
      await openConfirmation(`/service-apps/${data.serviceAppId}`, ['Delete'], 'Delete Documents?')
      await openConfirmation(
        `/client-apps/${data.clientAppId}`,
        ['Deactivate'],
        'Deactivate Documents?',
      )
      t.pass()
    },
  )

  test.serial('a person can be found, filtered and opened with only the keyboard', async (t) => {
    await visit('/')
    await page.getByText('Largest workspaces').waitFor()
    // Without waiting in between, because the second key must follow within 1.5 seconds.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('p')])
    await page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
    const search = page.getByRole('searchbox')
    await search.waitFor()
    await page.keyboard.press('/')
    await search.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('carter')
    await page.waitForURL(/q=carter/)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.getByRole('combobox', { name: 'Status' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'Active', exact: true }).waitFor()
    await waitForTimers()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/status=active/)
    const link = page.getByRole('link', { name: 'Ben Carter' })
    await page.locator('table[aria-busy="false"]').waitFor()
    await link.waitFor()
    for (let presses = 0; presses < 12; presses += 1) {
      if (await link.and(page.locator(':focus')).count()) break
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Profile' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/tab=memberships/)
    await page.keyboard.press('Control+k')
    await page.getByRole('button', { name: 'Overview' }).waitFor()
    await page.locator('[role="dialog"] input:focus').waitFor()
    await page.keyboard.type('work')
    await page.getByRole('button', { name: 'Overview' }).waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Workspaces', level: 1 }).waitFor()
    t.pass()
  })

  test.serial(
    'a select can be operated with the keyboard, and Escape closes its list before its dialog',
    async (t) => {
      await visit(`/workspaces/${data.workspaceId}`)
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      const dialog = page.getByRole('dialog')
      const role = dialog.getByRole('combobox', { name: 'Role' })
      const editor = page.getByRole('listbox').getByRole('option', { name: 'Editor' })
      // The dialog moves the focus into itself when it opens.
      await page.locator('[role="dialog"]:focus-within').waitFor()
      await role.focus()
      await page.keyboard.press('ArrowDown')
      await editor.waitFor()
      await waitForTimers()
      const editorId = await editor.getAttribute('id')
      for (let presses = 0; presses < 4; presses += 1) {
        if ((await role.getAttribute('aria-activedescendant')) === editorId) break
        await page.keyboard.press('ArrowDown')
      }
      await page.keyboard.press('Enter')
      await editor.waitFor({ state: 'hidden' })
      await waitForValue(role, 'Editor')
      await page.keyboard.press('ArrowDown')
      await editor.waitFor()
      await waitForTimers()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Escape')
      await editor.waitFor({ state: 'hidden' })
      t.is(await role.inputValue(), 'Editor', 'Escape chooses nothing')
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    },
  )

  test.serial('a select with many options can be searched and cleared', async (t) => {
    await visit('/activity')
    const event = page.getByRole('combobox', { name: 'Event' })
    await event.click()
    await event.fill('no such event')
    await page.getByText('Nothing found').waitFor()
    await event.fill('ROLE cre')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/action=role.created/)
    await waitForValue(event, 'Role created')
    await page.getByLabel('Clear event').click()
    await page.waitForURL((url) => !url.search)
    await waitForValue(event, '')
    await event.fill('role')
    await page.keyboard.press('Tab')
    // Text that is not chosen disappears with the list.
    await waitForValue(event, '')
    t.pass()
  })

  const dialog = page.getByRole('dialog')
  const focused = page.locator(':focus')
  const openShareDialog = async () => {
    await visit(`/resources/${data.resourceId}`)
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    await page.locator('[role="dialog"]:focus-within').waitFor()
  }

  test.serial('keys right after a text choose among the people that it finds', async (t) => {
    await openShareDialog()
    const person = dialog.getByRole('combobox', { name: 'Person' })
    await person.focus()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { name: /Alice Lindqvist/ }).waitFor()
    // Also when another person is chosen.
    for (const [text, found] of [
      ['gra', /^Grace Kim/],
      ['ben', /^Ben Carter/],
    ] as const) {
      await page.keyboard.press('Control+a')
      await page.keyboard.type(text)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await waitUntil(async () => found.test(await person.inputValue()))
      await page.getByRole('option').first().waitFor({ state: 'hidden' })
    }
    t.true(await dialog.isVisible(), 'Enter did not submit the form')
  })

  test.serial(
    'Tab reaches the button that clears a select, and the field has the focus',
    async (t) => {
      const person = dialog.getByRole('combobox', { name: 'Person' })
      await person.and(focused).waitFor()
      await page.keyboard.press('Tab')
      await dialog.getByRole('button', { name: 'Clear person' }).and(focused).waitFor()
      await page.keyboard.press('Enter')
      await waitForValue(person, '')
      await person.and(focused).waitFor()
      t.is(await person.getAttribute('aria-expanded'), 'false')
    },
  )

  test.serial('after a refusal, the focus is in the first field with an error', async (t) => {
    await openShareDialog()
    await dialog.getByLabel('Expires').fill('2020-01-01T10:00')
    await dialog.getByRole('button', { name: 'Share' }).click()
    const person = dialog.getByRole('combobox', { name: 'Person' })
    await person.and(focused).waitFor()
    await dialog.getByText('This field is required', { exact: true }).waitFor()
    t.notRegex(await dialog.innerText(), /grantee|_/)
    await person.fill('grace')
    await page.getByRole('option', { name: /^Grace Kim/ }).click()
    await dialog.getByRole('button', { name: 'Share' }).click()
    await dialog.getByText('Must be in the future').waitFor()
    await dialog.getByLabel('Expires').and(focused).waitFor()
  })

  test.serial('after a refusal that names no field, the focus is on its message', async (t) => {
    await dialog.getByLabel('Expires').fill('')
    const accept = await rejectRequests('POST', /\/share$/)
    await dialog.getByRole('button', { name: 'Share' }).click()
    await dialog.getByRole('alert').and(focused).waitFor()
    t.is(await focused.innerText(), 'The office is closed')
    await accept()
    await visit(`/people/${data.userId}`)
    const acceptLater = await rejectRequests('PATCH', /\/admin\/users\//)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Deactivate' }).click()
    await dialog.getByRole('button', { name: 'Deactivate' }).click()
    await dialog.getByRole('alert').and(focused).waitFor()
    await acceptLater()
  })

  test.serial(
    'times are shown in the time zone of the browser, with UTC in the tooltip',
    async (t) => {
      await fixture.pool.query('update users set created_at = $1 where id = $2', [
        '2026-03-01T22:30:00Z',
        data.userId,
      ])
      await visit(`/people/${data.userId}`)
      const time = page.getByTitle('2026-03-01 22:30:00 UTC')
      t.is(await time.innerText(), '1 Mar 2026, 23:30')
    },
  )

  test.serial('the choice of columns and the page size persist across reloads', async (t) => {
    await visit('/people')
    await page.getByRole('button', { name: 'Choose columns' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'External ID' }).click()
    await page.getByRole('columnheader', { name: 'External ID' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Rows per page' }).selectOption('10')
    await page.getByText(/1–10 of/).waitFor()
    await page.reload()
    // Rows render after the number of rows.
    await page.getByRole('row').nth(10).waitFor()
    await page.getByText(/1–10 of/).waitFor()
    await page.getByRole('columnheader', { name: 'External ID' }).waitFor()
    t.is(await page.getByRole('row').count(), 11)
  })

  test.serial('the back button restores the scroll position of a list', async (t) => {
    await visit(`/workspaces/${data.workspaceId}`)
    await page.getByText('nadia.rahman@example.com').waitFor()
    const link = page.getByRole('link', { name: 'Keiko Tanaka' })
    await link.focus()
    const position = await page.evaluate<number>('scrollY')
    t.true(position > 0)
    await link.click()
    await page.getByRole('heading', { name: 'Keiko Tanaka', level: 1 }).waitFor()
    await waitUntil(() => page.evaluate<boolean>('scrollY === 0'))
    await page.goBack()
    await page.getByRole('heading', { name: 'Northwind', level: 1 }).waitFor()
    await waitUntil(() => page.evaluate<boolean>(`scrollY === ${position}`))
    t.pass()
  })
}
