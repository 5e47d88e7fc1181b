import fc from 'fast-check'
import {
  findAncestors,
  findDescendantGroups,
  type WorldGroup,
  type WorldLink,
  type WorldResource,
  type WorldUser,
} from './hierarchy-world.ts'
import type { Outcome } from './transports.ts'
import {
  anyAttributes,
  anyCondition,
  anyRequirements,
  resolveAttributes,
} from './world-conditions.ts'
import { decideNaively } from './world-decisions.ts'
import { declareWorld, type WorldFixture, worldRoles } from './world-fixture.ts'

/** A change of a world. Numbers are indexes, modulo the number of objects. */
const index = fc.nat(19)
const anyGrant = fc.record({
  permission: fc.constantFrom('view', 'edit', 'reader', 'manager'),
  condition: fc.option(anyCondition),
})
const visibility = fc.constantFrom('private', 'workspace', 'public')
export const anyChange = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('register' as const),
      parent: fc.option(index),
      owner: index,
      visibility,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant('move' as const), resource: index, parent: index }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('detach' as const), resource: index }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('inherit' as const),
      resource: index,
      inherits: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('share' as const),
      resource: index,
      grantee: index,
      grant: anyGrant,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('revoke' as const), resource: index, grantee: index }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('open' as const),
      resource: index,
      visibility,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('describe' as const),
      resource: index,
      attributes: anyAttributes,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('require' as const),
      requirements: anyRequirements,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('createLink' as const),
      resource: index,
      grant: anyGrant,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('deleteLink' as const), link: index }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('transfer' as const), resource: index, owner: index }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('unregister' as const),
      resource: index,
      cascade: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('link' as const), group: index, child: index }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('unlink' as const), group: index, child: index }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('join' as const), group: index, user: index }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('leave' as const), group: index, user: index }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('guest' as const),
      viewer: index,
      guest: fc.boolean(),
    }),
  },
)

/**
 * The first changes of every world: attempts to close a cycle of resources and a cycle of groups,
 * and a chain of three resources. The first of them is shared, and the second does not inherit.
 */
export const firstChanges: Change[] = [
  { type: 'move', resource: 0, parent: 1 },
  { type: 'move', resource: 1, parent: 0 },
  { type: 'move', resource: 2, parent: 2 },
  { type: 'move', resource: 1, parent: 2 },
  { type: 'inherit', resource: 1, inherits: false },
  { type: 'share', resource: 2, grantee: 0, grant: { permission: 'edit', condition: null } },
  { type: 'link', group: 0, child: 1 },
  { type: 'link', group: 1, child: 0 },
  { type: 'createLink', resource: 2, grant: { permission: 'view', condition: null } },
  { type: 'require', requirements: [] },
]

export type Change = typeof anyChange extends fc.Arbitrary<infer Value> ? Value : never
type Code = 'ok' | 'already_exists' | 'not_found' | 'permission_denied' | 'invalid_argument'

/** Finds the objects of a change in a world. Absent objects are undefined. */
function resolve({ world, memberIds }: WorldFixture, change: Change) {
  const pick = <Item>(items: Item[], position: number) => items[position % items.length] as Item
  const resource = 'resource' in change ? pick(world.resources, change.resource) : undefined
  const parent =
    'parent' in change && change.parent !== null ? pick(world.resources, change.parent) : undefined
  const grantees = [...memberIds, ...world.groups.map(({ id }) => id)]
  return {
    resource: resource as WorldResource,
    parent,
    owner: 'owner' in change ? pick(memberIds, change.owner) : '',
    grantee: 'grantee' in change ? pick(grantees, change.grantee) : '',
    group: ('group' in change ? pick(world.groups, change.group) : undefined) as WorldGroup,
    child: ('child' in change ? pick(world.groups, change.child) : undefined) as WorldGroup,
    user: 'user' in change ? pick(memberIds, change.user) : '',
    viewer: ('viewer' in change
      ? pick(
          world.users.filter(({ role }) => role === 'viewer'),
          change.viewer,
        )
      : undefined) as WorldUser,
    link: ('link' in change ? pick(world.links, change.link) : undefined) as WorldLink,
    attributes: 'attributes' in change ? resolveAttributes(change.attributes, memberIds) : {},
  }
}

