import { createHash } from 'node:crypto'
import type { Role } from '../../../src/core/roles.ts'
import { coversNaively } from '../delegation-world.ts'
import type { World, WorldResource, WorldSubject } from '../hierarchy-world.ts'
import { decideNaively, explainNaively } from '../world-decisions.ts'
import { isLive, type Rows } from './rows.ts'

/** What the secrets that a scene has issued identify, by their text. */
export type Secrets = {
  tokens: Map<string, { userId: string; tokenId: string; workspaceId: string; endsAt: number }>
  apiKeys: Map<string, string>
  links: Map<string, string>
}

/** Whom a question names, as requests do. */
export type NamedSubject = { type: string; id: string }

/** Decides questions about the resources of one service from rows. */
export type Oracle = {
  rows: Rows
  resources: (WorldResource & { workspace: string; name: string })[]
  isKeyValid(key: string): boolean
  /** Whether calls with the token are accepted: its user is an active member of the workspace. */
  isAccepted(token: string): boolean
  isAllowed(subject: NamedSubject, action: string, resource: string): boolean
  /** The names of the members of the resource's workspace who may perform the action, or of its groups. */
  findSubjects(type: 'user' | 'group', action: string, resource: string): string[]
  /** The names of the resources of a type that a search returns. */
  findResources(subject: NamedSubject, action: string, type: string, workspace?: string): string[]
  /** Whether a path has a route. */
  hasRoute(path: string): boolean
}

/** A subject, and the only workspace in which it is more than anybody. An agent acts by a delegation. */
type Found =
  | { userId: string; limitedTo: string | undefined; delegation?: Record<string, any> | undefined }
  | { groupId: string }
  | { linkId: string }
  | 'anonymous'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * Creates an oracle. `nowOfNodes` is the time of the nodes' clock, by which tokens expire; `context`
 * is what conditions read of every question.
 */
