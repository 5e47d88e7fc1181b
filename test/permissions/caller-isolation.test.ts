import { randomUUID } from 'node:crypto'
import test from 'ava'
import { hashServiceKey } from '../../src/identity/service-keys.ts'
import { grant } from '../../src/permissions/access.ts'
import type { FactsQuery } from '../../src/permissions/engine/facts.ts'
import { type ListQuery, splitIds } from '../../src/permissions/engine/lists/list.ts'
import { createLoadList } from '../../src/permissions/engine/lists/load-list.ts'
import { firstId } from '../../src/permissions/engine/lists/page-token.ts'
import { createLoadFacts } from '../../src/permissions/engine/load-facts.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome } from '../support/transports.ts'
import {
  createWorkspaceFixture,
  type ResourceRecord,
  type WorkspaceFixture,
} from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  test(`64 concurrent callers with different keys, users and resources each get their own result over ${transport.label}`, async (t) => {
    const fixtures = await Promise.all(
      Array.from({ length: 16 }, () => createWorkspaceFixture(environment, transport)),
    )
    const records = await Promise.all(
      fixtures.map((fixture) => fixture.register(fixture.people.viewer, { visibility: 'private' })),
    )
    const denied = randomUUID()
    const [first] = fixtures as [WorkspaceFixture]
    const revokedToken = await environment.token(first.people.owner.id, first.workspace, {
      jti: denied,
    })
    await environment.seed.denyToken(denied)

    for (let round = 0; round < 10; round += 1) {
      const calls = fixtures.flatMap((fixture, index) => {
        const own = records[index] as ResourceRecord
        const foreign = records[(index + round + 1) % 16] as ResourceRecord
        const checks = [own, foreign, own].map(({ resource_id }) => {
          return { ...fixture.kind, resource_id, action: 'edit' }
        })
        const check = (token: string, key: string) =>
          transport.call('Check', { checks }, { token, key })
        const neighbour = fixtures[(index + 1) % 16] as WorkspaceFixture
        return [
          check(fixture.people.viewer.token, fixture.key),
          check(fixture.people.editor.token, fixture.key),
          check(fixture.people.owner.token, neighbour.key),
          check(index % 2 ? fixture.people.admin.token : revokedToken, fixture.key),
        ]
      })
      const descriptions = (await Promise.all(calls)).map(describeOutcome)
      t.deepEqual(
        descriptions,
        fixtures.flatMap((_, index) => [
          'true,false,true',
          'false,false,false',
          'permission_denied',
          index % 2 ? 'true,false,true' : 'unauthenticated',
        ]),
      )
    }
  })
}

test('64 queries in two batched statements load the same facts as each query alone', async (t) => {
  const [transport] = environment.transports as [(typeof environment.transports)[0]]
  const fixtures = await Promise.all(
    Array.from({ length: 8 }, () => createWorkspaceFixture(environment, transport)),
  )
  const records = await Promise.all(
    fixtures.map((fixture) => fixture.register(fixture.people.viewer)),
  )
  const { database } = environment
  let statements = 0
  const counting = {
    ...database.statements,
    rows: ((...args) => {
      statements += 1
      return database.statements.rows(...args)
    }) as typeof database.statements.rows,
  }
  const loadFacts = createLoadFacts(counting)
  const queries = Array.from({ length: 64 }, (_, index): FactsQuery => {
    const { key, people, workspace, kind } = fixtures[index % 8] as WorkspaceFixture
    const person = index % 3 ? people.viewer : people.admin
    const checks = records.slice(0, index % 9).map(({ resource_id }) => {
      return {
        serviceName: kind.service_name,
        resourceType: kind.resource_type,
        resourceId: resource_id,
        action: index % 2 ? 'view' : 'publish',
      }
    })
    return {
      keyHash: index % 5 ? hashServiceKey(key) : undefined,
      tokenId: index % 7 ? randomUUID() : undefined,
      userId: index % 11 ? person.id : undefined,
      workspaceId: workspace,
      checks,
    }
  })
  const together = await Promise.all(queries.map((query) => loadFacts(query)))
  // The first of a burst, and the others.
  t.is(statements, 2)
  const alone = []
  for (const query of queries) alone.push(await loadFacts(query))
  t.deepEqual(together, alone)
  t.true(together.some(({ facts }) => facts.some((fact) => fact & grant.owner)))
})

