import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
test.after.always(() => environment.stop())

const viewDocument = { path: '/documents/{id}', action: 'view', resource_type: 'document' }

/** Creates a fixture with functions that replace and list the routes of its service. */
async function createRoutesFixture(transport: Transport) {
  const { service: service_name, key } = await createWorkspaceFixture(environment, transport)
  const call = (method: string, message: object, credentials: object = { key }) =>
    transport.call(method, { service_name, ...message }, credentials)
  // The client library for gRPC requires lists.
  const put = (...routes: object[]) =>
    call('PutRoutes', { routes: routes.map((route) => ({ methods: [], ...route })) })
  return {
    service_name,
    put,
    call,
    list: async () => expectOk(await call('ListRoutes', {})).routes as object[],
    problems: async (...routes: object[]) => {
      const { code, violations } = expectError(await put(...routes))
      return [code, ...violations.map(({ field, message }) => `${field} ${message}`)]
    },
    activity: async () => {
      const { rows } = await pool.query<{ id: string }>(
        'select id from service_routes where service_name = $1',
        [service_name],
      )
      return listActivity(pool, rows[0]?.id as string)
    },
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a service replaces and lists its routes ${over}`, async (t) => {
    const { put, list, service_name } = await createRoutesFixture(transport)
    t.deepEqual(await list(), [])
    const routes = [
      { methods: ['GET', 'HEAD'], path: '/', allow: 'anyone' },
      { methods: ['GET'], ...viewDocument },
      { path: '/files/{path=**}', action: 'edit', resource_type: 'file', resource_id: '{path}' },
    ]
    const first = expectOk(await put(...routes))
    t.is(first.service_name, service_name)
    t.deepEqual(first.routes, await list())
    t.like(first.routes[0], routes[0] as object)
    t.like(first.routes[1], { ...routes[1], resource_id: '{id}' })
    t.like(first.routes[2], { methods: [], ...routes[2] })
    expectOk(await put(viewDocument))
    t.is((await list()).length, 1)
    expectOk(await put())
    t.deepEqual(await list(), [])
  })

  test(`risky routes are accepted with warnings ${over}`, async (t) => {
    const { put, call } = await createRoutesFixture(transport)
    const admin = { path: '/admin/{id}', action: 'manage', resource_type: 'page' }
    const { warnings } = expectOk(
      await put(
        viewDocument,
        admin,
        { path: '/Documents', allow: 'anyone' },
        {
          path: '/{path=**}',
          allow: 'anyone',
        },
      ),
    )
    const advice =
      'an application that ignores case, such as Express by default, serves the same page for both'
    t.deepEqual(warnings, [
      {
        field: 'routes[2].path',
        message: `begins like the path of routes[0] except for case; ${advice}`,
      },
      {
        field: 'routes[3].path',
        message: `also matches paths of routes[0] in another case, without what that one requires; ${advice}`,
      },
    ])
    t.deepEqual(expectOk(await call('ListRoutes', {})).warnings, warnings)
    t.deepEqual(expectOk(await put(viewDocument, admin)).warnings, [])
  })

  test(`every problem of every route is named, and nothing is replaced ${over}`, async (t) => {
    const { put, list, problems, service_name } = await createRoutesFixture(transport)
    await seed.serviceAction(service_name, 'publish')
    expectOk(await put({ ...viewDocument, action: 'publish' }))
    const before = await list()
    const rule = { action: 'view', resource_type: 'document', resource_id: 'd1' }
    t.deepEqual(
      await problems(
        viewDocument,
        { ...viewDocument, action: 'archive' },
        { path: '/x', allow: 'anyone', action: 'view' },
        { path: '/y' },
        { path: '/z/{id}', action: 'view' },
        { path: '/z/{a}', resource_type: 'document' },
        { path: '/{name}', action: 'view', resource_type: 'document' },
        { path: '/{a}/{b}', ...rule, resource_id: '{a}-{b}' },
        { path: '/{a}/{c}', ...rule, resource_id: '{a}/{d}' },
        { path: '/q/{a}', ...rule, resource_id: '{a' },
        { path: 'documents', allow: 'anyone' },
      ),
      [
        'invalid_argument',
        `routes[1].action is not an action that ${service_name} has registered`,
        'routes[1].path has the same methods and path as routes[0]',
        'routes[2].action must not be combined with allow',
        'routes[3].allow is required, or action and resource_type',
        'routes[4].resource_type is required with action',
        'routes[5].action is required with resource_type',
        'routes[5].resource_id is required, because the path has no variable {id}',
        'routes[5].path has the same methods and path as routes[4]',
        'routes[6].resource_id is required, because the path has no variable {id}',
        'routes[7].resource_id must separate variables with a slash, which their values cannot contain',
        'routes[8].resource_id must not contain {d}, which is not a variable of the path',
        'routes[8].path has the same methods and path as routes[7]',
        'routes[9].resource_id must contain braces only around variables, such as {id}',
        'routes[10].path must begin with a slash',
      ],
    )
    t.deepEqual(await list(), before)
  })

  test(`paths that could be read in two ways cannot be routes ${over}`, async (t) => {
    const { problems } = await createRoutesFixture(transport)
    const paths = {
      '/a/': 'must not contain empty segments, such as after a slash at the end',
      '//': 'must not contain empty segments, such as after a slash at the end',
      '/a/../b': 'must not contain dot segments, semicolons, backslashes or control characters',
      '/a;b': 'must not contain dot segments, semicolons, backslashes or control characters',
      '/a\\b': 'must not contain dot segments, semicolons, backslashes or control characters',
      '/a%20b': 'must not be percent-encoded',
      '/a?b=c': 'must not contain ? or #',
      '/a{b}':
        'must contain variables only as whole segments, such as {id} or, at the end, {path=**}',
      '/{a=*}':
        'must contain variables only as whole segments, such as {id} or, at the end, {path=**}',
      '/{a}/{a}': 'must not contain the variable {a} twice',
      '/{a=**}/b': 'must not contain segments after a variable such as {path=**}',
      [`/${'a'.repeat(1000)}`]: 'must be at most 1000 characters long',
    }
    for (const [path, message] of Object.entries(paths)) {
      t.deepEqual(await problems({ path, allow: 'anyone' }), [
        'invalid_argument',
        `routes[0].path ${message}`,
      ])
    }
  })

  test(`at most 500 routes with at most 20 methods are accepted ${over}`, async (t) => {
    const { put, problems, list } = await createRoutesFixture(transport)
    const routes = Array.from({ length: 501 }, (_, i) => ({ path: `/${i}`, allow: 'anyone' }))
    t.deepEqual(await problems(...routes), [
      'invalid_argument',
      'routes must contain at most 500 items',
    ])
    expectOk(await put(...routes.slice(1)))
    t.is((await list()).length, 500)
    t.deepEqual(await problems({ path: '/', methods: ['get'], allow: 'all' }), [
      'invalid_argument',
      'routes[0].methods[0] must match ^[A-Z][A-Z-]*$',
      'routes[0].allow must be one of anyone, authenticated',
    ])
  })

  test(`changes of routes are recorded, repetitions are not ${over}`, async (t) => {
    const { put, activity, service_name } = await createRoutesFixture(transport)
    expectOk(await put(viewDocument, { methods: ['GET'], path: '/', allow: 'anyone' }))
    expectOk(await put(viewDocument, { methods: ['GET'], path: '/', allow: 'anyone' }))
    expectOk(await put(viewDocument))
    const common = {
      action: 'service_routes.replaced',
      target_type: 'service_routes',
      actor_id: null,
      workspace_id: null,
    }
    const view = '* /documents/{id}: view document {id}'
    t.deepEqual(await activity(), [
      {
        ...common,
        detail: { service_name, routes: '2', added: `${view}\nGET /: anyone`, removed: 'none' },
      },
      { ...common, detail: { service_name, routes: '1', added: 'none', removed: 'GET /: anyone' } },
    ])
  })

  test(`a service key gives access to the routes of its own service only ${over}`, async (t) => {
    const { call } = await createRoutesFixture(transport)
    const { service_name } = await createRoutesFixture(transport)
    const routes = [{ methods: [], path: '/', allow: 'anyone' }]
    for (const outcome of [
      await call('PutRoutes', { service_name, routes }),
      await call('ListRoutes', { service_name }),
    ])
      t.is(expectError(outcome).reason, 'OTHER_SERVICE')
    for (const method of ['PutRoutes', 'ListRoutes'])
      t.is(expectError(await call(method, { routes }, {})).reason, 'SERVICE_KEY_MISSING')
  })
}
