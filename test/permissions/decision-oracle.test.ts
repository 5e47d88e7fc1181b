import { randomUUID } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import type { ResourcePermissionResponse } from '../../gen/daikon/v1/permissions.ts'
import { type Role, roles } from '../../src/core/roles.ts'
import { startTestEnvironment, type TestEnvironment } from '../support/test-environment.ts'

const service_name = 'docs'
const resource_type = 'document'
const actions = ['view', 'edit', 'publish', 'unheard-of']

/** Random facts of one workspace; indices stand for people, groups and resources. */
const facts = fc.record({
  roles: fc.array(fc.constantFrom(undefined, ...roles), { minLength: 3, maxLength: 3 }),
  groups: fc.array(fc.uniqueArray(fc.nat(2), { maxLength: 3 }), { minLength: 2, maxLength: 2 }),
  /** Who may publish by a custom role. */
  publishers: fc.uniqueArray(fc.nat(2), { maxLength: 2 }),
  resources: fc.array(
    fc.record({
      owner: fc.nat(2),
      visibility: fc.constantFrom('private', 'workspace'),
      shares: fc.uniqueArray(
        fc.record({
          to: fc.record({ type: fc.constantFrom('user', 'group'), at: fc.nat(2) }),
          permission: fc.constantFrom('view', 'edit'),
        }),
        { maxLength: 4, selector: ({ to }) => `${to.type}${to.at}` },
      ),
    }),
    { minLength: 1, maxLength: 5 },
  ),
})

type Facts = typeof facts extends fc.Arbitrary<infer Value> ? Value : never

/** The decision once more, in other words, from what GetResource shows. */
function expected(
  user: { id: string; role: Role | undefined; groups: string[]; publishes: boolean },
  action: string,
  resource: ResourcePermissionResponse,
): boolean {
  const { role } = user
  if (!role || action === 'unheard-of') return false
  if (role === 'owner' || role === 'admin' || resource.owner_id === user.id) return true
  const shared = resource.shares.filter(({ grantee_type, grantee_id }) =>
    grantee_type === 'user' ? grantee_id === user.id : user.groups.includes(grantee_id),
  )
  const open = resource.visibility === 'workspace'
  const edits = shared.some(({ permission }) => permission === 'edit')
  if (action === 'edit') return edits || (open && role === 'editor')
  const views = open || shared.length > 0
  return action === 'view' ? views : views && user.publishes
}

test('Check, Accessible and GetResource say the same of any facts', async (t) => {
  const environment = await startTestEnvironment()
  t.teardown(() => environment.stop())
  await environment.seed.serviceAction(service_name, 'publish')
  const [transport] = environment.transports
  if (!transport) return t.fail()

  await fc.assert(
    fc.asyncProperty(facts, async (facts) => {
      const { workspace, people, resources } = await plant(environment, facts)
      const records: ResourcePermissionResponse[] = []
      for (const resource_id of resources) {
        const ending = await transport.call('GetResource', {
          service_name,
          resource_type,
          resource_id,
        })
        if (!ending.ok) throw new Error(ending.detail)
        records.push(ending.message as ResourcePermissionResponse)
      }
      for (const person of people) {
        const token = await environment.token(person.id, workspace)
        for (const action of actions) {
          const wanted = records
            .filter((resource) => expected(person, action, resource))
            .map(({ resource_id }) => resource_id)
          const asked = { service_name, resource_type, action }
          // Many checks of one caller are looked up in another way than few.
          for (const times of [1, 16]) {
            const turns = Array.from({ length: times }, () => resources)
            const checks = turns.flat().map((resource_id) => ({ ...asked, resource_id }))
            const checked = await transport.call('Check', { checks }, { token })
            if (!checked.ok) throw new Error(checked.detail)
            const allowed = turns.flat().filter((_, at) => checked.message.results[at].allowed)
            same(
              allowed,
              turns.flatMap(() => wanted),
              `check ${action}`,
            )
          }

          const listed = await transport.call(
            'Accessible',
            { ...asked, workspace_id: workspace },
            { token },
          )
          if (!person.role) {
            if (listed.ok) throw new Error('a list for somebody who is no member')
            continue
          }
          if (!listed.ok) throw new Error(listed.detail)
          same(listed.message.resource_ids, wanted.toSorted(), `accessible ${action}`)
          if (listed.message.has_full_access && action !== 'unheard-of')
            same(wanted, resources, 'full access')
        }
      }
    }),
    { numRuns: 60 },
  )
  t.pass()
})

function same(actual: string[], wanted: string[], what: string): void {
  if (actual.join() !== wanted.join()) throw new Error(`${what}: ${actual} instead of ${wanted}`)
}

async function plant({ seed, pool }: TestEnvironment, facts: Facts) {
  const workspace = await seed.workspace()
  const ids: string[] = []
  for (const role of facts.roles) {
    const id = await seed.user()
    if (role) await seed.member(workspace, id, role)
    ids.push(id)
  }
  const isMember = (at: number) => facts.roles[at] !== undefined
  const groups: string[] = []
  for (const members of facts.groups) {
    groups.push(
      await seed.group(
        workspace,
        members.filter(isMember).map((at) => ids[at] as string),
      ),
    )
  }
  const publishers = facts.publishers.filter(isMember)
  const { rows } = await pool.query('select id from service_actions')
  await seed.customRole(
    workspace,
    [rows[0].id],
    publishers.map((at) => ids[at] as string),
  )

  const kind = `insert into resource_kinds (service_name, resource_type) values ($1, $2)
    on conflict (service_name, resource_type) do update set service_name = excluded.service_name
    returning id`
  const kindId = (await pool.query(kind, [service_name, resource_type])).rows[0].id
  const resources: string[] = []
  for (const { owner, visibility, shares } of facts.resources) {
    const id = randomUUID()
    await pool.query(
      `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
       values ($1, $2, $1, $3, $4, $5)`,
      [id, kindId, workspace, ids[owner], visibility],
    )
    for (const { to, permission } of shares) {
      const grantee = to.type === 'user' ? isMember(to.at) && ids[to.at] : groups[to.at]
      if (!grantee) continue
      await pool.query(
        `insert into shares (id, kind_id, resource_id, workspace_id, ${to.type}_id, permission)
         values ($1, $2, $3, $4, $5, $6)`,
        [randomUUID(), kindId, id, workspace, grantee, permission],
      )
    }
    resources.push(id)
  }
  const people = ids.map((id, at) => ({
    id,
    role: facts.roles[at],
    groups: groups.filter((_, group) => isMember(at) && facts.groups[group]?.includes(at)),
    publishes: publishers.includes(at),
  }))
  return { workspace, people, resources }
}
