import { randomUUID } from 'node:crypto'
import test from 'ava'
import { insertDelegation } from '../support/delegation-rows.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type WorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const node = await environment.addNode()
const { pool, seed } = environment
test.after.always(() => environment.stop())

/** Changes one letter of an ID to a capital. */
const spell = (id: string) => id.replace(/[a-f]/, (letter) => letter.toUpperCase())

/** A user who may perform an action on a resource for one reason, and a change that ends it. */
type Scene = { fixture: WorkspaceFixture; user: string; resource_id: string; action: string }
type Reason = {
  prepare(fixture: WorkspaceFixture): Promise<Omit<Scene, 'fixture'>>
  end(scene: Scene): Promise<unknown>
}

const workspacePermission = async (fixture: WorkspaceFixture) => {
  const user = await seed.newMember(fixture.workspace, 'editor')
  const record = await fixture.register(fixture.people.owner, { visibility: 'workspace' })
  return { user, resource_id: record.resource_id, action: 'edit' }
}

const reasons: Record<string, Reason> = {
  'the user is deactivated': {
    prepare: workspacePermission,
    end: ({ user }) => pool.query('update users set is_active = false where id = $1', [user]),
  },
  'the user is removed from the workspace': {
    prepare: workspacePermission,
    end: ({ user }) => pool.query('delete from members where user_id = $1', [user]),
  },
  'the role of the user changes': {
    prepare: workspacePermission,
    end: ({ user }) => pool.query("update members set role = 'viewer' where user_id = $1", [user]),
  },
  'the user leaves a group': {
    async prepare(fixture) {
      const user = await seed.newMember(fixture.workspace, 'viewer')
      const group = await seed.group(fixture.workspace, [user])
      const record = await fixture.register(fixture.people.owner)
      await fixture.share(fixture.people.owner, record, { group }, 'edit')
      return { user, resource_id: record.resource_id, action: 'edit' }
    },
    end: ({ user }) => pool.query('delete from group_members where user_id = $1', [user]),
  },
  'the user loses a custom role': {
    async prepare(fixture) {
      const user = await seed.newMember(fixture.workspace, 'viewer')
      const action = `publish-${randomUUID()}`
      const publish = await seed.serviceAction(fixture.service, action)
      await seed.customRole(fixture.workspace, [publish], [user])
      const record = await fixture.register(fixture.people.owner, { visibility: 'workspace' })
      return { user, resource_id: record.resource_id, action }
    },
    end: ({ user }) => pool.query('delete from custom_role_members where user_id = $1', [user]),
  },
}

for (const [index, transport] of environment.transports.entries()) {
  const other = node.transports[index] as Transport

  for (const [title, { prepare, end }] of Object.entries(reasons))
    for (const isConditional of [false, true])
      test(`an ID with a capital letter is denied once ${title}, ${isConditional ? 'with a condition, ' : ''}on every node over ${transport.label}`, async (t) => {
        const fixture = await createWorkspaceFixture(environment, transport)
        const { key, kind } = fixture
        if (isConditional) await requireWeekday(transport, fixture)
        const scene = { fixture, ...(await prepare(fixture)) }
        const subject = { type: 'user', id: spell(scene.user) }
        const resource = { type: kind.resource_type, id: spell(scene.resource_id) }
        const request = { subject, resource, ...(isConditional && { context: { day: 'Monday' } }) }
        const named = { ...request, action: { name: scene.action } }
        const ask = async () => {
          const decisions: boolean[] = []
          for (const place of [transport, other]) {
            const call = async (method: string, message: object) =>
              expectOk(await place.call(method, message, { key }))
            const { results } = await call('SearchActions', request)
            const { evaluations } = await call('EvaluateBatch', { ...named, evaluations: [{}] })
            decisions.push(
              (await call('Evaluate', named)).decision,
              evaluations[0].decision,
              results.some(({ name }: { name: string }) => name === scene.action),
            )
          }
          return decisions
        }
        // Often enough that memory returns the last ones.
        for (let round = 0; round < 4; round += 1) t.deepEqual(await ask(), Array(6).fill(true))
        await end(scene)
        t.deepEqual(await ask(), Array(6).fill(false))
      })
}

for (const [index, transport] of environment.transports.entries()) {
  const other = node.transports[index] as Transport

  for (const ofFolder of [false, true])
    test(`a delegation of ${ofFolder ? 'a folder' : 'an action'} with a capital letter is denied once it ends, on every node over ${transport.label}`, async (t) => {
      const { workspace, service, key, people, register } = await createWorkspaceFixture(
        environment,
        transport,
      )
      const folder = await register(people.viewer, { resource_type: 'folder' })
      const parent = { resource_type: 'folder', resource_id: folder.resource_id }
      const { resource_id } = await register(people.viewer, { parent })
      const id = await insertDelegation(pool, {
        ...{ user_id: people.viewer.id, workspace_id: workspace, service_name: service },
        ...(ofFolder ? { resources: [folder.id] } : { actions: ['view'] }),
      })
      const named = { subject: { type: 'delegation', id: spell(id) }, action: { name: 'view' } }
      const ask = async () => {
        const decisions: boolean[] = []
        for (const place of [transport, other]) {
          const call = async (method: string, resource: object) =>
            expectOk(await place.call(method, { ...named, resource }, { key }))
          const { results } = await call('SearchResources', { type: 'document' })
          const resource = { type: 'document', id: spell(resource_id) }
          decisions.push((await call('Evaluate', resource)).decision, results.length === 1)
        }
        return decisions
      }
      for (let round = 0; round < 4; round += 1) t.deepEqual(await ask(), Array(4).fill(true))
      await pool.query('update delegations set ended_at = now() where id = $1', [id])
      t.deepEqual(await ask(), Array(4).fill(false))
    })
}

/** Requires a condition for the built-in action, so that facts are uncertain. */
async function requireWeekday(transport: Transport, { kind, key }: WorkspaceFixture) {
  const condition = { name: 'weekday', description: '', parameters: {} }
  const declaration = {
    ...kind,
    roles: [],
    conditions: [{ ...condition, expression: "context.day != 'Sunday'" }],
    requirements: [{ action: 'edit', condition: 'weekday' }],
  }
  expectOk(await transport.call('PutResourceType', declaration, { key }))
}
