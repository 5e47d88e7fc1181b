import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import { navigate, startConsole } from '../support/console.ts'
import { createSampleData, type SampleData } from '../support/console-data.ts'

/** The folder for pictures of the screens, set by `npm run console:pictures`. */
const pictures = process.env.CONSOLE_PICTURES

/** The screens by picture name, each with a text that appears once the screen has loaded. */
const screens: Record<string, { path: (data: SampleData) => string; loaded: string }> = {
  overview: { path: () => '/', loaded: 'Largest workspaces' },
  people: { path: () => '/people', loaded: 'Amara Nwosu' },
  'people-empty': { path: () => '/people?q=nobody-at-all', loaded: 'No people match' },
  person: { path: ({ userId }) => `/people/${userId}`, loaded: 'Linked accounts' },
  'person-memberships': {
    path: ({ userId }) => `/people/${userId}?tab=memberships`,
    loaded: 'Custom roles',
  },
  'person-sessions': { path: ({ userId }) => `/people/${userId}?tab=sessions`, loaded: 'Windows' },
  workspaces: { path: () => '/workspaces', loaded: 'Partner portal' },
  'workspace-members': {
    path: ({ workspaceId }) => `/workspaces/${workspaceId}`,
    loaded: 'Amara Nwosu',
  },
  'workspace-groups': {
    path: ({ workspaceId }) => `/workspaces/${workspaceId}?tab=groups`,
    loaded: 'Everyone who builds it',
  },
  'workspace-roles': {
    path: ({ workspaceId }) => `/workspaces/${workspaceId}?tab=roles`,
    loaded: 'Publish to the website',
  },
  resources: { path: () => '/resources', loaded: 'roadmap-2027' },
  resource: {
    path: ({ resourceId }) => `/resources/${resourceId}`,
    loaded: 'Shared with the group',
  },
  'resource-why': {
    path: ({ resourceId, userId }) => `/resources/${resourceId}?user_id=${userId}&action=edit`,
    loaded: 'may not edit it',
  },
  'service-apps': { path: () => '/service-apps', loaded: 'Invoices' },
  'service-app': { path: ({ serviceAppId }) => `/service-apps/${serviceAppId}`, loaded: 'dk_' },
  'client-apps': { path: () => '/client-apps', loaded: 'Invoices' },
  'client-app': { path: ({ clientAppId }) => `/client-apps/${clientAppId}`, loaded: 'Client ID' },
  activity: { path: () => '/activity', loaded: 'Resource shared' },
  import: { path: () => '/import', loaded: 'Drop a CSV file here' },
  'not-found': { path: () => '/no/such/page', loaded: 'This page does not exist' },
}

if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const page = await fixture.openPage('/')
  await page.getByText('Largest workspaces').waitFor()
  // The content security policy forbids adding script elements to the page, but not evaluate().
  await page.evaluate(axe.source)
  test.after.always(() => fixture.stop())

  for (const [name, { path, loaded }] of Object.entries(screens)) {
    test.serial(
      `${name} is accessible in light and dark mode and fits a narrow screen`,
      async (t) => {
        await openScreen(page, path(data), loaded)
        await page.locator('[aria-label="Loading"]:visible').first().waitFor({ state: 'detached' })
        t.is(await page.getByRole('heading', { level: 1 }).count(), 1)
        const violations: Record<string, string[]> = {}
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          violations[colorScheme] = await findViolations(page, colorScheme)
          await takePicture(page, `${name}-${colorScheme}`)
        }
        await page.emulateMedia({ colorScheme: 'light' })
        await page.setViewportSize({ width: 360, height: 740 })
        t.true((await readScrollWidth(page)) <= 360, 'the page scrolls sideways at 360 px')
        await takePicture(page, `${name}-narrow`)
        await page.setViewportSize({ width: 1280, height: 860 })
        t.deepEqual(violations, { light: [], dark: [] })
      },
    )
  }
}

/** Opens a screen after the previous screen has disappeared. */
async function openScreen(page: Page, path: string, loaded: string): Promise<void> {
  await navigate(page, '/no/screen')
  await page.getByText('This page does not exist').waitFor()
  await navigate(page, path)
  await page.getByText(loaded).first().waitFor()
}

/**
 * Returns the violations that axe finds: the rules and the elements. The dark scheme only changes
 * colors, so only contrast rules apply.
 */
async function findViolations(page: Page, scheme: 'light' | 'dark'): Promise<string[]> {
  const rules = scheme === 'dark' ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {}
  return page.evaluate(`(async () => {
    const options = { resultTypes: ['violations'], ...${JSON.stringify(rules)} }
    const { violations } = await axe.run(document, options)
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any: [check] }) => [id, html.slice(0, 200), check?.message].join(' | ')),
    )
  })()`)
}

function readScrollWidth(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth')
}

async function takePicture(page: Page, name: string): Promise<void> {
  if (!pictures) return
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
}
