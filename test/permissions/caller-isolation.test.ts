import { randomUUID } from 'node:crypto'
import test from 'ava'
import { openDatabase } from '../../src/database/database.ts'
import { hashServiceKey } from '../../src/identity/service-keys.ts'
import { grant } from '../../src/permissions/access.ts'
import type { FactsQuery } from '../../src/permissions/facts.ts'
import { createLoadFacts } from '../../src/permissions/load-facts.ts'
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
  test(`64 callers with different keys, users and resources in one turn get each their own answer over ${transport.label}`, async (t) => {
    const fixtures = await Promise.all(
      Array.from({ length: 16 }, () => createWorkspaceFixture(environment, transport)),
    )
    const records = await Promise.all(
      fixtures.map((fixture) => fixture.register(fixture.people.viewer, { visibility: 'private' })),
    )
    const denied = randomUUID()
    const [first] = fixtures as [WorkspaceFixture]
    const bad = await environment.token(first.people.owner.id, first.workspace, { jti: denied })
    await environment.seed.denyToken(denied)

    for (let round = 0; round < 10; round += 1) {
      const calls = fixtures.flatMap((fixture, at) => {
        const own = records[at] as ResourceRecord
        const foreign = records[(at + round + 1) % 16] as ResourceRecord
        const checks = [own, foreign, own].map(({ resource_id }) => {
          return { ...fixture.kind, resource_id, action: 'edit' }
        })
        const check = (token: string, key: string) =>
          transport.call('Check', { checks }, { token, key })
        const neighbour = fixtures[(at + 1) % 16] as WorkspaceFixture
        return [
          check(fixture.people.viewer.token, fixture.key),
          check(fixture.people.editor.token, fixture.key),
          check(fixture.people.owner.token, neighbour.key),
          check(at % 2 ? fixture.people.admin.token : bad, fixture.key),
        ]
      })
      const told = (await Promise.all(calls)).map(tell)
      t.deepEqual(
        told,
        fixtures.flatMap((_, at) => [
          ...['true,false,true', 'false,false,false', 'permission_denied'],
          at % 2 ? 'true,false,true' : 'unauthenticated',
        ]),
      )
    }
  })
}

test('facts of 64 questions in one statement are the facts of each alone', async (t) => {
  const [transport] = environment.transports as [(typeof environment.transports)[0]]
  const fixtures = await Promise.all(
    Array.from({ length: 8 }, () => createWorkspaceFixture(environment, transport)),
  )
  const records = await Promise.all(
    fixtures.map((fixture) => fixture.register(fixture.people.viewer)),
  )
  const database = await openDatabase(environment.databaseUrl, () => {})
  t.teardown(() => database.close())
  let statements = 0
  const counting = {
    ...database.statements,
    rows: ((...given) => {
      statements += 1
      return database.statements.rows(...given)
    }) as typeof database.statements.rows,
  }
  const loadFacts = createLoadFacts(counting)
  const questions = Array.from({ length: 64 }, (_, at): FactsQuery => {
    const { key, people, workspace, kind } = fixtures[at % 8] as WorkspaceFixture
    const person = at % 3 ? people.viewer : people.admin
    const checks = records.slice(0, at % 9).map(({ resource_id }) => {
      return { ...kind, resource_id, action: at % 2 ? 'view' : 'publish' }
    })
    return {
      keyHash: at % 5 ? hashServiceKey(key) : undefined,
      tokenId: at % 7 ? randomUUID() : undefined,
      userId: at % 11 ? person.id : undefined,
      workspaceId: workspace,
      checks,
    }
  })
  const together = await Promise.all(questions.map((question) => loadFacts(question)))
  t.is(statements, 1)
  const alone = []
  for (const question of questions) alone.push(await loadFacts(question))
  t.deepEqual(together, alone)
  t.true(together.some(({ grants }) => grants.some((bits) => bits & grant.owner)))
})

test('more parallel batches of 1,000 than there are connections all answer', async (t) => {
  for (const transport of environment.transports) {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { viewer, owner } = fixture.people
    const records = [await fixture.register(viewer), await fixture.register(owner)]
    const checks = Array.from({ length: 1000 }, (_, at) => {
      return { ...fixture.kind, resource_id: records[at % 2]?.resource_id, action: 'view' }
    })
    const endings = await Promise.all(
      Array.from({ length: 40 }, () => transport.call('Check', { checks }, fixture.as(viewer))),
    )
    for (const ending of endings) {
      if (!ending.ok) return t.fail(ending.detail)
      const { results } = ending.message
      t.true(
        results.every(({ allowed }: { allowed: boolean }, at: number) => allowed === !(at % 2)),
      )
    }
  }
})

function tell(ending: Outcome): string {
  if (!ending.ok) return ending.code
  return ending.message.results.map(({ allowed }: { allowed: boolean }) => allowed).join()
}
