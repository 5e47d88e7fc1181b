import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { createAdmin } from '../support/admin.ts'
import { runCli } from '../support/cli.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { seed, pool } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

type Form = 'e-mail address' | 'user ID'
type Order = 'before' | 'after'

/** Random IDs and addresses for the two users of a scene. */
function createNames() {
  const id = randomUUID()
  return { id, email: `${id}@example.com` }
}

/**
 * Creates a viewer, and an administrator of the workspace whose `external_id` has the form of the
 * viewer's address or ID. Such external IDs exist only in databases of previous versions. `name` is
 * what both are named by; `order` is when the external ID came into being.
 */
async function createScene(transport: Transport, form: Form, order: Order) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace } = fixture
  const viewer = createNames()
  const name = form === 'user ID' ? viewer.id : viewer.email
  const shadow = await seed.newMember(workspace, 'admin')
  const assign = () => pool.query('update users set external_id = $1 where id = $2', [name, shadow])
  if (order === 'before') await assign()
  await seed.user('viewer', viewer)
  await seed.member(workspace, viewer.id, 'viewer')
  if (order === 'after') await assign()
  const secret = await fixture.register(fixture.people.owner)
  const open = await fixture.register(fixture.people.owner, { visibility: 'workspace' })
  return { ...fixture, viewer, name, shadow, secret, open }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  for (const form of ['e-mail address', 'user ID'] as const)
    for (const order of ['before', 'after'] as const)
      test(`an ${form === 'user ID' ? 'ID' : form} names its user, although another user was given it as external ID ${order} ${over}`, async (t) => {
        const scene = await createScene(transport, form, order)
        const { key, kind, name, viewer, shadow, secret, open } = scene
        const type = kind.resource_type
        const call = async (method: string, message: object) =>
          expectOk(await transport.call(method, message, { key }))
        const resource = { type, id: secret.resource_id }
        const action = { name: 'view' }

        for (const id of [name, name.toUpperCase()]) {
          const subject = { type: 'user', id }
          const evaluation = { subject, action, resource, context: { explain: true } }
          const { decision, context } = await call('Evaluate', evaluation)
          t.false(decision)
          t.deepEqual(context.reasons, [{ rule: 'no_grant' }])
          t.false((await call('Evaluate', { subject, action, resource })).decision)
          t.false((await call('EvaluateBatch', { subject, action, resource })).decision)
          const batch = { subject, action, evaluations: [open, secret].map(toItem) }
          const { evaluations } = await call('EvaluateBatch', batch)
          t.deepEqual(evaluations.map(decisionOf), [true, false])

          const resources = await call('SearchResources', { subject, action, resource: { type } })
          t.deepEqual(resources.results.map(idOf), [open.resource_id])
          const actions = await call('SearchActions', { subject, resource })
          t.deepEqual(actions.results, [])

          const path = `${kind.service_name}/${type}/${secret.resource_id}`
          const why = await runCli(environment.databaseUrl, 'why', id, 'view', path, '--json')
          t.deepEqual(JSON.parse(why.out), { decision: false, reasons: [{ rule: 'no_grant' }] })
        }

        const found = await call('SearchSubjects', { subject: { type: 'user' }, action, resource })
        const { admin: adminMember, owner } = scene.people
        t.deepEqual(
          found.results.map(idOf).toSorted(),
          [adminMember.id, owner.id, shadow].toSorted(),
        )
        const viewers = await call('SearchSubjects', {
          subject: { type: 'user' },
          action,
          resource: { type, id: open.resource_id },
        })
        t.true(viewers.results.map(idOf).includes(viewer.id))
        // What a search returns can be evaluated.
        for (const { id } of found.results) {
          const subject = { type: 'user', id }
          t.true((await call('Evaluate', { subject, action, resource })).decision)
        }

        const explain = { permission_id: secret.id, user_id: viewer.id, action: 'view' }
        t.false(expectOk(await admin.call(transport, 'ExplainPermission', explain)).decision)

        function toItem({ resource_id }: { resource_id: string }) {
          return { resource: { type, id: resource_id } }
        }
      })

  test(`an address or ID of nobody names nobody, even if it is an external ID ${over}`, async (t) => {
    const { key, kind, people, register } = await createWorkspaceFixture(environment, transport)
    const { resource_id } = await register(people.owner)
    for (const id of [randomUUID(), `${randomUUID()}@example.com`, `${randomUUID()}@intranet`]) {
      await pool.query('update users set external_id = $1 where id = $2', [id, people.owner.id])
      const message = {
        subject: { type: 'user', id },
        action: { name: 'view' },
        resource: { type: kind.resource_type, id: resource_id },
        context: { explain: true },
      }
      const { decision, context } = expectOk(await transport.call('Evaluate', message, { key }))
      t.false(decision)
      t.deepEqual(context.reasons, [{ rule: 'user_unknown' }])
    }
  })

  test(`an external ID in the form of an e-mail address or a UUID is rejected ${over}`, async (t) => {
    const { people } = await createWorkspaceFixture(environment, transport)
    const user_id = people.viewer.id
    const forms = [
      randomUUID(),
      randomUUID().toUpperCase(),
      user_id,
      `${randomUUID()}@example.com`,
      ` ${randomUUID()}@Example.com`,
      'root@localhost',
    ]
    for (const external_id of forms) {
      // The empty name shows that every problem is reported.
      const message = { user_id, external_id, name: '' }
      const error = expectError(await admin.call(transport, 'UpdateUser', message))
      t.is(error.code, 'invalid_argument')
      t.deepEqual(error.violations.find(isAboutExternalId), {
        field: 'external_id',
        message:
          'must not be in the form of a UUID or an e-mail address, or contain control characters',
      })
      t.is(error.violations.length, 2)
    }
    await assertNoExternalId(t, user_id)
    const accepted = [
      'bob',
      'bob@',
      '@bob',
      'a@b@c',
      'bob@exa mple',
      `{${randomUUID()}}`,
      'ü@example.com',
    ]
    for (const name of accepted) {
      const external_id = `${name} ${randomUUID().slice(0, 8)}`.replace(/^(.*@[^ ]+) /, '$1 @')
      expectOk(await admin.call(transport, 'UpdateUser', { user_id, external_id }))
    }
  })
}

async function assertNoExternalId(t: ExecutionContext, userId: string): Promise<void> {
  const { rows } = await pool.query('select external_id from users where id = $1', [userId])
  t.deepEqual(rows, [{ external_id: null }])
}

function decisionOf({ decision }: { decision: boolean }): boolean {
  return decision
}

function idOf({ id }: { id: string }): string {
  return id
}

function isAboutExternalId({ field }: { field: string }): boolean {
  return field === 'external_id'
}
