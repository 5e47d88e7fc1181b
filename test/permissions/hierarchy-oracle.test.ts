import test from 'ava'
import fc from 'fast-check'
import { type Readers, requireAgreement } from '../support/hierarchy-agreement.ts'
import {
  findAncestors,
  findDescendantGroups,
  findLongestChain,
  readWorld,
  type World,
  type WorldGroup,
  type WorldResource,
} from '../support/hierarchy-world.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { type Outcome, repeatLockTimeouts, type Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const other = await environment.addNode()
const { pool, seed } = environment
test.after.always(() => environment.stop())

const transports = [...environment.transports, ...other.transports].map(repeatLockTimeouts)
const groupCount = 4
/** Milliseconds after which a slow machine stops generating worlds. */
const timeLimit = 60_000
const resourceCount = 6

/** A change of a world. Numbers are indexes, modulo the number of objects. */
const index = fc.nat(19)
const visibility = fc.constantFrom('private', 'workspace', 'public')
const change = fc.oneof(
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
      permission: fc.constantFrom('view', 'edit'),
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
)

/**
 * The first changes of every world: attempts to close a cycle of resources and a cycle of groups,
 * and a chain of three resources. The first of them is shared, and the second does not inherit.
 */
const firstChanges: Change[] = [
  { type: 'move', resource: 0, parent: 1 },
  { type: 'move', resource: 1, parent: 0 },
  { type: 'move', resource: 2, parent: 2 },
  { type: 'move', resource: 1, parent: 2 },
  { type: 'inherit', resource: 1, inherits: false },
  { type: 'share', resource: 2, grantee: 0, permission: 'edit' },
  { type: 'link', group: 0, child: 1 },
  { type: 'link', group: 1, child: 0 },
]

type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never
type Code = 'ok' | 'already_exists' | 'not_found'

/**
 * Creates a workspace with a user of each role, a publisher, a user who is not a member, and six
 * resources.
 */
async function createWorldFixture() {
  const fixture = await createWorkspaceFixture(environment, transports[0] as Transport)
  const { workspace, service, people, kind, key, addMember } = fixture
  const publisher = await addMember('viewer')
  const publish = await seed.serviceAction(service, 'publish')
  await seed.customRole(workspace, [publish], [publisher.id, people.editor.id])
  const outsider = await seed.user()
  for (let count = 0; count < groupCount; count += 1) await seed.group(workspace)

  const members = { ...people, publisher }
  const users = Object.entries(members).map(([name, { id }]) => ({
    id,
    role: name === 'publisher' ? ('viewer' as const) : (name as keyof typeof people),
    publishes: name === 'publisher' || name === 'editor',
  }))
  let calls = 0
  const nextTransport = () => {
    calls += 1
    return transports[calls % transports.length] as Transport
  }
  const declaration = { ...kind, roles: [], allow_public: true }
  expectOk(await nextTransport().call('PutResourceType', declaration, { key }))
  // The viewer and the outsider own another workspace, which gives them nothing in this one.
  const elsewhere = await seed.workspace()
  const strangers = [people.viewer.id, outsider]
  for (const id of strangers) await seed.member(elsewhere, id, 'owner')
  const foreignTokens = strangers.map((id) => environment.token(id, elsewhere))
  const readers: Readers = {
    foreignTokens: await Promise.all(foreignTokens),
    workspace,
    kind,
    key,
    tokens: new Map(Object.values(members).map(({ id, token }) => [id, token])),
    nextTransport,
  }
  const world: World = {
    users: [...users, { id: outsider, role: undefined, publishes: false }],
    groups: [],
    resources: [],
  }
  for (let count = 0; count < resourceCount; count += 1) await fixture.register(people.editor)
  Object.assign(world, await readWorld(pool, workspace))
  return { ...fixture, readers, world, memberIds: users.map(({ id }) => id), nextTransport }
}

type Fixture = Awaited<ReturnType<typeof createWorldFixture>>

/** Finds the objects of a change in a world. Absent objects are undefined. */
function resolve({ world, memberIds }: Fixture, change: Change) {
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
  }
}

function send(fixture: Fixture, change: Change): Promise<Outcome> {
  const { workspace, kind, key, people, memberIds, nextTransport } = fixture
  const { resource, parent, owner, grantee, group, child, user } = resolve(fixture, change)
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
      return nextTransport().call(
        'Share',
        {
          permission_id: resource.id,
          grantee_type,
          grantee_id: grantee,
          permission: change.permission,
        },
        { key, token: people.owner.token },
      )
    case 'revoke':
      return byService('RevokeShare', { grantee_type, grantee_id: grantee, permission: 'view' })
    case 'open':
      return byService('UpdateVisibility', { visibility })
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
  }
}

