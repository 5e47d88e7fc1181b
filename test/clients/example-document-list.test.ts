import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { createDaikon } from '../../clients/typescript/src/daikon.ts'
import { hasBrowser, launchBrowser, prepareContext } from '../support/browser.ts'
import { cloneDatabase } from '../support/database.ts'
import { startExample } from '../support/documents-example.ts'
import { startDatabaseProxy } from '../support/proxy.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { waitUntil } from '../support/wait-until.ts'

const root = join(import.meta.dirname, '../..')

/** The folder for screenshots of the example, if set. */
const { SCREENSHOTS } = process.env

/** Ann owns the workspace and sees everything. Eve sees the least. */
const people = ['ann@example.com', 'ben@example.com', 'eve@example.com'] as const
const [ann, ben, eve] = people

/** More than the example counts. */
const many = 1200

type Answer = {
  status: number
  body: string
  location: string | null
  /** The titles of the list, without escaping. */
  titles: string[]
  /** The text above the list. */
  count: string
}

/** Starts daikon, fills the example's database with its command, and starts the example. */
async function startWorld(t: ExecutionContext, { documents }: { documents: number }) {
  const environment = await startTestEnvironment()
  t.teardown(() => environment.stop())
  const { seed } = environment
  const { key } = await seed.serviceApp('docs')
  const workspace = await seed.workspace('Acme')
  const roles = ['owner', 'editor', 'viewer'] as const
  for (const [index, email] of people.entries())
    await seed.member(workspace, await seed.user(email, { email }), roles[index])
  const proxy = await startDatabaseProxy(`http://127.0.0.1:${environment.grpcPort}`)
  t.teardown(() => proxy.close())
  const database = await cloneDatabase()
  t.teardown(() => database.drop())
  const env = {
    DAIKON_ADDRESS: new URL(proxy.url).host,
    DAIKON_SERVICE_KEY: key,
    DATABASE_URL: database.url,
    WORKSPACE_ID: workspace,
    PEOPLE: people.join(),
    DOCUMENTS: String(documents),
    PORT: '0',
  }
  const prefix = ['--prefix', 'examples/document-list']
  const options = { cwd: root, env: { ...process.env, ...env } }
  await promisify(execFile)('npm', ['run', 'seed', ...prefix], options)
  const printed = await startExample(t, ['npm', 'start', ...prefix], env)
  const url = new URL(printed).origin
  const daikon = createDaikon({
    address: `127.0.0.1:${environment.grpcPort}`,
    service: 'docs',
    serviceKey: key,
    deadlineMs: 60_000,
  })
  t.teardown(() => daikon.close())

  const outage = { isExpected: false }
  /**
   * Repeats requests until the copy has been filled, and those that exceed the deadline of the example's client, as
   * can happen on a busy machine.
   */
  const repeat = async (send: () => Promise<Answer>) => {
    for (;;) {
      const answer = await send()
      if (answer.status !== 503 || outage.isExpected) return answer
      await sleep(100)
    }
  }
  const get = (person: string, path = '/') => repeat(() => ask(`${url}${path}`, person))
  const post = (person: string, path: string, form: object, headers: object = {}) =>
    repeat(() => ask(`${url}${path}`, person, new URLSearchParams({ ...form }), headers))
  await get(ann)
  return { url, proxy, outage, daikon, get, post, pool: database.pool }
}

async function ask(
  url: string,
  person: string,
  form?: URLSearchParams,
  headers: object = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: form ? 'POST' : 'GET',
    headers: { ...headers, cookie: `person=${encodeURIComponent(person)}` },
    redirect: 'manual',
    ...(form && { body: form }),
  })
  const body = await response.text()
  return {
    status: response.status,
    body,
    location: response.headers.get('location'),
    titles: [...body.matchAll(/<td>\s*<a href="[^"]*">([^<]*)</g)].map(([, title = '']) =>
      toText(title),
    ),
    count: toText(/<p class="count">([^<]*)</.exec(body)?.[1] ?? ''),
  }
}

function toText(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}

