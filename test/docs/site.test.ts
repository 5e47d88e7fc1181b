import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import type { Page } from 'playwright-core'
import { startDocsSite } from '../../src/dev/docs-site.ts'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { readMethods, readStreams, readWatches } from '../../src/rpc/method.ts'
import { hasBrowser, openBrowserPage } from '../support/browser.ts'
import { loadAxe } from '../support/console-screens.ts'
import { waitUntil } from '../support/wait-until.ts'

const root = join(import.meta.dirname, '../..')
const folder = await mkdtemp(join(tmpdir(), 'daikon-site-'))
const dist = join(folder, 'dist')
const build = ['run', 'docs:build', '--', '--base', '/daikon/', '--outDir', dist]
await promisify(execFile)('npm', build, { cwd: root })
const server = await startDocsSite({ port: 0, folder: dist })
if (!server) throw new Error('The site is not part of the repository')
const site = `${server.url}/daikon`
test.after.always(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

test('the site has all pages of docs and the clients, and describes every method', (t) => {
  const pages = globSync(['docs/**/*.md', 'clients/*/README.md', 'CHANGELOG.md'], { cwd: root })
  const built = new Set(globSync('**/*.html', { cwd: dist }))
  for (const page of pages)
    t.true(built.has(page.replace(/README\.md$/, 'index.md').replace(/md$/, 'html')), page)
  for (const page of built)
    t.notRegex(readFileSync(join(dist, page), 'utf8'), /<th[^>]*><\/th>/, `${page}: empty heading`)
  const registry = readRegistry()
  const methods = [...readMethods(registry), ...readStreams(registry), ...readWatches(registry)]
  for (const { name } of methods) {
    const service = name.slice('daikon.v1.'.length, name.indexOf('/'))
    const reference = globSync(`reference/${service}*.html`, { cwd: dist })
    const described = reference.some((page) =>
      readFileSync(join(dist, page), 'utf8').includes(`<code>${name}</code>`),
    )
    t.true(described, name)
  }
})

test('npm run dev serves the site below the base path of the build', async (t) => {
  const home = await fetch(server.url)
  t.is(home.url, `${site}/`)
  t.regex(await home.text(), /Choose it if/)
  const missing = await fetch(`${site}/none.html`)
  t.is(missing.status, 404)
  await writeFile(join(folder, 'outside.html'), 'outside')
  t.is((await fetch(`${site}/..%2foutside.html`)).status, 404)
})

test('npm run dev says how to build the site', async (t) => {
  const empty = await startDocsSite({ port: 0, folder: join(folder, 'none') })
  t.teardown(() => empty?.close())
  const response = await fetch(empty?.url ?? '')
  t.is(response.status, 503)
  t.regex(await response.text(), /npm run docs:build/)
})

test('links to missing files and anchors fail the build', async (t) => {
  const { rewriteLinks, checkAnchors } = await import(join(root, 'site/.vitepress/links.ts'))
  const follow = (href: string) => {
    const attributes = { href }
    const link = {
      type: 'link_open',
      attrGet: () => attributes.href,
      attrSet: (_name: string, value: string) => Object.assign(attributes, { href: value }),
    }
    const state = { tokens: [{ children: [link] }], env: { path: join(root, 'docs/api.md') } }
    rewriteLinks({
      core: { ruler: { push: (_: string, rule: (s: object) => void) => rule(state) } },
    })
    return attributes.href
  }
  t.is(follow('../clients/go/README.md#errors'), '/clients/go/index.md#errors')
  t.is(follow('../clients/go'), '/clients/go/index.md')
  t.is(follow('../README.md'), '/start.md')
  t.is(follow('../proto'), 'https://github.com/daikon-auth/daikon/tree/main/proto')
  t.is(follow('https://example.com/'), 'https://example.com/')
  t.throws(() => follow('missing.md'), { message: 'docs/api.md: no file missing.md' })

  const outDir = join(folder, 'anchors')
  await mkdir(outDir)
  await writeFile(join(outDir, 'there.html'), '<h2 id="known"></h2>')
  const check = async (href: string) => {
    await writeFile(join(outDir, 'here.html'), `<a href="${href}"></a>`)
    checkAnchors({ outDir, site: { base: '/daikon/' } })
  }
  await t.notThrowsAsync(check('/daikon/there.html#known'))
  await t.throwsAsync(check('/daikon/there.html#unknown'), { message: /here\.html.*#unknown/ })
  await t.throwsAsync(check('#known'), { message: /here\.html.*#known/ })
})

if (hasBrowser) {
  for (const path of [
    '/',
    '/start.html',
    '/docs/permission-model.html',
    '/docs/applications.html',
    '/docs/configuration.html',
    '/clients/go/',
    '/reference/PermissionService.html',
  ]) {
    test.serial(`${path} is accessible, light and dark, and fits 360 pixels`, async (t) => {
      const page = await openBrowserPage(t)
      const otherHosts: string[] = []
      page.on('request', (request) => {
        if (!request.url().startsWith(`${site}/`)) otherHosts.push(request.url())
      })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.setViewportSize({ width: 1280, height: 860 })
        await page.goto(site + path)
        t.is(await page.locator('html.dark').count(), colorScheme === 'dark' ? 1 : 0)
        t.deepEqual(await findViolations(page), [], colorScheme)
        await page.setViewportSize({ width: 360, height: 740 })
        await waitUntil(async () => (await widthOf(page)) <= 360)
      }
      t.deepEqual(
        otherHosts.filter((url) => !url.startsWith('data:')),
        [],
      )
    })
  }

  test.serial('the search finds a method and leads to it', async (t) => {
    const page = await openBrowserPage(t)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto(`${site}/`)
    // Before Vue has taken over the page, its buttons do nothing.
    await page.waitForFunction(`'__vue_app__' in document.querySelector('#app')`)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill('CheckStream')
    await page
      .getByRole('option', { name: /Check permissions continuously/ })
      .first()
      .click()
    await page.waitForURL(/reference\/PermissionService\.html#check-permissions-continuously$/)
    await page.getByRole('heading', { name: 'Check permissions continuously' }).waitFor()
    t.pass()
  })
}

function widthOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth')
}

/** Returns what axe finds: the rules and the elements. */
async function findViolations(page: Page): Promise<string[]> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await loadAxe(page)
  return page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`)
}
