import type { Page } from 'playwright-core'
import type { ConsoleEnvironment } from './environment.ts'
import { formatTable, percentile } from './format.ts'

/** The goal for the 95th percentile, in milliseconds. */
const goal = 200

/**
 * The shortest duration that the browser reports. Faster interactions are counted with this
 * duration.
 */
const shortestDuration = 16

/** Milliseconds between keystrokes of a fast typist. */
const keyDelay = 120

/** Selects elements that indicate loading data: a table, a skeleton or a button. */
const loading = '[aria-busy="true"], [aria-label="Loading"], [data-loading]'

/**
 * Collects interactions as measured by the browser from the event to the next frame (Event Timing,
 * as in Interaction to Next Paint), frames longer than 50 ms, and the time of the last input.
 */
const observer = `
  window.dataTimes = []
  for (const type of ['pointerup', 'keydown']) {
    addEventListener(type, ({ timeStamp }) => { window.lastInput = timeStamp }, true)
  }
  window.interactions = new Map()
  window.longFrames = []
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) {
      if (!interactionId) continue
      window.interactions.set(interactionId, Math.max(duration, window.interactions.get(interactionId) ?? 0))
    }
  }).observe({ type: 'event', durationThreshold: ${shortestDuration} })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longFrames.push(duration)
  }).observe({ type: 'long-animation-frame' })
`

type Measured = { durations: number[]; dataTimes: number[]; longestFrame: number }

/** The actions of an administrator on a screen, repeated often enough for a distribution. */
type Activity = { name: string; path: string; act: (page: Page) => Promise<void> }

const activities: Activity[] = [
  { name: 'Search people as one types', path: '/people', act: searchPeople },
  { name: 'Open and choose filters and columns', path: '/people', act: filterPeople },
  { name: 'Turn pages of 100 people', path: '/people', act: turnPages },
  { name: 'Open a person, tabs, back', path: '/people', act: openPeople },
  { name: 'Show 500 older events, filter them', path: '/activity', act: readActivity },
  { name: 'Scroll 500 events', path: '/activity', act: scrollActivity },
  { name: 'Find in the command palette', path: '/', act: usePalette },
  {
    name: 'Workspace of everyone: search members, open dialogs',
    path: '/workspaces?q=Workspace+0',
    act: openWorkspace,
  },
]

/**
 * Measures the latency of interactions from the event to the next frame, and the time until the
 * data they request is visible.
 */
export async function measureInteractions(environment: ConsoleEnvironment): Promise<string> {
  const page = await environment.openPage()
  await page.addInitScript(observer)
  const all: Measured = { durations: [], dataTimes: [], longestFrame: 0 }
  const rows: string[][] = []
  for (const { name, path, act } of activities) {
    await page.goto(`${environment.consoleUrl}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.evaluate('lastInput = 0')
    await waitUntilIdle(page)
    await page.evaluate('interactions.clear(); longFrames.length = 0; dataTimes.length = 0')
    const before: number = await page.evaluate('performance.interactionCount')
    await act(page)
    await waitUntilIdle(page)
    const measured = await readMeasured(page, before)
    all.durations.push(...measured.durations)
    all.dataTimes.push(...measured.dataTimes)
    all.longestFrame = Math.max(all.longestFrame, measured.longestFrame)
    const row = formatRow(name, measured)
    rows.push(row)
    // The complete table is printed at the end.
    process.stderr.write(`${row.join(' | ')}\n`)
  }
  await page.context().close()
  rows.push(formatRow('**All**', all))
  const head = ['interactions', 'number', 'p50', 'p95', 'longest', `p95 < ${goal} ms`]
  return formatTable([...head, 'longest frame', 'data p50', 'data p95'], rows)
}

function formatRow(name: string, { durations, dataTimes, longestFrame }: Measured): string[] {
  return [
    name,
    `${durations.length}`,
    formatTime(percentile(durations, 50)),
    formatTime(percentile(durations, 95)),
    formatTime(percentile(durations, 100)),
    percentile(durations, 95) < goal ? 'ok' : 'missed',
    formatTime(longestFrame),
    formatTime(percentile(dataTimes, 50)),
    formatTime(percentile(dataTimes, 95)),
  ]
}

function formatTime(milliseconds: number): string {
  return Number.isNaN(milliseconds) ? '' : `${Math.round(milliseconds)} ms`
}

async function readMeasured(page: Page, before: number): Promise<Measured> {
  const count: number = await page.evaluate(`performance.interactionCount - ${before}`)
  const reported: number[] = await page.evaluate('[...interactions.values()]')
  const unreported = Array.from(
    { length: Math.max(0, count - reported.length) },
    () => shortestDuration,
  )
  const longestFrame: number = await page.evaluate('Math.max(0, ...longFrames)')
  const dataTimes: number[] = await page.evaluate('dataTimes')
  return { durations: [...reported, ...unreported], dataTimes, longestFrame }
}

/** Waits for data, measured from the last input, and for the entries of the last interaction. */
async function waitUntilIdle(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const isLoading = () => document.querySelector('${loading}') !== null
    if (!isLoading()) return resolve()
    requestAnimationFrame(function check() {
      if (isLoading()) return requestAnimationFrame(check)
      dataTimes.push(performance.now() - lastInput)
      resolve()
    })
  })`)
  await page.waitForTimeout(400)
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(300)
}

async function searchPeople(page: Page): Promise<void> {
  const search = page.getByRole('searchbox')
  for (const text of ['hopper', 'person9', 'zoë silva', 'nobody at all', 'alice']) {
    await search.click()
    await search.pressSequentially(text, { delay: keyDelay })
    await waitUntilIdle(page)
    await page.getByRole('button', { name: 'Clear search' }).click()
    await waitUntilIdle(page)
  }
}

async function filterPeople(page: Page): Promise<void> {
  for (const status of ['Active', 'Deactivated']) {
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: status, exact: true }).click()
    await waitUntilIdle(page)
    await page.getByLabel('Clear status').click()
    await waitUntilIdle(page)
    await page.getByRole('checkbox', { name: 'Administrators only' }).click()
    await waitUntilIdle(page)
    await page.getByRole('checkbox', { name: 'Administrators only' }).click()
    await waitUntilIdle(page)
    await page.getByRole('button', { name: 'Choose columns' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'External ID' }).click()
    await waitUntilIdle(page)
    await page.keyboard.press('Escape')
    await waitUntilIdle(page)
  }
}

