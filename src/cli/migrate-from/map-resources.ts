import { createDrafts } from './drafts.ts'
import { isGroup, isUser, notInMapping, onlyShares, type PeopleMapper } from './map-people.ts'
import type { Mapping, ResourceMapping } from './mapping.ts'
import { type Kept, leaveOut } from './orphans.ts'
import { mapped, type Outcome, unmapped } from './outcome.ts'
import type { Row, UserName } from './plan.ts'
import {
  type Draft,
  type Grantee,
  mergeShares,
  type Share,
  toResource,
  toShare,
} from './resource-draft.ts'
import { hasTrait, nameOf, type Problem, type Tuple } from './tuple.ts'
import { nameUser } from './user-name.ts'
import type { WorkspaceNames } from './workspace-names.ts'

/** Maps resources and their shares. */
export type ResourceMapper = {
  /** Sets the workspace or parent of a resource, if the tuple is about that. Precedes other tuples. */
  mapPlace(tuple: Tuple): Outcome | undefined
  mapOwnerOrShare(tuple: Tuple): Outcome
  finish(): Kept
}

const wrongSubject = unmapped('the relation cannot have this subject')

const alreadyShared = unmapped('the resource is shared with the grantee in another way')

export function createResourceMapper(
  mapping: Mapping,
  { slugOf }: WorkspaceNames,
  people: Pick<PeopleMapper, 'findWorkspace'>,
): ResourceMapper {
  const drafts = createDrafts(mapping)

  /** Whether the resource of a tuple is in the workspace with this slug. */
  const isInWorkspace = (slug: string | undefined, tuple: Tuple): boolean =>
    slug !== undefined &&
    slug === drafts.findSlug(drafts.find(tuple.object) ?? drafts.create(tuple))

  const share = (tuple: Tuple, grantee: Grantee, permission: string): Outcome => {
    const { conditions } = drafts.create(tuple).mapping
    const condition = tuple.condition && conditions.get(tuple.condition.name)
    if (tuple.condition && condition === undefined)
      return unmapped(`the mapping does not name the condition ${tuple.condition.name}`)
    const added: Share = {
      place: tuple.place,
      grantee,
      permission,
      condition: tuple.condition && { ...tuple.condition, name: condition as string },
      expiresAt: tuple.expiresAt,
    }
    const draft = drafts.require(tuple)
    const key = JSON.stringify(grantee)
    const merged = mergeShares(draft.shares.get(key), added)
    if (!merged) return alreadyShared
    draft.shares.set(key, merged)
    return mapped(`share with ${permission}${condition === undefined ? '' : ` if ${condition}`}`)
  }

  /** Maps a share with everybody in the workspace, or with every user. */
  const open = (tuple: Tuple, permission: string, value: string): Outcome => {
    if (hasTrait(tuple)) return unmapped('a visibility has no condition and no expiration')
    if (permission !== 'view') return unmapped(`everybody can have view, but not ${permission}`)
    const draft = drafts.require(tuple)
    if (draft.visibility?.value !== 'public') draft.visibility = { value, place: tuple.place }
    return mapped(`visibility ${value}`)
  }

  const mapShare = (tuple: Tuple, type: ResourceMapping): Outcome => {
    const { relation, subject } = tuple
    const { shares, wildcard, workspace: workspaceRelation, parent, owner } = type
    const permission = shares.get(relation)
    if (permission === undefined)
      return [workspaceRelation, parent, owner].includes(relation) ? wrongSubject : notInMapping
    if (isGroup(mapping, subject)) {
      // Groups are named within the workspace of the resource, where another one may have the name.
      if (!isInWorkspace(people.findWorkspace(subject), tuple))
        return unmapped('the group is not known to be in the workspace of the resource')
      return share(tuple, { group_name: subject.id }, permission)
    }
    if (isUser(mapping, subject)) {
      const named = nameUser(mapping, subject)
      return 'outcome' in named ? named.outcome : share(tuple, toGrantee(named.user), permission)
    }
    if (subject.id === '*' && mapping.users.has(subject.type)) {
      if (!wildcard) return unmapped('the mapping has no wildcard')
      return open(tuple, permission, wildcard)
    }
    const workspace = mapping.workspaces.get(subject.type)
    if (workspace === undefined || subject.relation === undefined)
      return unmapped('the subject is neither a user nor a group')
    if (workspace.everyone !== subject.relation)
      return unmapped('of workspaces, only the relation in everyone can be a grantee')
    if (!isInWorkspace(slugOf(subject, tuple.place), tuple))
      return unmapped('the subject is another workspace')
    return open(tuple, permission, 'workspace')
  }

  return {
    mapPlace(tuple) {
      const { object, relation, subject, place } = tuple
      const type = mapping.resources.get(object.type)
      if (!type || subject.relation !== undefined || subject.id === '*') return undefined
      if (relation === type.workspace && mapping.workspaces.has(subject.type)) {
        if (hasTrait(tuple)) return onlyShares
        const slug = slugOf(subject, place)
        const draft = drafts.require(tuple)
        draft.workspace ??= { slug, place }
        if (draft.workspace.slug !== slug) return unmapped('the resource is in another workspace')
        return mapped('workspace of the resource')
      }
      const parent = mapping.resources.get(subject.type)
      if (relation !== type.parent || !parent) return undefined
      if (hasTrait(tuple)) return onlyShares
      if (parent.service !== type.service) return unmapped('the parent is of another service')
      const draft = drafts.require(tuple)
      draft.parent ??= { name: { type: subject.type, id: subject.id }, place }
      if (nameOf(draft.parent.name) !== nameOf(subject))
        return unmapped('the resource has another parent')
      return mapped('parent of the resource')
    },

    mapOwnerOrShare(tuple) {
      const { relation, subject, object } = tuple
      const type = mapping.resources.get(object.type) as ResourceMapping
      if (relation !== type.owner || !isUser(mapping, subject)) return mapShare(tuple, type)
      const named = nameUser(mapping, subject)
      if ('outcome' in named) return named.outcome
      const owner = drafts.find(object)?.owner
      const isSame = owner && JSON.stringify(owner.user) === JSON.stringify(named.user)
      if (!hasTrait(tuple) && (!owner || isSame)) {
        drafts.require(tuple).owner ??= { user: named.user, place: tuple.place }
        return mapped('owner of the resource')
      }
      if (type.shares.has(relation)) return mapShare(tuple, type)
      return hasTrait(tuple) ? onlyShares : unmapped('the resource has another owner')
    },

    finish() {
      const resources: Row[] = []
      const shares: Row[] = []
      const incomplete = new Map<string, Problem>()
      for (const draft of drafts.all()) {
        const slug = drafts.findSlug(draft)
        const owner = draft.owner ?? findDefaultOwner(mapping, draft)
        if (slug === undefined || !owner) {
          const name = nameOf(draft.name)
          const missing = [slug === undefined && 'workspace', !owner && 'owner'].filter(Boolean)
          const message = `${name} has no ${missing.join(' and no ')}`
          incomplete.set(name, { place: draft.place, message })
          continue
        }
        resources.push(toResource(mapping, draft, slug, owner))
        for (const item of draft.shares.values()) shares.push(toShare(draft, item))
      }
      return leaveOut({ resources, shares }, incomplete)
    },
  }
}

function findDefaultOwner(mapping: Mapping, { mapping: type, place }: Draft): Draft['owner'] {
  const [, ownerType = '', id = ''] = /^([^:]+):(.+)$/.exec(type.default_owner ?? '') ?? []
  const named = mapping.users.has(ownerType) && nameUser(mapping, { type: ownerType, id })
  return named && 'user' in named ? { user: named.user, place } : undefined
}

function toGrantee(user: UserName): Grantee {
  return 'email' in user ? { grantee_email: user.email } : { grantee_external_id: user.external_id }
}
