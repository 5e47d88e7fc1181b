import type { Pool } from 'pg'
import type { Role } from '../../src/core/roles.ts'

/** A user with their role in the workspace, which is undefined for users who are not members. */
export type WorldUser = { id: string; role: Role | undefined; publishes: boolean }

/** A group with its direct members and its children. */
export type WorldGroup = { id: string; members: string[]; children: string[] }

/** A resource with the `permission_id` of its parent and the permission or role of each grantee. */
export type WorldResource = {
  id: string
  resource_id: string
  owner_id: string
  visibility: string
  parent_id: string | null
  inherits: boolean
  shares: Record<string, string>
}

/** The facts of a workspace that decide checks. Contains no inherited memberships or grants. */
export type World = {
  users: WorldUser[]
  groups: WorldGroup[]
  resources: WorldResource[]
  /** The declared actions of each role. */
  roles?: Record<string, string[]>
}

/** Reads the groups and resources of a workspace as they are stored. */
export async function readWorld(pool: Pool, workspaceId: string): Promise<Omit<World, 'users'>> {
  const { rows } = await pool.query(
    `select
       (select coalesce(json_agg(json_build_object(
            'id', g.id,
            'members', array(select user_id from group_members m
              where m.group_id = g.id and m.is_direct order by user_id),
            'children', array(select child_id from group_parents p
              where p.parent_id = g.id order by child_id)
          ) order by g.id), '[]')
        from groups g where workspace_id = $1) as groups,
       (select coalesce(json_agg(json_build_object(
            'id', r.id, 'resource_id', r.resource_id, 'owner_id', r.owner_id,
            'visibility', r.visibility, 'parent_id', r.parent_id, 'inherits', r.inherits,
            'shares', (select coalesce(json_object_agg(coalesce(user_id, group_id), permission), '{}')
              from shares s where s.kind_id = r.kind_id and s.resource_id = r.resource_id)
          ) order by r.id), '[]')
        from resources r where workspace_id = $1) as resources`,
    [workspaceId],
  )
  return rows[0]
}

/** Returns the IDs of a group and its descendants. `path` detects cycles. */
export function findDescendantGroups(
  world: Pick<World, 'groups'>,
  id: string,
  path: string[] = [],
): string[] {
  if (path.includes(id)) throw new Error(`Groups form a cycle: ${[...path, id]}`)
  const { children = [] } = world.groups.find((group) => group.id === id) ?? {}
  return [id, ...children.flatMap((child) => findDescendantGroups(world, child, [...path, id]))]
}

/** Returns the resource and its ancestors up to the root. */
export function findAncestors(
  world: Pick<World, 'resources'>,
  resource: WorldResource,
): WorldResource[] {
  const chain = [resource]
  for (;;) {
    const last = chain.at(-1) as WorldResource
    const parent = world.resources.find(({ id }) => id === last.parent_id)
    if (!parent) return chain
    if (chain.includes(parent)) throw new Error(`Resources form a cycle: ${parent.id}`)
    chain.push(parent)
  }
}

/** Whether everybody may view a resource. The resources of a world are of one type, which allows it. */
export function isPublic(world: Pick<World, 'resources'>, resource: WorldResource): boolean {
  const parent = world.resources.find(({ id }) => id === resource.parent_id)
  if (resource.visibility === 'public') return true
  return resource.inherits && parent !== undefined && isPublic(world, parent)
}

/** Makes a decision independently of the server, by following both hierarchies step by step. */
export function decideNaively(
  world: World,
  { id, role, publishes }: WorldUser,
  action: string,
  resource: WorldResource,
): boolean {
  const isKnown = ['view', 'edit', 'manage', 'publish'].includes(action)
  if (action === 'view' && isPublic(world, resource)) return true
  if (!role || !isKnown) return false
  if (role === 'owner' || role === 'admin') return true

  const chain = findAncestors(world, resource)
  const lastIndex = chain.findIndex(({ inherits }) => !inherits)
  const reached = lastIndex === -1 ? chain : chain.slice(0, lastIndex + 1)
  if (reached.some(({ owner_id }) => owner_id === id)) return true
  const groups = world.groups.filter((group) =>
    findDescendantGroups(world, group.id).some((below) =>
      world.groups.some((other) => other.id === below && other.members.includes(id)),
    ),
  )
  const grantees = [id, ...groups.map((group) => group.id)]
  const permissions = reached.flatMap(({ shares }) =>
    grantees.flatMap((grantee) => shares[grantee] ?? []),
  )
  const inRoles = permissions.flatMap((name) => world.roles?.[name] ?? [])
  if (inRoles.includes(action)) return true
  if (action === 'manage') return false
  const isOpen = reached.some(({ visibility }) => visibility !== 'private')
  if (action === 'edit') return permissions.includes('edit') || (isOpen && role === 'editor')
  const isVisible =
    isOpen ||
    permissions.some((name) => name === 'view' || name === 'edit') ||
    inRoles.some((name) => ['view', 'edit', 'manage'].includes(name))
  return action === 'view' ? isVisible : isVisible && publishes
}

/** Returns the length of the longest chain of parents. */
export function findLongestChain(world: Pick<World, 'resources'>): number {
  return Math.max(0, ...world.resources.map((one) => findAncestors(world, one).length))
}
