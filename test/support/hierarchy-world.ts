import type { Pool } from 'pg'
import type { Role } from '../../src/core/roles.ts'
import type { WorldCondition, WorldRequirement } from './world-conditions.ts'

/** A user with their role in the workspace, which is undefined for users who are not members. */
export type WorldUser = { id: string; role: Role | undefined; publishes: boolean; guest?: boolean }

/** Whom a decision is about. The ID of an anonymous subject is empty. A group with a guest is one. */
export type WorldSubject = WorldUser & { type: 'user' | 'group' | 'link' | 'anonymous' }

/** A group with its direct members and its children. */
export type WorldGroup = { id: string; members: string[]; children: string[] }

/** What a share or a link grants. `permission` is a permission or the name of a role. */
export type WorldGrant = { permission: string; condition: WorldCondition | null }

/** A link to the resource with the `permission_id` in `resource`. */
export type WorldLink = { id: string; resource: string; grant: WorldGrant }

/** A resource with the `permission_id` of its parent and the share with each grantee. */
export type WorldResource = {
  id: string
  resource_id: string
  /** Absent in worlds of one type. */
  type?: string
  owner_id: string
  visibility: string
  parent_id: string | null
  inherits: boolean
  attributes: Record<string, unknown>
  shares: Record<string, WorldGrant>
}

/** The facts of a workspace that decide checks. Contains no inherited memberships or grants. */
export type World = {
  users: WorldUser[]
  groups: WorldGroup[]
  resources: WorldResource[]
  links: WorldLink[]
  /** The requirements of the types of the resources. */
  requirements: WorldRequirement[]
  /** The declared actions of each role. */
  roles: Record<string, string[]>
  /** The declared actions of each role of each type. Absent in worlds of one type. */
  rolesOfTypes?: Record<string, Record<string, string[]>>
}

/** Reads the facts of a workspace and of the type of its resources as they are stored. */
export async function readWorld(
  pool: Pool,
  workspaceId: string,
): Promise<Omit<World, 'users' | 'roles' | 'rolesOfTypes'>> {
  const grant = `json_build_object('permission', ltrim(permission, '?'), 'condition',
    case when condition is not null then json_build_object('name', condition, 'params', params) end)`
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
            'attributes', coalesce(r.attributes, '{}'),
            'shares', (select coalesce(json_object_agg(coalesce(user_id, group_id), ${grant}), '{}')
              from shares s where s.kind_id = r.kind_id and s.resource_id = r.resource_id)
          ) order by r.id), '[]')
        from resources r where workspace_id = $1) as resources,
       (select coalesce(json_agg(json_build_object('id', l.id, 'resource', r.id, 'grant', ${grant})
          order by l.id), '[]')
        from resource_links l join resources r using (kind_id, resource_id)
        where r.workspace_id = $1) as links,
       (select coalesce(json_agg(json_strip_nulls(json_build_object('action', action,
            'condition', condition, 'inherited', case when inherited_in is not null then true end))
          order by action, condition), '[]')
        from resource_requirements
        where kind_id in (select kind_id from resources where workspace_id = $1)) as requirements`,
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

/** Returns the length of the longest chain of parents. */
export function findLongestChain(world: Pick<World, 'resources'>): number {
  return Math.max(0, ...world.resources.map((one) => findAncestors(world, one).length))
}
