import test from 'ava'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

const [grpc] = environment.transports as [(typeof environment.transports)[0]]

const count = (outcomes: Outcome[], isCounted: (outcome: Outcome) => boolean) =>
  outcomes.filter(isCounted).length

test('1,000 invitations at once by one administrator fail nobody else’s call', async (t) => {
  const flooded = await createWorkspaceFixture(environment, grpc)
  const other = await createWorkspaceFixture(environment, grpc)
  const record = await other.register(other.people.owner)

  const invitations = Array.from({ length: 1000 }, (_, index) =>
    grpc.call(
      'InviteMember',
      { workspace_id: flooded.workspace, email: `flood-${index}@example.com`, role: 'viewer' },
      { token: flooded.people.admin.token },
    ),
  )
  let isFlooding = true
  const flood = Promise.all(invitations).finally(() => {
    isFlooding = false
  })
  const outcomes: Outcome[] = []
  do {
    outcomes.push(await grpc.call('GetMe', {}, { token: other.people.viewer.token }))
    t.true(await other.isAllowed(other.people.owner, 'edit', record))
  } while (isFlooding)

  t.is(
    count(outcomes, ({ ok }) => !ok),
    0,
  )
  const refused = (await flood).filter((outcome) => !outcome.ok)
  for (const outcome of refused)
    t.like(outcome, { code: 'resource_exhausted', reason: 'TOO_MANY_CONCURRENT_REQUESTS' })
  t.true((await flood).some(({ ok }) => ok))
})

test('calls that wait for a lock in one workspace delay no call of another', async (t) => {
  const locked = await createWorkspaceFixture(environment, grpc)
  const other = await createWorkspaceFixture(environment, grpc)
  const client = await environment.pool.connect()
  await client.query('begin')
  await client.query('select from workspaces where id = $1 for update', [locked.workspace])
  const waiting = Array.from({ length: 15 }, () =>
    grpc.call(
      'UpdateMember',
      { workspace_id: locked.workspace, user_id: locked.people.viewer.id, role: 'editor' },
      { token: locked.people.owner.token },
    ),
  )
  try {
    const updates = await Promise.all(
      Array.from({ length: 5 }, () =>
        grpc.call(
          'UpdateMember',
          { workspace_id: other.workspace, user_id: other.people.viewer.id, role: 'editor' },
          { token: other.people.owner.token },
        ),
      ),
    )
    t.true(updates.every(({ ok }) => ok))
  } finally {
    await client.query('rollback')
    client.release()
  }
  await Promise.all(waiting)
})
