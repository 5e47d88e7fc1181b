import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createStores } from '../../src/server/stores.ts'
import { createAdmin } from '../support/admin.ts'
import { runCli } from '../support/cli.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, obtainCode, signIn, signInAdmin } from '../support/sign-in.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await createSignInEnvironment()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

async function count(sql: string, ...values: unknown[]): Promise<number> {
  return Number((await pool.query(`select count(*) from ${sql}`, values)).rows[0].count)
}

for (const transport of environment.transports) {
  const through = `over ${transport.label}`
  const call = (method: string, message: object) => admin.call(transport, method, message)
  const erase = (user_id: string, transfer_to?: string) =>
    call('DeleteUser', { user_id, ...(transfer_to && { transfer_to }) })

  test(`deleting a user ends every token and removes all data of the user ${through}`, async (t) => {
    const email = environment.addProviderUser()
    const { tokens, workspaces } = await signIn(transport, email, 'github')
    const { exchange } = await obtainCode(transport, email)
    const { rows } = await pool.query('select id from users where email = $1', [email])
    const { id } = rows[0]
    const accounts = await pool.query('select subject from linked_accounts where user_id = $1', [
      id,
    ])
    t.is(accounts.rows.length, 1)
    await pool.query('update users set is_admin = true where id = $1', [id])
    const { admin: cookie = '' } = await signInAdmin(transport, email, 'github')
    expectOk(await call('UpdateUser', { user_id: id, name: 'Changed' }))
    expectOk(await erase(id.toUpperCase()))

    const unauthenticated = { ok: false, code: 'unauthenticated' } as const
    for (const each of environment.transports) {
      t.like(await each.call('GetMe', {}, { token: tokens.access_token }), unauthenticated)
      t.like(await each.call('GetAdminMe', {}, { admin: cookie }), unauthenticated)
      t.like(
        await each.call('RefreshToken', { refresh_token: tokens.refresh_token }),
        unauthenticated,
      )
      t.false((await each.call('ExchangeToken', exchange)).ok)
    }
    for (const table of [
      'users where id',
      'members where user_id',
      'linked_accounts where user_id',
    ])
      t.is(await count(`${table} = $1`, id), 0, table)
    t.is(await count('workspaces where id = $1', workspaces[0].id), 0)

    const text = (
      await pool.query(
        "select string_agg(a::text, ' ') as text, count(*) from activity a where $1 in (actor_id, target_id)",
        [id],
      )
    ).rows[0]
    t.true(Number(text.count) >= 4)
    t.false(text.text.includes(email.split('@')[0]))
    t.false(text.text.includes(`"${accounts.rows[0].subject}"`))
    t.is(expectError(await erase(id)).reason, 'USER_NOT_FOUND')
    t.is(await count("activity where action = 'user.erased' and target_id = $1", id), 1)
  })

  test(`a user who owns resources in a shared workspace needs a recipient ${through}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { editor, viewer, owner } = fixture.people
    const record = await fixture.register(editor)
    await fixture.share(editor, record, { user: viewer.id }, 'view')
    t.like(await erase(editor.id), { ok: false, code: 'already_exists', reason: 'ERASURE_BLOCKED' })
    for (const invalid of [editor.id, randomUUID(), admin.id]) {
      const { code, violations } = expectError(await erase(editor.id, invalid))
      t.is(code, 'invalid_argument')
      t.is(violations[0]?.field, 'transfer_to')
    }
    t.is(await count('members where user_id = $1', editor.id), 1)
    expectOk(await erase(editor.id, owner.id))
    const { rows } = await pool.query('select owner_id from resources where id = $1', [record.id])
    t.deepEqual(rows, [{ owner_id: owner.id }])
    t.is(await count('shares where user_id = $1 and granted_by is null', viewer.id), 1)
  })

  test(`the last owner of a workspace with other members cannot be deleted ${through}`, async (t) => {
    const workspace = await seed.workspace()
    const owner = await seed.newMember(workspace, 'owner')
    const other = await seed.newMember(workspace, 'admin')
    const refused = expectError(await erase(owner))
    t.like(refused, { code: 'already_exists', reason: 'ERASURE_BLOCKED' })
    t.is(await count('members where workspace_id = $1', workspace), 2)
    await pool.query("update members set role = 'owner' where user_id = $1", [other])
    await pool.query('update users set is_active = false where id = $1', [other])
    t.is(expectError(await erase(owner)).reason, 'ERASURE_BLOCKED')
    await pool.query('update users set is_active = true where id = $1', [other])
    expectOk(await erase(owner))
    t.is(await count('members where workspace_id = $1', workspace), 1)
  })

  test(`of two owners deleted concurrently, one remains ${through}`, async (t) => {
    const workspace = await seed.workspace()
    const owners = [
      await seed.newMember(workspace, 'owner'),
      await seed.newMember(workspace, 'owner'),
    ]
    await seed.newMember(workspace, 'viewer')
    const outcomes = await Promise.all(owners.map((id) => erase(id)))
    t.is(outcomes.filter(({ ok }) => ok).length, 1)
    t.is(await count("members where workspace_id = $1 and role = 'owner'", workspace), 1)
  })

  test(`administrators cannot delete their own account ${through}`, async (t) => {
    for (const id of [admin.id, admin.id.toUpperCase()])
      t.like(await erase(id), { ok: false, code: 'permission_denied', reason: 'OWN_ACCOUNT' })
  })

  test(`an export contains all data of a user ${through}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { editor, viewer } = fixture.people
    const record = await fixture.register(editor)
    await fixture.share(editor, record, { user: viewer.id }, 'view')
    const session = randomUUID()
    await pool.query(
      `insert into browser_sessions (
         id, secret_hash, user_id, provider, authenticated_at, created_at, expires_at)
       values ($1::uuid, $1::text, $2, 'github', now(), now(), now() + interval '1 day')`,
      [session, editor.id],
    )
    const names = "given_name = 'Grace', family_name = 'Hopper'"
    await pool.query(`update users set ${names} where id = $1`, [editor.id])
    await pool.query(
      `insert into scim_users (workspace_id, user_id, user_name, external_id, attributes, is_active,
         created_at, updated_at)
       values ($1, $2, 'grace@example.com', 'e-1', '{"title": "Rear admiral"}', true, now(), now())`,
      [fixture.workspace, editor.id],
    )
    const connection = await environment.seed.connection(fixture.workspace, 'https://idp.example')
    await pool.query(
      `insert into connection_subjects
         (connection_id, subject, user_id, workspace_id, email, last_sign_in_at)
       values ($1, 'sub', $2, $3, 'grace@example.com', now())`,
      [connection, editor.id, fixture.workspace],
    )
    const data = expectOk(await call('ExportUser', { user_id: editor.id.toUpperCase() }))
    t.like(data.scim_users, [
      {
        workspace_id: fixture.workspace,
        user_name: 'grace@example.com',
        external_id: 'e-1',
        attributes: { title: 'Rear admiral' },
      },
    ])
    t.like(data.connection_subjects, [{ connection_id: connection, subject: 'sub' }])
    t.like(data, { given_name: 'Grace', family_name: 'Hopper' })
    t.like(data.browser_sessions, [{ id: session, provider: 'github' }])
    t.is(data.user.id, editor.id)
    t.like(data.user.memberships[0], { workspace_id: fixture.workspace, role: 'editor' })
    t.like(data.resources[0], { permission_id: record.id, visibility: 'private' })
    t.like(data.shares[0], { permission_id: record.id, grantee_id: viewer.id, permission: 'view' })
    t.is(data.resources.length + data.shares.length, 2)
    const actions = data.activity.map(({ action }: { action: string }) => action)
    t.deepEqual(actions, ['user.exported', 'permission.shared'])
    const received = expectOk(await call('ExportUser', { user_id: viewer.id }))
    t.like(received.shares[0], { permission_id: record.id, granted_by: editor.id })
    const unknown = await call('ExportUser', { user_id: randomUUID() })
    t.is(expectError(unknown).reason, 'USER_NOT_FOUND')
  })
}