export async function send(fixture: WorldFixture, change: Change): Promise<Outcome> {
  const { workspace, kind, key, people, memberIds, nextTransport } = fixture
  const { resource, parent, owner, grantee, group, child, user, viewer, link, attributes } =
    resolve(fixture, change)
  const byOwner = (method: string, message: object) =>
    nextTransport().call(method, message, { key, token: people.owner.token })
  const byService = (method: string, message: object) =>
    nextTransport().call(method, { permission_id: resource?.id, ...message }, { key })
  const inGroup = (method: string, message: object) =>
    nextTransport().call(
      method,
      { workspace_id: workspace, group_id: group.id, ...message },
      { token: people.admin.token },
    )
  const names = parent && { resource_type: kind.resource_type, resource_id: parent.resource_id }
  const visibility = 'visibility' in change ? change.visibility : 'private'
  const grantee_type = memberIds.includes(grantee) ? 'user' : 'group'
  switch (change.type) {
    case 'register':
      return nextTransport().call(
        'Register',
        {
          ...kind,
          resource_id: crypto.randomUUID(),
          workspace_id: workspace,
          owner_id: owner,
          visibility,
          ...(names && { parent: names }),
        },
        { key },
      )
    case 'move':
      return byService('UpdateParent', { parent: names })
    case 'detach':
      return byService('UpdateParent', { detach: true })
    case 'inherit':
      return byService('UpdateParent', { inherits: change.inherits })
    case 'share':
      return byOwner('Share', {
        permission_id: resource.id,
        grantee_type,
        grantee_id: grantee,
        ...toMessage(change.grant),
      })
    case 'revoke':
      return byService('RevokeShare', { grantee_type, grantee_id: grantee, permission: 'view' })
    case 'open':
      return byService('UpdateVisibility', { visibility })
    case 'describe': {
      // A merge patch removes what is null.
      const removed = { label: null, blocked: null }
      return byService('UpdateAttributes', { attributes: { ...removed, ...attributes } })
    }
    case 'require':
      return nextTransport().call('PutResourceType', declareWorld(kind, change.requirements), {
        key,
      })
    case 'createLink': {
      const message = { permission_id: resource.id, ...toMessage(change.grant) }
      const outcome = await byOwner('CreateLink', message)
      if (outcome.ok) fixture.readers.linkTokens.set(outcome.message.id, outcome.message.token)
      return outcome
    }
    case 'deleteLink':
      return byOwner('DeleteLink', { permission_id: link.resource, link_id: link.id })
    case 'transfer':
      return byService('TransferOwnership', { owner_id: owner })
    case 'unregister':
      return byService('Unregister', { cascade: change.cascade })
    case 'link':
      return inGroup('AddChildGroup', { child_id: child.id })
    case 'unlink':
      return inGroup('RemoveChildGroup', { child_id: child.id })
    case 'join':
      return inGroup('AddGroupMember', { user_id: user })
    case 'leave':
      return inGroup('RemoveGroupMember', { user_id: user })
    case 'guest': {
      const message = { workspace_id: workspace, user_id: viewer.id, guest: change.guest, role: '' }
      return nextTransport().call('UpdateMember', message, { token: people.admin.token })
    }
  }
}

/** Applies a change to the world and returns the outcome expected from the server. */
export function apply(fixture: WorldFixture, change: Change, message: Record<string, any>): Code {
  const { world, people } = fixture
  const { resource, parent, owner, grantee, group, child, user, viewer, link, attributes } =
    resolve(fixture, change)
  /** The owner of the workspace shares, and a requirement of `manage` binds everybody. */
  const mayManage = (one: WorldResource) => {
    const subject = { type: 'user', id: people.owner.id, role: 'owner', publishes: false } as const
    return decideNaively({ world, subject, action: 'manage', resource: one, context: {} })
  }
  switch (change.type) {
    case 'register':
      world.resources.push({
        id: message.id,
        resource_id: message.resource_id,
        owner_id: owner,
        visibility: change.visibility,
        parent_id: parent?.id ?? null,
        inherits: true,
        attributes: {},
        shares: {},
      })
      world.resources.sort((one, two) => (one.id < two.id ? -1 : 1))
      return 'ok'
    case 'move':
      if (findAncestors(world, parent as WorldResource).includes(resource)) return 'already_exists'
      resource.parent_id = (parent as WorldResource).id
      return 'ok'
    case 'detach':
      resource.parent_id = null
      return 'ok'
    case 'inherit':
      resource.inherits = change.inherits
      return 'ok'
    case 'share':
      if (!mayManage(resource)) return 'permission_denied'
      resource.shares[grantee] = change.grant
      return 'ok'
    case 'revoke':
      if (!resource.shares[grantee]) return 'not_found'
      delete resource.shares[grantee]
      return 'ok'
    case 'open':
      resource.visibility = change.visibility
      return 'ok'
    case 'describe':
      resource.attributes = attributes
      return 'ok'
    case 'require':
      world.requirements = change.requirements
      return 'ok'
    case 'createLink':
      if (!mayManage(resource)) return 'permission_denied'
      if (change.grant.permission === 'manager') return 'invalid_argument'
      world.links.push({ id: message.id, resource: resource.id, grant: change.grant })
      return 'ok'
    case 'deleteLink':
      if (!mayManage(world.resources.find(({ id }) => id === link.resource) as WorldResource))
        return 'permission_denied'
      world.links = world.links.filter((one) => one !== link)
      return 'ok'
    case 'transfer':
      resource.owner_id = owner
      return 'ok'
    case 'unregister': {
      const isGone = (one: WorldResource) =>
        change.cascade ? findAncestors(world, one).includes(resource) : one === resource
      const remaining = world.resources.filter((one) => !isGone(one))
      for (const one of remaining) if (one.parent_id === resource.id) one.parent_id = null
      world.resources = remaining
      world.links = world.links.filter((one) => remaining.some(({ id }) => id === one.resource))
      return 'ok'
    }
    case 'link':
      if (findDescendantGroups(world, child.id).includes(group.id)) return 'already_exists'
      group.children = [...new Set([...group.children, child.id])].toSorted()
      return 'ok'
    case 'unlink':
      if (!group.children.includes(child.id)) return 'not_found'
      group.children = group.children.filter((id) => id !== child.id)
      return 'ok'
    case 'join':
      group.members = [...new Set([...group.members, user])].toSorted()
      return 'ok'
    case 'leave':
      if (!group.members.includes(user)) return 'not_found'
      group.members = group.members.filter((id) => id !== user)
      return 'ok'
    case 'guest':
      viewer.guest = change.guest
      return 'ok'
  }
}

/** Whether a change requires a resource or a link in a world without any. */
export function isImpossible({ world }: WorldFixture, change: Change): boolean {
  const namesResource = 'resource' in change || ('parent' in change && change.parent !== null)
  const namesLink = 'link' in change && world.links.length === 0
  return namesLink || (namesResource && world.resources.length === 0)
}

/** Returns what a grant is in the request for a share or link. */
function toMessage({ permission, condition }: WorldLink['grant']): object {
  const granted = Object.hasOwn(worldRoles, permission) ? { role: permission } : { permission }
  return { ...granted, ...(condition && { condition }) }
}
