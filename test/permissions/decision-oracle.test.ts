import { randomUUID } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import type { ResourcePermissionResponse } from '../../gen/daikon/v1/permissions.ts'
import { roles } from '../../src/core/roles.ts'
import type { World } from '../support/hierarchy-world.ts'
import { startTestEnvironment, type TestEnvironment } from '../support/test-environment.ts'
import {
  anyAttributes,
  anyCondition,
  anyContext,
  anyRequirements,
  resolveAttributes,
  type WorldRequirement,
  worldConditions,
} from '../support/world-conditions.ts'
import { decideNaively } from '../support/world-decisions.ts'

const service_name = 'docs'
const types = ['document', 'folder'] as const
const actions = ['view', 'edit', 'manage', 'publish', 'unheard-of']

const roleActions = fc.uniqueArray(fc.constantFrom('view', 'edit', 'manage', 'publish'), {
  minLength: 1,
})

/** Random facts about one workspace; users, groups and resources are identified by index. */
const facts = fc.record({
  roles: fc.array(fc.constantFrom(undefined, 'guest' as const, ...roles), {
    minLength: 3,
    maxLength: 3,
  }),
  groups: fc.array(fc.uniqueArray(fc.nat(2), { maxLength: 3 }), { minLength: 2, maxLength: 2 }),
  /** The actions of the roles that shares can grant. */
  shareRoles: fc.record({ first: roleActions, second: roleActions }),
  /** Users with a custom role that grants `publish`. */
  publishers: fc.uniqueArray(fc.nat(2), { maxLength: 2 }),
  /** Groups with that custom role. */
  publishingGroups: fc.uniqueArray(fc.nat(1), { maxLength: 2 }),
  resources: fc.array(
    fc.record({
      type: fc.constantFrom(...types),
      owner: fc.nat(2),
      visibility: fc.constantFrom('private', 'workspace', 'public'),
      shares: fc.uniqueArray(
        fc.record({
          to: fc.record({ type: fc.constantFrom('user', 'group'), at: fc.nat(2) }),
          permission: fc.constantFrom('view', 'edit', 'first', 'second'),
          condition: fc.option(anyCondition),
        }),
        { maxLength: 4, selector: ({ to }) => `${to.type}${to.at}` },
      ),
      /** The index of the parent; ignored unless it refers to an earlier resource. */
      parent: fc.nat(7),
      inherits: fc.boolean(),
      attributes: anyAttributes,
    }),
    { minLength: 1, maxLength: 7 },
  ),
  /** The requirements of each type. */
  requirements: fc.record({ document: anyRequirements, folder: anyRequirements }),
  /** The context of every request. */
  context: anyContext,
})

type Facts = typeof facts extends fc.Arbitrary<infer Value> ? Value : never

/** Converts the results of GetResource to the resources of a world. */
function toWorldResources(records: ResourcePermissionResponse[]): World['resources'] {
  return records.map(({ parent, shares, attributes = {}, ...record }) => ({
    ...record,
    type: record.resource_type,
    attributes,
    parent_id: records.find(({ resource_id }) => resource_id === parent?.resource_id)?.id ?? null,
    shares: Object.fromEntries(
      shares.map(({ grantee_id, permission, role, condition }) => {
        const { name = '', params = {} } = condition ?? {}
        const granted = { permission: permission || (role ?? '') }
        return [grantee_id, { ...granted, condition: name ? { name, params } : null }]
      }),
    ),
  }))
}

test('Check and Accessible agree with an independent decision on random facts', async (t) => {
  const environment = await startTestEnvironment()
  t.teardown(() => environment.stop())
  await environment.seed.serviceAction(service_name, 'publish')
  const remembering = await environment.addNode({ MAX_FACTS_CACHE_BYTES: 10_000_000 })
  const [transport] = environment.transports
  if (!transport) return t.fail()
  const declare = async ({ shareRoles, requirements }: Facts) => {
    for (const resource_type of types) {
      const declared = await transport.call('PutResourceType', {
        service_name,
        resource_type,
        allow_public: true,
        roles: Object.entries(shareRoles).map(([name, actions]) => ({ name, actions })),
        conditions: worldConditions,
        requirements: requirements[resource_type],
      })
      if (!declared.ok) throw new Error(declared.detail)
    }
  }

  await fc.assert(
    fc.asyncProperty(facts, async (facts) => {
      await declare(facts)
      const { workspace, users, groups, resources } = await seedFacts(environment, facts)
      const records: ResourcePermissionResponse[] = []
      for (const [index, resource_id] of resources.entries()) {
        const resource_type = facts.resources[index]?.type
        const outcome = await transport.call('GetResource', {
          service_name,
          resource_type,
          resource_id,
        })
        if (!outcome.ok) throw new Error(outcome.detail)
        records.push(outcome.message as ResourcePermissionResponse)
      }
      const world: World = {
        users,
        groups,
        resources: toWorldResources(records),
        links: [],
        requirements: types.flatMap((type) =>
          facts.requirements[type].map((requirement) => ({ ...requirement, type })),
        ),
        roles: facts.shareRoles,
      }
      const { context } = facts
      for (const person of users) {
        const token = await environment.token(person.id, workspace)
        for (const action of actions) {
          const expected = world.resources.filter((resource) => {
            const subject = { ...person, type: 'user' as const }
            return decideNaively({ world, subject, action, resource, context })
          })
          const expectedIds = expected.map(({ resource_id }) => resource_id)
          // Large batches of one caller use a different query plan from small ones.
          for (const times of [1, 16]) {
            const rounds = Array.from({ length: times }, () => resources)
            const checks = rounds.flat().map((resource_id) => ({
              service_name,
              resource_type: world.resources.find((one) => one.resource_id === resource_id)?.type,
              action,
              resource_id,
            }))
            const node = times === 1 ? remembering.transports[0] : transport
            const checked = await (node ?? transport).call('Check', { checks, context }, { token })
            if (!person.role) {
              if (checked.ok) throw new Error('Check succeeded for a user who is not a member')
              continue
            }
            if (!checked.ok) throw new Error(checked.detail)
            const allowed = rounds
              .flat()
              .filter((_, index) => checked.message.results[index].allowed)
            assertSame(
              allowed,
              rounds.flatMap(() => expectedIds),
              `check ${action}`,
            )
          }

          for (const resource_type of types) {
            const listed = await transport.call(
              'Accessible',
              { service_name, resource_type, action, context, workspace_id: workspace },
              { token },
            )
            if (!person.role) {
              if (listed.ok) throw new Error('Accessible succeeded for a user who is not a member')
              continue
            }
            if (!listed.ok) throw new Error(listed.detail)
            const isOfType = ({ type }: { type?: string }) => type === resource_type
            const expectedOfType = idsOf(expected.filter(isOfType))
            assertSame(
              listed.message.resource_ids,
              expectedOfType.toSorted(),
              `accessible ${resource_type} ${action}`,
            )
            if (!listed.message.has_full_access) continue
            if (person.guest) throw new Error('Full access of a guest')
            const binds = ({ type, inherited }: WorldRequirement) =>
              inherited || type === resource_type
            if (world.requirements.some((one) => one.action === action && binds(one)))
              throw new Error(`Full access despite a requirement of ${action}`)
            if (action !== 'unheard-of')
              assertSame(expectedOfType, idsOf(world.resources.filter(isOfType)), 'full access')
          }
        }
      }
    }),
    { numRuns: 60, includeErrorInReport: true },
  )
  t.pass()
})

