import { randomUUID } from 'node:crypto'
import test from 'ava'
import { hashServiceKey } from '../../src/identity/service-keys.ts'
import { ground } from '../../src/permissions/access.ts'
import { createFacts, type Question } from '../../src/permissions/facts.ts'
import { openDatabase } from '../../src/storage/database.ts'
import type { Ending } from '../support/doors.ts'
import { type Office, openOffice, type ResourceRecord } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
test.after.always(() => world.stop())

for (const door of world.doors) {
  test(`64 callers with different keys, users and resources in one turn get each their own answer through ${door.name}`, async (t) => {
    const offices = await Promise.all(Array.from({ length: 16 }, () => openOffice(world, door)))
    const records = await Promise.all(
      offices.map((office) => office.register(office.staff.viewer, { visibility: 'private' })),
    )
    const denied = randomUUID()
    const [first] = offices as [Office]
    const bad = await world.token(first.staff.owner.id, first.workspace, { jti: denied })
    await world.seed.denyToken(denied)

    for (let round = 0; round < 10; round += 1) {
      const calls = offices.flatMap((office, at) => {
        const own = records[at] as ResourceRecord
        const foreign = records[(at + round + 1) % 16] as ResourceRecord
        const checks = [own, foreign, own].map(({ resource_id }) => {
          return { ...office.kind, resource_id, action: 'edit' }
        })
        const check = (token: string, key: string) => door.call('Check', { checks }, { token, key })
        const neighbour = offices[(at + 1) % 16] as Office
        return [
          check(office.staff.viewer.token, office.key),
          check(office.staff.editor.token, office.key),
          check(office.staff.owner.token, neighbour.key),
          check(at % 2 ? office.staff.admin.token : bad, office.key),
        ]
      })
      const told = (await Promise.all(calls)).map(tell)
      t.deepEqual(
        told,
        offices.flatMap((_, at) => [
          ...['true,false,true', 'false,false,false', 'forbidden'],
          at % 2 ? 'true,false,true' : 'unauthenticated',
        ]),
      )
    }
  })
}

test('facts of 64 questions in one statement are the facts of each alone', async (t) => {
  const [door] = world.doors as [(typeof world.doors)[0]]
  const offices = await Promise.all(Array.from({ length: 8 }, () => openOffice(world, door)))
  const records = await Promise.all(offices.map((office) => office.register(office.staff.viewer)))
  const database = openDatabase(world.databaseUrl, () => {})
  t.teardown(() => database.close())
  let statements = 0
  const counting = {
    ...database.statements,
    rows: ((...given) => {
      statements += 1
      return database.statements.rows(...given)
    }) as typeof database.statements.rows,
  }
  const loadFacts = createFacts(counting)
  const questions = Array.from({ length: 64 }, (_, at): Question => {
    const { key, staff, workspace, kind } = offices[at % 8] as Office
    const person = at % 3 ? staff.viewer : staff.admin
    const asks = records.slice(0, at % 9).map(({ resource_id }) => {
      return { ...kind, resource_id, action: at % 2 ? 'view' : 'publish' }
    })
    return {
      keyHash: at % 5 ? hashServiceKey(key) : undefined,
      tokenId: at % 7 ? randomUUID() : undefined,
      userId: at % 11 ? person.id : undefined,
      workspaceId: workspace,
      asks,
    }
  })
  const together = await Promise.all(questions.map((question) => loadFacts(question)))
  t.is(statements, 1)
  const alone = []
  for (const question of questions) alone.push(await loadFacts(question))
  t.deepEqual(together, alone)
  t.true(together.some(({ grounds }) => grounds.some((bits) => bits & ground.owner)))
})

test('more parallel batches of 1,000 than there are connections all answer', async (t) => {
  for (const door of world.doors) {
    const office = await openOffice(world, door)
    const { viewer, owner } = office.staff
    const records = [await office.register(viewer), await office.register(owner)]
    const checks = Array.from({ length: 1000 }, (_, at) => {
      return { ...office.kind, resource_id: records[at % 2]?.resource_id, action: 'view' }
    })
    const endings = await Promise.all(
      Array.from({ length: 40 }, () => door.call('Check', { checks }, office.as(viewer))),
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

function tell(ending: Ending): string {
  if (!ending.ok) return ending.kind
  return ending.message.results.map(({ allowed }: { allowed: boolean }) => allowed).join()
}
