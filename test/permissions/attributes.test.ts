import { randomUUID } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { applyMergePatch } from '../../src/core/merge-patch.ts'
import { findAttributesViolation } from '../../src/permissions/attribute-values.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome, Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a resource has the attributes that it is registered with ${over}`, async (t) => {
    const { register, people, readResource, kind, key, workspace } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const attributes = { department: 'legal', tags: ['a', { b: null }], amount: 12.5 }
    const record = await register(people.owner, { attributes })
    t.deepEqual(record.attributes, attributes)
    t.deepEqual((await readResource(record)).attributes, attributes)
    const plain = await register(people.owner)
    t.deepEqual(plain.attributes, {})
    t.deepEqual((await readResource(plain)).attributes, {})

    const item = { ...kind, workspace_id: workspace, owner_id: people.owner.id }
    const resources = [
      { ...item, resource_id: randomUUID(), attributes },
      { ...item, resource_id: record.resource_id, attributes: { department: 'sales' } },
      { ...item, resource_id: randomUUID() },
    ]
    const batch = expectOk(await transport.call('RegisterBatch', { resources }, { key }))
    // Registering again changes nothing.
    t.deepEqual(
      batch.resources.map((each: Record<string, unknown>) => each.attributes),
      [attributes, attributes, {}],
    )
  })

  test(`a merge patch changes attributes ${over}`, async (t) => {
    const { register, people, readResource, key, kind } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const record = await register(people.owner, {
      attributes: { department: 'legal', limits: { low: 1, high: 9 }, old: true },
    })
    const patch = async (reference: object, attributes: object) =>
      expectOk(await transport.call('UpdateAttributes', { ...reference, attributes }, { key }))
    const first = { department: 'sales', limits: { low: null, middle: 5 }, old: null }
    const expected = { department: 'sales', limits: { high: 9, middle: 5 } }
    const changed = await patch({ permission_id: record.id }, first)
    t.deepEqual(changed.attributes, expected)
    t.is(changed.id, record.id)
    t.deepEqual((await readResource(record)).attributes, expected)
    // By natural key. An unchanged member and one that does not exist are no change.
    const { resource_id } = record
    const unchanged = { department: 'sales', unknown: null }
    t.deepEqual((await patch({ ...kind, resource_id }, unchanged)).attributes, expected)
    const removal = { department: null, limits: null, added: [1] }
    t.deepEqual((await patch({ ...kind, resource_id }, removal)).attributes, { added: [1] })
    const message = { permission_id: record.id, attributes: { added: null } }
    t.deepEqual(expectOk(await admin.call(transport, 'UpdateAttributes', message)).attributes, {})
    t.deepEqual((await readResource(record)).attributes, {})
    const { rows } = await environment.pool.query(
      `select detail ->> 'changed' as changed from activity
       where target_id = $1 and action = 'permission.attributes_changed' order by id`,
      [record.id],
    )
    t.deepEqual(
      rows.map(({ changed }) => changed),
      ['department, limits, old', 'added, department, limits', 'added'],
    )
  })

  test(`with a token, changing attributes takes manage ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, register, key, readResource } = fixture
    const record = await register(people.editor)
    const patch = (credentials: object) =>
      transport.call(
        'UpdateAttributes',
        { permission_id: record.id, attributes: { open: true } },
        credentials,
      )
    t.is(expectError(await patch(fixture.as(people.viewer))).reason, 'NOT_THE_OWNER')
    t.deepEqual((await readResource(record)).attributes, {})
    for (const person of [people.editor, people.admin]) expectOk(await patch(fixture.as(person)))
    const other = await createWorkspaceFixture(environment, transport)
    t.is(expectError(await patch({ key: other.key })).code, 'not_found')
    t.is(expectError(await patch({ token: other.people.owner.token, key })).code, 'not_found')
    t.is(expectError(await patch({})).code, 'unauthenticated')
  })

  test(`attributes have at most 4 KiB and 32 levels ${over}`, async (t) => {
    const { register, people, key, kind, workspace, readResource } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const record = await register(people.owner, { attributes: { a: 'x'.repeat(3000) } })
    const patch = (attributes: object) =>
      transport.call('UpdateAttributes', { permission_id: record.id, attributes }, { key })
    const registerWith = (attributes: object) => {
      const item = { ...kind, workspace_id: workspace, owner_id: people.owner.id }
      return transport.call('Register', { ...item, resource_id: randomUUID(), attributes }, { key })
    }
    // {"a":"…"} has 8 characters more than its text.
    expectOk(await registerWith({ a: 'x'.repeat(4096 - 8) }))
    const tooLarge = 'attributes must be at most 4096 bytes long as compact JSON'
    t.is(violation(await registerWith({ a: 'x'.repeat(4096 - 7) })), tooLarge)
    t.is(violation(await patch({ b: 'x'.repeat(1500) })), tooLarge)
    t.is(
      violation(await registerWith(nested(33))),
      'attributes must be nested at most 32 levels deep',
    )
    t.is(violation(await patch(nested(33))), 'attributes must be nested at most 32 levels deep')
    expectOk(await registerWith(nested(32)))
    t.is(violation(await patch({ a: '\0' })), 'attributes must not contain the character U+0000')
    const batch = {
      resources: [
        {
          ...kind,
          resource_id: randomUUID(),
          workspace_id: workspace,
          owner_id: people.owner.id,
          attributes: { '\0': 1 },
        },
      ],
    }
    t.is(
      violation(await transport.call('RegisterBatch', batch, { key })),
      'resources[0].attributes must not contain the character U+0000',
    )
    t.is(
      violation(await transport.call('UpdateAttributes', { permission_id: record.id }, { key })),
      'attributes is required',
    )
    t.is((await readResource(record)).attributes.a.length, 3000)
  })

  test(`concurrent patches of different members are all applied ${over}`, async (t) => {
    const { register, people, key, readResource } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const record = await register(people.owner)
    const names = Array.from({ length: 8 }, (_, index) => `m${index}`)
    const outcomes = await Promise.all(
      names.map((name) =>
        transport.call(
          'UpdateAttributes',
          { permission_id: record.id, attributes: { [name]: true } },
          { key },
        ),
      ),
    )
    outcomes.forEach(expectOk)
    t.deepEqual(Object.keys((await readResource(record)).attributes).toSorted(), names)
  })
}

test('a change of attributes invalidates facts in memory', async (t) => {
  const [transport] = environment.transports as [Transport]
  const { register, people, key } = await createWorkspaceFixture(environment, transport)
  const record = await register(people.owner)
  const changes = async () => {
    const sql = 'select count(*)::int as count from access_changes where item_id = $1'
    const { rows } = await environment.pool.query(sql, [record.resource_id])
    return rows[0].count
  }
  const before = await changes()
  const message = { permission_id: record.id, attributes: { a: 1 } }
  expectOk(await transport.call('UpdateAttributes', message, { key }))
  t.is(await changes(), before + 1)
})

test('names of the prototype are plain attributes', async (t) => {
  // The generated code of gRPC drops `__proto__`.
  const transport = environment.transports.find(({ name }) => name === 'rest') as Transport
  const { register, people, key, readResource } = await createWorkspaceFixture(
    environment,
    transport,
  )
  const text = '{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}}}'
  const record = await register(people.owner, { attributes: JSON.parse(text) })
  t.is(JSON.stringify((await readResource(record)).attributes), text)
  const patch = {
    permission_id: record.id,
    attributes: JSON.parse('{"__proto__":{"a":null,"c":3}}'),
  }
  const changed = expectOk(await transport.call('UpdateAttributes', patch, { key }))
  t.is(
    JSON.stringify(changed.attributes),
    '{"__proto__":{"c":3},"constructor":{"prototype":{"b":2}}}',
  )
  t.is(Reflect.get({}, 'c'), undefined)
})

/** The examples of RFC 7396, appendix A: the original, the patch and the result. */
const examples = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', 'null', 'null'],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
] as const

test('a merge patch has the results of RFC 7396', (t) => {
  for (const [target, patch, result] of examples)
    t.is(JSON.stringify(applyMergePatch(JSON.parse(target), JSON.parse(patch))), result)
})

test('applying a merge patch twice has the effect of applying it once, and changes no argument', (t) => {
  const names = fc.constantFrom('a', 'b', '__proto__', 'constructor')
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 1, 'x'),
      fc.array(tie('value'), { maxLength: 2 }),
      fc
        .uniqueArray(fc.tuple(names, tie('value')), { selector: ([name]) => name, maxLength: 4 })
        .map((members) => Object.fromEntries(members)),
    ),
  }))
  fc.assert(
    fc.property(value, value, (target, patch) => {
      const before = JSON.stringify([target, patch])
      const once = applyMergePatch(target, patch)
      t.is(JSON.stringify(applyMergePatch(once, patch)), JSON.stringify(once))
      t.is(JSON.stringify([target, patch]), before)
    }),
  )
  t.pass()
})

test('attributes contain only what JSON and PostgreSQL can store', (t) => {
  t.is(findAttributesViolation({ a: [1, 'x', null, { b: false }] }), undefined)
  t.is(findAttributesViolation({ a: [Number.NaN] }), 'must not contain NaN or Infinity')
  t.is(
    findAttributesViolation({ a: { b: Number.POSITIVE_INFINITY } }),
    'must not contain NaN or Infinity',
  )
  t.is(findAttributesViolation({ a: '\ud800' }), 'must be well-formed Unicode')
  t.is(findAttributesViolation({ '\ud800': 1 }), 'must be well-formed Unicode')
})

function violation(outcome: Outcome): string {
  const [first] = expectError(outcome).violations
  return `${first?.field} ${first?.message}`
}

/** Returns an object with `levels` levels. */
function nested(levels: number): object {
  return levels === 1 ? { a: 1 } : { a: nested(levels - 1) }
}
