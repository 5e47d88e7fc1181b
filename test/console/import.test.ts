import { readFile } from 'node:fs/promises'
import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { startConsole } from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

// A CSV file in which some rows have errors.
if (hasBrowser) {
  const fixture = await startConsole()
  await createSampleData(fixture)
  const page = await fixture.openPage('/import')
  useKeyboardAlone(page)
  await loadAxe(page)
  test.after.always(() => fixture.stop())

  const button = (name: string) => page.getByRole('button', { name, exact: true })

  async function choose(csv: string | Buffer): Promise<void> {
    const buffer = Buffer.from(csv)
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'staff.csv', mimeType: 'text/csv', buffer })
  }

  async function downloadErrors(): Promise<string> {
    const waiting = page.waitForEvent('download')
    await button('Download the rows with errors').click()
    const file = await waiting
    if (file.suggestedFilename() !== 'staff-errors.csv') throw new Error(file.suggestedFilename())
    return readFile(await file.path(), 'utf8')
  }

  async function findNames(q: string): Promise<string[]> {
    const { items } = await fixture.call('GET', `/admin/users?q=${q}`)
    return items.map(({ name }: { name: string }) => name)
  }

  test.serial('good rows are imported, and the others downloaded with their errors', async (t) => {
    await choose(
      [
        'email,name,workspace_slug,role',
        'one@new.example,One,northwind,viewer',
        'bad,"Bad,\nwith a break",northwind,boss',
        'two@new.example,Two,northwind,editor',
        'lost@new.example,Lost,nowhere,viewer',
        '',
      ].join('\n'),
    )
    await page.getByText('import only the others').waitFor()
    t.deepEqual(await inspectPage(page, 'import-errors'), [])
    const errors =
      /^errors,email,name,workspace_slug,role\r\n"?name .*,bad,"Bad,\nwith a break",northwind,boss\r\n"?workspace_slug .*,lost@new.example,Lost,nowhere,viewer\r\n$/
    t.regex(await downloadErrors(), errors)
    await button('Import 2 changes without 2 rows').click()
    await page.getByText('2 rows imported.').waitFor()
    await page.getByText('2 rows left out.').waitFor()
    t.deepEqual(await inspectPage(page, 'import-partly'), [])
    t.regex(await downloadErrors(), errors)
    t.deepEqual((await findNames('new.example')).toSorted(), ['One', 'Two'])
  })

  test.serial('the file with the errors is imported after it was corrected', async (t) => {
    const text = await downloadErrors()
    await button('Import another file').click()
    await choose(
      text
        .replace(',bad,', ',three@new.example,')
        .replace('\nwith a break', ' with a comma')
        .replace('boss', 'viewer'),
    )
    await button('Import 1 change without 1 row').click()
    await page.getByText('1 row imported.').waitFor()
    t.deepEqual(await findNames('three'), ['Bad, with a comma'])
  })

  test.serial('more errors than a report contains are all left out', async (t) => {
    await button('Import another file').click()
    const bad = Array.from({ length: 2500 }, (_, index) => `bad${index},Bad,northwind,viewer`)
    const rows = [
      ...bad.slice(0, 1200),
      'four@new.example,Four,northwind,viewer',
      ...bad.slice(1200),
    ]
    await choose(`email,name,workspace_slug,role\r\n${rows.join('\r\n')}\r\n`)
    await button('Import 1 change without 2,500 rows').click()
    await page.getByText('2,500 rows left out.').waitFor()
    t.is((await downloadErrors()).trimEnd().split('\r\n').length, 2501)
    t.deepEqual(await findNames('four'), ['Four'])
  })

  test.serial('a file without a good row only offers its errors', async (t) => {
    await button('Import another file').click()
    await choose('email,workspace_slug\nbad,northwind\n')
    await button('Nothing to import').waitFor()
    t.true(await button('Nothing to import').isDisabled())
    t.regex(await downloadErrors(), /,bad,northwind\r\n$/)
    await button('Choose another file').click()
    await page.getByText('Drop a CSV file here').waitFor()
  })

  /** Encodes text as spreadsheets do in Western Europe. */
  const windows1252 = (text: string) => Buffer.from(text, 'latin1')
  const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')
  const begin = page.getByLabel('The first lines of the converted file')

  test.serial('a file in another encoding is refused until the encoding is chosen', async (t) => {
    await choose(windows1252('email,name,workspace_slug\njuergen@new.example,Jürgen,northwind\n'))
    await page.getByText(/The file is not UTF-8/).waitFor()
    t.true((await begin.textContent())?.includes('Jürgen'))
    t.deepEqual(await inspectPage(page, 'import-encoding'), [])
    await button('Read it as Windows-1252').click()
    await button('Import 1 change').click()
    await page.getByText('The file was imported.').waitFor()
    t.deepEqual(await findNames('juergen'), ['Jürgen'])
    await button('Import another file').click()
    await choose(utf16('email,workspace_slug\nutf16@new.example,northwind\n'))
    await page.getByText('The file is UTF-16, but UTF-8 is expected.').waitFor()
    await page.getByRole('button', { name: 'Choose another file' }).click()
    await begin.waitFor({ state: 'detached' })
  })

  test.serial('a file with semicolons is refused until they are chosen', async (t) => {
    const rows =
      'ana@new.example;"Peña; Ana";northwind;Ventas\r\nbo@new.example;Li, Bo;northwind;\r\n'
    await choose(windows1252(`email;name;workspace_slug;groups\r\n${rows}`))
    await button('Read it as Windows-1252').click()
    await page.getByText(/separated by semicolons, but commas are expected/).waitFor()
    t.true((await begin.textContent())?.includes('ana@new.example,"Peña; Ana",northwind,Ventas'))
    await button('Separate by semicolons').click()
    await button('Import 2 changes').click()
    await page.getByText('The file was imported.').waitFor()
    t.deepEqual(await findNames('ana@new'), ['Peña; Ana'])
    t.deepEqual(await findNames('bo@new'), ['Li, Bo'])
  })
}
