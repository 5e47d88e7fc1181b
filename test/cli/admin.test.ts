import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { runCli } from '../support/cli.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
test.after.always(() => environment.stop())

function runAdmin(...args: string[]) {
  return runCli(environment.databaseUrl, 'admin', ...args)
}

async function createUser(fields: object = {}) {
  const email = `${randomUUID()}@example.com`
  const id = await seed.user('P', { email, ...fields })
  const isAdmin = async () => {
    const { rows } = await pool.query('select is_admin from users where id = $1', [id])
    return rows[0].is_admin
  }
  return { id, email, isAdmin }
}

test.serial(
  'promote and demote change a user and are recorded, but the last administrator cannot be demoted',
  async (t) => {
    const first = await createUser()
    const second = await createUser()
    t.deepEqual(await runAdmin('promote', ` ${first.email.toUpperCase()}`), {
      out: `${first.email} is now an administrator.\n`,
      err: '',
      status: 0,
    })
    t.true(await first.isAdmin())

    // An inactive administrator does not count as the last one.
    await createUser({ is_admin: true, is_active: false })
    const rejected = await runAdmin('demote', first.email)
    t.like(rejected, { out: '', status: 1 })
    t.regex(rejected.err, new RegExp(`^${first.email} is the last active administrator.*\n$`))
    t.true(await first.isAdmin())

    t.is((await runAdmin('promote', second.email)).status, 0)
    const demoted = await runAdmin('demote', first.email, '--json')
    t.deepEqual(JSON.parse(demoted.out), { email: first.email, is_admin: false })
    t.false(await first.isAdmin())
    t.deepEqual(await runAdmin('demote', first.email), {
      out: `${first.email} is not an administrator.\n`,
      err: '',
      status: 0,
    })

    const entry = { target_type: 'user', actor_id: null, workspace_id: null }
    const detail = { email: first.email, by: 'operator' }
    t.deepEqual(await listActivity(pool, first.id), [
      { ...entry, action: 'user.promoted', detail },
      { ...entry, action: 'user.demoted', detail },
    ])
  },
)

test.serial('one administrator remains when the last two are demoted concurrently', async (t) => {
  await pool.query('update users set is_admin = false')
  const users = [await createUser({ is_admin: true }), await createUser({ is_admin: true })]
  const results = await Promise.all(users.map(({ email }) => runAdmin('demote', email)))
  t.deepEqual(results.map(({ status }) => status).sort(), [0, 1])
  const { rows } = await pool.query('select id from users where is_admin and is_active')
  t.is(rows.length, 1)
})

test.serial('an unknown user and an invalid address fail with status 2', async (t) => {
  await Promise.all(
    ['promote', 'demote'].map(async (command) => {
      const advice =
        ': let them sign in first, or run `daikon admin promote nobody@example.com --create`'
      t.deepEqual(await runAdmin(command, 'nobody@example.com'), {
        out: '',
        err: `No user has the e-mail address nobody@example.com${command === 'promote' ? advice : ''}\n`,
        status: 2,
      })
      t.deepEqual(await runAdmin(command, 'a@b@c'), {
        out: '',
        err: 'a@b@c is not a valid e-mail address\n',
        status: 2,
      })
    }),
  )
})

test.serial('promote --create creates an administrator whom a sign-in claims later', async (t) => {
  for (let run = 1; run <= 2; run += 1) {
    t.deepEqual(await runAdmin('promote', '--create', 'New@example.com'), {
      out: 'new@example.com is now an administrator.\n',
      err: '',
      status: 0,
    })
  }
  const { rows } = await pool.query(
    `select is_admin, is_active, (select count(*)::int from linked_accounts where user_id = id) as accounts
     from users where email = 'new@example.com'`,
  )
  t.deepEqual(rows, [{ is_admin: true, is_active: true, accounts: 0 }])
})
