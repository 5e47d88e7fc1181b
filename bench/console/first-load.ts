import type { Page, Request } from 'playwright-core'
import type { ConsoleEnvironment } from './environment.ts'
import { formatTable, percentile } from './format.ts'

const rounds = 5

/**
 * The screens that are opened with an empty cache, each with a text that indicates that its data is
 * visible.
 */
const screens = [
  { name: 'Overview', path: '/', loaded: 'Largest workspaces' },
  { name: 'People', path: '/people', loaded: 'Alice Lindqvist' },
  { name: 'Activity', path: '/activity', loaded: 'Show older events' },
]

/** Times in milliseconds, bytes transferred over the network, and the number of API requests. */
type Load = { paint: number; data: number; bytes: number; requests: number }

/**
 * Measures first contentful paint, the time until the data is visible, and the bytes transferred,
 * with an empty cache.
 */
export async function measureFirstLoad(environment: ConsoleEnvironment): Promise<string> {
  const rows = []
  for (const { name, path, loaded } of screens) {
    const results: Load[] = []
    for (let round = 0; round < rounds; round += 1) {
      results.push(await measureLoad(environment, path, loaded))
    }
    const median = (key: keyof Load) =>
      percentile(
        results.map((result) => result[key]),
        50,
      )
    rows.push([
      name,
      `${Math.round(median('paint'))} ms`,
      `${Math.round(median('data'))} ms`,
      `${Math.round(median('bytes') / 1000)} kB`,
      `${median('requests')}`,
    ])
  }
  const head = [
    'first load',
    'first contentful paint',
    'data on the screen',
    'compressed',
    'API requests',
  ]
  return formatTable(head, rows)
}

async function measureLoad(
  { openPage, consoleUrl }: ConsoleEnvironment,
  path: string,
  loaded: string,
): Promise<Load> {
  const page = await openPage()
  const sizes: Promise<number>[] = []
  let requests = 0
  page.on('requestfinished', (request) => {
    if (!request.url().startsWith(consoleUrl)) requests += 1
    else sizes.push(readSize(request))
  })
  await page.goto(`${consoleUrl}${path}`)
  await page.getByText(loaded).first().waitFor()
  const data: number = await page.evaluate('performance.now()')
  const paint = await readFirstPaint(page)
  await page.waitForLoadState('networkidle')
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  await page.context().close()
  return { paint, data, bytes, requests }
}

async function readSize(request: Request): Promise<number> {
  const { responseBodySize, responseHeadersSize } = await request.sizes()
  return responseBodySize + responseHeadersSize
}

function readFirstPaint(page: Page): Promise<number> {
  return page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`)
}
