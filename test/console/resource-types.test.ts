import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { startConsole } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const page = await fixture.openPage('/')
  useKeyboardAlone(page)
  const { call } = fixture
  test.after.always(() => fixture.stop())

  const visit = (path: string) => page.goto(`${fixture.consoleUrl}${path}`)
  const serviceApp = `/service-apps/${data.serviceAppId}`
  const resource = `/resources/${data.resourceId}`
  const table = page.getByRole('table', { name: 'Resource types' })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
  const role = (name: string) => dialog.getByRole('group', { name: `Role ${name}`, exact: true })
  const declared = () => call('GET', '/admin/resource-types')

  /** Confirms the open dialog, and waits until it has closed. */
  async function confirm(action: string): Promise<void> {
    await inDialog(action).click()
    await dialog.waitFor({ state: 'detached' })
  }

  test.serial('a resource type is declared, with errors next to their fields', async (t) => {
    await visit(serviceApp)
    await button('Declare a type').click()
    const type = dialog.getByRole('textbox', { name: 'Resource type' })
    await inDialog('Declare').click()
    await dialog.getByText('This field is required').waitFor()
    await type.fill('document')
    await inDialog('Declare').click()
    await dialog.getByText('This field is already declared').waitFor()
    await type.fill('folder')
    await role('1').getByRole('textbox', { name: 'Name' }).fill('view')
    await inDialog('Declare').click()
    const name = role('view').getByRole('textbox', { name: 'Name' })
    await name.and(page.locator('[aria-invalid="true"]')).waitFor()
    await role('view').getByText('at least 1').waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'dialog-resource-type-errors', 'dialog'), [])
    await name.fill('keeper')
    await role('keeper').getByRole('checkbox', { name: 'manage' }).check()
    await role('keeper').getByRole('checkbox', { name: 'export' }).check()
    await inDialog('Add a role').click()
    await role('2').getByRole('textbox', { name: 'Name' }).fill('keeper')
    await dialog.getByRole('checkbox', { name: 'view' }).last().check()
    await inDialog('Declare').click()
    await dialog.getByText('This field is duplicated').waitFor()
    await inDialog('Remove the role keeper').last().click()
    await confirm('Declare')
    await table.getByText('keeper').waitFor()
    t.like((await declared())[1], {
      service_name: 'docs',
      resource_type: 'folder',
      roles: [{ name: 'keeper', description: '', actions: ['manage', 'export'] }],
    })
  })

  test.serial('a resource is shared as a role, and lists and reasons show it', async (t) => {
    await visit(resource)
    await button('Share').click()
    await dialog.getByRole('combobox', { name: 'Person' }).fill('wen')
    await page.getByRole('option', { name: /Wen Li/ }).click()
    await dialog.getByRole('combobox', { name: 'Permission' }).click()
    await page.getByRole('option', { name: 'triage (role)' }).click()
    await dialog.getByText('Sorts documents: view, publish').waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'dialog-share-role', 'dialog'), [])
    await confirm('Share')
    const row = page.getByRole('table', { name: 'Shares' }).getByRole('row', { name: /Wen Li/ })
    await row.getByText('triage (role)').waitFor()
    await page.getByText('Shared with them as triage').waitFor()
    const { shares } = await call('GET', `/admin/permissions/${data.resourceId}`)
    const granted = shares.map((share: any) => share.role ?? share.permission)
    t.deepEqual(granted.sort(), ['edit', 'triage', 'view'])
  })

  test.serial('a role in use cannot be removed, and the dialogs say who uses it', async (t) => {
    await visit(serviceApp)
    await button('Edit document').click()
    await role('triage').getByRole('textbox', { name: 'Name' }).fill('sorter')
    await dialog.getByText('triage: 1 share').waitFor()
    await inDialog('Remove the role sorter').click()
    await inDialog('Remove the role commenter').click()
    await dialog.getByText('commenter: no shares').waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'dialog-resource-type-removed', 'dialog'), [])
    await inDialog('Save').click()
    await dialog.getByText(/Shares or links use roles .*: triage \(1\)/).waitFor()
    await inDialog('Cancel').click()
    await dialog.waitFor({ state: 'detached' })

    await button('Delete the declaration of document').click()
    await dialog.getByText('Its resources remain (5)').waitFor()
    await dialog.getByText('triage: 1 share').waitFor()
    await inDialog('Delete declaration').click()
    await dialog.getByText(/Shares or links use roles .*: triage \(1\)/).waitFor()
    await inDialog('Cancel').click()
    t.is((await declared())[0].roles.length, 2)
  })

  test.serial('a declaration is edited and, once no share uses its roles, deleted', async (t) => {
    await visit(resource)
    await button('Revoke the share with Wen Li').click()
    await dialog.getByText('loses the role triage').waitFor()
    await confirm('Revoke')
    await visit(serviceApp)
    await button('Edit document').click()
    await inDialog('Remove the role triage').click()
    await role('commenter').getByRole('checkbox', { name: 'export' }).check()
    await dialog.getByText('triage: no shares').waitFor()
    await confirm('Save')
    await table.getByText('Reads and comments: view, comment, export').waitFor()
    t.deepEqual((await declared())[0].roles, [
      {
        name: 'commenter',
        description: 'Reads and comments',
        actions: ['view', 'comment', 'export'],
      },
    ])
    await button('Delete the declaration of document').click()
    await confirm('Delete declaration')
    await button('Edit document').waitFor({ state: 'detached' })
    t.deepEqual(
      (await declared()).map(({ resource_type }: any) => resource_type),
      ['folder'],
    )
  })
}
