// Threat: an identifier that shadows another: a slug that is the ID of another workspace.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import pg from 'pg'
import { migrate } from '../../src/database/migrate.ts'
import { openOrm } from '../../src/database/orm.ts'
import { createAdmin } from '../support/admin.ts'
import { csvFile } from '../support/csv-import.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  oauthUri,
  signInWithOAuth,
} from '../support/oauth.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'

const environment = await createSignInEnvironment()
const { pool, seed, token } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const constraint = 'workspaces_slug_not_uuid'

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test.serial(`a slug that is a UUID is refused ${over}`, async (t) => {
    const home = await seed.workspace()
    const ann = { token: await token(await seed.newMember(home), home) }
    for (const slug of [home, randomUUID(), '00000000-0000-0000-0000-000000000000']) {
      for (const outcome of [
        await transport.call('CreateWorkspace', { name: 'x', slug }, ann),
        await admin.call(transport, 'CreateWorkspace', { name: 'x', slug }),
      ]) {
        const { code, violations } = expectError(outcome)
        t.is(code, 'invalid_argument')
        t.deepEqual(violations, [
          {
            field: 'slug',
            message:
              'must not be a UUID, because it could be taken for the ID of another workspace',
          },
        ])
      }
      const csv = csvFile(`new@example.com,,${slug},viewer,`)
      const imported = await admin.call(transport, 'ExecuteCsvImport', { csv })
      t.is(expectError(imported).code, 'invalid_argument')
    }
    const similar = home.slice(0, -1)
    t.true((await transport.call('CreateWorkspace', { name: 'x', slug: similar }, ann)).ok)
  })

  test.serial(`the name of a workspace is an ID or a slug, by its form ${over}`, async (t) => {
    // As created by a version that allowed it.
    await pool.query(`alter table workspaces drop constraint if exists ${constraint}`)
    const client = await createOAuthClient(environment)
    const { email, browser_session } = await signInWithOAuth(environment, transport, { client })
    const { rows } = await pool.query('select id from users where email = $1', [email])
    const foreign = await seed.workspace('Foreign')
    const attacker = await seed.workspace('Attacker')
    await pool.query('update workspaces set slug = $1 where id = $2', [foreign, attacker])
    await seed.member(attacker, rows[0].id, 'viewer')
    const { request } = createAuthorizationRequest(client.client_id)
    const open = async (workspace: string) => {
      const message = { ...request, browser_session, workspace }
      const { location } = expectOk(await transport.call('Authorize', message))
      t.true(location.startsWith(oauthUri))
      return new URL(location).searchParams
    }
    t.is((await open(foreign)).get('error'), 'access_denied')
    const code = (await open(attacker.toUpperCase())).get('code')
    const found = await pool.query(
      "select workspace_id from authorization_codes where code_hash = encode(sha256($1), 'hex')",
      [code],
    )
    t.is(found.rows[0].workspace_id, attacker)
    await seed.member(foreign, rows[0].id, 'viewer')
    t.truthy((await open(foreign)).get('code'))
    await pool.query('delete from workspaces where id = $1', [attacker])
  })
}

test.serial('the migration renames slugs that are UUIDs, and records it', async (t) => {
  const url = new URL(environment.databaseUrl)
  url.pathname = `${url.pathname}_migration`
  const name = url.pathname.slice(1)
  await pool.query(`create database ${name}`)
  t.teardown(() => pool.query(`drop database ${name} with (force)`))
  const orm = await openOrm(url.href)
  await orm.migrator.up({ to: '024-access-changes' })
  await orm.close(true)
  // Migrations end sessions of other programs.
  const client = new pg.Client({ connectionString: url.href, application_name: 'psql' })
  await client.connect()
  t.teardown(() => client.end())
  const [first, second, squatter, inviter, invited] = Array.from({ length: 5 }, () => randomUUID())
  const insert = 'insert into workspaces (id, name, slug) values ($1, $2, $3)'
  await client.query(insert, [first, 'First', second])
  await client.query(insert, [second, 'Second', first])
  await client.query(insert, [squatter, 'Squatter', `workspace-${first}`])
  const user = 'insert into users (id, email) values ($1, $2)'
  await client.query(user, [inviter, 'inviter@example.com'])
  await client.query(user, [invited, 'invited@example.com'])
  const member = 'insert into members (workspace_id, user_id, role) values ($1, $2, $3)'
  await client.query(member, [first, invited, 'viewer'])
  await client.query(
    `insert into activity (id, action, target_type, target_id, actor_id, workspace_id)
     values (gen_random_uuid(), 'member.invited', 'user', $1, $2, $3)`,
    [invited, inviter, first],
  )
  await migrate(url.href)
  const { rows } = await client.query('select name, slug from workspaces order by name')
  t.deepEqual(rows, [
    { name: 'First', slug: `workspace-${second}` },
    { name: 'Second', slug: `workspace-${first}-2` },
    { name: 'Squatter', slug: `workspace-${first}` },
  ])
  const entries = await client.query(
    `select id, target_id, detail from activity
     where action = 'workspace.slug_changed'`,
  )
  for (const { id } of entries.rows) {
    // In the order of time, like the entries of the server.
    t.is(id[14], '7')
    t.true(
      Math.abs(Number.parseInt(id.replace('-', '').slice(0, 12), 16) - Date.now()) < 60_000,
      id,
    )
  }
  t.deepEqual(
    Object.fromEntries(entries.rows.map(({ target_id, detail }) => [target_id, detail])),
    {
      [String(first)]: { from: second, to: `workspace-${second}` },
      [String(second)]: { from: first, to: `workspace-${first}-2` },
    },
  )
  await t.throwsAsync(client.query(insert, [randomUUID(), 'x', randomUUID()]), {
    message: new RegExp(constraint),
  })
  const { rows: members } = await client.query('select invited_by from members')
  t.deepEqual(members, [{ invited_by: inviter }])
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
