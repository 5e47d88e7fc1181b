import { randomUUID } from 'node:crypto'
import { threadCpuUsage } from 'node:process'
import test from 'ava'
import { expectError } from '../support/outcome.ts'
import { sendRawGrpc } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

const id = randomUUID()
const named = { service_name: 's', resource_type: 't' }
const item = { ...named, resource_id: id, action: 'view' }
const grant = { grantee_type: 'user', grantee_id: id, permission: 'view' }
const facts = { ...named, resource_id: id, workspace_id: id, owner_id: id }
const list = { ...named, action: 'view', workspace_id: id }

/** Invalid messages with the violations expected for each. */
const invalidRequests: [method: string, message: object, violations: Record<string, string>][] = [
  ['Check', { checks: [] }, { checks: 'must contain at least 1 item' }],
  [
    'Check',
    { checks: [item, item, item, { ...item, resource_id: 'x' }] },
    { 'checks[3].resource_id': 'must be a UUID' },
  ],
  [
    'Check',
    { checks: [{ service_name: '', resource_type: '', resource_id: '', action: '' }, item] },
    {
      'checks[0].service_name': 'is required',
      'checks[0].resource_type': 'is required',
      'checks[0].resource_id': 'is required',
      'checks[0].action': 'is required',
    },
  ],
  [
    'Check',
    {
      checks: [
        { ...item, action: 'a\u0000b' },
        { ...item, service_name: 'x'.repeat(201) },
      ],
    },
    {
      'checks[0].action': 'must not contain control characters',
      'checks[1].service_name': 'must be at most 200 characters long',
    },
  ],
  [
    'Check',
    { checks: Array(1001).fill({ ...item, action: '' }) },
    { checks: 'must contain at most 1000 items' },
  ],
  [
    'Accessible',
    { ...list, workspace_id: 'x', limit: 0, page_token: 'x'.repeat(101) },
    {
      workspace_id: 'must be a UUID',
      limit: 'must be at least 1',
      page_token: 'must be at most 100 characters long',
    },
  ],
  [
    'Accessible',
    { ...list, limit: 0, page_token: 'x' },
    { limit: 'must be at least 1', page_token: 'must be a page token from a previous response' },
  ],
  ['Accessible', { ...list, limit: 10_001 }, { limit: 'must be at most 10000' }],
  ['Accessible', { ...list, limit: -1 }, { limit: 'must be at least 1' }],
  [
    'Register',
    { ...facts, resource_id: 'x', owner_id: '', visibility: 'open' },
    {
      resource_id: 'must be a UUID',
      owner_id: 'is required',
      visibility: 'must be one of private, workspace, public',
    },
  ],
  [
    'Share',
    { ...grant, permission_id: 'x', grantee_type: 'role', grantee_id: 'y', permission: 'own' },
    {
      permission_id: 'must be a UUID',
      grantee_type: 'must be one of user, group',
      grantee_id: 'must be a UUID',
      permission: 'must be one of view, edit',
    },
  ],
  [
    'RevokeShare',
    { ...grant, permission_id: id, permission: 'own' },
    { permission: 'must be one of view, edit' },
  ],
  [
    'UpdateVisibility',
    { permission_id: 'x', visibility: 'Private' },
    { permission_id: 'must be a UUID', visibility: 'must be one of private, workspace, public' },
  ],
  [
    'GetResource',
    { ...named, resource_id: 'x'.repeat(256) },
    { resource_id: 'must be at most 255 characters long' },
  ],
  [
    'InviteMember',
    { workspace_id: 'x', email: 'ann', role: 'guest' },
    {
      workspace_id: 'must be a UUID',
      email: 'must be an e-mail address',
      role: 'must be one of owner, admin, editor, viewer',
    },
  ],
  ['CreateWorkspace', { name: '', slug: 'admin' }, { name: 'is required', slug: 'is reserved' }],
  ['Unregister', { permission_id: 'x' }, { permission_id: 'must be a UUID' }],
]

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  for (const [method, message, expected] of invalidRequests) {
    const fields = Object.keys(expected).join(', ')
    test(`${method} reports every violation: ${fields} in ${JSON.stringify(message).length} characters ${over}`, async (t) => {
      const { people, as } = await createWorkspaceFixture(environment, transport)
      const { code, violations } = expectError(
        await transport.call(method, message, as(people.owner)),
      )
      t.is(code, 'invalid_argument')
      const actual = violations.map(({ field, message }) => [
        field,
        message.replace(/^must match .*/, ''),
      ])
      // An empty enum value may be reported as required or as not one of the allowed values.
      for (const [field, message] of Object.entries(expected)) {
        const [, sentence] = actual.find(([name]) => name === field) ?? []
        if (message === 'is required') t.truthy(sentence, field)
        else t.is(sentence, message, field)
      }
      t.is(actual.length, Object.keys(expected).length)
    })
  }

  test(`only hyphenated UUIDs are accepted, in upper or lower case ${over}`, async (t) => {
    const { kind, people, as } = await createWorkspaceFixture(environment, transport)
    const hex = id.replaceAll('-', '')
    for (const resource_id of [
      hex,
      `{${id}}`,
      `urn:uuid:${id}`,
      `${id} `,
      ` ${id}`,
      `${id}\n`,
      id.slice(1),
      `${id}0`,
      id.replace(/^./, 'g'),
      id.replace('-', '_'),
      `${id},${id}`,
      'NULL',
      '0',
      '１'.repeat(36),
    ]) {
      const checks = [{ ...kind, resource_id, action: 'view' }]
      const outcome = await transport.call('Check', { checks }, as(people.owner))
      t.like(outcome, { ok: false, violations: [{ field: 'checks[0].resource_id' }] }, resource_id)
    }
  })

  test(`control characters and bidirectional overrides in a name return 422 ${over}`, async (t) => {
    const { service, people, as } = await createWorkspaceFixture(environment, transport)
    const control = [0, 1, 7, 9, 10, 13, 27, 31, 127, 128, 133, 159]
    const bidirectional = [0x200e, 0x200f, 0x202a, 0x202c, 0x202e, 0x2066, 0x2069]
    for (const code of bidirectional) {
      const name = `Ann${String.fromCharCode(code)}`
      const { token } = people.owner
      const outcome = await transport.call('UpdateMe', { name }, { token })
      t.like(outcome, { ok: false, violations: [{ field: 'name' }] })
    }
    for (const code of [...control, ...bidirectional]) {
      const resource_type = `a${String.fromCharCode(code)}b`
      const checks = [{ ...item, service_name: service, resource_type }]
      const outcome = await transport.call('Check', { checks }, as(people.owner))
      t.like(outcome, { ok: false, violations: [{ field: 'checks[0].resource_type' }] })
      const message = { service_name: service, resource_type, resource_id: id }
      const found = await transport.call('GetResource', message, as(people.owner))
      t.like(found, { ok: false, violations: [{ field: 'resource_type' }] })
    }
    // Characters outside the Basic Multilingual Plane count once each.
    const checks = [{ ...item, service_name: service, resource_type: '🦊'.repeat(200) }]
    t.true((await transport.call('Check', { checks }, as(people.owner))).ok)
  })

  test(`the violations of 1,000 invalid items are reported ${over}`, async (t) => {
    const { people, as } = await createWorkspaceFixture(environment, transport)
    const checks = Array(1000).fill({ ...item, resource_id: 'x', action: '\u0001' })
    const { code, violations } = expectError(
      await transport.call('Check', { checks }, as(people.owner)),
    )
    t.is(code, 'invalid_argument')
    t.deepEqual(
      violations
        .slice(0, 2)
        .map(({ field }) => field)
        .toSorted(),
      ['checks[0].action', 'checks[0].resource_id'],
    )
    if (transport.name === 'rest') t.is(violations.length, 2000)
  })

  test.serial(`strings of 200 kB are rejected quickly with 422 ${over}`, async (t) => {
    const { people, as } = await createWorkspaceFixture(environment, transport)
    const long = 'é'.repeat(100_000)
    // Other test files run in threads of the same process.
    const before = threadCpuUsage()
    for (const [method, message, field] of [
      ['Check', { checks: [{ ...item, action: long }] }, 'checks[0].action'],
      ['Check', { checks: [{ ...item, resource_id: long }] }, 'checks[0].resource_id'],
      ['Register', { ...facts, visibility: long }, 'visibility'],
      ['Share', { ...grant, permission_id: id, permission: long }, 'permission'],
      ['Accessible', { ...list, page_token: long }, 'page_token'],
    ] as const) {
      const outcome = await transport.call(method, message, as(people.owner))
      t.like(outcome, { ok: false, code: 'invalid_argument', violations: [{ field }] })
      t.true(JSON.stringify(outcome).length < 8192)
    }
    const { user } = threadCpuUsage(before)
    t.true(user < 15_000_000, `${user} µs`)
  })

  test(`unauthenticated callers get no validation errors ${over}`, async (t) => {
    const { key, people } = await createWorkspaceFixture(environment, transport)
    for (const [method, message] of invalidRequests) {
      const outcome = await transport.call(method, message)
      t.like(outcome, { ok: false, code: 'unauthenticated', violations: [] }, method)
    }
    for (const credentials of [{ key }, people.owner]) {
      const outcome = await transport.call('Check', { checks: [] }, credentials)
      t.like(outcome, { ok: false, code: 'unauthenticated', violations: [] })
    }
  })

  test(`a malformed request returns 422 before permissions are checked ${over}`, async (t) => {
    const { key, people } = await createWorkspaceFixture(environment, transport)
    const checks = [{ ...item, service_name: 'another', resource_id: 'x' }]
    const outcome = await transport.call('Check', { checks }, { key, token: people.viewer.token })
    t.like(outcome, { ok: false, code: 'invalid_argument' })
  })
}

test('gRPC trailers stay under 8 KiB for 1,000 invalid items', async (t) => {
  const [transport] = environment.transports
  if (!transport) return t.fail()
  const { key, people } = await createWorkspaceFixture(environment, transport)
  // 1,000 empty items (field 1, length 0), each with four violations.
  const bytes = Buffer.alloc(2000, Buffer.from([0x0a, 0]))
  const credentials = { authorization: `Bearer ${people.owner.token}`, 'x-service-key': key }
  const path = '/daikon.v1.PermissionService/Check'
  const { code, violations, trailerBytes } = await sendRawGrpc(
    environment.grpcPort,
    path,
    bytes,
    credentials,
  )
  t.is(code, 3)
  t.true(violations.length > 10)
  t.true(trailerBytes < 8192, String(trailerBytes))
})

test.after('no internal errors occurred', (t) => {
  t.deepEqual(environment.failures, [])
})
