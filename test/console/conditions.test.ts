import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { navigate, startConsole, waitForValue } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const page = await fixture.openPage('/')
  useKeyboardAlone(page)
  const { call } = fixture
  await loadAxe(page)
  test.after.always(() => fixture.stop())

  const serviceApp = `/service-apps/${data.serviceAppId}`
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
  const condition = (name: string) =>
    dialog.getByRole('group', { name: `Condition ${name}`, exact: true })
  const declared = async () => (await call('GET', '/admin/resource-types'))[0]

  async function confirm(action: string): Promise<void> {
    await inDialog(action).click()
    await dialog.waitFor({ state: 'detached' })
  }

  /** Chooses an option of the select that was added last. */
  async function choose(label: string, option: string): Promise<void> {
    await dialog.getByRole('combobox', { name: label, exact: true }).last().click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }

  test.serial('a mistake in an expression is shown under a caret while one types', async (t) => {
    await navigate(page, serviceApp)
    await button('Edit document').click()
    await inDialog('Add a condition').click()
    await condition('1').getByRole('textbox', { name: 'Name' }).fill('small')
    await inDialog('Add a parameter').click()
    await dialog.getByRole('textbox', { name: 'Parameter' }).fill('limit')
    await choose('Type', 'int')
    const expression = dialog.getByRole('textbox', { name: 'Expression' })
    await expression.fill('context.amount <= prams.limit')
    await dialog.getByText(/Line 1, column 19: /).waitFor()
    t.regex(
      (await condition('small').locator('[aria-hidden="true"]', { hasText: '^' }).textContent()) ??
        '',
      /^context\.amount <= prams\.limit\n {18}\^$/,
    )
    t.deepEqual(await inspectPage(page, 'dialog-condition-mistake', 'dialog'), [])
    await inDialog('Save').click()
    await expression.and(page.locator('[aria-invalid="true"]')).waitFor()
    await expression.fill('context.amount <= params.limit')
    await dialog.getByText(/Line 1, column 19/).waitFor({ state: 'detached' })
  })

  test.serial('a condition is tried with a sample before it is saved', async (t) => {
    await inDialog('Try it').click()
    const sample = dialog.getByRole('textbox', { name: 'Sample' })
    const { params, agent } = JSON.parse(await sample.inputValue())
    t.deepEqual({ params, agent }, { params: { limit: null }, agent: { type: '', id: '' } })
    for (const [text, result] of [
      ['{"params": {"limit": 100}', /Invalid JSON/],
      ['[]', 'Must be a JSON object'],
      ['{"params": {"limit": "x"}}', /params.limit must be a whole number/],
      ['{"params": {"limit": 100}}', 'The request lacks context.amount.'],
      ['{"params": {"limit": 100}, "context": {"amount": 101}}', 'The condition is false'],
      ['{"params": {"limit": 100}, "context": {"amount": 99}}', 'The condition is true'],
    ] as const) {
      await sample.fill(text)
      await inDialog('Evaluate').click()
      await dialog.getByText(result).waitFor()
    }
    t.deepEqual(await inspectPage(page, 'dialog-condition-tried', 'dialog'), [])
  })

  test.serial(
    'conditions and requirements are declared, with errors at their fields',
    async (t) => {
      await inDialog('Add a requirement').click()
      await choose('Action', 'publish')
      await choose('Requires', 'small')
      await inDialog('Save').click()
      await dialog.getByText('Must not have parameters').waitFor()
      await inDialog('Add a condition').click()
      await condition('2').getByRole('textbox', { name: 'Name' }).fill('office')
      await condition('office')
        .getByRole('textbox', { name: 'Expression' })
        .fill("in_cidr(context.ip, '10.0.0.0/8')")
      await choose('Requires', 'office')
      const { items } = await call('GET', '/admin/permissions?service_name=docs')
      const child = items.find(({ id }: { id: string }) => id !== data.resourceId)
      const { resource_type, resource_id } = await call(
        'GET',
        `/admin/permissions/${data.resourceId}`,
      )
      await call('PATCH', `/admin/permissions/${child.id}/parent`, {
        parent: { resource_type, resource_id },
      })
      await dialog.getByRole('checkbox', { name: /^Also below/ }).check()
      await dialog.getByText('Also below: 1 resource inherits from').waitFor()
      await loadAxe(page)
      t.deepEqual(await inspectPage(page, 'dialog-requirement-below', 'dialog'), [])
      await confirm('Save')
      await page.getByText('required to publish, also below').waitFor()
      t.like(await declared(), {
        conditions: [
          { name: 'small', parameters: { limit: 'int' } },
          { name: 'office', expression: "in_cidr(context.ip, '10.0.0.0/8')", parameters: {} },
        ],
        requirements: [{ action: 'publish', condition: 'office', inherited: true }],
        roles: [{ name: 'commenter' }, { name: 'triage' }],
      })
    },
  )

  test.serial('a resource is shared under a condition', async (t) => {
    await navigate(page, `/resources/${data.resourceId}`)
    await button('Share').click()
    await dialog.getByRole('combobox', { name: 'Person' }).fill('wen')
    await page.getByRole('option', { name: /Wen Li/ }).click()
    await choose('Condition', 'small')
    await inDialog('Share').click()
    await dialog.getByText('This field is required').waitFor()
    const limit = dialog.getByRole('textbox', { name: 'limit' })
    await limit.fill('many')
    await inDialog('Share').click()
    await dialog.getByText(/^Must be a whole number/).waitFor()
    t.deepEqual(await inspectPage(page, 'dialog-share-condition', 'dialog'), [])
    await limit.fill('100')
    await confirm('Share')
    const shares = page.getByRole('table', { name: 'Shares' })
    await shares
      .getByRole('row', { name: /Wen Li/ })
      .getByText('limit = 100')
      .waitFor()
    const resource = await call('GET', `/admin/permissions/${data.resourceId}`)
    t.like(resource.shares.at(-1), { condition: { name: 'small', params: { limit: 100 } } })
  })

  test.serial('a condition in use cannot be removed, and the dialog says so', async (t) => {
    await navigate(page, serviceApp)
    await button('Edit document').click()
    await inDialog('Remove the condition small').click()
    await dialog.getByText('Saving removes conditions').waitFor()
    await dialog.getByText('small: 1 share').waitFor()
    await inDialog('Cancel').click()
    await dialog.waitFor({ state: 'detached' })
    t.is((await declared()).conditions.length, 2)
  })

  test.serial('the context decides, and is part of the address', async (t) => {
    const [{ id: wen }] = (await call('GET', '/admin/users?q=wen.li')).items
    await navigate(page, `/resources/${data.resourceId}?user_id=${wen}`)
    await page.getByText(/Wen Li may not view/).waitFor()
    const who = page.getByRole('region', { name: 'Who has access' })
    await who.getByText('Only under conditions: small').waitFor()
    const context = page.getByRole('textbox', { name: 'Context' })
    await context.fill('{"amount": 5')
    await page.getByText(/^Invalid JSON/).waitFor()
    t.deepEqual(await inspectPage(page, 'resource-why-context-error'), [])
    await context.fill('{"amount": 5}')
    await page.getByText(/Wen Li may view/).waitFor()
    await who.getByText('with the context {"amount":5}').waitFor()
    await who.getByText('Only under conditions: small').waitFor({ state: 'detached' })
    t.deepEqual(await inspectPage(page, 'resource-why-context'), [])
    await page.reload()
    await loadAxe(page)
    await waitForValue(context, '{"amount":5}')
    await page.getByText(/Wen Li may view/).waitFor()
    await navigate(page, `/people/${wen}?tab=access&permission_id=${data.resourceId}`)
    await page.getByText(/Wen Li may not view/).waitFor()
    await context.fill('{"amount": 6}')
    await page.getByText(/Wen Li may view/).waitFor()
  })

  test.serial('assumed shares and roles are explained with the context', async (t) => {
    const path = `/resources/${data.resourceId}?user_id=${data.userId}`
    const assumptions = page.getByRole('group', { name: 'What if they had' })
    const select = async (label: string, option: string) => {
      await assumptions.getByRole('combobox', { name: label, exact: true }).click()
      await page.getByRole('option', { name: option, exact: true }).click()
    }
    const before = await call('GET', `/admin/permissions/${data.resourceId}`)
    await navigate(page, `${path}&action=edit`)
    await page.getByText(/Chiara Conti may not edit/).waitFor()
    await button('What if…').click()
    await select('Permission', 'edit')
    await button('Add').click()
    await assumptions.getByText(/Chiara Conti may edit/).waitFor()
    await button('Remove the assumption a share (edit)').click()
    await select('Assume', 'A role in the workspace')
    await select('Role', 'Admin')
    await button('Add').click()
    await assumptions.getByText(/Chiara Conti may edit/).waitFor()
    await button('Remove the assumption the role Admin in the workspace').click()
    await page.getByRole('combobox', { name: 'Action' }).first().click()
    await page.getByRole('option', { name: 'view', exact: true }).click()
    await select('Assume', 'A share with them')
    await select('Condition', 'small')
    await assumptions.getByRole('textbox', { name: 'limit' }).fill('10')
    await button('Add').click()
    await assumptions.getByText(/Chiara Conti may not view/).waitFor()
    const context = page.getByRole('textbox', { name: 'Context' })
    await context.fill('{"amount": 5}')
    await assumptions.getByText(/Chiara Conti may view/).waitFor()
    t.deepEqual(await inspectPage(page, 'resource-what-if'), [])
    await context.fill('{"amount": 50}')
    await assumptions.getByText(/Chiara Conti may not view/).waitFor()
    t.deepEqual(await call('GET', `/admin/permissions/${data.resourceId}`), before)
  })
}
