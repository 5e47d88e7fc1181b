// Threat: a revocation that misses a token that is being issued.
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { waitUntilAllBlocked } from '../support/lock-waits.ts'
import { expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, obtainCode, signIn } from '../support/sign-in.ts'
import type { Outcome, Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await createSignInEnvironment()
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const lock = 4711

/** Every transaction that stores a refresh token waits until the test releases the lock. */
test.before(() =>
  environment.pool.query(`
    create function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${lock}); return new; end $$;
    create trigger wait_for_test before insert on refresh_tokens
      for each row execute function wait_for_test()`),
)

/** A user with a session, who is an administrator of the workspace of another user. */
async function createSubject(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const email = environment.addProviderUser()
  const { tokens: personal } = await signIn(transport, email, 'github')
  const { id } = expectOk(await transport.call('GetMe', {}, { token: personal.access_token }))
  await environment.seed.member(fixture.workspace, id, 'admin')
  const { exchange } = await obtainCode(transport, email)
  const own = { ...exchange, workspace_id: fixture.workspace }
  return { fixture, email, id, exchange: own }
}

type Subject = Awaited<ReturnType<typeof createSubject>>

const revocations: Record<string, (transport: Transport, subject: Subject) => Promise<Outcome>> = {
  removed: (transport, { fixture, id }) =>
    transport.call(
      'RemoveMember',
      { workspace_id: fixture.workspace, user_id: id },
      { token: fixture.people.owner.token },
    ),
  demoted: (transport, { fixture, id }) =>
    transport.call(
      'UpdateMember',
      { workspace_id: fixture.workspace, user_id: id, role: 'viewer' },
      { token: fixture.people.owner.token },
    ),
  deactivated: (transport, { id }) =>
    admin.call(transport, 'UpdateUser', { user_id: id, is_active: false }),
  deleted: (transport, { id }) => admin.call(transport, 'DeleteUser', { user_id: id }),
}

/** Runs both calls: the revocation begins when the other call waits for the lock. */
async function revokeDuring(issue: () => Promise<Outcome>, revoke: () => Promise<Outcome>) {
  const client = await environment.pool.connect()
  try {
    await client.query(`select pg_advisory_lock(${lock})`)
    const issuing = issue()
    await waitUntilAllBlocked(environment.pool, [issuing])
    const revoking = revoke()
    // A revocation may itself wait for rows that the other call has locked.
    await waitUntilAllBlocked(environment.pool, [issuing, revoking])
    await client.query(`select pg_advisory_unlock(${lock})`)
    return { issued: await issuing, revoked: await revoking }
  } finally {
    client.release(true)
  }
}

/**
 * Whether the tokens allow the user to act as an administrator of the workspace, directly or after a
 * refresh.
 */
async function canAct(transport: Transport, { fixture }: Subject, issued: Outcome) {
  if (!issued.ok) return false
  const { access_token, refresh_token } = issued.message
  const message = { workspace_id: fixture.workspace, name: 'Renamed' }
  const act = (token: string) => transport.call('UpdateWorkspace', message, { token })
  if ((await act(access_token)).ok) return true
  const refresh = await transport.call('RefreshToken', { refresh_token })
  return refresh.ok && (await act(refresh.message.access_token)).ok
}

for (const transport of environment.transports) {
  test.serial(`tokens work without a revocation over ${transport.label}`, async (t) => {
    const subject = await createSubject(transport)
    t.true(
      await canAct(transport, subject, await transport.call('ExchangeToken', subject.exchange)),
    )
  })

  for (const [revocation, revoke] of Object.entries(revocations)) {
    const title = `of a user who is ${revocation} concurrently issues no token that works`

    test.serial(`a refresh ${title} over ${transport.label}`, async (t) => {
      const subject = await createSubject(transport)
      const tokens = expectOk(await transport.call('ExchangeToken', subject.exchange))
      const { refresh_token } = tokens
      const { issued, revoked } = await revokeDuring(
        () => transport.call('RefreshToken', { refresh_token }),
        () => revoke(transport, subject),
      )
      t.true(revoked.ok, JSON.stringify(revoked))
      t.false(await canAct(transport, subject, issued))
    })

    test.serial(`an exchange ${title} over ${transport.label}`, async (t) => {
      const subject = await createSubject(transport)
      const { issued, revoked } = await revokeDuring(
        () => transport.call('ExchangeToken', subject.exchange),
        () => revoke(transport, subject),
      )
      t.true(revoked.ok, JSON.stringify(revoked))
      t.false(await canAct(transport, subject, issued))
    })
  }

  test.serial(
    `a refresh during a logout issues no token that works over ${transport.label}`,
    async (t) => {
      const subject = await createSubject(transport)
      const { access_token, refresh_token } = expectOk(
        await transport.call('ExchangeToken', subject.exchange),
      )
      const { issued, revoked } = await revokeDuring(
        () => transport.call('RefreshToken', { refresh_token }),
        () => transport.call('Logout', {}, { token: access_token }),
      )
      t.true(revoked.ok, JSON.stringify(revoked))
      t.false(await canAct(transport, subject, issued))
    },
  )
}

test.after('no internal errors occurred', (t) => {
  t.deepEqual(environment.failures, [])
})
