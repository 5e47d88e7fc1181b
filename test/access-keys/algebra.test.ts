import test from 'ava'
import fc from 'fast-check'
import { findHeldKeys, type HeldMembership } from '../../src/access-keys/held-keys.ts'
import { pairsOf } from '../../src/access-keys/pairs.ts'
import type { Role } from '../../src/core/roles.ts'
import { actionFact, grant, isAllowed, memberFact } from '../../src/permissions/access.ts'
import type {
  HeldPairs,
  Pair,
  PairedShare,
} from '../../src/permissions/engine/grants/access-pairs.ts'
import { subjectKinds } from '../../src/permissions/engine/subjects/subject-kinds.ts'

const workspaces = ['w1', 'w2']
const types = ['folder', 'document']
const actions = ['view', 'edit', 'manage', 'publish', 'unknown']
const users = ['ann', 'bob', 'cat', 'dan']
const groups = ['g1', 'g2', 'g3']
const links = ['l1', 'l2']
const roles: Record<string, string[]> = {
  helper: ['edit'],
  keeper: ['manage'],
  printer: ['publish'],
  nothing: [],
}

/** The bits that a share with each role gives for each action. */
const bitsOfRoles: Record<string, (action: string) => number> = {
  helper: () => grant.view | grant.edit,
  keeper: () => grant.view | grant.manage,
  printer: (action) => (action === 'publish' ? grant.action : 0),
  nothing: () => 0,
}

/** A share whose condition, if it has one, is true or not. */
type Share = { grantee: string; permission: string; isConditional: boolean; isTrue: boolean }

type Resource = {
  type: string
  owner: string | null
  visibility: 'private' | 'workspace' | 'public'
  /** The index of the parent among the resources before it. */
  parent: number | null
  inherits: boolean
  shares: Share[]
  links: Share[]
}

type Requirement = { type: string; action: string; isInherited: boolean; isTrue: boolean }

type World = {
  memberships: Record<string, { role: Role; isGuest: boolean; isGranted: boolean } | null>
  isActive: Record<string, boolean>
  /** The workspace and the members of each group, and the group that contains it. */
  groups: Record<
    string,
    { workspace: string; members: string[]; parent: string | null; isGranted: boolean }
  >
  allowsPublic: Record<string, boolean>
  resources: Resource[]
  requirements: Requirement[]
}

const share = (grantees: string[]) =>
  fc.record({
    grantee: fc.constantFrom(...grantees),
    permission: fc.constantFrom('view', 'edit', ...Object.keys(roles)),
    isConditional: fc.boolean(),
    isTrue: fc.boolean(),
  })

const membership = fc
  .record({
    role: fc.constantFrom<Role>('viewer', 'editor', 'admin', 'owner'),
    isGuest: fc.boolean(),
    isGranted: fc.boolean(),
  })
  // Guests are viewers.
  .map((one) => ({ ...one, isGuest: one.isGuest && one.role === 'viewer' }))

/** All resources are in the first workspace, whatever the subjects are members of. */
const world: fc.Arbitrary<World> = fc.record({
  memberships: recordOf(
    users.flatMap((user) => workspaces.map((workspace) => `${user} ${workspace}`)),
    fc.option(membership),
  ),
  isActive: recordOf(users, fc.boolean()),
  groups: fc.record({
    g1: group(null),
    g2: group('g1'),
    g3: group('g2'),
  }),
  allowsPublic: recordOf(types, fc.boolean()),
  resources: fc.tuple(...[0, 1, 2, 3].map((index) => resource(index))),
  requirements: fc.array(
    fc.record({
      type: fc.constantFrom(...types),
      action: fc.constantFrom('view', 'edit', 'publish'),
      isInherited: fc.boolean(),
      isTrue: fc.boolean(),
    }),
    { maxLength: 2 },
  ),
})

function recordOf<Value>(names: string[], value: fc.Arbitrary<Value>) {
  return fc.record(Object.fromEntries(names.map((name) => [name, value])))
}

function group(parent: string | null) {
  return fc.record({
    workspace: fc.constantFrom('w1'),
    members: fc.subarray(users),
    parent: fc.constantFrom(parent, null),
    isGranted: fc.boolean(),
  })
}

