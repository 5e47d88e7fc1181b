import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { roles } from '../../src/core/roles.ts'
import { toResourceId } from '../../src/permissions/resource-id.ts'
import type { TestEnvironment } from './test-environment.ts'

export const kind = { service_name: 'docs', resource_type: 'document' }
const owner = fc.nat(2)

/** The roles that shares can grant, with their actions. */
export const shareRoles: Record<string, string[]> = {
  publisher: ['publish'],
  editor: ['edit', 'publish'],
  manager: ['manage'],
}
/** The only condition: of some shares, and required of some actions. */
export const office = 'office'
export const contexts = {
  inside: { address: '10.1.2.3' },
  outside: { address: '192.168.0.1' },
  without: {},
}
const permissions = ['view', 'edit', ...Object.keys(shareRoles)]

/** Random facts about two workspaces with the same three users, identified by index. */
export const workspaces = fc.array(
  fc.record({
    roles: fc.array(fc.constantFrom(undefined, ...roles), { minLength: 3, maxLength: 3 }),
    /** The users whose membership has ended but has not been removed yet. */
    ended: fc.uniqueArray(fc.nat(2), { maxLength: 1 }),
    group: fc.uniqueArray(fc.nat(2), { maxLength: 3 }),
    /** The members of a child group of that group. */
    childGroup: fc.uniqueArray(fc.nat(2), { maxLength: 2 }),
    publishers: fc.uniqueArray(fc.nat(2), { maxLength: 2 }),
    /** Whether the group has the role of the publishers, too. */
    groupPublishes: fc.boolean(),
    resources: fc.array(
      fc.record({
        owner,
        visibility: fc.constantFrom('private', 'workspace', 'public'),
        hasExternalId: fc.boolean(),
        userShare: fc.option(
          fc.record({
            user: fc.nat(2),
            permission: fc.constantFrom(...permissions),
            isConditional: fc.boolean(),
          }),
          { nil: undefined },
        ),
        groupShare: fc.option(fc.constantFrom(...permissions), { nil: undefined }),
        /** The index of the parent; ignored unless it refers to an earlier resource. */
        parent: fc.nat(6),
        inherits: fc.boolean(),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  { minLength: 2, maxLength: 2 },
)

export type World = typeof workspaces extends fc.Arbitrary<infer Value> ? Value : never
export type SeededResource = {
  id: string
  externalId: string | null
  workspace: string
  owner: string
  visibility: string
  /** The shares with each user and with the group. `users` are those to whom a share applies. */
  shares: {
    rule: 'share' | 'group_share'
    users: string[]
    permission: string
    isConditional: boolean
  }[]
  /** The parent, if the resource inherits from it. */
  parent: SeededResource | undefined
}

/** Inserts what a world says, and returns its users, workspaces and resources. */
export async function seedWorld(environment: TestEnvironment, world: World, publish: string) {
  const { seed, pool } = environment
  const users = [await seed.user(), await seed.user(), await seed.user()]
  const workspaceIds: string[] = []
  const resources: SeededResource[] = []
  const insertKind = `insert into resource_kinds (service_name, resource_type) values ($1, $2)
    on conflict (service_name, resource_type) do update set service_name = excluded.service_name
    returning id`
  const { rows } = await pool.query(insertKind, [kind.service_name, kind.resource_type])
  const kindId = rows[0].id
  for (const facts of world) {
    const workspace = await seed.workspace()
    workspaceIds.push(workspace)
    for (const [index, role] of facts.roles.entries())
      if (role) await seed.member(workspace, users[index] as string, role)
    const members = (indexes: number[]) =>
      indexes.filter((index) => facts.roles[index]).map((index) => users[index] as string)
    const group = await seed.group(workspace, members(facts.group))
    await seedChildGroup(environment, workspace, group, members(facts.childGroup))
    const role = await seed.customRole(workspace, [publish], members(facts.publishers))
    if (facts.groupPublishes)
      await pool.query(
        'insert into custom_role_groups (role_id, group_id, workspace_id) values ($1, $2, $3)',
        [role, group, workspace],
      )
    const inWorkspace: SeededResource[] = []
    for (const resource of facts.resources) {
      const externalId = resource.hasExternalId ? `doc-${randomUUID()}` : null
      const id = externalId
        ? toResourceId(kind.service_name, kind.resource_type, externalId)
        : randomUUID()
      const owner = users[resource.owner] as string
      const parent = inWorkspace[resource.parent]
      await pool.query(
        `insert into resources (id, kind_id, resource_id, external_id, workspace_id, owner_id,
           visibility, parent_id, inherits)
         values ($1, $2, $1, $3, $4, $5, $6, $7, $8)`,
        [
          id,
          kindId,
          externalId,
          workspace,
          owner,
          resource.visibility,
          parent?.id ?? null,
          resource.inherits,
        ],
      )
      if (parent) {
        await pool.query('update resources set is_parent = true where id = $1', [parent.id])
        await pool.query('update shares set on_parent = true where resource_id = $1', [parent.id])
      }
      const share = (column: string, grantee: string, permission: string, condition?: string) =>
        pool.query(
          `insert into shares (id, kind_id, resource_id, workspace_id, ${column}, permission,
             condition, params)
           values ($1, $2, $3, $4, $5, $6, $7, $8)`,
          [
            ...[randomUUID(), kindId, id, workspace, grantee],
            ...(condition ? [`?${permission}`, condition, {}] : [permission, null, null]),
          ],
        )
      const { userShare, groupShare } = resource
      const shares: SeededResource['shares'] = []
      if (groupShare) {
        await share('group_id', group, groupShare)
        const effective = members([...new Set([...facts.group, ...facts.childGroup])])
        shares.push({
          rule: 'group_share',
          users: effective,
          permission: groupShare,
          isConditional: false,
        })
      }
      const [grantee] = userShare ? members([userShare.user]) : []
      if (userShare && grantee) {
        const { permission, isConditional } = userShare
        await share('user_id', grantee, permission, isConditional ? office : undefined)
        shares.push({ rule: 'share', users: [grantee], permission, isConditional })
      }
      inWorkspace.push({
        id,
        externalId,
        workspace,
        owner,
        visibility: resource.visibility,
        shares,
        parent: resource.inherits ? parent : undefined,
      })
    }
    resources.push(...inWorkspace)
    await pool.query(
      'update members set expires_at = now() where workspace_id = $1 and user_id = any($2)',
      [workspace, facts.ended.map((index) => users[index])],
    )
  }
  return { users, workspaceIds, resources }
}

/** Adds a child group, whose members also become members of the parent group. */
async function seedChildGroup(
  { seed, pool }: TestEnvironment,
  workspace: string,
  group: string,
  users: string[],
): Promise<void> {
  const child = await seed.group(workspace, users)
  await seed.childGroup(workspace, group, child)
  await pool.query(
    `insert into group_members (group_id, user_id, workspace_id, is_direct)
     select $1, user_id, $2, false from unnest($3::uuid[]) user_id
     on conflict do nothing`,
    [group, workspace, users],
  )
}
