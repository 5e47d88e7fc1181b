import test from 'ava'
import { cloneDatabase } from '../support/database.ts'
import { insertDelegation } from '../support/delegation-rows.ts'
import { createSeed } from '../support/seed.ts'

const clone = await cloneDatabase()
const seed = createSeed(clone.pool)
test.after.always(() => clone.drop())

const sql = (text: string, ...values: unknown[]) => clone.pool.query(text, values)

/** Two delegations of a user, of a service account and of a client, and two that nothing below ends. */
async function createScene() {
  const workspace = await seed.workspace()
  const other = await seed.workspace()
  const user = await seed.newMember(workspace)
  await seed.member(other, user)
  const account = await seed.user('bot', { workspace_id: workspace, email: null })
  await seed.member(workspace, account)
  const client = await seed.clientApp([], { type: 'confidential' })
  const service = `docs-${workspace}`
  const { id: app } = await seed.serviceApp(service)
  const delegate = (row: Parameters<typeof insertDelegation>[1]) =>
    insertDelegation(clone.pool, row)
  const own = { user_id: user, workspace_id: workspace, service_name: service }
  const colleague = await seed.newMember(other)
  return {
    ids: { user, account, client, workspace, other, app },
    ofAccount: await delegate({ ...own, agent_id: account }),
    ofClient: await delegate({ ...own, agent_type: 'client', agent_id: client }),
    others: [
      await delegate({ user_id: user, workspace_id: other, service_name: 'other' }),
      await delegate({ user_id: colleague, workspace_id: other, service_name: 'other' }),
    ],
  }
}

type Ids = Awaited<ReturnType<typeof createScene>>['ids']
type Statement = [text: string, ...ids: (keyof Ids)[]]

/** The changes that end delegations, which of them they end, and what would undo the change. */
const changes: Record<
  string,
  { by: Statement; ends: string; undo?: Statement; before?: Statement }
> = {
  'the user is deactivated': {
    by: ['update users set is_active = false where id = $1', 'user'],
    ends: 'both and elsewhere',
    undo: ['update users set is_active = true where id = $1', 'user'],
  },
  'the service account is deactivated': {
    by: ['update users set is_active = false where id = $1', 'account'],
    ends: 'ofAccount',
    undo: ['update users set is_active = true where id = $1', 'account'],
  },
  'the service account is deleted': {
    by: ['delete from users where id = $1', 'account'],
    ends: 'ofAccount',
  },
  'the service account leaves the workspace': {
    by: ['delete from members where user_id = $1', 'account'],
    ends: 'ofAccount',
  },
  'the user leaves the workspace': {
    by: ['delete from members where user_id = $1 and workspace_id = $2', 'user', 'workspace'],
    ends: 'both',
    undo: [
      `insert into members (user_id, workspace_id, role, joined_at) values ($1, $2, 'owner', now())`,
      'user',
      'workspace',
    ],
  },
  'a membership that has ended is extended': {
    before: [
      `update members set expires_at = now() - interval '1 minute'
       where user_id = $1 and workspace_id = $2`,
      'user',
      'workspace',
    ],
    by: [
      'update members set expires_at = null where user_id = $1 and workspace_id = $2',
      'user',
      'workspace',
    ],
    ends: 'both',
  },
  'the client is deactivated': {
    by: ['update client_apps set is_active = false where id = $1', 'client'],
    ends: 'ofClient',
    undo: ['update client_apps set is_active = true where id = $1', 'client'],
  },
  'the client becomes public': {
    by: [`update client_apps set type = 'public' where id = $1`, 'client'],
    ends: 'ofClient',
    undo: [`update client_apps set type = 'confidential' where id = $1`, 'client'],
  },
  'the client is bound to another workspace': {
    by: ['update client_apps set workspace_id = $2 where id = $1', 'client', 'other'],
    ends: 'ofClient',
    undo: ['update client_apps set workspace_id = null where id = $1', 'client'],
  },
  'the client is bound to a service account': {
    by: ['update client_apps set service_account_id = $2 where id = $1', 'client', 'account'],
    ends: 'ofClient',
    undo: ['update client_apps set service_account_id = null where id = $1', 'client'],
  },
  'the client is deleted': {
    by: ['delete from client_apps where id = $1', 'client'],
    ends: 'ofClient',
  },
  'the service app is deleted': {
    by: ['delete from service_apps where id = $1', 'app'],
    ends: 'both',
  },
  'the workspace refuses delegations': {
    by: ['update workspaces set delegations = false where id = $1', 'workspace'],
    ends: 'both',
    undo: ['update workspaces set delegations = true where id = $1', 'workspace'],
  },
  'the workspace is deleted': {
    by: ['insert into deleted_workspaces (id) values ($1)', 'workspace'],
    ends: 'both',
  },
}

