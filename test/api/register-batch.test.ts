import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createListNaming } from '../../src/permissions/error-naming.ts'
import { readRegistrations } from '../../src/permissions/registration.ts'
import { toResourceId } from '../../src/permissions/resource-id.ts'
import { measureTurns } from '../support/longest-turn.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { repeatLockTimeouts } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

for (const transport of environment.transports.map(repeatLockTimeouts)) {
  const over = `over ${transport.label}`

  async function createBatchFixture() {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { kind, workspace, people, key } = fixture
    const item = (more: Record<string, unknown> = {}) => ({
      ...kind,
      ...(!('external_id' in more) && { resource_id: randomUUID() }),
      workspace_id: workspace,
      owner_id: people.editor.id,
      ...more,
    })
    const registerBatch = (resources: object[]) =>
      transport.call('RegisterBatch', { resources }, { key })
    const violationsOf = async (resources: object[]) => {
      const { code, violations } = expectError(await registerBatch(resources))
      return {
        code,
        ...Object.fromEntries(violations.map(({ field, message }) => [field, message])),
      }
    }
    const count = async (): Promise<number> => {
      const { rows } = await environment.pool.query(
        'select count(*)::int as count from resources where workspace_id = $1',
        [workspace],
      )
      return rows[0].count
    }
    const below = (external_id: string) => ({
      parent: { resource_type: kind.resource_type, external_id },
    })
    return { ...fixture, item, registerBatch, violationsOf, count, below }
  }

  test(`1,000 resources of new and existing types are registered in order ${over}`, async (t) => {
    const { item, registerBatch, count, people, ...fixture } = await createBatchFixture()
    const existing = await fixture.register(people.editor)
    await fixture.share(people.editor, existing, { user: people.viewer.id }, 'view')
    const { resource_id } = existing
    const items = Array.from({ length: 999 }, (_, index) =>
      item({ resource_type: `type-${index % 3}`, visibility: index % 2 ? 'workspace' : undefined }),
    )
    const resources = [...items, item({ resource_id: resource_id.toUpperCase() })]
    const outcome = await registerBatch(resources)
    const records = expectOk(outcome).resources
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 201)
    t.deepEqual(
      records.map((record: any) => [record.resource_type, record.resource_id]),
      resources.map((sent) => [sent.resource_type, String(sent.resource_id).toLowerCase()]),
    )
    t.is(records[0].visibility, 'private')
    t.is(records[1].visibility, 'workspace')
    t.deepEqual(records.at(-1), await fixture.readResource(existing))
    t.is(records.at(-1).shares.length, 1)
    t.is(await count(), 1000)
    // Repeating a batch changes nothing.
    t.deepEqual(expectOk(await registerBatch(resources)).resources, records)
    t.is(await count(), 1000)
  })

  test(`items can refer to each other and to existing resources as parents, in any order ${over}`, async (t) => {
    const { item, registerBatch, kind, people, below, ...fixture } = await createBatchFixture()
    const root = await fixture.register(people.owner, {
      resource_type: 'space',
      external_id: 'root',
      resource_id: undefined,
    })
    await fixture.share(people.owner, root, { user: people.viewer.id }, 'view')
    const resources = [
      item({ external_id: 'page', ...below('chapter') }),
      item({ external_id: 'chapter', ...below('book') }),
      item({ external_id: 'book', parent: { resource_type: 'space', external_id: 'root' } }),
      item({ external_id: 'other' }),
    ]
    const records = expectOk(await registerBatch(resources)).resources
    t.like(
      records.map((record: any) => record.parent?.external_id ?? null),
      ['chapter', 'book', 'root', null],
    )
    const [page, , book, other] = records
    t.deepEqual(book.parent, {
      resource_type: 'space',
      resource_id: root.resource_id,
      external_id: 'root',
    })
    t.true(await fixture.isAllowed(people.viewer, 'view', page))
    t.false(await fixture.isAllowed(people.viewer, 'view', other))
    const message = { ...kind, action: 'view', workspace_id: fixture.workspace }
    const accessible = await transport.call('Accessible', message, fixture.as(people.viewer))
    t.is(expectOk(accessible).resource_ids.length, 3)

    // A share of a resource that became a parent within the batch applies below it.
    const more = [item({ external_id: 'verse', ...below('page') })]
    const [verse] = expectOk(await registerBatch(more)).resources
    t.like(verse.parent, { external_id: 'page' })
    t.true(await fixture.isAllowed(people.viewer, 'view', verse))
    t.is(
      expectOk(await transport.call('Accessible', message, fixture.as(people.viewer))).resource_ids
        .length,
      4,
    )
  })

  test(`an invalid item returns 422 with its field, and nothing is registered ${over}`, async (t) => {
    const { item, violationsOf, count, kind, below } = await createBatchFixture()
    const nonMember = await environment.seed.user()
    const twice = item()
    const external_id = 'plan'
    const id = toResourceId(kind.service_name, kind.resource_type, external_id)
    const parent = (more: object) => ({ parent: { resource_type: kind.resource_type, ...more } })
    const unknownParent = 'must be a resource of the same service and workspace'
    const code = 'invalid_argument'
    const cases: [object[], object][] = [
      [[item(), item({ owner_id: 'x' })], { 'resources[1].owner_id': 'must be a UUID' }],
      [
        [item(), item({ owner_id: nonMember }), item({ owner_id: randomUUID() })],
        {
          'resources[1].owner_id': 'must be a member of the workspace',
          'resources[2].owner_id': 'must be a member of the workspace',
        },
      ],
      [
        [twice, item(), { ...twice, resource_id: twice.resource_id?.toUpperCase() }],
        { 'resources[2].resource_id': 'is duplicated' },
      ],
      [
        [item({ resource_id: id }), item({ external_id })],
        { 'resources[1].external_id': 'is duplicated' },
      ],
      [
        [item({ resource_id: undefined }), item(parent({}))],
        {
          'resources[0].resource_id': 'is required, or external_id',
          'resources[1].parent.resource_id': 'is required, or external_id',
        },
      ],
      [
        [
          item({ external_id: randomUUID() }),
          item({ external_id, resource_id: randomUUID() }),
          item(parent({ external_id, resource_id: randomUUID() })),
        ],
        {
          'resources[0].external_id': 'must not be a UUID; use resource_id',
          'resources[1].resource_id': `must be ${id}, the UUID of external_id`,
          'resources[2].parent.resource_id': `must be ${id}, the UUID of external_id`,
        },
      ],
      [
        [item(), item(below('unknown')), item(parent({ resource_id: randomUUID() }))],
        { 'resources[1].parent': unknownParent, 'resources[2].parent': unknownParent },
      ],
      [[], { resources: 'must contain at least 1 item' }],
      [Array(1001).fill(twice), { resources: 'must contain at most 1000 items' }],
    ]
    for (const [resources, violations] of cases)
      t.deepEqual(await violationsOf(resources), { code, ...violations })
    t.is(await count(), 0)
  })

  test(`a parent in another workspace is unknown, in the batch or not ${over}`, async (t) => {
    const { item, violationsOf, below, people, key } = await createBatchFixture()
    const otherWorkspace = await environment.seed.workspace()
    await environment.seed.member(otherWorkspace, people.editor.id)
    const folder = item({ external_id: 'folder', workspace_id: otherWorkspace })
    const violation = {
      code: 'invalid_argument',
      'resources[0].parent': 'must be a resource of the same service and workspace',
    }
    t.deepEqual(await violationsOf([item(below('folder')), folder]), violation)
    expectOk(await transport.call('Register', folder, { key }))
    t.deepEqual(await violationsOf([item(below('folder')), folder]), violation)
    t.deepEqual(await violationsOf([item(below('folder'))]), violation)
  })

  test(`an unknown workspace returns 404, and the error names the items ${over}`, async (t) => {
    const { item, registerBatch, count } = await createBatchFixture()
    const unknown = item({ workspace_id: randomUUID() })
    const error = expectError(await registerBatch([item(), unknown]))
    t.is(error.code, 'not_found')
    t.is(error.reason, 'WORKSPACE_NOT_FOUND')
    t.is(error.detail, 'resources[1].workspace_id: Workspace not found')
    t.is(await count(), 0)
  })

  test(`an item already registered with another owner returns 409 for the whole batch ${over}`, async (t) => {
    const { item, registerBatch, count, people, ...fixture } = await createBatchFixture()
    const { resource_id } = await fixture.register(people.viewer)
    const error = expectError(await registerBatch([item(), item({ resource_id }), item()]))
    t.like(error, { code: 'already_exists', reason: 'RESOURCE_REGISTERED' })
    t.is(error.detail, 'resources[1]: The resource is registered with another workspace or owner')
    t.is(await count(), 1)
  })

  test(`a cycle within a batch returns 409, and the error names its items ${over}`, async (t) => {
    const { item, registerBatch, count, below } = await createBatchFixture()
    const error = expectError(
      await registerBatch([
        item({ external_id: 'leaf', ...below('a') }),
        item({ external_id: 'a', ...below('b') }),
        item({ external_id: 'fine' }),
        item({ external_id: 'b', ...below('a') }),
        item({ external_id: 'self', ...below('self') }),
      ]),
    )
    t.like(error, { code: 'already_exists', reason: 'PARENT_CYCLE' })
    t.regex(
      error.detail,
      /^resources\[1\]\.parent, resources\[3\]\.parent, resources\[4\]\.parent:/,
    )
    t.is(await count(), 0)
  })

  test(`a chain of 33 resources, including the ancestors of an existing parent, returns 422 ${over}`, async (t) => {
    const { item, registerBatch, violationsOf, count, below } = await createBatchFixture()
    const chain = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => {
        const depth = from + index
        return item({ external_id: `n${depth}`, ...(depth > 1 && below(`n${depth - 1}`)) })
      }).toReversed()
    const tooLong = {
      code: 'invalid_argument',
      'resources[0].parent': 'must not be nested more than 32 levels deep',
    }
    t.deepEqual(await violationsOf(chain(1, 33)), tooLong)
    t.is(await count(), 0)
    expectOk(await registerBatch(chain(1, 12)))
    t.deepEqual(await violationsOf(chain(13, 33)), tooLong)
    t.deepEqual(await violationsOf(chain(10, 33)), tooLong)
    t.is(await count(), 12)
    expectOk(await registerBatch(chain(10, 32)))
    t.is(await count(), 32)
  })

  test(`the parent of an already registered item is ignored ${over}`, async (t) => {
    const { item, registerBatch, below, people, ...fixture } = await createBatchFixture()
    const external_id = 'old'
    await fixture.register(people.editor, { external_id, resource_id: undefined })
    const resources = [
      item({ external_id, ...below('unknown') }),
      item({ external_id: 'new', ...below('old') }),
    ]
    const [old, added] = expectOk(await registerBatch(resources)).resources
    t.is(old.parent ?? null, null)
    t.like(added.parent, { external_id })
  })

  test(`Register and UpdateParent accept the external_id of a parent ${over}`, async (t) => {
    const { key, kind, people, below, ...fixture } = await createBatchFixture()
    const add = (external_id: string, more: object = {}) =>
      fixture.register(people.editor, { external_id, resource_id: undefined, ...more })
    const first = await add('first')
    const second = await add('second')
    const child = await add('child', below('first'))
    const parent = ({ resource_type, resource_id, external_id }: typeof child) => ({
      resource_type,
      resource_id,
      external_id,
    })
    t.deepEqual(child.parent, parent(first))
    const update = (names: object, reference: object) =>
      transport.call('UpdateParent', { ...names, ...reference }, { key })
    const byId = { permission_id: child.id }
    const byKey = { ...kind, resource_id: child.resource_id }
    t.deepEqual(expectOk(await update(byId, below('second'))).parent, parent(second))
    t.deepEqual(expectOk(await update(byKey, below('first'))).parent, parent(first))
    const { resource_type } = kind
    const both = { resource_type, external_id: 'second', resource_id: second.resource_id }
    t.deepEqual(expectOk(await update(byKey, { parent: both })).parent, parent(second))
    const invalid: [object, string][] = [
      [{ resource_type }, 'parent.resource_id'],
      [{ resource_type, external_id: randomUUID() }, 'parent.external_id'],
      [{ ...both, resource_id: first.resource_id }, 'parent.resource_id'],
      [{ resource_type, external_id: 'unknown' }, 'parent'],
    ]
    for (const [reference, field] of invalid) {
      for (const outcome of [
        await update(byId, { parent: reference }),
        await update(byKey, { parent: reference }),
        await transport.call(
          'Register',
          {
            ...kind,
            external_id: 'another',
            workspace_id: fixture.workspace,
            owner_id: people.editor.id,
            parent: reference,
          },
          { key },
        ),
      ]) {
        const { code, violations } = expectError(outcome)
        t.is(code, 'invalid_argument')
        t.deepEqual(
          violations.map(({ field }) => field),
          [field],
        )
      }
    }
  })

  test(`a batch that names another service returns 403 ${over}`, async (t) => {
    const { item, registerBatch } = await createBatchFixture()
    const outcome = await registerBatch([item(), item({ service_name: 'another' })])
    t.like(outcome, { ok: false, code: 'permission_denied', reason: 'OTHER_SERVICE' })
  })

  test(`concurrent overlapping batches of new types all succeed ${over}`, async (t) => {
    const { item, registerBatch, count, below } = await createBatchFixture()
    const items = Array.from({ length: 40 }, (_, index) =>
      item({
        external_id: `n${index}`,
        resource_type: index % 2 ? `type-${index}` : undefined,
        ...(index % 2 ? below(`n${index - 1}`) : {}),
      }),
    ).map(({ resource_type = 'document', ...rest }) => ({ ...rest, resource_type }))
    const outcomes = await Promise.all([
      registerBatch(items),
      registerBatch(items.toReversed()),
      registerBatch(items.slice(10, 30)),
    ])
    for (const outcome of outcomes) expectOk(outcome)
    t.is(await count(), 40)
  })
}

test.serial('reading a batch of 1,000 resources lets the event loop turn', async (t) => {
  const attributes = { list: Array.from({ length: 1000 }, (_, index) => index) }
  const requests = Array.from({ length: 1000 }, (_, index) => ({
    ...{ service_name: 'docs', resource_type: 'document', external_id: `plan ${index}` },
    ...{ workspace_id: randomUUID(), owner_id: randomUUID() },
    attributes,
  }))
  const findUsers = async () => ({ byEmail: new Map(), byExternalId: new Map() })
  const stores = { principals: { findUsers } } as never
  const read = () => readRegistrations(stores, requests as never, createListNaming('resources'))
  await read()
  const { longest, total } = await measureTurns(read)
  t.log(`${longest} of ${total} ms`)
  t.true(longest < total / 2)
})
