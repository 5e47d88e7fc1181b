import { atLeast, type Role } from '../../core/roles.ts'
import type { Mapping } from './mapping.ts'
import { mapped, type Outcome, unmapped } from './outcome.ts'
import type { Group, Member, UserName } from './plan.ts'
import { hasTrait, type ObjectName, type Place, type Problem, type Tuple } from './tuple.ts'
import { nameUser } from './user-name.ts'
import type { WorkspaceNames } from './workspace-names.ts'

type PeopleMapping = Pick<Mapping, 'users' | 'emails' | 'workspaces' | 'groups'>

/** Maps the members of workspaces and groups. */
export type PeopleMapper = {
  /** Sets the workspace of a group, if the tuple is about that. Precedes the other tuples. */
  mapGroupWorkspace(tuple: Tuple): Outcome | undefined
  mapWorkspaceRole(tuple: Tuple): Outcome
  mapGroupMember(tuple: Tuple): Outcome
  /** Returns the slug of the workspace of a group, if it is known. */
  findWorkspace(group: ObjectName): string | undefined
  finish(): { members: Member[]; groups: Group[]; orphans: Problem[]; problems: Problem[] }
}

export const onlyShares = unmapped('only shares can have a condition or an expiration')

export function createPeopleMapper(
  mapping: PeopleMapping,
  { slugOf }: WorkspaceNames,
): PeopleMapper {
  const members = new Map<string, Member>()
  const groups = new Map<string, Group>()
  const slugs = new Map<string, string>()
  const withoutWorkspace = new Map<string, Problem>()

  const findWorkspace = ({ type, id }: ObjectName): string | undefined =>
    slugs.get(keyOf(type, id)) ?? mapping.groups.get(type)?.workspace_slug

  /** Returns a group of a type in the mapping, or undefined if its workspace is unknown. */
  const findGroup = (name: ObjectName, place: Place): Group | undefined => {
    const { type, id } = name
    const key = keyOf(type, id)
    const workspace = findWorkspace(name)
    if (workspace === undefined) {
      if (!withoutWorkspace.has(key))
        withoutWorkspace.set(key, { place, message: `${type}:${id} has no workspace` })
      return undefined
    }
    const group = groups.get(key) ?? { place, name: id, workspace, children: [] }
    groups.set(key, group)
    return group
  }

  const findMember = (workspace: string, user: UserName, place: Place): Member => {
    const key = keyOf(workspace, JSON.stringify(user))
    const member = members.get(key) ?? { place, user, workspace, role: undefined, groups: [] }
    members.set(key, member)
    return member
  }

  return {
    mapGroupWorkspace({ object, relation, subject, ...tuple }) {
      if (mapping.groups.get(object.type)?.workspace !== relation) return undefined
      if (!mapping.workspaces.has(subject.type) || subject.relation !== undefined) return undefined
      if (hasTrait(tuple)) return onlyShares
      const key = keyOf(object.type, object.id)
      const slug = slugOf(subject, tuple.place)
      if ((slugs.get(key) ?? slug) !== slug) return unmapped('the group is in another workspace')
      slugs.set(key, slug)
      findGroup(object, tuple.place)
      return mapped('workspace of the group')
    },

    mapWorkspaceRole({ object, relation, subject, ...tuple }) {
      const role = mapping.workspaces.get(object.type)?.roles.get(relation)
      if (role === undefined) return notInMapping
      if (!isUser(mapping, subject)) return unmapped('only users can have roles in a workspace')
      if (hasTrait(tuple)) return onlyShares
      const named = nameUser(mapping, subject)
      if ('outcome' in named) return named.outcome
      const member = findMember(slugOf(object, tuple.place), named.user, tuple.place)
      member.role = higherRole(member.role, role)
      return mapped(`role ${role} in the workspace`)
    },

    mapGroupMember({ object, relation, subject, ...tuple }) {
      if (!mapping.groups.get(object.type)?.members.includes(relation)) return notInMapping
      if (hasTrait(tuple)) return onlyShares
      if (isGroup(mapping, subject)) {
        const group = findGroup(object, tuple.place)
        const child = findGroup(subject, tuple.place)
        if (group?.workspace !== child?.workspace)
          return unmapped('the groups are in different workspaces')
        if (child) group?.children.push({ place: tuple.place, name: child.name })
        return mapped('group in the group')
      }
      if (!isUser(mapping, subject)) return unmapped('only users and groups can be in a group')
      const named = nameUser(mapping, subject)
      if ('outcome' in named) return named.outcome
      const group = findGroup(object, tuple.place)
      if (group) findMember(group.workspace, named.user, tuple.place).groups.push(group.name)
      return mapped('member of the group')
    },

    findWorkspace,

    finish: () => ({
      members: [...members.values()],
      groups: [...groups.values()],
      orphans: [...withoutWorkspace.values()],
      problems: findNameProblems([...groups.values()]),
    }),
  }
}

/** Returns the problems of groups whose names would not be unique, or not one name in the import. */
function findNameProblems(groups: Group[]): Problem[] {
  const names = Map.groupBy(groups, ({ workspace, name }) => `${workspace} ${name}`)
  return [...names.values()].flatMap(([group, other]) => {
    if (!group) return []
    const { place, name, workspace } = group
    if (name.includes(';')) return { place, message: `the name of the group ${name} contains ;` }
    if (!other) return []
    return { place: other.place, message: `${workspace} has two groups with the name ${name}` }
  })
}

export const notInMapping = unmapped('the relation is not in the mapping')

/** Whether a subject is a single user. */
export function isUser(
  { users }: Pick<Mapping, 'users'>,
  { type, id, relation }: Tuple['subject'],
): boolean {
  return users.has(type) && id !== '*' && relation === undefined
}

/** Whether a subject is everybody in a group. */
export function isGroup(
  { groups }: Pick<Mapping, 'groups'>,
  { type, relation }: Tuple['subject'],
): boolean {
  return relation !== undefined && (groups.get(type)?.members.includes(relation) ?? false)
}

function higherRole(current: Role | undefined, role: Role): Role {
  return current !== undefined && atLeast(current, role) ? current : role
}

function keyOf(type: string, id: string): string {
  return `${type}:${id}`
}