/** Returns the tables with a row that contains a text, except for those of the log of PostgreSQL. */
async function findTables(text: string): Promise<string[]> {
  const { rows } = await pool.query(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('public', 'pgboss') order by 1`,
  )
  const found = []
  for (const { name } of rows)
    if ((await count(`${name} r where to_jsonb(r)::text ilike $1`, `%${text}%`)) > 0)
      found.push(name.replace('public.', ''))
  return found
}

for (const transport of environment.transports)
  test(`no table names an erased person, and what others wrote is listed over ${transport.label}`, async (t) => {
    const marker = `zoe${randomUUID().slice(0, 8)}`
    const name = `${marker} "O'Neil (x)*`
    const fixture = await createWorkspaceFixture(environment, transport)
    const { workspace, people } = fixture
    const email = environment.addProviderUser({ email: `${marker}@example.com`, name })
    await signIn(transport, email, 'github')
    const { rows } = await pool.query('select id from users where email = $1', [email])
    const { id } = rows[0]
    await seed.member(workspace, id, 'editor')
    const token = await environment.token(id, workspace)
    const externalId = `hr/${marker}`
    expectOk(await admin.call(transport, 'UpdateUser', { user_id: id, external_id: externalId }))
    expectOk(await transport.call('UpdateMe', { name: 'Zoe' }, { token }))
    expectOk(await transport.call('UpdateMe', { name }, { token }))
    const connection = await seed.connection(workspace, `https://${randomUUID()}.example`)
    await pool.query(
      `insert into connection_subjects
         (connection_id, subject, user_id, workspace_id, email, last_sign_in_at)
       values ($1, $2, $3, $4, $5, now())`,
      [connection, `sub-${marker}`, id, workspace, email],
    )
    await pool.query(
      `insert into scim_users (workspace_id, user_id, user_name, external_id, attributes, is_active,
         created_at, updated_at)
       values ($1, $2, $3, $4, $5, true, now(), now())`,
      [workspace, id, email, `e-${marker}`, { displayName: name }],
    )
    const own = await fixture.register(people.editor)
    await fixture.share(people.editor, own, { user: id }, 'view')
    expectOk(await transport.call('GetMe', {}, { token }))

    // What others write: the erasure lists it, and removes its copies in logs and queues.
    const other = await fixture.register(people.editor, { display_name: `Notes for ${email}` })
    await fixture.share(people.editor, other, { user: people.viewer.id }, 'view')
    await pool.query(
      `update shares set permission = '?view', condition = 'named', params = $2 where resource_id = $1`,
      [other.resource_id, { who: email }],
    )
    const group = await seed.group(workspace)
    await pool.query('update groups set name = $2 where id = $1', [group, `Friends of ${name}`])
    const stores = createStores(environment.database.fork())
    await stores.activity.record(
      { actorId: people.editor.id },
      {
        action: 'permission.shared',
        targetId: other.id,
        workspaceId: workspace,
        detail: {
          condition: `named {"who":"${email.toUpperCase()}"}`,
          permission: 'view',
        } as never,
      },
    )
    const webhook = randomUUID()
    await stores.webhooks.insert(
      webhook,
      { url: 'https://w.example', events: [], workspaceId: null, description: '', isActive: true },
      'secret',
      undefined,
    )
    t.teardown(() => pool.query('delete from webhooks where id = $1', [webhook]))
    const insert = async (detail: object) => {
      const deliveryId = randomUUID()
      const data = { target_id: id, detail }
      const requestBody = JSON.stringify({ type: 'user.updated', position: 7, data })
      const delivery = { id: deliveryId, webhookId: webhook, type: 'user.updated', requestBody }
      await stores.deliveries.insert([delivery], new Date())
      return deliveryId
    }
    const claimedAt = new Date()
    const finish = (deliveryId: string) =>
      stores.deliveries.finish(
        [
          {
            ...{ id: deliveryId, claimedAt, state: 'pending', nextAttemptAt: claimedAt },
            ...{ durationMs: 1, responseStatus: 500, responseBody: `Hello ${name}`, error: null },
          },
        ],
        new Date(),
      )
    const named = await insert({ email, name, role: 'viewer' })
    const running = await insert({ from: name })
    const echoed = await insert({ role: 'viewer' })
    const unnamed = await insert({ role: 'x', name: `${marker}s` })
    await stores.deliveries.claim([webhook], 8, claimedAt)
    await finish(echoed)

    const outcome = await admin.call(transport, 'DeleteUser', {
      user_id: id,
      transfer_to: people.owner.id,
    })
    const erased = expectOk(outcome)
    await finish(running)
    const body = async (deliveryId: string) => {
      const delivery = await stores.deliveries.find(webhook, deliveryId)
      return { ...JSON.parse(delivery?.requestBody ?? '').data, response: delivery?.responseBody }
    }
    t.deepEqual(await body(named), { target_id: id, detail: { role: 'viewer' }, response: null })
    t.deepEqual(await body(running), { target_id: id, detail: {}, response: null })
    t.deepEqual(await body(echoed), { target_id: id, detail: { role: 'viewer' }, response: null })
    t.is((await body(unnamed)).detail.name, `${marker}s`, 'another word')
    await pool.query('delete from webhook_deliveries where id = $1', [unnamed])

    const kept =
      transport.name === 'grpc'
        ? erased.kept_elsewhere
        : JSON.parse(
            (outcome as { headers: Record<string, string> }).headers['x-kept-elsewhere'] ?? '',
          )
    const expected = ['groups', 'shares', 'resources'].map((kind) => ({ kind, count: 1 }))
    t.deepEqual(kept, expected)
    t.deepEqual(await findTables(marker), ['groups', 'resources', 'shares'])
  })