export function createOracle(
  rows: Rows,
  service: string,
  secrets: Secrets,
  nowOfNodes: number,
  context: Record<string, unknown>,
): Oracle {
  const types = new Map<string, string>(
    rows.resource_kinds
      .filter((one) => one.service_name === service)
      .map(({ id, resource_type }) => [id, resource_type]),
  )
  const isDeletedWorkspace = (id: string) => rows.deleted_workspaces.some((one) => one.id === id)
  const roots = new Set(rows.deleted_trees.map(({ id }) => id))
  const byId = new Map(rows.resources.map((one) => [one.id, one]))
  const isDeleted = (one: Record<string, any> | undefined): boolean =>
    one !== undefined &&
    (roots.has(one.id) ||
      isDeletedWorkspace(one.workspace_id) ||
      isDeleted(byId.get(one.parent_id)))
  const resources = rows.resources
    .filter((one) => types.has(one.kind_id) && !isDeleted(one))
    .map((one) => ({
      id: one.id as string,
      type: types.get(one.kind_id) as string,
      resource_id: one.resource_id as string,
      name: (one.external_id ?? one.resource_id) as string,
      workspace: one.workspace_id as string,
      owner_id: one.owner_id as string,
      visibility: one.visibility as string,
      parent_id: one.parent_id as string | null,
      inherits: one.inherits as boolean,
      attributes: one.attributes ?? {},
      shares: Object.fromEntries(
        rows.shares
          .filter(
            (share) =>
              share.kind_id === one.kind_id &&
              share.resource_id === one.resource_id &&
              isLive(rows, share),
          )
          .map((share) => [share.user_id ?? share.group_id, toGrant(share)]),
      ),
    }))
  const world: World = {
    users: [],
    groups: rows.groups.map(({ id }) => ({
      id,
      members: rows.group_members.filter((one) => one.group_id === id).map((one) => one.user_id),
      children: rows.group_parents.filter((one) => one.parent_id === id).map((one) => one.child_id),
    })),
    resources,
    links: rows.resource_links.flatMap((link) => {
      const resource = resources.find(
        (one) => one.type === types.get(link.kind_id) && one.resource_id === link.resource_id,
      )
      return resource && isLive(rows, link)
        ? [{ id: link.id, resource: resource.id, grant: toGrant(link) }]
        : []
    }),
    requirements: rows.resource_requirements
      .filter((one) => types.has(one.kind_id))
      .map(({ kind_id, action, condition, inherited_in }) => ({
        type: types.get(kind_id) as string,
        action,
        condition,
        ...(inherited_in !== null && { inherited: true }),
      })),
    roles: {},
    rolesOfTypes: Object.fromEntries(
      Array.from(types, ([id, type]) => [
        type,
        Object.fromEntries(
          rows.resource_roles
            .filter((one) => one.kind_id === id)
            .map(({ name, actions }) => [name, actions]),
        ),
      ]),
    ),
  }
  const publish = rows.service_actions.find(
    (one) => one.service_name === service && one.name === 'publish',
  )?.id

  const memberOf = (userId: string, workspace: string) =>
    isDeletedWorkspace(workspace)
      ? undefined
      : rows.members.find(
          (one) => one.user_id === userId && one.workspace_id === workspace && isLive(rows, one),
        )
  const roleOf = (userId: string, workspace: string): Role | undefined =>
    memberOf(userId, workspace)?.role
  const findUser = (id: string) => rows.users.find((one) => one.id === id)

  /** Whether a custom role of the user, or of one of their groups, contains `publish`. */
  function publishes(userId: string, workspace: string): boolean {
    const roles = rows.custom_role_actions
      .filter((one) => one.service_action_id === publish)
      .map(({ role_id }) => role_id)
    const ofWorkspace = (one: Record<string, any>) =>
      one.workspace_id === workspace && roles.includes(one.role_id)
    return (
      rows.custom_role_members.some((one) => ofWorkspace(one) && one.user_id === userId) ||
      rows.custom_role_groups.some(
        (one) =>
          ofWorkspace(one) &&
          rows.group_members.some(
            (member) => member.group_id === one.group_id && member.user_id === userId,
          ),
      )
    )
  }

  /** Returns undefined for subjects that may not even do what everybody may. */
  function find({ type, id }: NamedSubject): Found | undefined {
    if (type === 'anonymous') return 'anonymous'
    if (type === 'group') {
      const group = rows.groups.find((one) => one.id === id.toLowerCase())
      return group && !isDeletedWorkspace(group.workspace_id) ? { groupId: group.id } : undefined
    }
    if (type === 'link') {
      const link = world.links.find((one) => one.id === secrets.links.get(id))
      return link && { linkId: link.id }
    }
    if (type === 'delegation') {
      const delegation = rows.delegations.find((one) => one.id === id.toLowerCase())
      const user = delegation && findUser(delegation.user_id)
      return user?.is_active
        ? { userId: user.id, limitedTo: delegation?.workspace_id, delegation }
        : undefined
    }
    if (type === 'access_token') {
      const token = secrets.tokens.get(id)
      if (!token || token.endsAt <= nowOfNodes) return undefined
      if (rows.denied_tokens.some((one) => one.token_id === token.tokenId)) return undefined
      const isActive = findUser(token.userId)?.is_active
      return isActive ? { userId: token.userId, limitedTo: token.workspaceId } : undefined
    }
    if (type === 'api_key') {
      const key = rows.api_keys.find((one) => one.id === secrets.apiKeys.get(id))
      if (!key || (key.expires_at !== null && Date.parse(key.expires_at) <= nowOfNodes))
        return undefined
      const owner = findUser(key.user_id)
      return owner?.is_active ? { userId: owner.id, limitedTo: owner.workspace_id } : undefined
    }
    const name = id.toLowerCase()
    const named = rows.users.find(
      (one) => one.id === name || one.email?.toLowerCase() === name || one.external_id === id,
    )
    if (!named) return 'anonymous'
    return named.is_active ? { userId: named.id, limitedTo: undefined } : undefined
  }

  const findResource = (name: string) =>
    resources.find((one) => one.resource_id === name.toLowerCase() || one.name === name)

  function question(found: Found, resource: WorldResource & { workspace: string }) {
    const nobody = { id: '', role: undefined, publishes: false }
    if (found === 'anonymous') return { world, subject: { ...nobody, type: 'anonymous' } as const }
    if ('linkId' in found)
      return { world, subject: { ...nobody, id: found.linkId, type: 'link' } as const }
    if ('userId' in found) {
      const { userId: id, limitedTo } = found
      const isOutside = limitedTo !== undefined && limitedTo !== resource.workspace
      const role = isOutside ? undefined : roleOf(id, resource.workspace)
      const has = role !== undefined && publishes(id, resource.workspace)
      const guest = !isOutside && memberOf(id, resource.workspace)?.is_guest === true
      return { world, subject: { type: 'user', id, role, publishes: has, guest } as const }
    }
    // A group may do what a viewer may do who is in this group and has nothing else. It is a guest while
    // an active member is one.
    const { groupId: id } = found
    const isHome = rows.groups.some(
      (one) => one.id === id && one.workspace_id === resource.workspace,
    )
    const groups = world.groups.map((one) =>
      one.id === id ? { ...one, members: [...one.members, id] } : one,
    )
    const containing = containingGroups(id)
    const roles = rows.custom_role_groups.filter(
      (one) => one.workspace_id === resource.workspace && containing.includes(one.group_id),
    )
    const has = roles.some(({ role_id }) =>
      rows.custom_role_actions.some(
        (one) => one.role_id === role_id && one.service_action_id === publish,
      ),
    )
    const guest = rows.group_members.some(
      (one) =>
        one.group_id === id &&
        memberOf(one.user_id, one.workspace_id)?.is_guest &&
        findUser(one.user_id)?.is_active,
    )
    const subject: WorldSubject = isHome
      ? { type: 'group', id, role: 'viewer', publishes: has, guest }
      : { type: 'group', id, role: undefined, publishes: false }
    return { world: { ...world, groups }, subject }
  }

  function containingGroups(id: string): string[] {
    const parents = rows.group_parents.filter((one) => one.child_id === id)
    return [id, ...parents.flatMap(({ parent_id }) => containingGroups(parent_id))]
  }

  /** Whether the limits of a delegation contain what is asked. Others have none. */
  function covers(
    found: Found,
    action: string,
    resource: WorldResource & { workspace: string },
  ): boolean {
    if (found === 'anonymous' || !('delegation' in found) || !found.delegation) return true
    const { user_id, workspace_id, service_name, ...delegation } = found.delegation
    const { actions, resource_types, resources } = delegation
    const terms = {
      userId: user_id,
      workspaceId: workspace_id,
      serviceName: service_name,
      actions,
      resourceTypes: resource_types,
      resources,
      isLive: delegation.ended_at === null && isLive(rows, found.delegation),
    }
    const { workspace: workspaceId } = resource
    const asked = { world, workspaceId, serviceName: service, resource, action }
    return roleOf(user_id, workspace_id) !== undefined && coversNaively(terms, asked)
  }

  function decide(found: Found | undefined, name: string, target: string): boolean {
    const resource = findResource(target)
    if (!found || !resource) return false
    const action = name === 'publish' && publish === undefined ? 'unregistered' : name
    if (!covers(found, name, resource)) return false
    const asked = { ...question(found, resource), action, resource, context }
    return decideNaively(asked)
  }

  const oracle: Oracle = {
    rows,
    resources,
    isKeyValid(key) {
      const found = rows.service_keys.find((one) => one.key_hash === hash(key))
      const app = rows.service_apps.find((one) => one.id === found?.app_id)
      return found !== undefined && app?.is_active === true && isLive(rows, found)
    },
    isAccepted(token) {
      const found = find({ type: 'access_token', id: token })
      if (!found || found === 'anonymous' || !('userId' in found)) return false
      return roleOf(found.userId, found.limitedTo as string) !== undefined
    },
    isAllowed(subject, action, resource) {
      return decide(find(subject), action, resource)
    },
    findSubjects(type, action, name) {
      const workspace = findResource(name)?.workspace
      const ids =
        type === 'group'
          ? rows.groups.filter((one) => one.workspace_id === workspace).map(({ id }) => id)
          : rows.members
              .filter((one) => one.workspace_id === workspace && isLive(rows, one))
              .map(({ user_id }) => user_id)
      // Users who have an external ID are named by it.
      return ids
        .filter((id) => oracle.isAllowed({ type, id }, action, name))
        .map((id) => findUser(id)?.external_id ?? id)
        .toSorted()
    },
    findResources(subject, action, type, workspace) {
      const found = find(subject)
      if (!found) return []
      const isReached = (one: (typeof resources)[number]) => {
        if (workspace !== undefined && one.workspace !== workspace) return false
        // An unknown user may view what is public, but has no workspaces.
        if (found === 'anonymous') return subject.type === 'anonymous'
        if ('linkId' in found)
          return explainNaively({
            ...question(found, one),
            action,
            resource: one,
            context,
          }).reasons.some((reason) => reason.startsWith('link '))
        return question(found, one).subject.role !== undefined
      }
      return resources
        .filter((one) => one.type === type && isReached(one) && decide(found, action, one.name))
        .map(({ name }) => name)
        .toSorted()
    },
    hasRoute: (path) =>
      rows.service_routes.some(
        ({ service_name, routes }) =>
          service_name === service && routes.some((route: { path: string }) => route.path === path),
      ),
  }
  return oracle
}

function toGrant({ permission, condition, params }: Record<string, any>) {
  return {
    permission: permission.replace(/^\?/, ''),
    condition: condition === null ? null : { name: condition, params: params ?? {} },
  }
}
