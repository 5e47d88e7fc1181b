import test from 'ava'
import { failedCalls } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

const [grpc] = environment.transports as [(typeof environment.transports)[0]]

const count = (outcomes: Outcome[], isCounted: (outcome: Outcome) => boolean) =>
  outcomes.filter(isCounted).length

test.serial(
  '1,000 concurrent invitations by one administrator do not fail the calls of other users',
  async (t) => {
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
    const isExhausted = (outcome: Outcome) =>
      !outcome.ok && outcome.reason === 'TOO_MANY_CONCURRENT_REQUESTS'
    t.true(refused.some(isExhausted))
    // On a busy machine, admitted invitations of the flood itself may exceed the statement
    // timeout.
    t.true(
      refused.every(
        (outcome) => isExhausted(outcome) || (!outcome.ok && outcome.code === 'unavailable'),
      ),
    )
    t.true((await flood).some(({ ok }) => ok))
  },
)

test.serial(
  'calls that wait for a lock in one workspace do not delay calls in another',
  async (t) => {
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
      t.deepEqual(failedCalls(updates), [])
    } finally {
      await client.query('rollback')
      client.release()
    }
    await Promise.all(waiting)
  },
)

test.serial(
  'shares that wait for a lock do not delay other shares, even of the same resource, and end after three seconds',
  async (t) => {
    const locked = await createWorkspaceFixture(environment, grpc)
    const other = await createWorkspaceFixture(environment, grpc)
    const share = async (fixture: typeof locked, permission_id: string, grantee_id: string) => {
      const { token } = fixture.people.owner
      const message = { permission_id, grantee_type: 'user', grantee_id, permission: 'view' }
      const startedAt = performance.now()
      const outcome = await grpc.call('Share', message, { token, key: fixture.key })
      return { outcome, milliseconds: performance.now() - startedAt }
    }
    const record = await locked.register(locked.people.owner)
    const otherRecord = await other.register(other.people.owner)
    const client = await environment.pool.connect()
    await client.query('begin')
    await client.query('select from members where user_id = $1 for update', [
      locked.people.viewer.id,
    ])
    try {
      const waiting = Array.from({ length: 5 }, () =>
        share(locked, record.id, locked.people.viewer.id),
      )
      let isWaiting = true
      const blocked = Promise.all(waiting).finally(() => {
        isWaiting = false
      })
      const times: number[] = []
      do {
        const { outcome, milliseconds } = await share(other, otherRecord.id, other.people.viewer.id)
        t.like(outcome, { ok: true })
        times.push(milliseconds)
        const sameResource = await share(locked, record.id, locked.people.editor.id)
        t.like(sameResource.outcome, { ok: true })
      } while (isWaiting)
      // A share that waits for the lock takes at least three seconds. A busy machine delays a few.
      const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number
      t.true(median < 3000, `beside: ${median} ms`)
      for (const { outcome, milliseconds } of await blocked) {
        t.like(outcome, { code: 'unavailable', reason: 'LOCK_TIMEOUT' })
        t.true(milliseconds < 30_000, `blocked: ${milliseconds} ms`)
      }
    } finally {
      await client.query('rollback')
      client.release()
    }
  },
)