test('the user and workspace commands accept e-mail addresses and IDs', async (t) => {
  const run = async (...args: string[]) => {
    const { out, err, status } = await runCli(environment.databaseUrl, ...args, '--json')
    return { result: out && JSON.parse(out), err, status }
  }
  const workspace = await seed.workspace('Tools')
  const owner = await seed.newMember(workspace, 'owner')
  const editor = await seed.newMember(workspace, 'editor')
  const { rows } = await pool.query('select email from users where id = $1', [editor])
  const { email } = rows[0]

  t.like((await run('user', 'find', email)).result, [{ id: editor, email }])
  t.like((await run('user', 'show', email)).result, {
    id: editor,
    memberships: [{ workspace_id: workspace }],
  })
  t.like((await run('user', 'export', editor)).result, { user: { id: editor }, resources: [] })
  t.like((await run('user', 'deactivate', email)).result, { id: editor, is_active: false })
  t.like((await run('user', 'activate', editor)).result, { id: editor, is_active: true })
  const { result: members } = await run('workspace', 'members', `w-${workspace}`)
  t.deepEqual(
    members.map(({ user_id }: { user_id: string }) => user_id).sort(),
    [owner, editor].sort(),
  )
  const { result: workspaces } = await run('workspace', 'list')
  t.true(workspaces.some(({ id }: { id: string }) => id === workspace))
  const refused = await run('user', 'delete', owner)
  t.is(refused.status, 1)
  t.regex(refused.err, /last owner/)
  t.like((await run('user', 'delete', email, '--transfer-to', owner)).result, { user_id: editor })
  t.regex((await run('user', 'show', email)).err, /User not found/)
})
