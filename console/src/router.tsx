import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { LoginPage } from './session/login-page.tsx'
import { SignedInPage } from './session/signed-in-page.tsx'
import { hasFeature } from './settings.ts'
import { NotFoundPage } from './shell/not-found-page.tsx'
import { RouteError } from './shell/route-error.tsx'
import { Shell } from './shell/shell.tsx'
import { ConfirmProvider } from './ui/confirm.tsx'
import { Deferred } from './ui/deferred.tsx'
import { pageSearch, readSearch } from './ui/search-params.ts'
import { PageSkeleton } from './ui/states.tsx'

type Screens = Record<string, () => ReactNode>

/**
 * Creates a screen whose code is loaded when it is opened. It renders in the background, so that
 * the click on its link takes effect immediately. After going back, it renders immediately, so that
 * the browser can restore the scroll position.
 */
function screen(load: () => Promise<Screens>, name: string): RouteComponent {
  const Content = lazyRouteComponent<Screens, string>(() => load().catch(rejectModule), name)
  function Screen() {
    return (
      <Deferred fallback={<PageSkeleton />} isUrgent={isTraversal}>
        <Content />
      </Deferred>
    )
  }
  return Object.assign(Screen, { preload: () => Content.preload?.() }) as RouteComponent
}

/**
 * Rejects with an error that the router does not know. For the browser's own error, it would reload the page
 * at once, although the server may be unavailable. `RouteError` reloads it when the server is back.
 */
function rejectModule(cause: unknown): never {
  throw new Error('The module of the screen cannot be loaded', { cause })
}

/** Returns the screen of a feature, or the page for addresses that do not exist if the server lacks it. */
function screenOf(feature: Parameters<typeof hasFeature>[0], component: RouteComponent) {
  return hasFeature(feature) ? component : () => <NotFoundPage />
}

function NotFoundRoute() {
  return (
    <Shell>
      <NotFoundPage />
    </Shell>
  )
}

function Root() {
  return (
    <ConfirmProvider>
      <Outlet />
    </ConfirmProvider>
  )
}

const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFoundRoute })

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  component: LoginPage,
  validateSearch: readSearch({ error: 'text', error_description: 'text' }),
})

const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signed-in',
  component: SignedInPage,
})

/** Reads the parameters of the page of a workspace, in both consoles. */
const readWorkspaceSearch = readSearch({
  ...pageSearch,
  tab: 'text',
  role: 'text',
  group: 'text',
  account: 'text',
  connection: 'text',
  person: 'text',
  agent: 'text',
})

/** The workspace console, and the callback of its sign-in. */
const workspaceConsoleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/w/$slug',
  component: screen(() => import('./workspace-console/workspace-console.tsx'), 'WorkspaceConsole'),
  validateSearch: readWorkspaceSearch,
})

const shellRoute = createRoute({ getParentRoute: () => rootRoute, id: 'shell', component: Shell })

const overviewRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  component: screen(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
})

const peopleRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/people',
  component: screen(() => import('./people/people-page.tsx'), 'PeoplePage'),
  validateSearch: readSearch({ ...pageSearch, status: 'text', administrators: 'flag' }),
})

const personRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/people/$userId',
  component: screen(() => import('./people/person-page.tsx'), 'PersonPage'),
  validateSearch: readSearch({
    tab: 'text',
    permission_id: 'text',
    action: 'text',
    context: 'text',
  }),
})

const workspacesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/workspaces',
  component: screen(() => import('./workspaces/workspaces-page.tsx'), 'WorkspacesPage'),
  validateSearch: readSearch(pageSearch),
})

const workspaceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/workspaces/$workspaceId',
  component: screen(() => import('./workspaces/workspace-page.tsx'), 'WorkspacePage'),
  validateSearch: readWorkspaceSearch,
})

const resourcesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/resources',
  component: screen(() => import('./resources/resources-page.tsx'), 'ResourcesPage'),
  validateSearch: readSearch({
    page: 'number',
    workspace_id: 'text',
    service_name: 'text',
    resource_type: 'text',
    external_id: 'text',
    visibility: 'text',
  }),
})

const resourceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/resources/$permissionId',
  component: screen(() => import('./resources/resource-page.tsx'), 'ResourcePage'),
  validateSearch: readSearch({ tab: 'text', user_id: 'text', action: 'text', context: 'text' }),
})

const serviceAppsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/service-apps',
  component: screen(() => import('./apps/service-apps-page.tsx'), 'ServiceAppsPage'),
})

const serviceAppRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/service-apps/$appId',
  component: screen(() => import('./apps/service-app-page.tsx'), 'ServiceAppPage'),
})

const clientAppsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/client-apps',
  component: screen(() => import('./apps/client-apps-page.tsx'), 'ClientAppsPage'),
})

const clientAppRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/client-apps/$appId',
  component: screen(() => import('./apps/client-app-page.tsx'), 'ClientAppPage'),
})

const managementAppsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/management-apps',
  component: screen(() => import('./apps/management-apps-page.tsx'), 'ManagementAppsPage'),
})

const managementAppRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/management-apps/$appId',
  component: screen(() => import('./apps/management-app-page.tsx'), 'ManagementAppPage'),
})

const connectedAppsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/connected-apps',
  component: screenOf(
    'consent',
    screen(() => import('./grants/grants-page.tsx'), 'GrantsPage'),
  ),
  validateSearch: readSearch({
    page: 'number',
    client_id: 'text',
    host: 'text',
    user_id: 'text',
    workspace_id: 'text',
    resource: 'text',
  }),
})

const delegationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/delegations',
  component: screenOf(
    'delegations',
    screen(() => import('./delegations/delegations-page.tsx'), 'DelegationsPage'),
  ),
  validateSearch: readSearch({
    page: 'number',
    user_id: 'text',
    agent_id: 'text',
    workspace_id: 'text',
  }),
})

const webhooksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks',
  component: screenOf(
    'webhooks',
    screen(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  ),
})

const webhookRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks/$webhookId',
  component: screenOf(
    'webhooks',
    screen(() => import('./webhooks/webhook-page.tsx'), 'WebhookPage'),
  ),
})

const activityRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/activity',
  component: screen(() => import('./activity/activity-page.tsx'), 'ActivityPage'),
  validateSearch: readSearch({
    action: 'text',
    target_type: 'text',
    actor_id: 'text',
    agent_id: 'text',
    target_id: 'text',
    workspace_id: 'text',
    since: 'text',
    until: 'text',
    entry: 'text',
  }),
})

const importRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/import',
  component: screenOf(
    'csv-import',
    screen(() => import('./import/import-page.tsx'), 'ImportPage'),
  ),
})

const routeTree = rootRoute.addChildren([
  loginRoute,
  signedInRoute,
  workspaceConsoleRoute,
  shellRoute.addChildren([
    overviewRoute,
    peopleRoute,
    personRoute,
    workspacesRoute,
    workspaceRoute,
    resourcesRoute,
    resourceRoute,
    serviceAppsRoute,
    serviceAppRoute,
    clientAppsRoute,
    clientAppRoute,
    managementAppsRoute,
    managementAppRoute,
    connectedAppsRoute,
    delegationsRoute,
    webhooksRoute,
    webhookRoute,
    activityRoute,
    importRoute,
  ]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: RouteError,
  scrollRestoration: true,
})

/** Whether the browser reached the current address by going back or forward. */
let isTraversal = false
router.history.subscribe(({ action }) => {
  isTraversal = action.type !== 'PUSH' && action.type !== 'REPLACE'
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
