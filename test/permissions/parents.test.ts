import { randomUUID } from 'node:crypto'
import test from 'ava'
import { expectError, expectOk } from '../support/outcome.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { repeatLockTimeouts, type Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type ResourceRecord } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
test.after.always(() => environment.stop())

const maxChainLength = 32

/** Creates a workspace fixture with functions for trees, in which an editor owns the resources. */
async function createTreeFixture(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { key, kind, workspace, people } = fixture
  const owner = people.editor
  const names = ({ resource_type, resource_id }: ResourceRecord) => ({ resource_type, resource_id })

  /** Registers a resource below another. */
  const add = (parent?: ResourceRecord, more: object = {}): Promise<ResourceRecord> =>
    fixture.register(owner, { ...more, ...(parent && { parent: names(parent) }) })
  const update = ({ id }: ResourceRecord, message: object) =>
    transport.call('UpdateParent', { permission_id: id, ...message }, { key })
  const move = (record: ResourceRecord, parent: ResourceRecord) =>
    update(record, { parent: names(parent) })
  /** Registers a chain of `length` resources, from the root down. */
  const addChain = async (length: number): Promise<ResourceRecord[]> => {
    const chain = [await add()]
    while (chain.length < length) chain.push(await add(chain.at(-1)))
    return chain
  }
  const list = async (action = 'view', token = people.viewer.token, limit = 1000) => {
    const ids: string[] = []
    let page_token: string | undefined
    do {
      const request = { ...kind, action, workspace_id: workspace, limit, page_token }
      const page = expectOk(await transport.call('Accessible', request, { token, key }))
      ids.push(...page.resource_ids)
      page_token = page.next_page_token ?? undefined
    } while (page_token)
    return ids
  }
  return { ...fixture, owner, names, add, update, move, addChain, list }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a resource is registered below a parent, and responses name the parent ${over}`, async (t) => {
    const { add, names, readResource, register, owner } = await createTreeFixture(transport)
    const folder = await add(undefined, { resource_type: 'folder' })
    t.deepEqual([folder.parent ?? null, folder.inherits], [null, true])
    const document = await add(folder)
    t.like(document, { parent: names(folder), inherits: true })
    t.like(await readResource(document), { parent: names(folder), inherits: true })

    // A repeated registration does not move the resource.
    const other = await add()
    for (const more of [
      {},
      { parent: names(other) },
      { parent: { ...names(other), resource_id: randomUUID() } },
    ])
      t.like(await register(owner, { resource_id: document.resource_id, ...more }), {
        id: document.id,
        parent: names(folder),
      })
  })

  test(`an unknown parent is rejected with 422, like a parent of another service or workspace ${over}`, async (t) => {
    const fixture = await createTreeFixture(transport)
    const other = await createWorkspaceFixture(environment, transport)
    const otherService = await other.register(other.people.owner, {
      workspace_id: fixture.workspace,
      owner_id: fixture.owner.id,
    })
    const otherWorkspace = await fixture.register(other.people.owner, {
      workspace_id: other.workspace,
    })
    const record = await fixture.add()
    const unknown = { ...record, resource_id: randomUUID() }
    const wrongType = { ...(await fixture.add()), resource_type: 'unknown' }
    for (const parent of [otherService, otherWorkspace, unknown, wrongType]) {
      for (const outcome of [
        await fixture.move(record, parent),
        await transport.call(
          'Register',
          {
            ...fixture.kind,
            resource_id: randomUUID(),
            workspace_id: fixture.workspace,
            owner_id: fixture.owner.id,
            parent: fixture.names(parent),
          },
          { key: fixture.key },
        ),
      ]) {
        const { code, violations } = expectError(outcome)
        t.is(code, 'invalid_argument')
        t.deepEqual(violations, [
          { field: 'parent', message: 'must be a resource of the same service and workspace' },
        ])
      }
    }
    t.is((await fixture.readResource(record)).parent ?? null, null)
  })

  test(`registering below a parent reports the same errors for workspace and owner as without a parent ${over}`, async (t) => {
    const { add, names, kind, key, workspace, owner } = await createTreeFixture(transport)
    const parent = names(await add())
    const facts = {
      ...kind,
      resource_id: randomUUID(),
      workspace_id: workspace,
      owner_id: owner.id,
    }
    const call = (more: object) =>
      transport.call('Register', { ...facts, parent, ...more }, { key })
    t.is(expectError(await call({ workspace_id: randomUUID() })).code, 'not_found')
    t.is(expectError(await call({ owner_id: randomUUID() })).code, 'invalid_argument')
    t.like(expectOk(await call({ resource_type: 'new-kind' })), { parent })
  })

  test(`grants of every kind apply to descendants unless inherits is false ${over}`, async (t) => {
    const fixture = await createTreeFixture(transport)
    const { people, isAllowed, share, update, list, add, key } = fixture
    const { viewer } = people
    const top = await add()
    const middle = await add(top)
    const bottom = await add(middle)
    const all = [top, middle, bottom]
    const ids = (records: ResourceRecord[]) => records.map((one) => one.resource_id).toSorted()
    const group = await seed.group(fixture.workspace, [viewer.id])

    /** Returns the resources that Check allows, and requires that Accessible returns the same. */
    const visible = async (action = 'view') => {
      const allowed: ResourceRecord[] = []
      for (const one of all) if (await isAllowed(viewer, action, one)) allowed.push(one)
      t.deepEqual(await list(action), ids(allowed))
      t.deepEqual(await list(action, viewer.token, 1), ids(allowed))
      return allowed
    }
    t.deepEqual(await visible(), [])

    const grants: [
      grant: () => Promise<unknown>,
      revoke: () => Promise<unknown>,
      isEdit: boolean,
    ][] = [
      [
        () => share(fixture.owner, top, { user: viewer.id }, 'edit'),
        () => pool.query('delete from shares where user_id = $1', [viewer.id]),
        true,
      ],
      [
        () => share(fixture.owner, top, { group }, 'view'),
        () => pool.query('delete from shares where group_id = $1', [group]),
        false,
      ],
      [
        () => pool.query(`update resources set visibility = 'workspace' where id = $1`, [top.id]),
        () => pool.query(`update resources set visibility = 'private' where id = $1`, [top.id]),
        false,
      ],
      [
        () => pool.query('update resources set owner_id = $1 where id = $2', [viewer.id, top.id]),
        () =>
          pool.query('update resources set owner_id = $1 where id = $2', [
            fixture.owner.id,
            top.id,
          ]),
        true,
      ],
    ]
    for (const [grant, revoke, isEdit] of grants) {
      await grant()
      t.deepEqual(await visible(), all)
      t.deepEqual(await visible('edit'), isEdit ? all : [])
      expectOk(await update(middle, { inherits: false }))
      t.deepEqual(await visible(), [top])
      expectOk(await update(middle, { inherits: true }))
      expectOk(await update(bottom, { inherits: false }))
      t.deepEqual(await visible(), [top, middle])
      expectOk(await update(bottom, { inherits: true }))
      t.deepEqual(await visible(), all)
      await revoke()
      t.deepEqual(await visible(), [])
    }

    // Descendants inherit the grants of a resource that itself does not inherit.
    expectOk(await update(middle, { inherits: false }))
    await share(fixture.owner, middle, { user: viewer.id }, 'view')
    t.deepEqual(await visible(), [middle, bottom])
    const revoked = {
      permission_id: middle.id,
      grantee_type: 'user',
      grantee_id: viewer.id,
      permission: 'view',
    }
    expectOk(await transport.call('RevokeShare', revoked, { key }))
    t.deepEqual(await visible(), [])
  })

  test(`a custom role applies to resources that are visible because of a parent ${over}`, async (t) => {
    const { service, workspace, people, add, share, owner, isAllowed, list } =
      await createTreeFixture(transport)
    const action = await seed.serviceAction(service, 'publish')
    await seed.customRole(workspace, [action], [people.viewer.id])
    const top = await add()
    const bottom = await add(await add(top))
    t.false(await isAllowed(people.viewer, 'publish', bottom))
    await share(owner, top, { user: people.viewer.id }, 'view')
    t.true(await isAllowed(people.viewer, 'publish', bottom))
    t.is((await list('publish')).length, 3)
  })

  test(`the owner of a parent can manage and share its descendants ${over}`, async (t) => {
    const fixture = await createTreeFixture(transport)
    const { people, add, update, owner } = fixture
    const top = await fixture.register(people.viewer)
    const bottom = await add(await add(top))
    t.true(await fixture.isAllowed(people.viewer, 'manage', bottom))
    await fixture.share(people.viewer, bottom, { user: owner.id }, 'view')
    expectOk(await update(bottom, { inherits: false }))
    t.false(await fixture.isAllowed(people.viewer, 'manage', bottom))
    const message = {
      permission_id: bottom.id,
      grantee_type: 'user',
      grantee_id: owner.id,
      permission: 'edit',
    }
    const outcome = await transport.call('Share', message, fixture.as(people.viewer))
    t.is(expectError(outcome).reason, 'NOT_THE_OWNER')
  })

  test(`other inherited grants do not include managing and sharing descendants ${over}`, async (t) => {
    const fixture = await createTreeFixture(transport)
    const { people, add, owner } = fixture
    const editor = await fixture.addMember('editor')
    const top = await add(undefined, { visibility: 'workspace' })
    const bottom = await add(await add(top))
    await fixture.share(owner, top, { user: people.viewer.id }, 'edit')
    const grantee = { grantee_type: 'user', grantee_id: people.viewer.id, permission: 'view' }
    for (const person of [people.viewer, editor]) {
      t.true(await fixture.isAllowed(person, 'edit', bottom))
      const message = { permission_id: bottom.id, ...grantee }
      const outcome = await transport.call('Share', message, fixture.as(person))
      t.is(expectError(outcome).reason, 'NOT_THE_OWNER')
    }
  })

  test(`fields absent from UpdateParent retain their value, and detaching removes the parent ${over}`, async (t) => {
    const { add, update, names } = await createTreeFixture(transport)
    const folder = await add()
    const record = await add(folder)
    const result = async (message: object) => {
      const { parent, inherits } = expectOk(await update(record, message))
      return { parent: parent ? names(parent) : null, inherits }
    }
    const parent = names(folder)
    t.deepEqual(await result({}), { parent, inherits: true })
    t.deepEqual(await result({ inherits: false }), { parent, inherits: false })
    t.deepEqual(await result({ detach: false }), { parent, inherits: false })
    t.deepEqual(await result({ detach: true }), { parent: null, inherits: false })
    t.deepEqual(await result({ parent }), { parent, inherits: false })
    t.deepEqual(await result({ detach: true, inherits: true }), { parent: null, inherits: true })
    const error = expectError(await update(record, { parent, detach: true }))
    t.deepEqual(error.violations, [
      { field: 'detach', message: 'must not be combined with parent' },
    ])
    const unknown = expectError(await update({ ...record, id: randomUUID() }, { inherits: false }))
    t.is(unknown.code, 'not_found')
  })

  test(`a resource cannot be its own parent or descendant ${over}`, async (t) => {
    const { addChain, move, register, owner, kind } = await createTreeFixture(transport)
    const chain = await addChain(4)
    const [top] = chain as [ResourceRecord]
    for (const parent of chain) {
      const error = expectError(await move(top, parent))
      t.deepEqual([error.code, error.reason], ['already_exists', 'PARENT_CYCLE'])
    }
    const resource_id = randomUUID()
    const parent = { resource_type: kind.resource_type, resource_id: resource_id.toUpperCase() }
    await t.throwsAsync(register(owner, { resource_id, parent }), {
      message: /PARENT_CYCLE|own parent/,
    })
  })

  test(`two concurrent moves cannot create a cycle ${over}`, async (t) => {
    const { add, move } = await createTreeFixture(transport)
    for (let round = 0; round < 10; round += 1) {
      const [a, b] = [await add(), await add()]
      const [aBelow, bBelow] = [await add(a), await add(b)]
      const outcomes = await Promise.all([move(a, bBelow), move(b, aBelow)])
      t.deepEqual(outcomes.map(({ ok }) => ok).toSorted(), [false, true])
      t.is(expectError(outcomes.find(({ ok }) => !ok) as never).reason, 'PARENT_CYCLE')
    }
  })

  test(`neither registering nor moving can create a chain of more than ${maxChainLength} resources ${over}`, async (t) => {
    const fixture = await createTreeFixture(transport)
    const { add, addChain, move, names, kind, key, workspace, owner, people } = fixture
    const chain = await addChain(maxChainLength)
    const last = chain.at(-1) as ResourceRecord
    const message = `must not be nested more than ${maxChainLength} levels deep`
    const violations = [{ field: 'parent', message }]
    const facts = {
      ...kind,
      resource_id: randomUUID(),
      workspace_id: workspace,
      owner_id: owner.id,
    }
    const register = { ...facts, parent: names(last) }
    t.deepEqual(
      expectError(await transport.call('Register', register, { key })).violations,
      violations,
    )
    t.deepEqual(expectError(await move(await add(), last)).violations, violations)

    // The length of a chain includes the height of the moved tree.
    const tree = await addChain(3)
    const [root] = tree as [ResourceRecord]
    t.deepEqual(
      expectError(await move(root, chain[maxChainLength - 3] as ResourceRecord)).violations,
      violations,
    )
    expectOk(await move(root, chain[maxChainLength - 4] as ResourceRecord))
    await fixture.share(owner, chain[0] as ResourceRecord, { user: people.viewer.id }, 'view')
    t.true(await fixture.isAllowed(people.viewer, 'view', tree.at(-1) as ResourceRecord))
    t.true(await fixture.isAllowed(people.viewer, 'view', last, 20))
    t.is((await fixture.list()).length, maxChainLength + 3)
  })

  test(`50 concurrent moves of one tree all succeed, and permissions follow the resulting parent ${over}`, async (t) => {
    const fixture = await createTreeFixture(repeatLockTimeouts(transport))
    const { add, move, people, owner } = fixture
    const folders = await Promise.all(Array.from({ length: 10 }, () => add()))
    const root = await add()
    const leaf = await add(await add(root))
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => move(root, folders[index % 10] as ResourceRecord)),
    )
    for (const outcome of outcomes) expectOk(outcome)
    const { parent } = await fixture.readResource(root)
    for (const folder of folders) {
      await fixture.share(owner, folder, { user: people.viewer.id }, 'view')
      const isHere = folder.resource_id === parent.resource_id
      t.is(await fixture.isAllowed(people.viewer, 'view', leaf), isHere)
      await pool.query('delete from shares where user_id = $1', [people.viewer.id])
    }
  })

  test(`children of an unregistered parent remain, without a parent ${over}`, async (t) => {
    const { add, key, people, owner, share, isAllowed, readResource, names } =
      await createTreeFixture(transport)
    const top = await add()
    const middle = await add(top)
    const bottom = await add(middle)
    await share(owner, top, { user: people.viewer.id }, 'view')
    expectOk(await transport.call('Unregister', { permission_id: top.id }, { key }))
    t.false(await isAllowed(people.viewer, 'view', bottom))
    t.is((await readResource(middle)).parent ?? null, null)
    t.deepEqual(names((await readResource(bottom)).parent), names(middle))
  })

  test(`unregistering with cascade deletes all descendants and nothing else ${over}`, async (t) => {
    const { add, key, people, owner, share, update, list, readResource } =
      await createTreeFixture(transport)
    const root = await add()
    const top = await add(root)
    const middle = await add(top)
    const bottom = await add(middle)
    expectOk(await update(middle, { inherits: false }))
    for (const one of [root, top, bottom])
      await share(owner, one, { user: people.viewer.id }, 'view')
    const message = { permission_id: top.id, cascade: true }
    expectOk(await transport.call('Unregister', message, { key }))
    const deleted = [top, middle, bottom]
    const ids = deleted.flatMap(({ id, resource_id }) => [id, resource_id])
    const left = `select 1 from resources where id = any($1) or resource_id = any($1) or parent_id = any($1)
      union all select 1 from shares where resource_id = any($1)`
    t.is((await pool.query(left, [ids])).rowCount, 0)
    t.deepEqual(await list(), [root.resource_id])
    t.is((await readResource(root)).id, root.id)
    const { rows } = await pool.query(
      `select detail from activity where action = 'permission.tree_unregistered' and target_id = $1`,
      [top.id],
    )
    t.like(rows[0]?.detail, { descendants: '2', shares: '2' })
    t.is(expectError(await transport.call('Unregister', message, { key })).code, 'not_found')
  })

  test(`a move is recorded with the old and new parent, but only if it changes something ${over}`, async (t) => {
    const { add, update, move, kind } = await createTreeFixture(transport)
    const [first, second] = [await add(), await add()]
    const record = await add(first)
    expectOk(await move(record, second))
    expectOk(await move(record, second))
    expectOk(await update(record, { inherits: false }))
    expectOk(await update(record, { detach: true }))
    expectOk(await update(record, { detach: true }))
    const { rows } = await pool.query(
      `select detail->>'from' "from", detail->>'to' "to", detail->>'inherits' inherits
       from activity where target_id = $1 and action = 'permission.parent_changed' order by id`,
      [record.id],
    )
    const describe = ({ resource_id }: ResourceRecord) => `${kind.resource_type}/${resource_id}`
    t.deepEqual(rows, [
      { from: describe(first), to: describe(second), inherits: 'true' },
      { from: describe(second), to: describe(second), inherits: 'false' },
      { from: describe(second), to: 'none', inherits: 'false' },
    ])
  })

  test(`Accessible returns a tree of many folders page by page ${over}`, async (t) => {
    const fixture = await createTreeFixture(transport)
    const { add, owner, people, workspace, share, list } = fixture
    const root = await add()
    const {
      rows: [kind],
    } = await pool.query('select kind_id from resources where id = $1', [root.id])
    // 120 folders of 0 to 12 documents; every tenth folder and document does not inherit.
    await pool.query(
      `with folder as (
         insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility, parent_id, is_parent, inherits)
         select gen_random_uuid(), $2, gen_random_uuid(), $3, $4, 'private', $1, true, n % 10 <> 0
         from generate_series(1, 120) n returning id
       )
       insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility, parent_id, inherits)
       select gen_random_uuid(), $2, gen_random_uuid(), $3, $4, 'private', id, n % 10 <> 0
       from (select id, row_number() over () as row from folder) f, generate_series(1, 12) n
       where n <= row % 13`,
      [root.id, kind.kind_id, workspace, owner.id],
    )
    await pool.query('update resources set is_parent = true where id = $1', [root.id])
    // Adds children of a folder without a grant, which are scanned but do not match.
    const other = await add()
    await pool.query(
      `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility, parent_id)
       select gen_random_uuid(), $2, gen_random_uuid(), $3, $4, 'private', $1
       from generate_series(1, 2000) n`,
      [other.id, kind.kind_id, workspace, owner.id],
    )
    await pool.query('update resources set is_parent = true where id = $1', [other.id])
    await share(owner, root, { user: people.viewer.id }, 'view')
    const expected = await pool.query(
      `with recursive tree as (
         select id, resource_id from resources where id = $1
         union all select r.id, r.resource_id from tree join resources r on r.parent_id = tree.id and r.inherits
       ) select resource_id from tree order by resource_id`,
      [root.id],
    )
    const ids = expected.rows.map(({ resource_id }) => resource_id)
    t.true(ids.length > 400)
    for (const limit of [1000, 100, 7])
      t.deepEqual(await list('view', people.viewer.token, limit), ids, `pages of ${limit}`)
  })
  test(`with an access token, a move requires manage on the resource and edit on the parent ${over}`, async (t) => {
    const fixture = await createTreeFixture(transport)
    const { add, names, owner, people, share, register } = fixture
    const folder = await add()
    const [own, foreign] = [await register(people.viewer), await add()]
    const attempt = async (
      { id }: ResourceRecord,
      parent = names(folder),
      person = people.viewer,
    ) => {
      const message = { permission_id: id, parent }
      const outcome = await transport.call('UpdateParent', message, fixture.as(person))
      return outcome.ok ? 'allowed' : outcome.reason
    }
    t.is(await attempt(foreign), 'NOT_THE_OWNER')
    t.is(await attempt(own), 'PARENT_NOT_EDITABLE')
    await share(owner, folder, { user: people.viewer.id }, 'view')
    t.is(await attempt(own), 'PARENT_NOT_EDITABLE')
    await share(owner, folder, { user: people.viewer.id }, 'edit')
    t.is(await attempt(own), 'allowed')
    t.is(await attempt(foreign), 'NOT_THE_OWNER')
    t.is(await attempt(foreign, names(own), people.admin), 'allowed')
    // The edit permission on the parent can be inherited.
    const below = await add(folder)
    t.is(await attempt(own, names(below)), 'allowed')
    const other = await createWorkspaceFixture(environment, transport)
    t.is(await attempt(own, names(folder), other.people.owner), 'RESOURCE_NOT_FOUND')
    // Removing the parent requires only manage.
    const detached = { permission_id: own.id, detach: true }
    expectOk(await transport.call('UpdateParent', detached, fixture.as(people.viewer)))
  })

  test(`a move can identify the resource by its natural key ${over}`, async (t) => {
    const { add, names, kind, key } = await createTreeFixture(transport)
    const [folder, record] = [await add(), await add()]
    const message = { ...kind, resource_id: record.resource_id, parent: names(folder) }
    t.like(expectOk(await transport.call('UpdateParent', message, { key })), {
      parent: names(folder),
    })
  })
}

test('over REST, null removes the parent and counts as absent in other fields', async (t) => {
  const [, transport] = environment.transports as [Transport, Transport]
  const { add, key, names, kind, workspace, owner } = await createTreeFixture(transport)
  const folder = await add()
  const record = await add(folder)
  const send = async (method: string, path: string, body: object) =>
    sendRawHttp(environment.httpPort, {
      method,
      path,
      headers: { 'x-service-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const path = `/permissions/${record.id}/parent`
  const unchanged = await send('PATCH', path, { inherits: null })
  t.deepEqual(names(unchanged.json.parent), names(folder))
  t.deepEqual((await send('PATCH', path, { parent: null })).json.parent, null)
  const facts = { ...kind, resource_id: randomUUID(), workspace_id: workspace, owner_id: owner.id }
  const registered = await send('POST', '/permissions/register', {
    ...facts,
    parent: null,
    visibility: null,
  })
  t.like(registered.json, { parent: null, visibility: 'private', inherits: true })
})

// Alone, because beside the other tests a slow machine can take longer than a write waits for a lock.
test.serial(
  'a share granted while its resource becomes a parent applies to the child in lists',
  async (t) => {
    const [transport] = environment.transports as [Transport]
    const { add, owner, people, share, list } = await createTreeFixture(transport)
    for (let round = 0; round < 20; round += 1) {
      const folder = await add()
      const [child] = await Promise.all([
        add(folder),
        share(owner, folder, { user: people.viewer.id }, 'view'),
      ])
      t.true((await list()).includes(child.resource_id), `round ${round}`)
    }
  },
)
