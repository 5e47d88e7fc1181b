import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { runCliWith } from '../support/cli.ts'
import { cloneDatabase } from '../support/database.ts'

const folder = mkdtempSync(join(tmpdir(), 'daikon-keys-'))
test.after.always(() => rmSync(folder, { recursive: true }))
const settings = {
  DATA_DIR: folder,
  JWT_PRIVATE_KEY_PATH: join(folder, 'private.pem'),
  JWT_PUBLIC_KEY_PATH: join(folder, 'public.pem'),
}
const run = (...args: string[]) => runCliWith(settings, ...args)
const listKeys = async () => JSON.parse((await run('--json', 'keys', 'list')).out)

test('keys are created, listed, rotated and dropped, and a schedule that is not due changes nothing', async (t) => {
  t.is((await run('keys', 'make')).status, 0)
  const [first] = await listKeys()
  t.is(first.state, 'signing')

  const idle = await run('--json', 'keys', 'rotate', '--schedule')
  t.is(idle.status, 0, idle.err)
  const due = Date.parse(first.signing) + 90 * 86_400_000
  t.deepEqual(JSON.parse(idle.out), { steps: [], next_step_at: new Date(due).toISOString() })
  t.like(await run('keys', 'rotate', '--schedule', '--wait-minutes', '5'), {
    status: 2,
    err: '--wait-minutes must be at least 6: clients cache keys for 5 minutes, and nodes reload them every 10 seconds\n',
  })

  t.is((await run('keys', 'rotate')).status, 0)
  const [second] = await listKeys()
  t.like(await run('keys', 'drop', second.kid), {
    status: 2,
    err: `${second.kid} signs tokens: run \`daikon keys rotate\` first\n`,
  })
  t.like(await run('keys', 'drop', 'other'), {
    status: 2,
    err: `${settings.JWT_PUBLIC_KEY_PATH} has no key other\n`,
  })
  t.is((await run('keys', 'drop', first.kid)).status, 0)
  t.deepEqual(
    (await listKeys()).map(({ kid }: { kid: string }) => kid),
    [second.kid],
  )
})

test('the error of token names the reason: the user is unknown, deactivated, or not a member', async (t) => {
  const database = await cloneDatabase()
  t.teardown(database.drop)
  await database.pool.query(
    `insert into users (id, email, name, is_active) values
       (gen_random_uuid(), 'away@example.com', 'Away', false),
       (gen_random_uuid(), 'guest@example.com', 'Guest', true)`,
  )
  const expected = {
    unknown: 'No user has the e-mail address unknown@example.com',
    away: 'away@example.com is deactivated: run `daikon user activate away@example.com` to activate the user',
    guest: 'guest@example.com is not a member of the workspace demo',
  }
  for (const [name, message] of Object.entries(expected)) {
    const environment = { DATABASE_URL: database.url, DEBUG: 'true' }
    const result = await runCliWith(environment, 'token', '--email', `${name}@example.com`)
    t.like(result, { status: 2, err: `${message}\n` })
  }
})
