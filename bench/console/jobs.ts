import type { Locator, Page } from 'playwright-core'
import { document, workspaceName } from './data.ts'
import type { ConsoleEnvironment } from './environment.ts'
import { formatTable } from './format.ts'

/** Milliseconds between keystrokes. */
const keyDelay = 120

/** Operates the console like a person, and counts clicks and keystrokes. */
class Operator {
  readonly page: Page
  clicks = 0
  keys = 0
  /** The number of texts typed. */
  fields = 0

  constructor(page: Page) {
    this.page = page
  }

  async click(target: Locator): Promise<void> {
    this.clicks += 1
    await target.click()
  }

  async press(key: string): Promise<void> {
    this.keys += 1
    await this.page.keyboard.press(key)
    await this.page.waitForTimeout(keyDelay)
  }

  async type(text: string): Promise<void> {
    this.fields += 1
    this.keys += text.length
    await this.page.keyboard.type(text, { delay: keyDelay })
  }
}

type Job = { name: string; run: (operator: Operator) => Promise<void> }

const suffix = Date.now().toString(36)

const jobs: Job[] = [
  { name: 'Find a person', run: findPerson },
  { name: 'Why can’t a person edit a document', run: explainAccess },
  { name: 'Make a role and give it to a person', run: makeRole },
  { name: 'Import a CSV file', run: importFile },
  { name: 'Rotate a service key', run: rotateKey },
]

/** Counts clicks, keystrokes and seconds of five everyday jobs, each starting from the overview. */
export async function measureJobs({ openPage, consoleUrl }: ConsoleEnvironment): Promise<string> {
  const rows: string[][] = []
  const page = await openPage()
  for (const { name, run } of jobs) {
    await page.goto(consoleUrl)
    await page.getByText('Largest workspaces').waitFor()
    const operator = new Operator(page)
    const started = performance.now()
    await run(operator)
    const seconds = (performance.now() - started) / 1000
    rows.push([
      name,
      `${operator.clicks}`,
      `${operator.fields}`,
      `${operator.keys}`,
      seconds.toFixed(1),
    ])
  }
  await page.context().close()
  return formatTable(['job', 'clicks', 'texts typed', 'keys', 'seconds'], rows)
}

async function findPerson(operator: Operator): Promise<void> {
  const { page } = operator
  await operator.press('Control+k')
  await operator.type('carol danvers')
  await page.getByRole('button', { name: new RegExp(document.reader) }).waitFor()
  await operator.press('ArrowDown')
  await operator.press('Enter')
  await page.getByRole('heading', { name: document.reader, level: 1 }).waitFor()
}

async function explainAccess(operator: Operator): Promise<void> {
  const { page } = operator
  await operator.press('Control+k')
  await operator.type(document.id)
  await page.getByRole('button', { name: new RegExp(document.id) }).waitFor()
  await operator.press('ArrowDown')
  await operator.press('Enter')
  await operator.click(page.getByRole('combobox', { name: 'Person' }))
  await operator.type('carol d')
  await operator.click(page.getByRole('option', { name: new RegExp(document.reader) }))
  await operator.click(page.getByRole('combobox', { name: 'Action' }).first())
  await operator.click(page.getByRole('option', { name: 'edit', exact: true }))
  await page.getByText('may not edit it').waitFor()
}

async function makeRole(operator: Operator): Promise<void> {
  const { page } = operator
  const name = `Editor ${suffix}`
  await operator.press('Control+k')
  await operator.type('northwind')
  await page.getByRole('button', { name: new RegExp(workspaceName) }).waitFor()
  await operator.press('ArrowDown')
  await operator.press('Enter')
  await operator.click(page.getByRole('tab', { name: 'Roles' }))
  await operator.click(page.getByRole('button', { name: 'New role' }).first())
  await operator.type(name)
  await operator.press('Enter')
  await operator.click(page.getByRole('checkbox', { name: `${name} may publish in docs` }))
  await operator.click(page.getByRole('combobox', { name: `Give ${name} to` }))
  await operator.type('carol')
  await operator.click(page.getByRole('option', { name: new RegExp(document.reader) }))
  await operator.click(page.getByRole('button', { name: 'Add', exact: true }).last())
  await page.getByRole('button', { name: `Remove ${document.reader} from ${name}` }).waitFor()
}

async function importFile(operator: Operator): Promise<void> {
  const { page } = operator
  await operator.click(page.getByRole('link', { name: 'Import', exact: true }))
  const rows = Array.from(
    { length: 200 },
    (_, index) => `new${index}-${suffix}@example.com,northwind,viewer`,
  )
  const buffer = Buffer.from(`email,workspace_slug,role\n${rows.join('\n')}\n`)
  const chooser = page.waitForEvent('filechooser')
  await operator.click(page.getByRole('button', { name: 'Choose a file' }))
  await (await chooser).setFiles({ name: 'people.csv', mimeType: 'text/csv', buffer })
  await operator.click(page.getByRole('button', { name: 'Import 200 changes' }))
  await page.getByText('The file was imported.').waitFor()
}

async function rotateKey(operator: Operator): Promise<void> {
  const { page } = operator
  await operator.click(page.getByRole('link', { name: 'Service apps', exact: true }))
  await operator.click(page.getByRole('link', { name: 'people', exact: true }))
  await operator.click(page.getByRole('button', { name: 'Rotate key' }))
  await operator.click(page.getByRole('button', { name: 'Create new key' }))
  await operator.click(page.getByRole('button', { name: 'Copy', exact: true }).first())
  await operator.click(page.getByRole('checkbox', { name: 'I have stored the key' }))
  await operator.click(page.getByRole('button', { name: 'Done' }))
}