test.serial(
  'examples/document-list sorts, searches, counts and pages what a person may view',
  async (t) => {
    t.timeout(600_000)
    const { get, daikon, pool } = await startWorld(t, { documents: many })
    const orders = { newest: 'updated_at desc, id desc', title: 'lower(title), id' }
    const find = async (ids: string[], order: string, search = '') => {
      const { rows } = await pool.query(
        `select title from documents where id = any($1) and title ilike $2 order by ${order}`,
        [ids, `%${search}%`],
      )
      return rows.map(({ title }) => title)
    }

    const readAll = async (person: string, query: string) => {
      const found: string[] = []
      for (let page = 1; ; page += 1) {
        const { titles, body } = await get(person, `/?${query}&page=${page}`)
        found.push(...titles)
        if (!body.includes('rel="next"')) return found
      }
    }

    const ids = async (person: string) => {
      const found: string[] = []
      for await (const id of daikon.accessible({ email: person }, 'view', 'document'))
        found.push(id)
      return found
    }
    const [all, few] = await Promise.all([ids(ann), ids(eve)])
    t.is(all.length, many)
    t.true(few.length > 20 && few.length < many / 2, String(few.length))

    for (const [sort, order] of Object.entries(orders)) {
      const expected = await find(all, order)
      t.deepEqual((await get(ann, `/?sort=${sort}`)).titles, expected.slice(0, 20), sort)
      t.deepEqual((await get(ann, `/?sort=${sort}&page=2`)).titles, expected.slice(20, 40), sort)
      const budgets = await find(all, order, 'BUDGET')
      const found = await get(ann, `/?sort=${sort}&q=BUDGET`)
      t.deepEqual(found.titles, budgets.slice(0, 20))
      t.is(found.count, `${budgets.length} documents with “BUDGET”`)
      // Every page of Eve, with what is shared from a date in the past and without what is shared later.
      t.deepEqual(await readAll(eve, `sort=${sort}`), await find(few, order))
    }
    t.is((await get(ann)).count, '1,000+ documents')
    t.deepEqual((await get(ann, '/?page=61')).titles, [])
    // What no page sends is the default.
    for (const query of ['page=0', 'page=x', 'page=99999', 'sort=author', 'q[]=a', 'q=%00'])
      t.deepEqual((await get(ann, `/?${query}`)).titles, (await get(ann)).titles, query)
    for (const search of ['%', '_', '\\']) {
      const { count } = await get(ann, `/?q=${encodeURIComponent(search)}`)
      t.is(count, `0 documents with “${search}”`)
    }
  },
)

test.serial(
  'examples/document-list shows changes, confirms conditions, and fails openly',
  async (t) => {
    t.timeout(600_000)
    const { get, post, url, proxy, outage, pool } = await startWorld(t, { documents: 0 })
    const create = async (person: string, title: string) => {
      const { status, location } = await post(person, '/documents', { title })
      t.deepEqual([status, location], [303, '/'])
      // Usually the first list has it already.
      await waitUntil(async () => (await get(person)).titles[0] === title)
      const { rows } = await pool.query('select id from documents where title = $1', [title])
      return `/documents/${rows[0].id}`
    }
    const isListed = async (person: string, title: string) =>
      (await get(person)).titles.includes(title)

    // A title is text, wherever it is shown.
    const evil = `<script>alert(1)</script> & "100%" 'quoted'`
    const evilPath = await create(ben, evil)
    for (const path of ['/', evilPath, `/?q=${encodeURIComponent(evil)}`]) {
      const { status, body } = await get(ben, path)
      t.is(status, 200)
      t.false(body.includes('<script'), path)
      t.false(body.includes('"100%"'), path)
      t.true(toText(body).includes(evil), path)
    }
    t.deepEqual((await get(ben, `/?q=${encodeURIComponent('"100%"')}`)).titles, [evil])

    await create(eve, 'Reading list')
    t.is((await get(eve)).count, '1 document')

    // A share appears, and disappears when it is revoked.
    const title = 'Launch plan'
    const path = await create(ben, title)
    t.false(await isListed(eve, title))
    t.is((await get(eve, path)).status, 404)
    t.is((await post(eve, `${path}/shares`, { email: eve, permission: 'view' })).status, 404)
    const share = { email: eve, permission: 'view', from: '' }
    t.is((await post(ben, `${path}/shares`, share)).location, path)
    await waitUntil(() => isListed(eve, title))
    t.is((await get(eve)).count, '2 documents')
    const opened = await get(eve, path)
    t.is(opened.status, 200)
    t.false(opened.body.includes('<form method="post" action="/documents'))
    t.is((await post(eve, `${path}/shares`, { ...share, permission: 'edit' })).status, 403)
    const [, userId = ''] = /name="user_id" value="([^"]*)"/.exec((await get(ben, path)).body) ?? []
    t.is((await post(eve, `${path}/shares/revoke`, { user_id: userId })).status, 403)
    t.is((await post(ben, `${path}/shares/revoke`, { user_id: userId })).location, path)
    await waitUntil(async () => !(await isListed(eve, title)))
    t.is((await get(eve, path)).status, 404)

    // A share with a condition is confirmed by a check.
    t.is((await post(ben, `${path}/shares`, { ...share, from: '2020-01-31' })).status, 303)
    await waitUntil(() => isListed(eve, title))
    const confirmed = await get(eve)
    t.is(confirmed.count, '1 document, not counting those with a condition')
    t.regex(confirmed.body, /Launch plan<\/a>\s*<small class="badge"/)
    t.is((await post(ben, `${path}/shares`, { ...share, from: '2999-01-31' })).status, 303)
    t.true((await get(ben, path)).body.includes('31 Jan 2999'))
    t.false(await isListed(eve, title))
    t.is((await get(eve)).count, '1 document')

    // Requests that no page makes.
    const anonymous = await fetch(url)
    t.is(anonymous.status, 200)
    t.true((await anonymous.text()).includes('Choose a person'))
    t.true((await get('mallory@example.com')).body.includes('Choose a person'))
    t.is((await get('mallory@example.com', path)).status, 401)
    t.is((await post(ben, '/person', { person: 'mallory@example.com' })).status, 422)
    for (const wrong of ['', ' ', 'a'.repeat(201), 'a\0b'])
      t.is((await post(ben, '/documents', { title: wrong })).status, 422)
    t.is((await post(ben, '/documents', { title: 'a'.repeat(20_000) })).status, 413)
    for (const wrong of [{ email: 'mallory@example.com' }, { permission: 'own' }, { from: 'soon' }])
      t.is((await post(ben, `${path}/shares`, { ...share, ...wrong })).status, 422)
    t.is((await post(ben, `${path}/shares`, { ...share, from: '2020-13-31' })).status, 422)
    t.is((await get(ben, '/documents/roadmap')).status, 404)
    const { host } = new URL(url)
    const forged = { title: 'Forged' }
    for (const headers of [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://${host}`, 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ])
      t.is((await post(ben, '/documents', forged, headers)).status, 403)
    t.is((await post(ben, '/person', { person: ann }, { origin: `http://${host}` })).status, 303)

    // Without daikon there is no list, rather than an empty or outdated one.
    await proxy.cut()
    outage.isExpected = true
    const offline = await get(eve)
    t.is(offline.status, 503)
    t.regex(offline.body, /Permissions cannot be checked right now/)
    t.deepEqual(offline.titles, [])
    t.is((await get(ben, path)).status, 503)
    t.is((await post(ben, '/documents', forged)).status, 503)
    await proxy.open()
    await waitUntil(async () => (await get(eve)).status === 200)
    t.is((await get(eve)).count, '1 document')
    const { rowCount } = await pool.query(`select from documents where title = 'Forged'`)
    t.is(rowCount, 0)
    await create(eve, 'Written afterwards')
  },
)

