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
import { NotFoundPage } from './shell/not-found-page.tsx'
import { RouteError } from './shell/route-error.tsx'
import { Shell } from './shell/shell.tsx'
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
  const Content = lazyRouteComponent<Screens, string>(load, name)
  function Screen() {
    return (
      <Deferred fallback={<PageSkeleton />} isUrgent={isTraversal}>
        <Content />
      </Deferred>
    )
  }
  return Object.assign(Screen, { preload: () => Content.preload?.() }) as RouteComponent
}

function NotFoundRoute() {
  return (
    <Shell>
      <NotFoundPage />
    </Shell>
  )
}

const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: NotFoundRoute })

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  component: LoginPage,
  validateSearch: readSearch({ error_description: 'text' }),
})

const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signed-in',
  component: SignedInPage,
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
  validateSearch: readSearch({ tab: 'text' }),
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
  validateSearch: readSearch({ tab: 'text', q: 'text', group: 'text' }),
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
  validateSearch: readSearch({ tab: 'text', user_id: 'text', action: 'text' }),
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

const activityRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/activity',
  component: screen(() => import('./activity/activity-page.tsx'), 'ActivityPage'),
  validateSearch: readSearch({
    action: 'text',
    target_type: 'text',
    actor_id: 'text',
    target_id: 'text',
    workspace_id: 'text',
    since: 'text',
    until: 'text',
  }),
})

const importRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/import',
  component: screen(() => import('./import/import-page.tsx'), 'ImportPage'),
})

const routeTree = rootRoute.addChildren([
  loginRoute,
  signedInRoute,
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
