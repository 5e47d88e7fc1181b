import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { runCli } from '../support/cli.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
test.after.always(() => environment.stop())

/** Runs `daikon admin …`. */
function run(...args: string[]) {
  return runCli(environment.databaseUrl, 'admin', ...args)
}

async function newPerson(more: object = {}) {
  const email = `${randomUUID()}@example.com`
  const id = await seed.user('P', { email, ...more })
  const isAdmin = async () => {
    const { rows } = await pool.query('select is_admin from users where id = $1', [id])
    return rows[0].is_admin
  }
  return { id, email, isAdmin }
}

test.serial(
  'the operator promotes and demotes, recorded; the last administrator stays',
  async (t) => {
    const [one, two] = [await newPerson(), await newPerson()]
    t.deepEqual(await run('promote', ` ${one.email.toUpperCase()}`), {
      ...{ out: `${one.email} is an administrator.\n`, err: '', status: 0 },
    })
    t.true(await one.isAdmin())

    // Administrators who are not active keep nobody out of trouble.
    await newPerson({ is_admin: true, is_active: false })
    t.deepEqual(await run('demote', one.email), {
      ...{ out: '', status: 1 },
      err: `${one.email} is the last active administrator: promote somebody else first\n`,
    })
    t.true(await one.isAdmin())

    t.is((await run('promote', two.email)).status, 0)
    const demoted = await run('demote', one.email, '--json')
    t.deepEqual(JSON.parse(demoted.out), { email: one.email, is_admin: false })
    t.false(await one.isAdmin())
    // What is so already happens no more.
    t.is((await run('demote', one.email)).status, 0)
    const entry = { target_type: 'user', actor_id: null, workspace_id: null }
    const detail = { email: one.email, by: 'operator' }
    t.deepEqual(await listActivity(pool, one.id), [
      { ...entry, action: 'user.promoted', detail },
      { ...entry, action: 'user.demoted', detail },
    ])
  },
)

test.serial('of two administrators who are demoted at once one stays', async (t) => {
  await pool.query('update users set is_admin = false')
  const people = [await newPerson({ is_admin: true }), await newPerson({ is_admin: true })]
  const ends = await Promise.all(people.map(({ email }) => run('demote', email)))
  t.deepEqual(ends.map(({ status }) => status).sort(), [0, 1])
  const { rows } = await pool.query('select id from users where is_admin and is_active')
  t.is(rows.length, 1)
})

test.serial('whoever is unknown is neither promoted nor demoted: status 1', async (t) => {
  await Promise.all(
    ['promote', 'demote'].map(async (name) => {
      t.deepEqual(await run(name, 'nobody@example.com'), {
        ...{ out: '', err: 'User not found\n', status: 1 },
      })
      t.is((await run(name, 'a@b@c')).err, 'a@b@c is no e-mail address\n')
    }),
  )
})
