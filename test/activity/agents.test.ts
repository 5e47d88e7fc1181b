import test from 'ava'
import { sealActivity } from '../../src/activity/seal.ts'
import { verifyActivity } from '../../src/activity/verify.ts'
import { createStores } from '../../src/server/stores.ts'
import { eventPayload } from '../../src/webhooks/payload.ts'
import { createAdmin } from '../support/admin.ts'
import { createDelegatedMember } from '../support/delegated-member.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { openWatchOver } from '../support/watch.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())
const stores = () => createStores(environment.database.fork())

for (const transport of environment.transports) {
  test.serial(
    `changes by an agent name the user and the agent over ${transport.label}`,
    async (t) => {
      const fixture = await createWorkspaceFixture(environment, transport)
      const { people, key, kind, workspace: workspace_id } = fixture
      const { owner, viewer, editor } = people
      const terms = { actions: ['view', 'edit', 'manage'] }
      const agent = await createDelegatedMember(environment, transport, fixture, owner, terms)
      const { resource_id, id: permission_id } = await fixture.register(owner)
      const toUser = { grantee_type: 'user', grantee_id: viewer.id, permission: 'view' }
      const toOther = { grantee_type: 'user', grantee_id: editor.id, permission: 'edit' }
      while ((await sealActivity(stores())) > 0);
      const watch = openWatchOver[transport.name](
        environment,
        { actions: ['permission.*'] },
        { key },
      )
      t.teardown(watch.stop)
      await watch.actions(0)
      const calls: [method: string, message: object, action: string][] = [
        ['Share', { permission_id, ...toUser }, 'permission.shared'],
        ['ShareBatch', { shares: [{ permission_id, ...toOther }] }, 'permission.shared'],
        ['RevokeShare', { permission_id, ...toUser }, 'permission.share_revoked'],
        [
          'UpdateVisibility',
          { permission_id, visibility: 'workspace' },
          'permission.visibility_changed',
        ],
        ['CreateLink', { permission_id, permission: 'view' }, 'permission.link_created'],
        ['Unregister', { ...kind, resource_id }, 'permission.unregistered'],
      ]
      for (const [method, message] of calls)
        expectOk(await transport.call(method, message, { token: agent.token, key }))
      const said = {
        actor_id: owner.id,
        actor_type: 'user',
        agent_type: 'service_account',
        agent_id: agent.agent.id,
        delegation_id: agent.delegationId,
      }
      const filter = { workspace_id, agent_id: agent.agent.id }
      const { items } = expectOk(await admin.call(transport, 'ListActivity', filter))
      t.deepEqual(
        items.map(({ action }: { action: string }) => action).toReversed(),
        calls.map(([, , action]) => action),
      )
      for (const entry of items) t.like(entry, said, entry.action)
      // What the person does alone names no agent.
      const { id } = await fixture.register(owner)
      await fixture.share(owner, { id, resource_id }, { user: viewer.id }, 'view')
      const { items: alone } = expectOk(
        await admin.call(transport, 'ListActivity', { target_id: id, action: 'permission.shared' }),
      )
      t.is(alone[0].actor_id, owner.id)
      t.falsy(alone[0].agent_id ?? alone[0].agent_type ?? alone[0].delegation_id)

      while ((await sealActivity(stores())) > 0);
      await watch.actions(calls.length)
      const events = watch.messages.flatMap(({ event }) => event ?? []).slice(0, calls.length)
      for (const event of events) {
        t.like(event, said, event.action)
        const { data } = JSON.parse(eventPayload(1, event))
        t.like(data, said)
      }
      t.is((await verifyActivity(stores())).problem, undefined)
    },
  )

  test.serial(`owners see the names of agents over ${transport.label}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, workspace: workspace_id } = fixture
    const agent = await createDelegatedMember(environment, transport, fixture, people.viewer)
    const other = await createWorkspaceFixture(environment, transport)
    const clients = await environment.pool.query(
      `insert into client_apps (id, name, type, pkce_required)
       select gen_random_uuid(), 'app ' || n, 'confidential', true from generate_series(1, 2) n
       returning id`,
    )
    const [used, unused] = clients.rows.map(({ id }) => id)
    await environment.pool.query(
      `update delegations set agent_type = 'client', agent_id = $1 where id = $2`,
      [used, agent.delegationId],
    )
    const find = async (id: string, token: string) => {
      const message = { workspace_id: id, ids: [agent.agent.id, used, unused] }
      const outcome = await transport.call('LookUpWorkspaceNames', message, { token })
      return expectOk(outcome)
        .names.map((named: { id: string }) => named.id)
        .toSorted()
    }
    t.deepEqual(await find(workspace_id, people.owner.token), [agent.agent.id, used].toSorted())
    t.deepEqual(await find(other.workspace, other.people.owner.token), [])
  })
}
