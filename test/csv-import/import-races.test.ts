import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { createImportFixture, csvFile, randomEmail } from '../support/csv-import.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { repeatLockTimeouts } from '../support/transports.ts'

const environment = await startTestEnvironment()
const other = await environment.addNode()
const { pool, seed } = environment
const { admin, createTargetWorkspace, emailOf } = await createImportFixture(environment)
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  test(`two concurrent imports that demote each other's owner leave one owner, 20 times ${through}`, async (t) => {
    const otherTransport = other.transports.find(({ name }) => name === transport.name) ?? transport
    for (let round = 0; round < 20; round += 1) {
      const { execute, slug, owner, workspace, members } = await createTargetWorkspace(transport)
      const second = await seed.newMember(workspace, 'owner')
      const demote = async (id: string) => csvFile(`${await emailOf(id)},,${slug},viewer,`)
      const [one, two] = [await demote(owner), await demote(second)]
      const token = await environment.token(second, workspace)
      const concurrentImport =
        round % 2 === 0
          ? admin.call(otherTransport, 'ExecuteCsvImport', { csv: two })
          : otherTransport.call(
              'RemoveMember',
              { workspace_id: workspace, user_id: second },
              { token },
            )
      const outcomes = await Promise.all([execute(one), concurrentImport])
      t.is(outcomes.filter(({ ok }) => ok).length, 1)
      const roles = Object.values(await members()).map(({ role }: any) => role)
      t.is(roles.filter((role) => role === 'owner').length, 1)
    }
  })

  test(`ten concurrent imports of the same users in opposite orders all succeed, and one creates the users ${through}`, async (t) => {
    const { slug, members } = await createTargetWorkspace(transport)
    const there = await createTargetWorkspace(transport)
    const rows = Array.from({ length: 300 }, (_, index) => {
      const targetSlug = index % 2 === 0 ? slug : there.slug
      return `${randomEmail()},Name ${index},${targetSlug},editor,G${index % 7}`
    })
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) => {
        const csv = csvFile(...(index % 2 === 0 ? rows : rows.toReversed()))
        const node = index % 3 === 0 ? other : environment
        const by = node.transports.find(({ name }) => name === transport.name) ?? transport
        return admin.call(repeatLockTimeouts(by), 'ExecuteCsvImport', { csv })
      }),
    )
    const created = outcomes.map((outcome) => expectOk(outcome).summary.create)
    t.deepEqual(created.toSorted(), [...Array(9).fill(0), 300])
    t.is(Object.keys(await members()).length, 151)
    t.is(Object.keys(await there.members()).length, 151)
  })

  test(`nothing is imported when a group of the file is deleted during the import ${through}`, async (t) => {
    const { execute, slug, workspace, members } = await createTargetWorkspace(transport)
    const group = await seed.group(workspace, [])
    const { rows } = await pool.query('select name from groups where id = $1', [group])
    const email = randomEmail()
    const deleting = await pool.connect()
    await deleting.query('begin')
    await deleting.query('delete from groups where id = $1', [group])
    const [{ pid }] = (await deleting.query('select pg_backend_pid() pid')).rows
    const outcome = execute(csvFile(`${email},,${slug},viewer,${rows[0].name}`))
    const waiting = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))'
    while ((await pool.query(waiting, [pid])).rowCount === 0) await setImmediate()
    await deleting.query('commit')
    deleting.release()
    t.like(await outcome, { ok: false, code: 'already_exists', reason: 'CHANGED_MEANWHILE' })
    t.false(Object.hasOwn(await members(), email))
  })
}

test.after.always('no internal errors occurred', (t) => {
  const failures = [...environment.failures, ...other.failures]
  t.deepEqual(
    failures.filter(({ code }) => code === 'internal'),
    [],
  )
})
