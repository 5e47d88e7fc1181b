import { randomUUID } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { createEngine } from '../../src/permissions/engine/engine.ts'
import { decide } from '../../src/permissions/engine/facts.ts'
import { splitIds } from '../../src/permissions/engine/lists/list.ts'
import { firstId } from '../../src/permissions/engine/lists/page-token.ts'
import type { Subject } from '../../src/permissions/engine/question.ts'
import { type DelegationRow, insertDelegation } from '../support/delegation-rows.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed, database } = environment
const [transport] = environment.transports as [Transport]
test.after.always(() => environment.stop())

const options = { keysRequired: false }
const engines = {
  'with the usual budgets': createEngine(database, options),
  'that checks the children of few folders': createEngine(database, {
    ...options,
    listBudgetsOf: () => [{ folders: 1, children: 3 }],
  }),
  'with memory': createEngine(database, { ...options, maxFactsCacheBytes: 8_000_000 }),
}

const people = ['admin', 'editor', 'viewer', 'guest'] as const
const types = ['document', 'folder'] as const
const actions = ['view', 'edit', 'manage', 'publish'] as const

const anyGrantee = fc.constantFrom('editor', 'viewer', 'guest', 'group')

/** A resource in one that comes before it, which `parent` counts from the end, or in none. */
const anyResource = fc.record({
  type: fc.constantFrom(...types),
  parent: fc.option(fc.nat(3), { freq: 4 }),
  inherits: fc.boolean(),
  owner: fc.constantFrom('admin', 'editor', 'viewer'),
  visibility: fc.constantFrom('private', 'private', 'workspace'),
  share: fc.option(
    fc.record({
      grantee: anyGrantee,
      permission: fc.constantFrom('view', 'edit'),
      condition: fc.constantFrom(null, null, 'person', 'client', 'labelled'),
    }),
  ),
  label: fc.boolean(),
})

const anyDelegation = fc
  .record({
    user: fc.constantFrom(...people),
    agent_type: fc.constantFrom('service_account' as const, 'client' as const),
    actions: fc.option(fc.uniqueArray(fc.constantFrom(...actions), { minLength: 1 })),
    resource_types: fc.option(
      fc.uniqueArray(fc.constantFrom(...types, 'workspace'), { minLength: 1 }),
      { freq: 1 },
    ),
    // Those of the world, from its end. A list can become empty.
    resources: fc.option(fc.uniqueArray(fc.nat(11), { maxLength: 4 }), { freq: 3 }),
    isEnded: fc.nat(9).map((number) => number === 0),
    isOfOtherService: fc.nat(9).map((number) => number === 0),
  })
  .filter((row) => Boolean(row.actions ?? row.resource_types ?? row.resources))

const anyRequirements = fc.uniqueArray(
  fc.record({
    action: fc.constantFrom(...actions),
    condition: fc.constantFrom('person', 'client', 'labelled'),
    inherited: fc.boolean(),
  }),
  { maxLength: 2, selector: ({ action }) => action },
)

const anyWorld = fc.record({
  resources: fc.array(anyResource, { minLength: 4, maxLength: 12 }),
  requirements: fc.option(anyRequirements, { nil: [] }),
  delegations: fc.array(anyDelegation, { minLength: 3, maxLength: 5 }),
})

const conditions = {
  person: "agent.type == ''",
  client: "agent.type == 'client' && agent.id != ''",
  labelled: "'label' in resource.attributes",
}

type World = typeof anyWorld extends fc.Arbitrary<infer Value> ? Value : never

