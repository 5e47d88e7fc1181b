import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { navigate, signIn, startConsole } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

// Buttons and links that lead to another screen or another part of a list.
if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const { call, consoleUrl } = fixture
  const page = await fixture.openPage('/')
  useKeyboardAlone(page)
  test.after.always(() => fixture.stop())

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const title = (name: string) => page.getByRole('heading', { name, level: 1, exact: true })
  const resource = `/resources/${data.resourceId}`

  for (const [from, link, target] of [
    ['/', 'Show all', 'Activity'],
    ['/people', 'Import CSV', 'Import'],
    [resource, 'Resources', 'Resources'],
    [`/service-apps/${data.serviceAppId}`, 'Service apps', 'Service apps'],
    [`/client-apps/${data.clientAppId}`, 'Client apps', 'Client apps'],
    ['/no/such/page', 'Go to the overview', 'Overview'],
  ] as const) {
    test.serial(`${link} leads from ${from.split('/')[1] || 'the overview'}`, async (t) => {
      await navigate(page, from)
      await page.getByRole('main').getByRole('link', { name: link, exact: true }).click()
      await title(target).waitFor()
      t.pass()
    })
  }

  test.serial(
    'an empty page of a list leads to the first one, and an empty search ends',
    async (t) => {
      await navigate(page, '/people?page=99')
      await button('Go to the first page').click()
      await page.getByText('1–20 of 26').waitFor()
      await button('Next page').click()
      await page.getByText('21–26 of 26').waitFor()
      await page.waitForURL(/page=2/)
      await button('Previous page').click()
      await page.getByText('1–20 of 26').waitFor()
      await navigate(page, '/workspaces?q=nowhere')
      await button('Clear the search').click()
      await page.getByRole('link', { name: 'Northwind' }).waitFor()
      await page.waitForURL(`${consoleUrl}/workspaces`)
      t.pass()
    },
  )

  test.serial('older events are appended, and an event leads to others of its actor', async (t) => {
    await navigate(page, '/activity')
    const rows = page.getByRole('table', { name: 'Activity' }).getByRole('row')
    await rows.nth(50).waitFor()
    t.is(await rows.count(), 51)
    await button('Show older events').click()
    await rows.nth(100).waitFor()
    await navigate(page, `/activity?target_id=${data.groupId}&action=group.created`)
    await rows.nth(2).waitFor({ state: 'detached' })
    await button('Group created').click()
    await page.getByRole('link', { name: 'All events by the same actor' }).click()
    await page.waitForURL(`${consoleUrl}/activity?actor_id=${fixture.adminId}`)
  })

  test.serial('everyone with access is paged, and a resource can be made public', async (t) => {
    const visibility = { visibility: 'workspace' }
    await call('PATCH', `/admin/permissions/${data.resourceId}/visibility`, visibility)
    const type = { description: 'Pages', roles: [], allow_public: true }
    await call('PUT', '/admin/resource-types/docs/document', type)
    await page.goto(`${consoleUrl}${resource}`)
    const table = page.getByRole('table', { name: 'Who has access' })
    const first = table.getByRole('row').nth(1)
    const name = await first.getByRole('link').first().innerText()
    await button('Next').click()
    await first.getByRole('link', { name }).waitFor({ state: 'detached' })
    await button('Previous').click()
    await first.getByRole('link', { name }).waitFor()
    await button('Make public').click()
    const dialog = page.getByRole('dialog', { name: 'Make public?', exact: true })
    await dialog.getByText('Everybody may view it').waitFor()
    await dialog.getByRole('button', { name: 'Make public', exact: true }).click()
    await page.getByText('The resource is now public.').waitFor()
    t.is((await call('GET', `/admin/permissions/${data.resourceId}`)).visibility, 'public')
  })

  test.serial('development mode leads to the service apps', async (t) => {
    const apps: { id: string }[] = await call('GET', '/admin/service-apps')
    for (const { id } of apps) await call('DELETE', `/admin/service-apps/${id}?force=true`)
    await page.goto(consoleUrl)
    await page.getByRole('link', { name: 'Create a service app' }).click()
    await title('Service apps').waitFor()
    t.pass()
  })

  test.serial('an administrator who does not sign in again can leave the page', async (t) => {
    await signIn(page.context(), 'expired')
    await navigate(page, '/people?q=somebody')
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByText('Leave this page').click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Continue with Google' }).waitFor()
    t.pass()
  })
}