const browserTest = hasBrowser ? test.serial : test.skip
if (!hasBrowser)
  console.info('Chromium is not installed: the pages of document-list are not tested')

browserTest('examples/document-list works in a browser, also on a phone', async (t) => {
  t.timeout(600_000)
  const { url } = await startWorld(t, { documents: many })
  const browser = await launchBrowser()
  t.teardown(() => browser.close())
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  prepareContext(context)
  const page = await context.newPage()
  // What the policy of the pages blocks is an error, too.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico'))
      t.fail(message.text())
  })
  await page.goto(url)
  await capture(page, 'people')
  await page.getByRole('button', { name: /^Ben/ }).click()
  await page.getByLabel('Title of a new document').fill('Ideas for the offsite')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('link', { name: 'Ideas for the offsite' }).waitFor()
  await capture(page, 'list')

  await page.getByRole('link', { name: 'Ideas for the offsite' }).click()
  await page.getByRole('combobox', { name: 'Person' }).selectOption('Eve')
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('button', { name: 'Revoke' }).waitFor()
  await page.getByRole('combobox', { name: 'Person' }).selectOption('Eve')
  await page.getByLabel('From').fill('2020-01-31')
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByText('from 31 Jan 2020').waitFor()
  await capture(page, 'document')

  await page.getByRole('button', { name: 'Eve' }).click()
  await page.getByText('Ideas for the offsite').waitFor()
  await page.getByText('condition', { exact: true }).first().waitFor()
  await capture(page, 'conditions')
  await page.getByRole('link', { name: 'Ideas for the offsite' }).click()
  await page.getByText('You may view this document').waitFor()
  await capture(page, 'viewer')

  await page.getByRole('button', { name: 'Ann' }).click()
  await page.getByRole('link', { name: 'Title' }).click()
  await page.getByLabel('Search titles').fill('meeting')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('documents with “meeting”').waitFor()
  await page.getByRole('link', { name: 'Next' }).click()
  await page.getByText('Page 2').waitFor()
  // The order and the search are kept.
  t.deepEqual(
    [...new URL(page.url()).searchParams],
    [
      ['sort', 'title'],
      ['q', 'meeting'],
      ['page', '2'],
    ],
  )
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await capture(page, 'search')
  await page.goto(`${url}/?q=zzz`)
  await page.getByText('No title contains “zzz”').waitFor()
  await capture(page, 'nothing')
  await page.goto(`${url}/?sort=title`)
  await page.setViewportSize({ width: 360, height: 720 })
  await page.waitForFunction('document.documentElement.scrollWidth === 360')
})

/** Saves screenshots in light mode and in dark mode, also at the width of a phone. */
async function capture(page: Page, name: string): Promise<void> {
  if (!SCREENSHOTS) return
  const size = page.viewportSize() ?? { width: 1280, height: 800 }
  for (const width of [size.width, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: size.height })
      await page.emulateMedia({ colorScheme })
      await page.screenshot({
        path: join(SCREENSHOTS, `example-${name}-${width}-${colorScheme}.png`),
      })
    }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(size)
}