function resource(index: number): fc.Arbitrary<Resource> {
  return fc.record({
    type: fc.constantFrom(...types),
    owner: fc.option(fc.constantFrom(...users)),
    visibility: fc.constantFrom('private' as const, 'workspace' as const, 'public' as const),
    parent: index === 0 ? fc.constant(null) : fc.option(fc.nat(index - 1)),
    inherits: fc.boolean(),
    shares: fc.array(share([...users, ...groups]), { maxLength: 3 }),
    links: fc.array(share(links), { maxLength: 1 }),
  })
}

/** The groups that a user, or a group, counts as a member of: all of the first workspace. */
function groupsOf({ groups: all }: World, subject: string): string[] {
  const reached = new Set<string>()
  const add = (name: string | null) => {
    if (name === null || reached.has(name)) return
    reached.add(name)
    add(all[name]?.parent ?? null)
  }
  for (const name of groups) if (name === subject || all[name]?.members.includes(subject)) add(name)
  return [...reached]
}

type Subject = { kind: 'user' | 'group' | 'link' | 'anonymous'; name: string }

const subjects: Subject[] = [
  ...users.map((name) => ({ kind: 'user' as const, name })),
  ...groups.map((name) => ({ kind: 'group' as const, name })),
  ...links.map((name) => ({ kind: 'link' as const, name })),
  { kind: 'anonymous', name: '' },
]

function membershipOf(world: World, { kind, name }: Subject, workspace: string) {
  if (kind === 'user') {
    const own = world.memberships[`${name} ${workspace}`]
    if (!own) return undefined
    const isGranted =
      own.isGranted ||
      (workspace === 'w1' && groupsOf(world, name).some((one) => world.groups[one]?.isGranted))
    return { ...own, isGranted }
  }
  if (workspace !== 'w1' || kind === 'anonymous') return undefined
  if (kind === 'link') return { role: 'viewer' as const, isGuest: false, isGranted: false }
  // A group is a guest while one of its effective members is.
  const isGuest = users.some(
    (user) =>
      groupsOf(world, user).includes(name) &&
      world.isActive[user] &&
      world.memberships[`${user} w1`]?.isGuest,
  )
  const isGranted = groupsOf(world, name).some((one) => world.groups[one]?.isGranted)
  return { role: 'viewer' as const, isGuest, isGranted }
}

/** The resource and those that it inherits from. */
function chainOf({ resources }: World, index: number): Resource[] {
  const found = resources[index] as Resource
  return found.parent === null || !found.inherits
    ? [found]
    : [found, ...chainOf({ resources } as World, found.parent)]
}

/** Decides by the bits of `access.ts`, without any pairs. */
function decide(world: World, subject: Subject, action: string, index: number): boolean {
  const { kind, name } = subject
  if (kind === 'user' && !world.isActive[name]) return false
  const chain = chainOf(world, index)
  const { type } = chain[0] as Resource
  const own = kind === 'anonymous' ? [] : kind === 'link' ? [] : groupsOf(world, name)
  let bits = 0
  for (const one of chain) {
    if (kind === 'user' && one.owner === name) bits |= grant.owner
    if (one.visibility !== 'private') bits |= grant.workspace
    if (one.visibility === 'public' && world.allowsPublic[type]) bits |= grant.public
    const grants = kind === 'link' ? one.links : one.shares
    for (const { grantee, permission, isConditional, isTrue } of grants) {
      if (grantee !== name && !own.includes(grantee)) continue
      if (isConditional && !isTrue) continue
      if (permission === 'view') bits |= grant.view
      else if (permission === 'edit') bits |= grant.edit
      else bits |= bitsOfRoles[permission]?.(action) ?? 0
    }
  }
  if (kind === 'link') bits &= ~subjectKinds.link.ignoredBits
  const isMet = (required: string) =>
    world.requirements.every((one) => one.action !== required || one.isTrue || !binds(one, chain))
  const barred = isMet(action) ? 0 : grant.barred
  const member = membershipOf(world, subject, 'w1')
  if (!member) return isAllowed(undefined, action, (bits & grant.public) | barred)
  const facts =
    (action === 'publish' ? actionFact.registered : 0) |
    (action === 'publish' && member.isGranted && isMet('view') ? actionFact.granted : 0) |
    (member.isGuest ? memberFact.guest : 0)
  return isAllowed(member.role, action, bits | grant.registered | facts | barred)
}

function binds({ type, isInherited }: Requirement, chain: Resource[]): boolean {
  return chain.some((one, depth) => one.type === type && (depth === 0 || isInherited))
}