/** Applies a change to the world and returns the outcome expected from the server. */
function apply(fixture: Fixture, change: Change, message: Record<string, any>): Code {
  const { world } = fixture
  const { resource, parent, owner, grantee, group, child, user } = resolve(fixture, change)
  switch (change.type) {
    case 'register':
      world.resources.push({
        id: message.id,
        resource_id: message.resource_id,
        owner_id: owner,
        visibility: change.visibility,
        parent_id: parent?.id ?? null,
        inherits: true,
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
      resource.shares[grantee] = change.permission
      return 'ok'
    case 'revoke':
      if (!resource.shares[grantee]) return 'not_found'
      delete resource.shares[grantee]
      return 'ok'
    case 'open':
      resource.visibility = change.visibility
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
  }
}

/** Whether a change requires a resource in a world without resources. */
function isImpossible({ world }: Fixture, change: Change): boolean {
  const namesResource = 'resource' in change || ('parent' in change && change.parent !== null)
  return namesResource && world.resources.length === 0
}

/** Converts a world to comparable text: the order of shares is arbitrary. */
function normalize({ groups, resources }: Omit<World, 'users'>): string {
  const sorted = resources.map((resource) => ({
    ...resource,
    shares: Object.entries(resource.shares).toSorted(),
  }))
  return JSON.stringify({ groups, resources: sorted })
}

test.serial(
  'after random changes of both hierarchies, both nodes agree with a naive walk on every decision and list',
  async (t) => {
    t.timeout(600_000)
    const codes: Record<string, number> = {}
    const deadline = performance.now() + timeLimit
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 15, maxLength: 40 }), async (changes) => {
        if (performance.now() > deadline) return
        const fixture = await createWorldFixture()
        const { world, workspace, readers } = fixture
        for (const change of [...firstChanges, ...changes]) {
          if (isImpossible(fixture, change)) continue
          const outcome = await send(fixture, change)
          const code = outcome.ok ? 'ok' : outcome.code
          const expected = apply(fixture, change, outcome.ok ? outcome.message : {})
          if (code !== expected) throw new Error(`${change.type}: ${code} instead of ${expected}`)
          codes[`${change.type} ${code}`] = (codes[`${change.type} ${code}`] ?? 0) + 1
        }
        const stored = await readWorld(pool, workspace)
        if (normalize(stored) !== normalize(world))
          throw new Error(`stored ${normalize(stored)} instead of ${normalize(world)}`)
        await requireAgreement(world, readers)
      }),
      { numRuns: 7, endOnFailure: true },
    )
    t.log(codes)
    for (const change of ['move already_exists', 'link already_exists'])
      t.true((codes[change] ?? 0) > 0, change)
  },
)

test.serial(
  'after random concurrent changes on two nodes, the trees are valid and every decision matches a naive walk',
  async (t) => {
    t.timeout(600_000)
    const codes: Record<string, number> = {}
    const deadline = performance.now() + timeLimit
    const expectedCodes = ['ok', 'already_exists', 'not_found', 'invalid_argument']
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(change, { minLength: 12, maxLength: 12 }), {
          minLength: 3,
          maxLength: 3,
        }),
        async (bursts) => {
          if (performance.now() > deadline) return
          const fixture = await createWorldFixture()
          const { world, workspace, readers } = fixture
          for (const burst of bursts) {
            Object.assign(world, await readWorld(pool, workspace))
            const possible = burst.filter((change) => !isImpossible(fixture, change))
            for (const outcome of await Promise.all(
              possible.map((change) => send(fixture, change)),
            )) {
              const code = outcome.ok ? 'ok' : outcome.code
              codes[code] = (codes[code] ?? 0) + 1
              if (!expectedCodes.includes(code))
                throw new Error(JSON.stringify(expectError(outcome)))
            }
          }
          Object.assign(world, await readWorld(pool, workspace))
          if (findLongestChain(world) > 32) throw new Error('A chain is too long')
          await requireAgreement(world, readers)
        },
      ),
      { numRuns: 5, endOnFailure: true },
    )
    t.log(codes)
    t.true((codes.ok ?? 0) > 10)
  },
)
