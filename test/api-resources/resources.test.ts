import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const environment = await startTestEnvironment({ DEBUG: false })
const debugging = await environment.addNode({ DEBUG: true })
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const origin = () => `https://${randomUUID()}.example.com`
const read = { name: 'documents:read', description: 'Read your documents' }
const write = { name: 'documents:write', description: 'Change your documents' }
const resource = (uri: string, ...scopes: object[]) => ({ uri, name: 'Documents', scopes })

const create = (transport: Transport, ...api_resources: object[]) =>
  admin.call(transport, 'CreateServiceApp', { name: 'Docs', service_name: 'docs', api_resources })

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const update = (service_app_id: string, message: object) =>
    admin.call(transport, 'UpdateServiceApp', { service_app_id, ...message })
  const get = async (service_app_id: string) =>
    expectOk(await admin.call(transport, 'GetServiceApp', { service_app_id }))

  test(`a service app has API resources, in the order of the request ${over}`, async (t) => {
    const [one, two] = [resource(`${origin()}/b`, read, write), resource(origin(), read)]
    const created = expectOk(await create(transport, one, two))
    t.deepEqual(created.api_resources, [one, two])
    const app = await get(created.id)
    t.deepEqual(app.api_resources, [one, two])
    const listed = expectOk(await admin.call(transport, 'ListServiceApps'))
    const apps: Record<string, unknown>[] = listed.service_apps ?? listed
    t.deepEqual(apps.find(({ id }) => id === created.id)?.api_resources, [one, two])

    const renamed = { ...two, name: 'Papers', scopes: [write] }
    const updated = expectOk(await update(created.id, { api_resources: [renamed, one] }))
    t.deepEqual(updated.api_resources, [renamed, one])
    t.not(updated.etag, app.etag)
    t.is(expectError(await update(created.id, { name: 'x', if_match: app.etag })).code, 'aborted')
    t.deepEqual(expectOk(await update(created.id, { name: 'x' })).api_resources, [renamed, one])
    const removed = expectOk(await update(created.id, { remove_api_resources: true }))
    t.deepEqual(removed.api_resources, [])
  })

  test(`an origin is one resource with and without a slash, all else is text ${over}`, async (t) => {
    const host = origin()
    const uris = [`${host}/`, `${host}/mcp`, `${host}/mcp/`, `${host}/MCP`]
    const app = expectOk(await create(transport, ...uris.map((uri) => resource(uri, read))))
    const stored = app.api_resources.map(({ uri }: { uri: string }) => uri)
    t.deepEqual(stored, [host, ...uris.slice(1)])
    const twice = expectError(await create(transport, resource(host, read)))
    t.is(twice.code, 'already_exists')
    t.is(twice.reason, 'API_RESOURCE_EXISTS')
    t.true(twice.detail.endsWith(host))
    const other = expectOk(await create(transport))
    const moved = await update(other.id, { api_resources: [resource(`${host}/mcp/`, read)] })
    t.is(expectError(moved).code, 'already_exists')
    // It is free again once its app is deleted.
    const deleted = { service_app_id: app.id, force: true }
    expectOk(await admin.call(transport, 'DeleteServiceApp', deleted))
    expectOk(await update(other.id, { api_resources: [resource(`${host}/mcp/`, read)] }))
  })

  test(`each rule that a resource breaks is named with its field ${over}`, async (t) => {
    const violationsOf = async (...resources: object[]) =>
      expectError(await create(transport, ...resources)).violations.map(({ field }) => field)
    const host = origin()
    const refused = [
      ...['docs', '/docs', 'urn:docs', 'ftp://example.com', 'http://example.com/', 'https://'],
      ...[`${host}/?a=b`, `${host}/#a`, `${host}/?`, `${host}/#`, 'https://ann@example.com/'],
      ...['http://localhost:3000/mcp', `${host}/a b`, `${host}\\mcp`, `${host}/${'a'.repeat(500)}`],
    ]
    for (const uri of refused)
      t.deepEqual(await violationsOf(resource(uri, read)), ['api_resources[0].uri'], uri)
    t.deepEqual(await violationsOf(resource(host, read), resource(`${host}/`, read)), [
      'api_resources[1].uri',
    ])
    const named = (name: string) => ({ ...read, name })
    for (const name of ['', 'a b', 'a"b', 'a\\b', 'ä', 'a'.repeat(65), 'openid', 'offline_access'])
      t.deepEqual(await violationsOf(resource(host, named(name))), [
        'api_resources[0].scopes[0].name',
      ])
    t.deepEqual(await violationsOf(resource(host, read, write, read)), [
      'api_resources[0].scopes[2].name',
    ])
    const described = (description: string) => resource(host, { ...read, description })
    for (const text of ['', 'a'.repeat(201), 'a\nb'])
      t.deepEqual(await violationsOf(described(text)), ['api_resources[0].scopes[0].description'])
    t.deepEqual(await violationsOf({ ...resource(host), name: '' }), ['api_resources[0].name'])
    const scopes = Array.from({ length: 51 }, (_, index) => named(`s${index}`))
    // Over gRPC, long lists are counted before they are decoded.
    const [tooMany] = await violationsOf(resource(host, ...scopes))
    t.regex(tooMany ?? '', /scopes$/)
    const many = Array.from({ length: 21 }, () => resource(origin(), read))
    t.deepEqual(await violationsOf(...many), ['api_resources'])
    expectOk(await create(transport, resource(host, ...scopes.slice(1)), ...many.slice(2)))
  })

  test(`a change of resources is recorded, and none where nothing changes ${over}`, async (t) => {
    const [one, two] = [resource(origin(), read), resource(origin(), read, write)]
    const { id } = expectOk(await create(transport, one))
    expectOk(await update(id, { api_resources: [one] }))
    expectOk(await update(id, { api_resources: [two] }))
    const { rows } = await environment.pool.query(
      `select detail from activity where target_id = $1 and action = $2 order by id`,
      [id, 'service_app.resources_changed'],
    )
    const line = ({ uri }: { uri: string }, scopes: string) => `${uri} (Documents): ${scopes}`
    const names = { name: 'Docs', service_name: 'docs', resources: '1' }
    t.deepEqual(
      rows.map(({ detail }) => detail),
      [
        { ...names, added: line(one, 'documents:read'), removed: 'none' },
        {
          ...names,
          added: line(two, 'documents:read documents:write'),
          removed: line(one, 'documents:read'),
        },
      ],
    )
  })
}

for (const transport of debugging.transports)
  test(`http is allowed for this machine with DEBUG over ${transport.label}`, async (t) => {
    const uri = `http://localhost:3000/${randomUUID()}`
    expectOk(await create(transport, resource(uri, read)))
    const elsewhere = expectError(await create(transport, resource('http://example.com', read)))
    t.is(elsewhere.violations[0]?.field, 'api_resources[0].uri')
  })
