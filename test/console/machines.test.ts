import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { navigate, startConsole } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

// Service accounts with their keys, client apps that act for them, and support access.
if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const page = await fixture.openPage('/')
  useKeyboardAlone(page)
  const { call } = fixture
  await loadAxe(page)
  test.after.always(() => fixture.stop())

  const workspace = `/workspaces/${data.workspaceId}`
  const accountsPath = `/admin${workspace}/service-accounts`
  const findAccount = async (name: string) => {
    const accounts: { id: string; name: string }[] = await call('GET', accountsPath)
    return accounts.find((account) => account.name === name)
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
  const field = (name: string) => dialog.getByRole('textbox', { name, exact: true })
  const keys = page.getByRole('table', { name: 'API keys' })

  async function confirm(action: string): Promise<void> {
    await inDialog(action).click()
    await dialog.waitFor({ state: 'detached' })
  }

  async function choose(label: string, option: string | RegExp): Promise<void> {
    await dialog.getByRole('combobox', { name: label, exact: true }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }

  test.serial('a service account is created, and its key shown once and revoked', async (t) => {
    await navigate(page, `${workspace}?tab=service-accounts`)
    await button('New service account').click()
    await inDialog('Create').click()
    await dialog.getByText(/^Must have 1 to 200 characters|is required/).waitFor()
    await field('Name').fill('Deployment')
    await choose('Role', 'Editor')
    t.is(await page.getByRole('option', { name: 'Owner' }).count(), 0)
    await confirm('Create')
    await page.getByText('No keys').waitFor()
    await button('New key').click()
    await field('Name').fill('CI')
    await inDialog('Create').click()
    await page.getByRole('dialog', { name: 'Copy the API key' }).waitFor()
    await dialog.getByText(/^da_/).waitFor()
    t.deepEqual(await inspectPage(page, 'dialog-new-api-key', 'dialog'), [])
    await confirm('I have saved it')
    await keys.getByRole('row', { name: /CI da_.*Never/ }).waitFor()
    await button('Revoke the key CI').click()
    await confirm('Revoke')
    await page.getByText('No keys').waitFor()
    t.like(await findAccount('Deployment'), { role: 'editor' })
  })

  test.serial('a service account is edited, deactivated and activated', async (t) => {
    await button('Edit Deployment').click()
    await field('Name').fill('Release')
    await dialog.getByLabel('Ends').fill('2030-01-01T10:00')
    await confirm('Save')
    await button('Deactivate Release').click()
    await confirm('Deactivate')
    await button('Activate Release').waitFor()
    t.true(await button('New key').isDisabled())
    await button('Activate Release').click()
    await button('Deactivate Release').waitFor()
    t.like(await findAccount('Release'), {
      is_active: true,
      expires_at: '2030-01-01T09:00:00.000Z',
    })
  })

  test.serial('an account that owns resources is deleted after choosing a new owner', async (t) => {
    const account = await findAccount('Release')
    await call('PATCH', `/admin/permissions/${data.resourceId}/owner`, { owner_id: account?.id })
    await button('Delete Release').click()
    await inDialog('Delete account').click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('combobox', { name: 'Give its resources to' }).fill('ben carter')
    await page.getByRole('option', { name: /Ben Carter/ }).click()
    await confirm('Delete account')
    await page.getByText('Release was deleted.').waitFor()
    await button('Release').waitFor({ state: 'detached' })
    t.not((await call('GET', `/admin/permissions/${data.resourceId}`)).owner_id, account?.id)
  })

  test.serial('members lead to a service account instead of a person', async (t) => {
    await navigate(page, `${workspace}?q=nightly`)
    await page.getByText('Service account', { exact: true }).waitFor()
    t.is(await button('Remove Nightly export').count(), 0)
    await page.getByRole('link', { name: 'Nightly export' }).click()
    await button('Edit Nightly export').waitFor()
  })

  test.serial('a client app is bound to a service account, and released', async (t) => {
    const app = () => call('GET', `/admin/client-apps/${data.secretAppId}`)
    const { publicKey } = generateKeyPairSync('ed25519')
    const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: '1', alg: 'EdDSA' }] }
    await navigate(page, `/client-apps/${data.secretAppId}`)
    await page.getByText('client_secret_basic, client_secret_post', { exact: true }).waitFor()
    await button('Edit').click()
    await choose('Workspace of the service account', 'Northwind')
    await choose('Service account', 'Nightly export')
    await field('Public keys').fill('{"keys": [')
    await inDialog('Save').click()
    await dialog.getByText(/^Invalid JSON/).waitFor()
    t.deepEqual(await inspectPage(page, 'dialog-client-app-machine', 'dialog'), [])
    await field('Public keys').fill(JSON.stringify(jwks))
    await confirm('Save')
    await page.getByText(/, private_key_jwt$/).waitFor()
    await page.getByRole('link', { name: 'Nightly export' }).waitFor()
    t.deepEqual(await inspectPage(page, 'client-app-machine'), [])
    t.like(await app(), { service_account_id: data.serviceAccountId })
    await button('Edit').click()
    await dialog.getByLabel('Clear service account').click()
    await field('Public keys').fill('')
    await confirm('Save')
    await page.getByRole('link', { name: 'Nightly export' }).waitFor({ state: 'detached' })
    t.like(await app(), { service_account_id: null, jwks: null })
  })

  test.serial('support access is given, counts down, and is ended', async (t) => {
    const csv =
      'email,name,workspace_slug,role,groups\nkim@example.com,Kim Larsen,finance,viewer,\n'
    await call('POST', '/admin/import/csv/execute', { csv })
    await navigate(page, workspace)
    await button('Give support access').click()
    await dialog.getByRole('combobox', { name: 'Person' }).fill('kim larsen')
    await page.getByRole('option', { name: /Kim Larsen/ }).click()
    await field('Minutes').fill('2000')
    await inDialog('Give access').click()
    await field('Minutes').and(page.locator('[aria-invalid="true"]')).waitFor()
    await field('Reason').fill('Ticket 4711')
    await field('Minutes').fill('90')
    await confirm('Give access')
    await page.getByRole('searchbox', { name: 'Search members' }).fill('larsen')
    await page.getByText('1–1 of 1', { exact: true }).waitFor()
    const row = page
      .getByRole('table', { name: 'Members' })
      .getByRole('row', { name: /Kim Larsen/ })
    await row.getByText('Support', { exact: true }).waitFor()
    await row.getByText(/^1:(2\d|30):\d\d$/).waitFor()
    t.deepEqual(await inspectPage(page, 'workspace-support'), [])
    await button('End the support access of Kim Larsen').click()
    await page.getByRole('dialog', { name: 'End the support access of Kim Larsen?' }).waitFor()
    await confirm('End access')
    await page.getByText('No member matches').waitFor()
    t.deepEqual(await call('GET', `/admin${workspace}/members?q=larsen`), [])
    const activity = await call('GET', `/admin/activity?workspace_id=${data.workspaceId}`)
    t.true(activity.items.some(({ action }: any) => action === 'member.support_began'))
  })
}