function keysOf(world: World, subject: Subject, action: string, type: string) {
  const { kind, name } = subject
  const isActive = kind !== 'user' || world.isActive[name] === true
  const memberships = workspaces.flatMap((workspaceId): HeldMembership[] => {
    const found = membershipOf(world, subject, workspaceId)
    if (!found || !isActive) return []
    const groupIds = workspaceId === 'w1' && kind !== 'link' ? groupsOf(world, name) : []
    return [{ ...found, workspaceId, subjectId: name, groupIds }]
  })
  const isRequired = (required: string) =>
    world.requirements.some(
      (one) => one.action === required && (one.type === type || one.isInherited),
    )
  return findHeldKeys({
    action,
    isRegistered: action === 'publish',
    allowsPublic: world.allowsPublic[type] === true,
    isRequired: isRequired(action),
    isViewRequired: isRequired('view'),
    roles: types.flatMap((resourceType) =>
      Object.entries(roles).map(([role, of]) => ({ resourceType, name: role, actions: of })),
    ),
    isEverybody: isActive,
    ignoredBits: kind === 'anonymous' ? 0 : subjectKinds[kind].ignoredBits,
    memberships,
  })
}

function namesOf(pairs: HeldPairs[]): Set<string> {
  return new Set(
    pairs.flatMap(({ holders, levels }) =>
      holders.flatMap((holder) => levels.map((level) => `${holder} ${level}`)),
    ),
  )
}

function acceptedBy(one: Resource): Pair[] {
  const toPaired = ({ grantee, permission, isConditional }: Share): PairedShare => ({
    granteeId: grantee,
    isGroup: groups.includes(grantee),
    permission,
    isConditional,
    expiresAt: null,
    resourceType: one.type,
  })
  return pairsOf({
    workspaceId: 'w1',
    ownerId: one.owner,
    visibility: one.visibility,
    shares: one.shares.map(toPaired),
    links: one.links.map(toPaired),
  })
}

/** Whether a resource accepts a key of the subject, and whether it does without a condition. */
function meet(world: World, subject: Subject, action: string, index: number) {
  const { type } = world.resources[index] as Resource
  const { certain, maybe } = keysOf(world, subject, action, type)
  const [certainNames, maybeNames] = [namesOf(certain), namesOf(maybe)]
  const accepted = chainOf(world, index).flatMap(acceptedBy)
  const nameOf = ({ holder, level }: Pair) => `${holder} ${level}`
  const isCertain = accepted.some((pair) => !pair.isMaybe && certainNames.has(nameOf(pair)))
  const isMet = accepted.some(
    (pair) => certainNames.has(nameOf(pair)) || maybeNames.has(nameOf(pair)),
  )
  return { isCertain, isMet }
}

/** The world with every condition and requirement met, or none. */
function withVerdicts(world: World, isTrue: boolean): World {
  const set = <One extends { isTrue: boolean }>(ones: One[]) =>
    ones.map((one) => ({ ...one, isTrue }))
  return {
    ...world,
    requirements: set(world.requirements),
    resources: world.resources.map((one) => ({
      ...one,
      shares: set(one.shares),
      links: set(one.links),
    })),
  }
}

test('certain keys allow, no keys deny, and conditions decide between them, as access.ts does', (t) => {
  let decisions = 0
  fc.assert(
    fc.property(world, (world) => {
      for (const subject of subjects)
        for (const action of actions)
          for (const index of world.resources.keys()) {
            const { isCertain, isMet } = meet(world, subject, action, index)
            const allowed = decide(world, subject, action, index)
            const allTrue = decide(withVerdicts(world, true), subject, action, index)
            const noneTrue = decide(withVerdicts(world, false), subject, action, index)
            decisions += 1
            const where = `${subject.kind} ${subject.name} ${action} ${index}`
            if (isCertain && !allowed) throw new Error(`${where} is certain, but denied`)
            if (allowed && !isMet) throw new Error(`${where} is allowed, but has no key`)
            if (isMet !== allTrue) throw new Error(`${where} could not be allowed, or could`)
            if (world.requirements.length === 0 && isCertain !== noneTrue)
              throw new Error(`${where} is not as certain as it could be`)
          }
    }),
    { numRuns: 1000 },
  )
  t.true(decisions > 100_000)
  t.log(`${decisions} decisions`)
})
