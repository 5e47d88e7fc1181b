import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { ResourcePermissionResponse } from '../../gen/daikon/v1/permissions.ts'
import { roles } from '../../src/core/roles.ts'
import type { World } from './hierarchy-world.ts'
import type { TestEnvironment } from './test-environment.ts'
import {
  anyAttributes,
  anyCondition,
  anyContext,
  anyRequirements,
  resolveAttributes,
  worldConditions,
} from './world-conditions.ts'

/** The service and its types in random facts. */
export const service_name = 'docs'
export const types = ['document', 'folder'] as const

const roleActions = fc.uniqueArray(fc.constantFrom('view', 'edit', 'manage', 'publish'), {
  minLength: 1,
})

/** Random facts about one workspace; users, groups and resources are identified by index. */
export const anyFacts = fc.record({
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

export type Facts = typeof anyFacts extends fc.Arbitrary<infer Value> ? Value : never

/** Declares the types of random facts. */
export async function declareTypes(
  { transports: [transport] }: TestEnvironment,
  { shareRoles, requirements }: Facts,
): Promise<void> {
  for (const resource_type of types) {
    const declared = await transport?.call('PutResourceType', {
      service_name,
      resource_type,
      allow_public: true,
      roles: Object.entries(shareRoles).map(([name, actions]) => ({ name, actions })),
      conditions: worldConditions,
      requirements: requirements[resource_type],
    })
    if (!declared?.ok) throw new Error(declared?.detail)
  }
}

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

/** Reads the world that random facts have become. */
export async function readWorld(
  { transports: [transport] }: TestEnvironment,
  facts: Facts,
  { users, groups, resources }: SeededFacts,
): Promise<World> {
  const records: ResourcePermissionResponse[] = []
  for (const [index, resource_id] of resources.entries()) {
    const resource_type = facts.resources[index]?.type
    const outcome = await transport?.call('GetResource', {
      service_name,
      resource_type,
      resource_id,
    })
    if (!outcome?.ok) throw new Error(outcome?.detail)
    records.push(outcome.message as ResourcePermissionResponse)
  }
  return {
    users,
    groups,
    resources: toWorldResources(records),
    links: [],
    requirements: types.flatMap((type) =>
      facts.requirements[type].map((requirement) => ({ ...requirement, type })),
    ),
    roles: facts.shareRoles,
  }
}

export type SeededFacts = Awaited<ReturnType<typeof seedFacts>>

/** A guest is a viewer. */
function roleOf<Other>(role: Other | 'guest') {
  return role === 'guest' ? 'viewer' : role
}

/** Inserts random facts in a new workspace. */
export async function seedFacts({ seed, pool }: TestEnvironment, facts: Facts) {
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
