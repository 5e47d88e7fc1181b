import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { startConsole } from '../support/console.ts'

// The screens of a server that lacks features. The page learns of them from its settings.
if (hasBrowser) {
  const fixture = await startConsole({ CLIENT_METADATA_HOSTS: '*' })
  const { consoleUrl } = fixture
  const workspaceId = await fixture.seed.workspace('Acme')
  const page = await fixture.openPage('/')
  test.after.always(() => fixture.stop())

  const optional = [
    'client-metadata',
    'connections',
    'consent',
    'csv-import',
    'delegations',
    'scim',
    'webhooks',
  ]

  /** Makes the page read the settings of a server without the features. */
  const leaveOut = `document.addEventListener('readystatechange', () => {
    const element = document.querySelector('meta[name="daikon-settings"]')
    const settings = JSON.parse(element.content)
    settings.features = settings.features.filter((name) => !${JSON.stringify(optional)}.includes(name))
    element.content = JSON.stringify(settings)
  })`

  const notFound = page.getByText('This page does not exist')
  for (const isLeftOut of [false, true]) {
    const title = isLeftOut ? 'lacks' : 'has'

    test.serial(
      `the console of a server that ${title} features ${title} their screens`,
      async (t) => {
        const expected = isLeftOut ? 0 : 1
        if (isLeftOut) await page.addInitScript(leaveOut)
        const open = (path: string) => page.goto(`${consoleUrl}${path}`)
        await open('/people')
        const navigation = page.getByRole('navigation', { name: 'Main' })
        await navigation.getByRole('link', { name: 'People' }).waitFor()
        await page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
        for (const name of ['Connected apps', 'Delegations', 'Webhooks', 'Import'])
          t.is(await navigation.getByRole('link', { name, exact: true }).count(), expected, name)
        t.is(await page.getByRole('link', { name: 'Import CSV' }).count(), expected)
        await page.keyboard.press('Control+k')
        const palette = page.getByRole('dialog', { name: 'Find' })
        await palette.getByPlaceholder('Find people').fill('o')
        await palette.getByText('Resources', { exact: true }).waitFor()
        for (const name of ['Connected apps', 'Delegations', 'Webhooks', 'Import'])
          t.is(await palette.getByText(name, { exact: true }).count(), expected, name)

        await open(`/workspaces/${workspaceId}`)
        await page.getByRole('tab', { name: 'Activity' }).waitFor()
        for (const name of ['Connected apps', 'Delegations', 'Sign-in'])
          t.is(await page.getByRole('tab', { name }).count(), expected, name)
        await open(`/workspaces/${workspaceId}?tab=details`)
        await page.getByText('Workspace console').waitFor()
        t.is(await page.getByText('Unregistered apps').count(), expected)
        t.is(await page.locator('dt').getByText('Delegations').count(), expected)

        for (const [path, heading] of [
          ['/connected-apps', 'Connected apps'],
          ['/delegations', 'Delegations'],
          ['/webhooks', 'Webhooks'],
          ['/import', 'Import'],
        ] as const) {
          await open(path)
          const shown = isLeftOut
            ? notFound
            : page.getByRole('heading', { name: heading, level: 1 })
          await shown.waitFor()
          t.is(await notFound.count(), 1 - expected, path)
        }
      },
    )
  }
}
