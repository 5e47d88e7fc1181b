import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { startConsole } from '../support/console.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'

if (hasBrowser) {
  const fixture = await startConsole()
  const receiver = await startWebhookReceiver()
  const page = await fixture.openPage('/webhooks')
  const { call, consoleUrl } = fixture
  useKeyboardAlone(page)
  test.after.always(async () => {
    receiver.stop()
    await fixture.stop()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
  const field = (name: string) => dialog.getByRole('textbox', { name, exact: true })
  const delivery = page.getByRole('table', { name: 'Deliveries' }).getByRole('row').nth(1)
  const list = () => call('GET', '/admin/webhooks')

  async function confirm(action: string): Promise<void> {
    await inDialog(action).click()
    await dialog.waitFor({ state: 'detached' })
  }

  test.serial('a webhook is created, with errors next to their fields', async (t) => {
    await button('New webhook').first().click()
    await field('URL').fill('https://10.0.0.1/hook')
    await field('Events').fill('member.*\nmember.invitd')
    await inDialog('Create').click()
    await dialog.getByText(/^Must not be on a private/).waitFor()
    await dialog.getByText(/^Line 2 must be an action .* did you mean member.invited/).waitFor()
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'dialog-webhook-errors', 'dialog'), [])
    await field('URL').fill(receiver.url)
    await field('Events').fill('member.*')
    await dialog.getByRole('combobox', { name: 'Add an event' }).fill('erased')
    await page.getByRole('option', { name: 'user.erased' }).click()
    t.is(await field('Events').inputValue(), 'member.*\nuser.erased')
    await inDialog('Create').click()
    await page.getByRole('dialog', { name: 'Copy the webhook secret' }).waitFor()
    await dialog.getByText(/^whsec_/).waitFor()
    await confirm('I have saved it')
    t.like(await list(), [{ url: receiver.url, events: ['member.*', 'user.erased'] }])
  })

  test.serial('a test is sent, and its delivery shown and sent again', async (t) => {
    await page.getByRole('link', { name: /127/ }).click()
    receiver.respond = (response) => response.writeHead(503).end('overloaded')
    await button('Send test').click()
    await delivery.getByText('503').waitFor()
    receiver.respond = (response) => response.writeHead(200).end('{"queued":true}')
    await button('Send again: webhook.test').click()
    await delivery.getByText('Delivered').waitFor()
    await button('webhook.test').click()
    await page.getByRole('dialog', { name: 'Delivery of webhook.test' }).waitFor()
    await dialog.getByRole('region', { name: 'Response' }).getByText('"queued": true').waitFor()
    await dialog.getByRole('region', { name: 'Request' }).getByText('"webhook.test"').waitFor()
    // A test that failed is sent again by itself, too.
    t.true(receiver.received.length >= 2)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test.serial('a webhook is edited, rotated, deactivated, activated and deleted', async (t) => {
    await button('Edit').click()
    await field('Description').fill('Audit')
    await field('Events').fill('')
    await confirm('Save')
    await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor()
    t.like(await list(), [{ description: 'Audit', events: [] }])
    await button('Rotate secret').click()
    await page.getByRole('dialog', { name: 'Rotate the secret of Audit?' }).waitFor()
    await inDialog('Create new secret').click()
    await dialog.getByText(/^whsec_/).waitFor()
    await confirm('I have saved it')
    await page.getByText('Valid until').waitFor()
    await button('Deactivate').click()
    await confirm('Deactivate')
    await button('Activate').waitFor()
    t.true(await button('Send test').isDisabled())
    await button('Activate').click()
    await button('Deactivate').waitFor()
    await button('Delete').click()
    await inDialog('Delete').click()
    await page.waitForURL(`${consoleUrl}/webhooks`)
    await page.getByText('No webhooks yet').waitFor()
    t.deepEqual(await list(), [])
  })

  test.serial('a server without an encryption key says what to set', async (t) => {
    // In debug mode, a server creates the key.
    const keyless = await startConsole({
      DEBUG: 'false',
      SESSION_SECRET_KEY: 'a secret that is long enough for production',
      SECRETS_ENCRYPTION_KEY: '',
      DATA_DIR: '/no/such/folder',
    })
    t.teardown(keyless.stop)
    const page = await keyless.openPage('/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'URL' }).fill('https://example.com/hook')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText(/Set SECRETS_ENCRYPTION_KEY/).waitFor()
    t.pass()
  })
}