async function turnPages(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Rows per page' }).focus()
  await page.keyboard.type('100', { delay: keyDelay })
  await waitUntilIdle(page)
  for (let index = 0; index < 8; index += 1) {
    await page.getByRole('button', { name: 'Next page' }).click()
    await waitUntilIdle(page)
  }
  await page.getByRole('button', { name: 'Previous page' }).click()
  await waitUntilIdle(page)
  await page.getByRole('combobox', { name: 'Rows per page' }).focus()
  await page.keyboard.type('20', { delay: keyDelay })
}

async function openPeople(page: Page): Promise<void> {
  for (let index = 1; index <= 4; index += 1) {
    await page.getByRole('row').nth(index).getByRole('link').click()
    await page.getByRole('tab', { name: 'Memberships' }).click()
    await waitUntilIdle(page)
    await page.getByRole('tab', { name: 'Activity' }).click()
    await waitUntilIdle(page)
    await page.getByRole('link', { name: 'People' }).first().click()
    await waitUntilIdle(page)
  }
}

async function showOlderEvents(page: Page): Promise<void> {
  for (let index = 0; index < 9; index += 1) {
    await page.getByRole('button', { name: 'Show older events' }).click()
    await waitUntilIdle(page)
  }
}

async function readActivity(page: Page): Promise<void> {
  await showOlderEvents(page)
  await page.getByRole('combobox', { name: 'Event' }).click()
  await page.getByRole('combobox', { name: 'Event' }).pressSequentially('role', { delay: keyDelay })
  await page.getByRole('option', { name: 'Member role changed' }).click()
  await waitUntilIdle(page)
}

async function scrollActivity(page: Page): Promise<void> {
  await showOlderEvents(page)
  await page.evaluate('interactions.clear(); longFrames.length = 0; dataTimes.length = 0')
  await page.mouse.move(700, 500)
  for (let index = 0; index < 40; index += 1) {
    await page.mouse.wheel(0, index < 20 ? -900 : 900)
    await page.waitForTimeout(60)
  }
}

async function usePalette(page: Page): Promise<void> {
  for (const text of ['hopper 12', 'workspace 19', 'roadmap-2027', 'act']) {
    await page.keyboard.press('Control+k')
    await page.keyboard.type(text, { delay: keyDelay })
    await waitUntilIdle(page)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await waitUntilIdle(page)
  }
}

async function openWorkspace(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Workspace 0', exact: true }).click()
  await waitUntilIdle(page)
  await page.getByRole('searchbox').pressSequentially('liskov', { delay: keyDelay })
  await waitUntilIdle(page)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page
    .getByRole('textbox', { name: 'E-mail address' })
    .pressSequentially('new@example', { delay: keyDelay })
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('tab', { name: 'Groups' }).click()
  await waitUntilIdle(page)
  await page.getByRole('tab', { name: 'Roles' }).click()
  await waitUntilIdle(page)
}
