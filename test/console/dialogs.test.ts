import test from 'ava'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import { navigate, signIn, startConsole } from '../support/console.ts'
import { createSampleData, type SampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

type DialogCase = {
  path: (data: SampleData) => string
  /** The button that opens it, or the button of a menu and its item. */
  open: [button: string, menuItem?: string]
  title: string
}

const person = ({ userId }: SampleData) => `/people/${userId}`
const memberships = ({ userId }: SampleData) => `/people/${userId}?tab=memberships`
const sessions = ({ userId }: SampleData) => `/people/${userId}?tab=sessions`
const members = ({ workspaceId }: SampleData) => `/workspaces/${workspaceId}`
const group = ({ workspaceId, groupId }: SampleData) =>
  `/workspaces/${workspaceId}?tab=groups&group=${groupId}`
const roles = ({ workspaceId }: SampleData) => `/workspaces/${workspaceId}?tab=roles`
const resource = ({ resourceId }: SampleData) => `/resources/${resourceId}`
const serviceApp = ({ serviceAppId }: SampleData) => `/service-apps/${serviceAppId}`
const clientApp = ({ secretAppId }: SampleData) => `/client-apps/${secretAppId}`
const managementApp = ({ managementAppId }: SampleData) => `/management-apps/${managementAppId}`
const serviceAccount = ({ workspaceId, serviceAccountId }: SampleData) =>
  `/workspaces/${workspaceId}?tab=service-accounts&account=${serviceAccountId}`
const webhook = ({ webhookId }: SampleData) => `/webhooks/${webhookId}`
const device = 'the session on Chrome on Windows'

/** Every dialog that a button or menu item opens and Escape closes, by picture name. */
const dialogs: Record<string, DialogCase> = {
  palette: { path: () => '/', open: ['Find Ctrl K'], title: 'Find' },
  'person-edit': { path: person, open: ['Edit'], title: 'Edit Chiara Conti' },
  'person-deactivate': {
    path: person,
    open: ['More', 'Deactivate'],
    title: 'Deactivate Chiara Conti?',
  },
  'person-promote': {
    path: person,
    open: ['More', 'Make administrator'],
    title: 'Make Chiara Conti an administrator?',
  },
  'person-erase': { path: person, open: ['More', 'Erase'], title: 'Erase Chiara Conti?' },
  'membership-add': {
    path: memberships,
    open: ['Add to a workspace'],
    title: 'Add Chiara Conti to a workspace',
  },
  'membership-remove': {
    path: memberships,
    open: ['Remove from Northwind'],
    title: 'Remove Chiara Conti from Northwind?',
  },
  'session-end': {
    path: sessions,
    open: [`End ${device}`],
    title: 'End the session on Chrome on Windows?',
  },
  'session-end-all': {
    path: sessions,
    open: ['End all sessions'],
    title: 'End all sessions of Chiara Conti?',
  },
  'workspace-new': { path: () => '/workspaces', open: ['New workspace'], title: 'New workspace' },
  'workspace-edit': { path: members, open: ['Edit'], title: 'Edit Northwind' },
  'workspace-delete': { path: members, open: ['More', 'Delete'], title: 'Delete Northwind?' },
  'member-invite': { path: members, open: ['Invite'], title: 'Invite to Northwind' },
  'member-remove': {
    path: members,
    open: ['Remove Ben Carter'],
    title: 'Remove Ben Carter from Northwind?',
  },
  'group-new': { path: group, open: ['New group'], title: 'New group' },
  'group-edit': {
    path: group,
    open: ['Edit the group Product'],
    title: 'Edit Product',
  },
  'group-delete': {
    path: group,
    open: ['Delete the group Product'],
    title: 'Delete the group Product?',
  },
  'group-member-remove': {
    path: group,
    open: ['Remove Hugo Martin from Product'],
    title: 'Remove Hugo Martin from Product?',
  },
  'group-child-remove': {
    path: group,
    open: ['Remove Design from Product'],
    title: 'Remove Design from Product?',
  },
  'role-new': { path: roles, open: ['New role'], title: 'New role' },
  'role-edit': { path: roles, open: ['Actions of Publisher', 'Edit'], title: 'Edit Publisher' },
  'role-delete': {
    path: roles,
    open: ['Actions of Publisher', 'Delete'],
    title: 'Delete the role Publisher?',
  },
  'role-member-remove': {
    path: roles,
    open: ['Remove Chiara Conti from Reviewer'],
    title: 'Remove Chiara Conti from Reviewer?',
  },
  'resource-visibility': {
    path: resource,
    open: ['Make visible to workspace'],
    title: 'Make visible to the workspace?',
  },
  'resource-share': { path: resource, open: ['Share'], title: 'Share this resource' },
  'share-revoke': {
    path: resource,
    open: ['Revoke the share with Daniel Weiss'],
    title: 'Revoke the share with Daniel Weiss?',
  },
  'service-app-new': {
    path: () => '/service-apps',
    open: ['New service app'],
    title: 'New service app',
  },
  'service-app-edit': { path: serviceApp, open: ['Edit'], title: 'Edit Documents' },
  'service-app-rotate': {
    path: serviceApp,
    open: ['Rotate key'],
    title: 'Rotate the key of Documents',
  },
  'service-app-deactivate': {
    path: serviceApp,
    open: ['Deactivate'],
    title: 'Deactivate Documents?',
  },
  'resource-type-new': {
    path: serviceApp,
    open: ['Declare a type'],
    title: 'Declare a resource type',
  },
  'resource-type-edit': { path: serviceApp, open: ['Edit document'], title: 'Edit document' },
  'resource-type-delete': {
    path: serviceApp,
    open: ['Delete the declaration of document'],
    title: 'Delete the declaration of document?',
  },
  'service-app-delete': { path: serviceApp, open: ['Delete'], title: 'Delete Documents?' },
  'client-app-new': {
    path: () => '/client-apps',
    open: ['New client app'],
    title: 'New client app',
  },
  'client-app-edit': { path: clientApp, open: ['Edit'], title: 'Edit Invoices' },
  'client-app-rotate': {
    path: clientApp,
    open: ['Rotate secret'],
    title: 'Rotate the secret of Invoices',
  },
  'client-app-deactivate': {
    path: clientApp,
    open: ['Deactivate'],
    title: 'Deactivate Invoices?',
  },
  'client-app-delete': { path: clientApp, open: ['Delete'], title: 'Delete Invoices?' },
  'management-app-new': {
    path: () => '/management-apps',
    open: ['New management app'],
    title: 'New management app',
  },
  'management-app-edit': { path: managementApp, open: ['Edit'], title: 'Edit Deployment' },
  'management-app-rotate': {
    path: managementApp,
    open: ['Rotate secret'],
    title: 'Rotate the secret of Deployment',
  },
  'management-app-deactivate': {
    path: managementApp,
    open: ['Deactivate'],
    title: 'Deactivate Deployment?',
  },
  'management-app-delete': {
    path: managementApp,
    open: ['Delete'],
    title: 'Delete Deployment?',
  },
  'support-access': {
    path: members,
    open: ['Give support access'],
    title: 'Support access to Northwind',
  },
  'service-account-new': {
    path: serviceAccount,
    open: ['New service account'],
    title: 'New service account',
  },
  'service-account-edit': {
    path: serviceAccount,
    open: ['Edit Nightly export'],
    title: 'Edit Nightly export',
  },
  'service-account-deactivate': {
    path: serviceAccount,
    open: ['Deactivate Nightly export'],
    title: 'Deactivate Nightly export?',
  },
  'service-account-delete': {
    path: serviceAccount,
    open: ['Delete Nightly export'],
    title: 'Delete Nightly export?',
  },
  'api-key-new': { path: serviceAccount, open: ['New key'], title: 'New key for Nightly export' },
  'api-key-revoke': {
    path: serviceAccount,
    open: ['Revoke the key CI'],
    title: 'Revoke the key CI?',
  },
  'webhook-new': { path: () => '/webhooks', open: ['New webhook'], title: 'New webhook' },
  'webhook-edit': { path: webhook, open: ['Edit'], title: 'Edit Search index' },
  'webhook-rotate': {
    path: webhook,
    open: ['Rotate secret'],
    title: 'Rotate the secret of Search index?',
  },
  'webhook-delivery': { path: webhook, open: ['user.erased'], title: 'Delivery of user.erased' },
  'webhook-deactivate': { path: webhook, open: ['Deactivate'], title: 'Deactivate Search index?' },
  'webhook-delete': { path: webhook, open: ['Delete'], title: 'Delete Search index?' },
}

/** Every menu, by picture name. */
const menus: Record<string, { path: (data: SampleData) => string; button: string }> = {
  colors: { path: () => '/', button: 'Colors' },
  account: { path: () => '/', button: 'Account of Alice Lindqvist' },
  columns: { path: () => '/people', button: 'Choose columns' },
  person: { path: person, button: 'More' },
  role: { path: roles, button: 'Actions of Publisher' },
  export: { path: () => '/activity', button: 'Export' },
}

if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const page = await fixture.openPage('/')
  useKeyboardAlone(page)
  await page.getByText('Largest workspaces').waitFor()
  await loadAxe(page)
  test.after.always(() => fixture.stop())

  for (const [name, { path, open, title }] of Object.entries(dialogs)) {
    test.serial(
      `${name}: the dialog is accessible, and Escape returns the focus to what opened it`,
      async (t) => {
        await navigate(page, path(data))
        await press(page, open)
        const dialog = page.getByRole('dialog', { name: title, exact: true })
        await dialog.waitFor()
        await page.locator('[role="dialog"]:focus-within').waitFor()
        t.deepEqual(await inspectPage(page, `dialog-${name}`, 'dialog'), [])
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
        await waitForFocus(page, open[0])
      },
    )
  }

  for (const [name, { path, button }] of Object.entries(menus)) {
    test.serial(`${name}: the menu is accessible, and Escape closes it`, async (t) => {
      await navigate(page, path(data))
      await press(page, [button])
      await page.locator('[role="menu"]:focus-within').waitFor()
      t.deepEqual(await inspectPage(page, `menu-${name}`, 'menu'), [])
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
      await waitForFocus(page, button)
    })
  }

  test.serial('the list of shortcuts is accessible', async (t) => {
    await navigate(page, '/people')
    await page.getByRole('searchbox').waitFor()
    await page.keyboard.press('Shift+?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.waitFor()
    t.deepEqual(await inspectPage(page, 'dialog-shortcuts', 'dialog'), [])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
  })

  test.serial(
    'the dialog with a new key is accessible, and closing it keeps the place',
    async (t) => {
      await navigate(page, serviceApp(data))
      await press(page, ['Rotate key'])
      await press(page, ['Create new key'])
      const dialog = page.getByRole('dialog', { name: 'Copy the service key' })
      await dialog.waitFor()
      await page.getByRole('dialog', { name: 'Rotate the key' }).waitFor({ state: 'detached' })
      await page.locator('[role="dialog"]:focus-within').waitFor()
      t.deepEqual(await inspectPage(page, 'dialog-new-key', 'dialog'), [])
      await page.keyboard.press('Escape')
      await dialog.getByRole('checkbox', { name: 'I have stored the key' }).check()
      await dialog.getByRole('button', { name: 'Done' }).click()
      await dialog.waitFor({ state: 'detached' })
      await waitForFocus(page, 'Rotate key')
    },
  )

  test.serial('the dialog with a new secret is accessible', async (t) => {
    await navigate(page, clientApp(data))
    await press(page, ['Rotate secret'])
    await press(page, ['Create new secret'])
    const dialog = page.getByRole('dialog', { name: 'Copy the client secret' })
    await dialog.waitFor()
    await page.getByRole('dialog', { name: 'Rotate the secret' }).waitFor({ state: 'detached' })
    t.deepEqual(await inspectPage(page, 'dialog-new-secret', 'dialog'), [])
    await dialog.getByRole('button', { name: 'I have saved it' }).click()
    await dialog.waitFor({ state: 'detached' })
    await waitForFocus(page, 'Rotate secret')
  })

  test.serial('the dialog with the link of an invitation is accessible', async (t) => {
    await navigate(page, members(data))
    await press(page, ['Invite'])
    await page.getByRole('textbox', { name: 'E-mail address' }).fill('linked@example.com')
    await page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Send the invitation link' })
    await dialog.waitFor()
    await page.getByRole('dialog', { name: /^Invite to/ }).waitFor({ state: 'detached' })
    t.deepEqual(await inspectPage(page, 'dialog-invitation-link', 'dialog'), [])
    await dialog.getByRole('button', { name: 'Done' }).click()
    await dialog.waitFor({ state: 'detached' })
    await waitForFocus(page, 'Invite')
  })

  test.serial('the dialog about an ended session is accessible', async (t) => {
    await navigate(page, person(data))
    await page.getByRole('heading', { name: 'Chiara Conti', level: 1 }).waitFor()
    await signIn(page.context(), 'expired')
    await navigate(page, '/people?q=somebody')
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    t.deepEqual(await inspectPage(page, 'dialog-session', 'dialog'), [])
  })
}

/** Presses a button or an item of its menu. */
async function press(page: Page, [button, menuItem]: DialogCase['open']): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click()
  if (menuItem) await page.getByRole('menuitem', { name: menuItem, exact: true }).click()
}

/** Waits until the button with a name has the focus. */
async function waitForFocus(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).and(page.locator(':focus')).waitFor()
}
