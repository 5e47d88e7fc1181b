import test from 'ava'
import { findRouteWarnings } from '../../src/gateway/find-route-warnings.ts'
import type { Route, RouteRule } from '../../src/gateway/route.ts'

const anyone: RouteRule = { allow: 'anyone' }
const authenticated: RouteRule = { allow: 'authenticated' }
const advice =
  'an application that ignores case, such as Express by default, serves the same page for both'
const twin = `begins like the path of routes[0] except for case; ${advice}`
const bypass = `also matches paths of routes[0] in another case, without what that one requires; ${advice}`

function act(action: string, resourceId = '{id}'): RouteRule {
  return { action, resourceType: 'document', resourceId }
}

/** Returns the messages about the second route. */
function warn(first: [string, RouteRule, string[]?], second: [string, RouteRule, string[]?]) {
  const routes = [first, second].map(
    ([path, rule, methods = []]): Route => ({ methods, path, rule }),
  )
  const warnings = findRouteWarnings(routes)
  return warnings.map(({ field, message }) => (field === 'routes[1].path' ? message : field))
}

test('a path that is the beginning of another one except for case is risky', (t) => {
  const pairs = [
    ['/Documents', '/documents'],
    ['/documents', '/Documents/{id}'],
    ['/documents/{id}/Edit', '/documents/{name}/edit'],
    ['/documents/{id}', '/Documents/new'],
    ['/Files/{path=**}', '/files/a/b'],
    ['/größe', '/GRÖßE/{id}'],
  ] as [string, string][]
  for (const [a, b] of pairs) {
    t.deepEqual(warn([a, anyone], [b, act('view', 'd')]), [twin], `${a} ${b}`)
    t.deepEqual(warn([b, anyone], [a, act('view', 'd')]), [twin], `${b} ${a}`)
  }
})

test('paths are not compared further than their first difference beyond case', (t) => {
  const pairs = [
    ['/documents', '/documents/{id}'],
    ['/Documents/a', '/documents/b'],
    ['/documents', '/Documents2'],
    ['/files/a', '/Files2/{path=**}'],
    ['/', '/Documents'],
  ] as [string, string][]
  for (const [a, b] of pairs)
    t.deepEqual(warn([a, act('view', 'd')], [b, authenticated]), [], `${a} ${b}`)
})

test('routes with the same requirement, or without a common method, are not risky', (t) => {
  t.deepEqual(warn(['/Documents', anyone], ['/documents/{id}', anyone]), [])
  t.deepEqual(warn(['/Documents/{id}', act('view')], ['/documents/{id}', act('view')]), [])
  t.deepEqual(warn(['/Documents/{id}', act('view')], ['/documents/{id}', act('edit')]), [twin])
  t.deepEqual(warn(['/Documents', anyone, ['GET']], ['/documents', act('edit'), ['PUT']]), [])
  t.deepEqual(warn(['/admin', act('edit', 'd'), ['PUT']], ['/{path=**}', anyone, ['GET']]), [])
  t.deepEqual(warn(['/admin', act('edit', 'd'), ['PUT']], ['/{path=**}', anyone]), [bypass])
})

test('a catch-all after narrower routes that require more is risky', (t) => {
  const secret = act('manage', 'site')
  const pairs: [string, RouteRule, string, RouteRule][] = [
    ['/admin', secret, '/{path=**}', anyone],
    ['/admin/{id}', act('view'), '/{path=**}', anyone],
    ['/admin/{path=**}', authenticated, '/{path=**}', anyone],
    ['/admin', secret, '/{path=**}', authenticated],
    ['/admin', secret, '/{page}', anyone],
    ['/admin', secret, '/{path=**}', act('view', 'site')],
    ['/{id}/settings', act('manage'), '/{user}/{page}', anyone],
    ['/docs/1/Edit', secret, '/docs/1/{path=**}', anyone],
  ]
  for (const [narrower, required, path, rule] of pairs)
    t.deepEqual(warn([narrower, required], [path, rule]), [bypass], `${narrower} ${path}`)
})

test('what a catch-all does not let through is not risky', (t) => {
  const pairs: [string, RouteRule, string, RouteRule][] = [
    // Before the narrower route, which never applies.
    ['/{path=**}', anyone, '/admin', act('manage', 'site')],
    // The narrower route requires less.
    ['/public', anyone, '/{path=**}', authenticated],
    ['/account', authenticated, '/{id}', act('view')],
    // The ID of the resource has the other case, too.
    ['/documents/new', act('edit', 'all'), '/documents/{id}', act('view')],
    // Not the same paths.
    ['/admin/{path=**}', authenticated, '/{page}', anyone],
    ['/admin/{id}', authenticated, '/{page}', anyone],
    ['/admin', authenticated, '/{page}/{path=**}', anyone],
    ['/admin', authenticated, '/files/{path=**}', anyone],
    // Without letters there is no other case.
    ['/2026/{id}', act('view'), '/{path=**}', anyone],
  ]
  for (const [narrower, required, path, rule] of pairs)
    t.deepEqual(warn([narrower, required], [path, rule]), [], `${narrower} ${path}`)
})

test('paths of more than 32 segments are not compared', (t) => {
  const path = '/a'.repeat(31)
  t.deepEqual(warn([`${path}/b`, act('view', 'd')], [`${path}/B`, anyone]), [twin])
  t.deepEqual(warn([`${path}/c/b`, act('view', 'd')], [`${path}/c/B`, anyone]), [])
  t.deepEqual(warn([`${path}/c/b`, act('view', 'd')], ['/{path=**}', anyone]), [])
})

test('a route has at most one warning of each kind, which names the first other route', (t) => {
  const routes = [
    { methods: [], path: '/', rule: anyone },
    { methods: [], path: '/admin/a', rule: authenticated },
    { methods: [], path: '/admin/b', rule: authenticated },
    { methods: [], path: '/Admin/{path=**}', rule: anyone },
    { methods: [], path: '/{path=**}', rule: anyone },
  ]
  t.deepEqual(findRouteWarnings(routes), [
    { field: 'routes[3].path', message: twin.replace('[0]', '[1]') },
    { field: 'routes[4].path', message: bypass.replace('[0]', '[1]') },
  ])
})
