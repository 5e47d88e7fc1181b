import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { navigate, startConsole } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

// The APIs of a service that access tokens can be limited to.
if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const page = await fixture.openPage('/')
  useKeyboardAlone(page)
  await loadAxe(page)
  test.after.always(() => fixture.stop())

  const path = `/service-apps/${data.serviceAppId}`
  const resources = async () => (await fixture.call('GET', `/admin${path}`)).api_resources
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
  const field = (n: number, name: string) =>
    dialog.getByRole('group', { name: `API ${n}` }).getByRole('textbox', { name, exact: true })

  async function save(): Promise<void> {
    await inDialog('Save').click()
    await dialog.waitFor({ state: 'detached' })
  }

  const mcp = {
    uri: 'https://docs.example.com/mcp',
    name: 'Documents for assistants',
    scopes: [
      { name: 'documents:read', description: 'Read your documents' },
      { name: 'documents:write', description: 'Change your documents' },
    ],
  }

  test.serial('APIs of a service are added, and mistakes shown at their fields', async (t) => {
    await navigate(page, path)
    await button('Edit').click()
    await inDialog('Add an API').click()
    await field(1, 'URI').fill(`${mcp.uri}?a=1`)
    await field(1, 'Name of the API').fill(mcp.name)
    await field(1, 'Scopes').fill('documents:read Read your documents')
    await inDialog('Save').click()
    await dialog.getByText(/query/).waitFor()

    t.deepEqual(await inspectPage(page, 'dialog-api-resources-wrong', 'dialog'), [])
    await field(1, 'URI').fill(mcp.uri)
    const lines = mcp.scopes.map(({ name, description }) => `${name} ${description}`)
    await field(1, 'Scopes').fill(lines.join('\n'))
    await inDialog('Add an API').click()
    await field(2, 'URI').fill('https://docs.example.com/')
    await field(2, 'Name of the API').fill('Documents')
    await field(2, 'Scopes').fill('all Everything')
    t.deepEqual(await inspectPage(page, 'dialog-api-resources', 'dialog'), [])
    await save()
    await page.getByText('Change your documents').waitFor()
    t.deepEqual(await inspectPage(page, 'service-app-api-resources'), [])
    const [first, second] = await resources()
    t.deepEqual(first, mcp)
    t.is(second.uri, 'https://docs.example.com')
  })

  test.serial('APIs of a service are removed', async (t) => {
    await button('Edit').click()
    t.is(
      await field(1, 'Scopes').inputValue(),
      'documents:read Read your documents\ndocuments:write Change your documents',
    )
    await inDialog('Remove API 1').click()
    await save()
    await page.getByText('Change your documents').waitFor({ state: 'detached' })
    t.is((await resources()).length, 1)
    await button('Edit').click()
    await inDialog('Remove API 1').click()
    await save()
    await page.getByRole('heading', { name: 'APIs' }).waitFor({ state: 'detached' })
    t.deepEqual(await resources(), [])
  })
}
