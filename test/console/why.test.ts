import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { navigate, startConsole, waitForValue } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'
import { waitUntil } from '../support/wait-until.ts'

// Why a person has access, from the page of the person.
if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const { call } = fixture
  const page = await fixture.openPage('/')
  useKeyboardAlone(page)
  await loadAxe(page)
  test.after.always(() => fixture.stop())

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const findPerson = async (q: string): Promise<string> =>
    (await call('GET', `/admin/users?q=${q}`)).items[0].id

  test.serial('a person’s page explains their access to a resource, with a picture', async (t) => {
    const ingrid = await findPerson('ingrid')
    await navigate(page, `/people/${ingrid}?tab=access`)
    await page.getByRole('combobox', { name: 'Resource' }).fill('roadmap-2027')
    await page.getByRole('option', { name: 'docs/document/roadmap-2027' }).click()
    await page.getByRole('combobox', { name: 'Action' }).click()
    await page.getByRole('option', { name: 'edit', exact: true }).click()
    const { sentence } = await call(
      'GET',
      `/admin/permissions/${data.resourceId}/explain?user_id=${ingrid}&action=edit`,
    )
    t.regex(sentence, /Ingrid Solberg may edit document roadmap-2027: .*through Design/)
    await page.getByText(sentence).waitFor()
    await page.waitForURL(`**permission_id=${data.resourceId}*`)
    const picture = page.getByRole('img', {
      name: /How Ingrid Solberg gets access to document roadmap-2027/,
    })
    const texts = ['Design', 'Product', 'share: edit', 'Ingrid Solberg', 'document roadmap-2027']
    await waitUntil(async () =>
      isDeepStrictEqual(await picture.locator('text').allTextContents(), texts),
    )
    t.deepEqual(await inspectPage(page, 'person-access'), [])
  })

  test.serial('a picture with several reasons scrolls without the page', async (t) => {
    const ben = await findPerson('ben.carter')
    await navigate(page, `/resources/${data.resourceId}?user_id=${ben}&action=edit`)
    const picture = page.getByRole('img', { name: /How Ben Carter gets access/ })
    await picture.locator('text', { hasText: 'Northwind' }).waitFor()
    await picture.locator('text', { hasText: 'Engineering' }).waitFor()
    t.deepEqual(await inspectPage(page, 'resource-why-allowed'), [])
  })

  test.serial('the picture can be exported and does not need the stylesheet', async (t) => {
    const download = page.waitForEvent('download')
    await button('Export as SVG').click()
    const file = await download
    t.is(file.suggestedFilename(), 'access.svg')
    const svg = await readFile(await file.path(), 'utf8')
    t.regex(svg, /^<svg[^>]* xmlns="http:\/\/www.w3.org\/2000\/svg"/)
    t.regex(svg, /<text[^>]*fill="rgb\([^>]*>Product<\/text>/)
    t.notRegex(svg, /class=|var\(/)
  })

  test.serial(
    'a person outside the workspace is added to it, then the resource shared',
    async (t) => {
      const csv =
        'email,name,workspace_slug,role,groups\nkim@example.com,Kim Larsen,finance,viewer,\n'
      await call('POST', '/admin/import/csv/execute', { csv })
      const kim = await findPerson('larsen')
      await navigate(page, `/people/${kim}?tab=access&permission_id=${data.resourceId}`)
      await page.getByText(/Kim Larsen may not view .*: Kim Larsen is not a member of/).waitFor()
      t.is(await button('Share…').count(), 0)
      await button('Add to workspace…').click()
      await page.locator('[role="dialog"]:focus-within').waitFor()
      t.deepEqual(await inspectPage(page, 'dialog-why-membership', 'dialog'), [])
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await dialog.getByRole('button', { name: 'Done', exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      await page
        .getByText(/Kim Larsen may not view .*: Kim Larsen is a viewer of Northwind/)
        .waitFor()
      await button('Share…').click()
      await page.locator('[role="dialog"]:focus-within').waitFor()
      t.deepEqual(await inspectPage(page, 'dialog-why-share', 'dialog'), [])
      await dialog.getByRole('button', { name: 'Share', exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      await page
        .getByText(/Kim Larsen may view .*: .* is shared with Kim Larsen for viewing/)
        .waitFor()
      const { shares } = await call('GET', `/admin/permissions/${data.resourceId}`)
      t.true(shares.some(({ grantee_id }: { grantee_id: string }) => grantee_id === kim))
      await page.locator('[aria-label="Picture of the reasons"]').waitFor()
      t.is(await button('Share…').count(), 0, 'nothing is offered to a person who has access')
    },
  )

  test.serial('the dialog suggests the permission or role that allows the action', async (t) => {
    const chiara = await findPerson('chiara')
    for (const [action, grant] of [
      ['edit', 'edit'],
      ['comment', 'commenter (role)'],
      ['view', 'view'],
    ] as const) {
      await navigate(
        page,
        `/people/${chiara}?tab=access&permission_id=${data.resourceId}&action=${action}`,
      )
      await page.getByText(`Chiara Conti may not ${action} `).waitFor()
      await button('Share…').click()
      await waitForValue(dialog.getByRole('combobox', { name: 'Permission' }), grant)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    t.pass()
  })
}