const idsOf = (resources: World['resources']) => resources.map(({ resource_id }) => resource_id)

function assertSame(actual: string[], expectedIds: string[], what: string): void {
  if (actual.join() !== expectedIds.join())
    throw new Error(`${what}: ${actual} instead of ${expectedIds}`)
}

/** A guest is a viewer. */
function roleOf<Other>(role: Other | 'guest') {
  return role === 'guest' ? 'viewer' : role
}

async function seedFacts({ seed, pool }: TestEnvironment, facts: Facts) {
  const workspace = await seed.workspace()
  const ids: string[] = []
  for (const role of facts.roles) {
    const id = await seed.user()
    if (role) await seed.member(workspace, id, roleOf(role))
    ids.push(id)
  }
  await pool.query('update members set is_guest = true where user_id = any($1)', [
    ids.filter((_, index) => facts.roles[index] === 'guest'),
  ])
  const isMember = (index: number) => facts.roles[index] !== undefined
  const groups: string[] = []
  for (const members of facts.groups) {
    groups.push(
      await seed.group(
        workspace,
        members.filter(isMember).map((index) => ids[index] as string),
      ),
    )
  }
  const publishers = facts.publishers.filter(isMember)
  const { rows } = await pool.query('select id from service_actions')
  const role = await seed.customRole(
    workspace,
    [rows[0].id],
    publishers.map((index) => ids[index] as string),
  )
  for (const index of facts.publishingGroups)
    await pool.query(
      'insert into custom_role_groups (role_id, group_id, workspace_id) values ($1, $2, $3)',
      [role, groups[index], workspace],
    )

  const kind = `insert into resource_kinds (service_name, resource_type) values ($1, $2)
    on conflict (service_name, resource_type) do update set service_name = excluded.service_name
    returning id`
  const kindIds: Record<string, number> = {}
  for (const type of types)
    kindIds[type] = (await pool.query(kind, [service_name, type])).rows[0].id
  const resources: string[] = []
  for (const resource of facts.resources) {
    const { type, owner, visibility, shares, parent, inherits, attributes } = resource
    const kindId = kindIds[type]
    const id = randomUUID()
    await pool.query(
      `insert into resources
         (id, kind_id, resource_id, workspace_id, owner_id, visibility, parent_id, inherits,
         attributes)
       values ($1, $2, $1, $3, $4, $5, $6, $7, $8)`,
      [
        id,
        kindId,
        workspace,
        ids[owner],
        visibility,
        resources[parent],
        inherits,
        resolveAttributes(attributes, ids),
      ],
    )
    for (const { to, permission, condition } of shares) {
      const grantee = to.type === 'user' ? isMember(to.at) && ids[to.at] : groups[to.at]
      if (!grantee) continue
      await pool.query(
        `insert into shares (id, kind_id, resource_id, workspace_id, ${to.type}_id, permission,
           condition, params)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          randomUUID(),
          kindId,
          id,
          workspace,
          grantee,
          condition ? `?${permission}` : permission,
          condition?.name,
          condition?.params,
        ],
      )
    }
    resources.push(id)
  }
  await pool.query(
    `update resources set is_parent = true where id in (
       select parent_id from resources where workspace_id = $1)`,
    [workspace],
  )
  await pool.query(
    `update shares set on_parent = true where workspace_id = $1
     and resource_id in (select resource_id from resources where is_parent)`,
    [workspace],
  )
  const users = ids.map((id, index) => ({
    id,
    role: roleOf(facts.roles[index]),
    guest: facts.roles[index] === 'guest',
    publishes:
      publishers.includes(index) ||
      facts.publishingGroups.some((group) => facts.groups[group]?.includes(index)),
  }))
  return {
    workspace,
    users,
    groups: groups.map((id, index) => ({
      id,
      members: (facts.groups[index] ?? []).filter(isMember).map((user) => ids[user] as string),
      children: [],
    })),
    resources,
  }
}
