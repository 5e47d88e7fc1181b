import test from 'ava'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import { navigate, startConsole } from '../support/console.ts'
import { createSampleData, type SampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'

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
  'workspace-service-accounts': {
    path: ({ workspaceId, serviceAccountId }) =>
      `/workspaces/${workspaceId}?tab=service-accounts&account=${serviceAccountId}`,
    loaded: 'API keys',
  },
  resources: { path: () => '/resources', loaded: 'roadmap-2027' },
  resource: {
    path: ({ resourceId }) => `/resources/${resourceId}`,
    loaded: 'Shared with the group',
  },
  'resource-why': {
    path: ({ resourceId, userId }) => `/resources/${resourceId}?user_id=${userId}&action=edit`,
    loaded: 'may not edit',
  },
  'service-apps': { path: () => '/service-apps', loaded: 'Invoices' },
  'service-app': {
    path: ({ serviceAppId }) => `/service-apps/${serviceAppId}`,
    loaded: 'Sorts documents',
  },
  'client-apps': { path: () => '/client-apps', loaded: 'Invoices' },
  'client-app': { path: ({ clientAppId }) => `/client-apps/${clientAppId}`, loaded: 'Client ID' },
  'management-apps': { path: () => '/management-apps', loaded: 'Deployment' },
  'management-app': {
    path: ({ managementAppId }) => `/management-apps/${managementAppId}`,
    loaded: 'What the app did',
  },
  'connected-apps-empty': { path: () => '/connected-apps', loaded: 'No connected apps yet' },
  webhooks: { path: () => '/webhooks', loaded: 'Search index' },
  webhook: { path: ({ webhookId }) => `/webhooks/${webhookId}`, loaded: '202' },
  activity: { path: () => '/activity', loaded: 'Resource shared' },
  import: { path: () => '/import', loaded: 'Drop a CSV file here' },
  'not-found': { path: () => '/no/such/page', loaded: 'This page does not exist' },
}

if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const page = await fixture.openPage('/')
  await page.getByText('Largest workspaces').waitFor()
  await loadAxe(page)
  test.after.always(() => fixture.stop())

  for (const [name, { path, loaded }] of Object.entries(screens)) {
    test.serial(
      `${name} is accessible in light and dark mode and fits a narrow screen`,
      async (t) => {
        await openScreen(page, path(data), loaded)
        await page.locator('[aria-label="Loading"]:visible').first().waitFor({ state: 'detached' })
        t.is(await page.getByRole('heading', { level: 1 }).count(), 1)
        t.deepEqual(await inspectPage(page, name), [])
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