for (const [name, { by, ends, undo, before }] of Object.entries(changes))
  test.serial(`a delegation ends for good when ${name}`, async (t) => {
    const { ids, ofAccount, ofClient, others } = await createScene()
    const run = ([text, ...names]: Statement) => sql(text, ...names.map((name) => ids[name]))
    const findEnded = async () => {
      const { rows } = await sql('select id from delegations where ended_at is not null')
      return rows.map(({ id }) => id).filter((id) => all.includes(id))
    }
    const all = [ofAccount, ofClient, ...others]
    if (before) await run(before)
    t.deepEqual(await findEnded(), [])
    await sql('delete from access_changes')
    await run(by)
    const expected = {
      ofAccount: [ofAccount],
      ofClient: [ofClient],
      both: [ofAccount, ofClient],
      'both and elsewhere': [ofAccount, ofClient, others[0]],
    }[ends]
    t.deepEqual((await findEnded()).sort(), expected?.sort())
    const { rows } = await sql('select item_id from access_changes where workspace_id is null')
    const recorded = rows.map(({ item_id }) => item_id)
    t.deepEqual(recorded.filter((id) => all.includes(id)).sort(), expected)
    if (undo) await run(undo)
    t.deepEqual((await findEnded()).sort(), expected)
  })

test.serial('the deletion of a user deletes their delegations, and records that', async (t) => {
  const { ids, ofAccount, ofClient, others } = await createScene()
  await sql('delete from access_changes')
  await sql('delete from users where id = $1', ids.user)
  const { rows } = await sql('select id from delegations where user_id = $1', ids.user)
  t.deepEqual(rows, [])
  const changed = await sql('select item_id from access_changes where workspace_id is null')
  const recorded = changed.rows.map(({ item_id }) => item_id)
  for (const id of [ofAccount, ofClient, others[0]]) t.true(recorded.includes(id))
})

test.serial('what does not concern delegations ends none', async (t) => {
  const { ids, ofAccount, ofClient, others } = await createScene()
  for (const [text, ...names] of [
    ['update users set name = $1::text where id = $1', 'user'],
    ['update users set is_active = true where id in ($1, $2)', 'user', 'account'],
    [`update members set role = 'editor' where user_id = $1`, 'user'],
    [`update members set expires_at = now() + interval '1 day' where user_id = $1`, 'user'],
    ['update members set expires_at = null where user_id = $1', 'user'],
    ['update client_apps set name = $1::text where id = $1', 'client'],
    ['update client_apps set workspace_id = $2 where id = $1', 'client', 'workspace'],
    ['update service_apps set is_active = false where id = $1', 'app'],
    ['update workspaces set name = $1::text where id = $1', 'workspace'],
  ] as Statement[])
    await sql(text, ...names.map((name) => ids[name]))
  const { rows } = await sql(
    'select id from delegations where id = any($1) and ended_at is not null',
    [ofAccount, ofClient, ...others],
  )
  t.deepEqual(rows, [])
})

test.serial('no change reads all delegations, and most changes read none', async (t) => {
  const { ids } = await createScene()
  await sql(
    `insert into delegations (id, user_id, agent_type, agent_id, agent_name, workspace_id, service_name,
       actions, reason, created_at, expires_at)
     select gen_random_uuid(), $1, 'client', gen_random_uuid(), 'bot', gen_random_uuid(),
       'docs-' || item, '{view}', 'test', now(), now() + interval '1 hour'
     from generate_series(1, 20000) item`,
    (await createScene()).ids.user,
  )
  await sql('analyze delegations')
  const client = await clone.pool.connect()
  const readScans = async () => {
    const { rows } = await client.query(
      `select coalesce(sum(seq_scan), 0)::int as whole, coalesce(sum(idx_scan), 0)::int as found
       from pg_stat_xact_user_tables where relname = 'delegations'`,
    )
    return rows[0]
  }
  /** Returns how often a statement scans the table and its indexes. It is undone. */
  async function countScans([text, ...names]: Statement) {
    await client.query('begin')
    const earlier = await readScans()
    await client.query(
      text,
      names.map((name) => ids[name]),
    )
    const { whole, found } = await readScans()
    await client.query('rollback')
    return { whole: whole - earlier.whole, found: found - earlier.found }
  }
  try {
    for (const [name, { by, before }] of Object.entries(changes)) {
      if (before) await sql(before[0], ...before.slice(1).map((id) => ids[id as keyof Ids]))
      const { whole, found } = await countScans(by)
      t.is(whole, 0, name)
      t.true(found > 0, name)
    }
    for (const statement of [
      ['update users set last_sign_in_at = now() where id = $1', 'user'],
      ['update users set last_sign_in_at = now()'],
      [`update members set role = 'editor' where user_id = $1`, 'account'],
      ['update workspaces set name = $1::text where id = $1', 'workspace'],
    ] as Statement[])
      t.deepEqual(await countScans(statement), { whole: 0, found: 0 }, statement[0])
  } finally {
    client.release()
  }
})