test('64 lists in one batched statement return the same IDs as each list alone', async (t) => {
  const [transport] = environment.transports as [(typeof environment.transports)[0]]
  const fixtures = await Promise.all(
    Array.from({ length: 8 }, () => createWorkspaceFixture(environment, transport)),
  )
  for (const [index, fixture] of fixtures.entries()) {
    const { viewer, editor, owner } = fixture.people
    const group = await environment.seed.group(fixture.workspace, [viewer.id])
    await fixture.register(viewer)
    await fixture.register(editor, { visibility: index % 2 ? 'workspace' : 'private' })
    await fixture.share(owner, await fixture.register(owner), { user: viewer.id }, 'edit')
    await fixture.share(owner, await fixture.register(owner), { group }, 'view')
  }
  const { database } = environment
  let statements = 0
  const loadList = createLoadList({
    ...database.statements,
    rows: ((...args) => {
      statements += 1
      return database.statements.rows(...args)
    }) as typeof database.statements.rows,
  })
  const denied = randomUUID()
  await environment.seed.denyToken(denied)
  const queries = Array.from({ length: 64 }, (_, index): ListQuery => {
    const { key, people, workspace, kind } = fixtures[index % 8] as WorkspaceFixture
    const person = index % 3 ? people.viewer : people.admin
    return {
      serviceName: kind.service_name,
      resourceType: index % 11 ? kind.resource_type : 'unknown',
      workspaceId: workspace,
      userId: person.id,
      keyHash: index % 13 ? hashServiceKey(key) : undefined,
      tokenId: index % 10 ? randomUUID() : denied,
      action: ['view', 'edit', 'manage', 'publish'][index % 5] ?? 'view',
      firstId: index % 7 ? firstId : '80000000-0000-0000-0000-000000000000',
      limit: (index % 4) + 1,
    }
  })
  const together = await Promise.all(queries.map((query) => loadList(query)))
  t.is(statements, 1)
  const alone = []
  for (const query of queries) alone.push(await loadList(query))
  t.deepEqual(together, alone)
  const counts = together.map(({ joinedIds }) => splitIds(joinedIds).length)
  for (const [index, count] of counts.entries()) t.true(count <= (queries[index]?.limit ?? 0))
  t.deepEqual([...new Set(counts)].toSorted(), [0, 1, 2, 3, 4])
})

test('a list is complete even if its user is in more groups than a shared statement reads', async (t) => {
  const [transport] = environment.transports as [(typeof environment.transports)[0]]
  const fixture = await createWorkspaceFixture(environment, transport)
  const { viewer, owner } = fixture.people
  const groups = await Promise.all(
    Array.from({ length: 66 }, () => environment.seed.group(fixture.workspace, [viewer.id])),
  )
  const records = await Promise.all(
    groups.map(async (group) => {
      const record = await fixture.register(owner)
      await fixture.share(owner, record, { group }, 'view')
      return record.resource_id
    }),
  )
  const message = { ...fixture.kind, workspace_id: fixture.workspace, action: 'view' }
  const { resource_ids } = expectOk(await transport.call('Accessible', message, fixture.as(viewer)))
  t.deepEqual(resource_ids, records.toSorted())
})

test('concurrent batches of 1,000 checks all succeed, even if they outnumber the connections', async (t) => {
  for (const transport of environment.transports) {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { viewer, owner } = fixture.people
    const records = [await fixture.register(viewer), await fixture.register(owner)]
    const checks = Array.from({ length: 1000 }, (_, index) => {
      return { ...fixture.kind, resource_id: records[index % 2]?.resource_id, action: 'view' }
    })
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, () => transport.call('Check', { checks }, fixture.as(viewer))),
    )
    for (const outcome of outcomes) {
      if (!outcome.ok) return t.fail(outcome.detail)
      const { results } = outcome.message
      t.true(
        results.every(
          ({ allowed }: { allowed: boolean }, index: number) => allowed === !(index % 2),
        ),
      )
    }
  }
})

function describeOutcome(outcome: Outcome): string {
  if (!outcome.ok) return outcome.code
  return outcome.message.results.map(({ allowed }: { allowed: boolean }) => allowed).join()
}
