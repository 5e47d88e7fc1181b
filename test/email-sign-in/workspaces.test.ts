import test from 'ava'
import { createEmailEnvironment, Visitor } from '../support/email-sign-in.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createPkce } from '../support/sign-in.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await createEmailEnvironment()
const { transports, seed, work, codeOf, pool } = environment
test.after.always(() => environment.stop())

let counter = 0

/** Signs a new member of a workspace in by a code, who is in a workspace of their own as well. */
async function signInMember(workspace: string) {
  const email = `member-${++counter}@example.com`
  const user = await seed.user('member', { email })
  await seed.member(workspace, user, 'editor')
  const own = await seed.workspace()
  await seed.member(own, user, 'owner')
  const visitor = new Visitor(environment)
  const { state, verifier } = await visitor.begin()
  await visitor.ask(email, state)
  await work()
  const { code = '' } = await visitor.finish(state, codeOf(email))
  return { user, own, code, code_verifier: verifier }
}

for (const transport of transports) {
  test.serial(`a workspace refuses sessions that a code began: ${transport.name}`, async (t) => {
    const { workspace, addMember } = await createWorkspaceFixture(environment, transport)
    const owner = await addMember('owner')
    const admin = await addMember('admin')
    const read = async () =>
      expectOk(
        await transport.call('GetWorkspace', { workspace_id: workspace }, { token: owner.token }),
      )
    t.true((await read()).email_sign_in)
    const update = (token: string, email_sign_in: boolean) =>
      transport.call('UpdateWorkspace', { workspace_id: workspace, email_sign_in }, { token })
    t.is(expectError(await update(admin.token, false)).reason, 'OWNER_REQUIRED')

    const before = await signInMember(workspace)
    const tokens = expectOk(
      await transport.call('ExchangeToken', {
        workspace_id: workspace,
        code: before.code,
        code_verifier: before.code_verifier,
      }),
    )
    const after = await signInMember(workspace)
    t.false(expectOk(await update(owner.token, false)).email_sign_in)
    t.false((await read()).email_sign_in)

    const isTooWeak = (outcome: Parameters<typeof expectError>[0]) => {
      const { code, reason } = expectError(outcome)
      t.is(code, 'permission_denied')
      t.is(reason, 'SIGN_IN_TOO_WEAK')
    }
    const { code, code_verifier } = after
    const exchange = { workspace_id: workspace, code, code_verifier }
    isTooWeak(await transport.call('ExchangeToken', exchange))
    const { workspaces } = expectOk(await transport.call('ListCodeWorkspaces', { code }))
    t.deepEqual(
      workspaces.map(({ id }: { id: string }) => id),
      [after.own],
    )
    const elsewhere = expectOk(
      await transport.call('ExchangeToken', { ...exchange, workspace_id: after.own }),
    )
    const { refresh_token } = elsewhere
    isTooWeak(await transport.call('SwitchWorkspace', { refresh_token, workspace_id: workspace }))
    isTooWeak(await transport.call('RefreshToken', { refresh_token: tokens.refresh_token }))
    expectOk(await transport.call('RefreshToken', { refresh_token }))

    expectOk(await update(owner.token, true))
    expectOk(await transport.call('RefreshToken', { refresh_token: tokens.refresh_token }))
    const { rows } = await pool.query(
      "select detail->>'allowed' as allowed from activity where action = 'workspace.email_sign_in_changed' and workspace_id = $1 order by created_at, id",
      [workspace],
    )
    t.deepEqual(
      rows.map(({ allowed }) => allowed),
      ['false', 'true'],
    )
  })
}

test.serial('sessions by a provider reach a workspace that refuses codes', async (t) => {
  const [transport] = transports
  if (!transport) return t.fail()
  const workspace = await seed.workspace()
  await pool.query('update workspaces set email_sign_in = false where id = $1', [workspace])
  const user = await seed.user('by-provider')
  await seed.member(workspace, user, 'viewer')
  const { verifier, challenge } = createPkce()
  await pool.query(
    `insert into authorization_codes (code_hash, user_id, provider, code_challenge, expires_at)
    values (encode(sha256('by provider'), 'hex'), $1, 'google', $2, now() + interval '10 minutes')`,
    [user, challenge],
  )
  const exchange = { workspace_id: workspace, code: 'by provider', code_verifier: verifier }
  t.is(expectOk(await transport.call('ExchangeToken', exchange)).workspace_id, workspace)
})

test.serial(
  'codes are not refused while an older node is connected, which would not',
  async (t) => {
    const [transport] = transports
    if (!transport) return t.fail()
    const { workspace, addMember } = await createWorkspaceFixture(environment, transport)
    const owner = await addMember('owner')
    const { Client } = (await import('pg')).default
    const older = new Client({
      connectionString: environment.databaseUrl,
      application_name: 'daikon/91',
    })
    await older.connect()
    t.teardown(() => older.end())
    const update = (email_sign_in: boolean) =>
      transport.call(
        'UpdateWorkspace',
        { workspace_id: workspace, email_sign_in },
        { token: owner.token },
      )
    t.is(expectError(await update(false)).reason, 'ROLLOUT_IN_PROGRESS')
    expectOk(await update(true))
  },
)
