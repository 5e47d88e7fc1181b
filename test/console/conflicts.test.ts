import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { startConsole } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

// Two administrators change the same object: one in the browser, one with the API.
if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const page = await fixture.openPage('/')
  useKeyboardAlone(page)
  const { call, consoleUrl } = fixture
  test.after.always(() => fixture.stop())

  const visit = (path: string) => page.goto(`${consoleUrl}${path}`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
  const field = (name: string) => dialog.getByRole('textbox', { name, exact: true })
  const conflict = dialog.getByText('Someone has changed this in the meantime')
  const closed = () => dialog.waitFor({ state: 'detached' })

  test.serial('an edit shows what somebody else has changed and keeps it', async (t) => {
    const workspace = `/admin/workspaces/${data.workspaceId}`
    await visit(`/workspaces/${data.workspaceId}`)
    await button('Edit').click()
    await field('Name').fill('Northwind Ltd')
    await call('PATCH', workspace, { description: 'Changed by Bob' })
    await inDialog('Save').click()
    await conflict.waitFor()
    await dialog.getByText('Description: The whole company → Changed by Bob').waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'conflict', 'dialog'), [])
    t.like(await call('GET', workspace), { name: 'Northwind', description: 'Changed by Bob' })
    t.is(await field('Description').inputValue(), 'Changed by Bob')
    t.is(await field('Name').inputValue(), 'Northwind Ltd')
    await inDialog('Save').click()
    await closed()
    t.like(await call('GET', workspace), { name: 'Northwind Ltd', description: 'Changed by Bob' })
  })

  test.serial('a deletion shows what somebody else has changed', async (t) => {
    await visit(`/workspaces/${data.workspaceId}?tab=groups&group=${data.groupId}`)
    await button('Delete the group Product').click()
    await inDialog('Delete group').waitFor()
    await call('PATCH', `/admin/groups/${data.groupId}`, { name: 'Product and design' })
    await inDialog('Delete group').click()
    await dialog.getByText('Name: Product → Product and design').waitFor()
    t.is((await call('GET', `/admin/groups/${data.groupId}`)).name, 'Product and design')
    await inDialog('Delete group').click()
    await closed()
    t.deepEqual(await call('GET', `/admin/workspaces/${data.workspaceId}/groups?q=product`), [])
  })

  test.serial('people, roles and apps are changed only in the version that is shown', async (t) => {
    const [role] = await call('GET', `/admin/workspaces/${data.workspaceId}/roles`)
    const openRole = async () => {
      await button(`Actions of ${role.name}`).click()
      await page.getByRole('menuitem', { name: 'Edit', exact: true }).click()
    }
    const openEditor = () => button('Edit').click()
    for (const [path, route, open] of [
      [`/people/${data.userId}`, `/admin/users/${data.userId}`, openEditor],
      [`/workspaces/${data.workspaceId}?tab=roles`, `/admin/roles/${role.id}`, openRole],
      [
        `/service-apps/${data.serviceAppId}`,
        `/admin/service-apps/${data.serviceAppId}`,
        openEditor,
      ],
      [`/client-apps/${data.clientAppId}`, `/admin/client-apps/${data.clientAppId}`, openEditor],
    ] as const) {
      await visit(path)
      await open()
      await field('Name').fill('Mine')
      await call('PATCH', route, { name: 'Theirs' })
      await inDialog('Save').click()
      await dialog.getByText(/^Name: .* → Theirs$/).waitFor()
      t.is((await call('GET', route)).name, 'Theirs')
      await inDialog('Cancel').click()
      await closed()
    }
  })

  test.serial('lists and keys that somebody else has changed remain', async (t) => {
    const path = `/admin/client-apps/${data.secretAppId}`
    const keys = [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }]
    const theirs = { redirect_uris: ['https://a.example.com/', 'https://b.example.com/'] }
    await visit(`/client-apps/${data.secretAppId}`)
    await button('Edit').click()
    await field('Name').fill('Accounts')
    await call('PATCH', path, { ...theirs, jwks: { keys } })
    await inDialog('Save').click()
    await conflict.waitFor()
    t.is(await field('Redirect URIs').inputValue(), theirs.redirect_uris.join('\n'))
    await inDialog('Save').click()
    await closed()
    t.like(await call('GET', path), { name: 'Accounts', ...theirs, jwks: { keys } })
  })
}
