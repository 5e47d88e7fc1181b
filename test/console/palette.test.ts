import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { startConsole, waitUntilIdle } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'

// What the command palette finds, and which result Enter opens.
if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  await fixture.seed.user('Björn Åkesson', { email: 'bjorn.akesson@example.com' })
  await fixture.seed.user('Benjamin Carter-Ben Carter', { email: 'a.benjamin@example.com' })
  const page = await fixture.openPage('/')
  test.after.always(() => fixture.stop())

  const field = page.getByPlaceholder('Find people, workspaces, groups, resources and screens')
  const dialog = page.getByRole('dialog', { name: 'Find' })
  const selected = dialog.locator('[data-selected]')

  async function openPalette(): Promise<void> {
    await page.goto(fixture.consoleUrl)
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await waitUntilIdle(page)
    await page.keyboard.press('Control+k')
    await field.and(page.locator(':focus')).waitFor()
  }

  for (const [kind, typed, title] of [
    ['a name', 'ben carter', 'Ben Carter'],
    ['a name without accents', 'akesson bjorn', 'Björn Åkesson'],
    ['the name of a group', 'product', 'Northwind'],
    ['the beginning of an external ID', 'ROADMAP-20', 'roadmap-2027'],
    ['the name of a workspace', 'northwind', 'Northwind'],
    ['the name of a screen', 'activity', 'Activity'],
    ['the ID of a person', data.userId, 'Chiara Conti'],
    ['the ID of an app', data.serviceAppId, 'Documents'],
  ] as const) {
    test.serial(`Enter right after typing ${kind} opens the best match`, async (t) => {
      await openPalette()
      await page.keyboard.type(typed)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: title, level: 1, exact: true }).waitFor()
      await dialog.waitFor({ state: 'detached' })
      t.pass()
    })
  }

  test.serial('a group opens where it is listed', async (t) => {
    await openPalette()
    await field.fill('product')
    await selected.filter({ hasText: 'Product' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Edit the group Product' }).waitFor()
    t.is(new URL(page.url()).searchParams.get('group'), data.groupId)
  })

  test.serial('an exact match comes before others, and arrow keys choose another', async (t) => {
    await openPalette()
    await field.fill('ben carter')
    await selected.filter({ hasText: 'ben.carter@example.com' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await selected.filter({ hasText: 'a.benjamin@example.com' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Benjamin Carter-Ben Carter', level: 1 }).waitFor()
    t.pass()
  })

  /** Presses keys after the last letter of a text, before its results arrive, and then Enter. */
  async function chooseEarly(text: string, keys: string[], chosen: string): Promise<void> {
    const answer = Promise.withResolvers<void>()
    await page.route(
      (url) => url.searchParams.get('q') === text,
      async (route) => {
        await answer.promise
        await route.continue()
      },
    )
    await openPalette()
    await field.fill(text.slice(0, -1))
    await selected.filter({ hasText: 'ben.carter@example.com' }).waitFor()
    await page.keyboard.type(text.slice(-1))
    for (const key of keys) await page.keyboard.press(key)
    await selected.filter({ hasText: chosen }).waitFor()
    await page.keyboard.press('Enter')
    answer.resolve()
  }

  test.serial('a result stays chosen when those of the whole text arrive', async (t) => {
    await chooseEarly('ben carter', ['ArrowDown'], 'a.benjamin@example.com')
    await page.getByRole('heading', { name: 'Benjamin Carter-Ben Carter', level: 1 }).waitFor()
    t.pass()
  })

  test.serial('Enter opens nothing if the whole text excludes what was chosen', async (t) => {
    await chooseEarly('benj', ['ArrowDown', 'ArrowUp'], 'ben.carter@example.com')
    await selected.filter({ hasText: 'a.benjamin@example.com' }).waitFor()
    await waitUntilIdle(page)
    t.is(new URL(page.url()).pathname, '/')
  })

  test.serial('Enter opens nothing if the text has changed or nothing is found', async (t) => {
    await openPalette()
    await field.fill('nobody-at-all')
    await page.keyboard.press('Enter')
    await dialog.getByText('Nothing found').waitFor()
    await page.keyboard.press('Enter')
    await field.fill('wen li')
    await selected.filter({ hasText: 'Wen Li' }).waitFor()
    t.is(new URL(page.url()).pathname, '/')
  })
}