/** Writes a world to the database. Returns its delegations, and the IDs of its resources by type. */
async function createWorld({ resources, requirements, delegations }: World) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, service, key } = fixture
  const publish = await seed.serviceAction(service, 'publish')
  for (const resource_type of types) {
    const declared = Object.entries(conditions).map(([name, expression]) => ({
      ...{ name, expression, description: '', parameters: {} },
    }))
    const declaration = { service_name: service, resource_type, roles: [], requirements }
    const message = { ...declaration, conditions: declared }
    expectOk(await transport.call('PutResourceType', message, { key }))
  }
  const { rows } = await pool.query(
    'select id, resource_type from resource_kinds where service_name = $1',
    [service],
  )
  const kinds = Object.fromEntries(rows.map(({ id, resource_type }) => [resource_type, id]))
  const guest = await seed.user('guest')
  await seed.member(workspace, guest, 'viewer', { is_guest: true })
  const ids: Record<string, string> = {
    ...{ guest, admin: fixture.people.admin.id, editor: fixture.people.editor.id },
    viewer: fixture.people.viewer.id,
  }
  ids.group = await seed.group(workspace, [ids.viewer as string, guest])
  await seed.customRole(workspace, [publish], [ids.viewer as string])
  const records: { id: string; resource_id: string; type: string }[] = []
  for (const { type, parent, inherits, owner, visibility, share, label } of resources) {
    const above = parent === null ? undefined : records.at(-1 - parent)
    const record = { id: randomUUID(), resource_id: randomUUID(), type }
    const kind = kinds[type]
    const attributes = label ? { label: 'green' } : {}
    await pool.query(
      `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility, parent_id,
         inherits, attributes)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        ...[record.id, kind, record.resource_id, workspace, ids[owner], visibility],
        ...[above?.id ?? null, above ? inherits : true, attributes],
      ],
    )
    if (above) await pool.query('update resources set is_parent = true where id = $1', [above.id])
    records.push(record)
    if (!share) continue
    const { grantee, permission, condition } = share
    await pool.query(
      `insert into shares (id, kind_id, resource_id, workspace_id, user_id, group_id, permission,
         condition, params)
       values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        ...[kind, record.resource_id, workspace, grantee === 'group' ? null : ids[grantee]],
        ...[
          grantee === 'group' ? ids.group : null,
          condition === null ? permission : `?${permission}`,
          condition,
        ],
        condition === null ? null : {},
      ],
    )
  }
  await pool.query(
    `update shares set on_parent = true from resources r
     where r.kind_id = shares.kind_id and r.resource_id = shares.resource_id and r.is_parent
       and r.workspace_id = $1`,
    [workspace],
  )
  const delegated = await Promise.all(
    delegations.map(async ({ user, resources, isEnded, isOfOtherService, ...lists }) => {
      const row: DelegationRow = {
        ...{ user_id: ids[user] as string, workspace_id: workspace, ...lists },
        service_name: isOfOtherService ? `${service}x` : service,
        resources: resources?.map((index) => records.at(-1 - index)?.id ?? randomUUID()) ?? null,
        ...(isEnded && { ended_at: new Date() }),
      }
      return { id: await insertDelegation(pool, row), userId: row.user_id }
    }),
  )
  return { workspace, service, records, delegated }
}

type Engine = ReturnType<typeof createEngine>

/** Lists all pages. Each ends where the next one begins. */
async function listAll(engine: Engine, subject: Subject, question: object, limit: number) {
  const pages: string[][] = []
  let next: string | undefined = firstId
  while (next !== undefined) {
    const query = { ...subject, ...(question as any), firstId: next, limit: limit + 1 }
    const { joinedIds, nextId, hasFullAccess } = await engine.loadList(query)
    if (hasFullAccess) throw new Error('A delegation has no full access')
    const ids: string[] = splitIds(joinedIds)
    if (
      ids.length < limit + 1 &&
      ids.length > 0 &&
      nextId !== undefined &&
      nextId <= String(ids.at(-1))
    )
      throw new Error('The next page begins before the end of the page')
    pages.push(ids.slice(0, limit))
    next = ids[limit] ?? nextId
  }
  return pages.flat()
}

for (const [label, engine] of Object.entries(engines))
  test(`the lists of a delegation are what its checks allow, in an engine ${label}`, async (t) => {
    const seen = { listed: 0, denied: 0 }
    await fc.assert(
      fc.asyncProperty(anyWorld, fc.constantFrom(1, 2, 5, 100), async (world, limit) => {
        const { workspace, service, records, delegated } = await createWorld(world)
        for (const { id: delegationId, userId } of delegated)
          for (const resourceType of types)
            for (const action of actions) {
              const kind = { serviceName: service, resourceType }
              const ids = records.flatMap((record) =>
                record.type === resourceType ? record.resource_id : [],
              )
              const subject = { delegationId, workspaceId: workspace }
              const checks = ids.map((resourceId) => ({ ...kind, resourceId, action, subject }))
              const bits = await engine.loadBits(checks)
              const allowed = ids.filter((_, index) => decide(action, bits[index])).toSorted()
              const question = { ...kind, action, input: {} }
              t.deepEqual(await listAll(engine, subject, question, limit), allowed)
              const caller = { ...subject, userId, tokenId: randomUUID() }
              t.deepEqual(await listAll(engine, caller, question, limit), allowed)
              const elsewhere = { delegationId, workspaceId: randomUUID() }
              t.deepEqual(await listAll(engine, elsewhere, question, limit), [])
              seen.listed += allowed.length
              seen.denied += ids.length - allowed.length
            }
      }),
      { endOnFailure: true, numRuns: 25 },
    )
    t.true(seen.listed > 50 && seen.denied > 50, JSON.stringify(seen))
  })
