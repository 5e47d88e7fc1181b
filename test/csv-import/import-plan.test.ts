import test from 'ava'
import fc from 'fast-check'
import { defaultQuotas } from '../../src/core/quotas.ts'
import { createPlanner, type Effects, type Plan } from '../../src/csv-import/plan.ts'
import { keyOf, type Row, type Snapshot } from '../../src/csv-import/plan-input.ts'
import type { Standing } from '../../src/workspaces/guests.ts'

const emails = ['a@x', 'b@x', 'c@x']
const slugs = ['one', 'two']
const names = ['', 'Ann', 'Bo']
const roles = ['viewer', 'editor', 'admin', 'owner'] as const
const groups = ['G', 'H I', 'H']
const externalIds = ['x-1', 'x-2', 'x-3']

const anyRow = fc.record({
  email: fc.constantFrom(...emails),
  name: fc.constantFrom(...names),
  slug: fc.constantFrom(...slugs, 'nowhere'),
  role: fc.constantFrom('' as const, '' as const, ...roles),
  groups: fc.uniqueArray(fc.constantFrom(...groups)),
  externalId: fc.constantFrom('', '', '', ...externalIds),
  guest: fc.constantFrom('' as const, '' as const, 'true' as const, 'false' as const),
})

const anyRows = fc
  .array(anyRow, { maxLength: 6 })
  .map((rows) => rows.map((row, index): Row => ({ line: index + 2, errors: [], ...row })))

/** Snapshots in which all members are users and all group memberships refer to existing groups. */
const anySnapshot = fc
  .record({
    users: fc.uniqueArray(fc.constantFrom(...emails)),
    externalIds: fc.uniqueArray(fc.constantFrom(...externalIds)),
    members: fc.array(
      fc.record({
        index: fc.nat(5),
        role: fc.constantFrom(...roles),
        joined: fc.boolean(),
        guest: fc.boolean(),
        isSupport: fc.boolean(),
      }),
    ),
    groups: fc.array(fc.record({ index: fc.nat(5), members: fc.array(fc.nat(2)) })),
  })
  .map((seed) => () => {
    const snapshot = {
      workspaces: new Map(slugs.map((slug) => [slug, 0])),
      usage: new Map(),
      users: new Map(seed.users.map((email) => [email, 'Old'])),
      externalIds: new Map(
        seed.users.map((email, index) => [email, seed.externalIds[index] ?? '']),
      ),
      identifiedUsers: new Map<string, string>(),
      members: new Map(),
      groups: new Map<string, Set<string>>(),
    }
    for (const [email, id] of snapshot.externalIds) if (id) snapshot.identifiedUsers.set(id, email)
    for (const { index, guest, ...member } of seed.members) {
      const [slug, email] = [slugs[index % 2] as string, emails[index >> 1] as string]
      if (snapshot.users.has(email)) {
        const isGuest = guest && member.role === 'viewer' && !member.isSupport
        snapshot.members.set(keyOf(slug, email), { ...member, isGuest })
      }
    }
    for (const { index, members } of seed.groups) {
      const [slug, name] = [slugs[index % 2] as string, groups[index >> 1] as string]
      const emailsOfGroup = snapshot.groups.get(keyOf(slug, name)) ?? new Set()
      snapshot.groups.set(keyOf(slug, name), emailsOfGroup)
      for (const member of members) {
        const email = emails[member] as string
        if (snapshot.members.has(keyOf(slug, email))) emailsOfGroup.add(email)
      }
    }
    return countOwners(snapshot)
  })

function countOwners(snapshot: Snapshot): Snapshot {
  for (const slug of slugs) {
    const own = [...snapshot.members].filter(([key]) => key.startsWith(`${slug} `))
    const owners = own.filter(([, { role, joined }]) => role === 'owner' && joined)
    snapshot.workspaces.set(slug, owners.length)
  }
  return snapshot
}

function plan(rows: Row[], snapshot: Snapshot): Plan {
  const planner = createPlanner(snapshot, defaultQuotas)
  for (const row of rows) planner.add(row)
  return planner.finish()
}

/** Applies effects to a snapshot; throws when one of them does not apply. */
function apply(snapshot: Snapshot, effects: Effects): Snapshot {
  const insert = (set: Set<string> | Map<string, unknown>, key: string) => {
    if (set.has(key)) throw new Error(`${key} already exists`)
  }
  for (const [email, name] of effects.newUsers) {
    insert(snapshot.users, email)
    snapshot.users.set(email, name)
  }
  for (const [email, { from, to }] of effects.renamed) {
    if (snapshot.users.get(email) !== from || from === to)
      throw new Error(`${email} is not ${from}`)
    snapshot.users.set(email, to)
  }
  for (const [email, { from, to }] of effects.externalIds) {
    const { externalIds, identifiedUsers } = snapshot
    if ((externalIds.get(email) ?? '') !== from || from === to || !snapshot.users.has(email))
      throw new Error(`${email} cannot change from ${from} to ${to}`)
    insert(identifiedUsers, to)
    identifiedUsers.delete(from)
    identifiedUsers.set(to, email)
    externalIds.set(email, to)
  }
  const standing = ({ role, isGuest }: Standing) => {
    if (isGuest && role !== 'viewer') throw new Error(`a guest is ${role}`)
    return { role, isGuest }
  }
  for (const [key, { email, ...added }] of effects.newMembers) {
    insert(snapshot.members, key)
    if (!snapshot.users.has(email)) throw new Error(`${email} is not a user`)
    snapshot.members.set(key, { ...standing(added), joined: false, isSupport: false })
  }
  for (const [key, { from, to }] of effects.roleChanges) {
    const member = snapshot.members.get(key)
    const isFrom = member?.role === from.role && member.isGuest === from.isGuest
    const isSame = from.role === to.role && from.isGuest === to.isGuest
    if (!isFrom || isSame) throw new Error(`${key} is not ${from.role}`)
    if (member.isSupport && to.isGuest) throw new Error(`${key} is support access`)
    snapshot.members.set(key, { ...member, ...standing(to) })
  }
  for (const { slug, name } of effects.newGroups) {
    insert(snapshot.groups, keyOf(slug, name))
    snapshot.groups.set(keyOf(slug, name), new Set())
  }
  for (const { slug, name, emails } of effects.newGroupMembers.values()) {
    for (const email of emails) {
      const members = snapshot.groups.get(keyOf(slug, name))
      if (!members || !snapshot.members.has(keyOf(slug, email)))
        throw new Error(`${email} cannot be in ${name}`)
      insert(members, email)
      members.add(email)
    }
  }
  return countOwners(snapshot)
}

const isValid = ({ rows }: Plan) => rows.every(({ action }) => action !== 'error')

test('applying a plan produces the result described by every row; planning the rows again yields no changes', (t) => {
  fc.assert(
    fc.property(anyRows, anySnapshot, (rows, snapshot) => {
      const first = plan(rows, snapshot())
      fc.pre(isValid(first))
      const after = () => apply(snapshot(), first.effects)
      for (const { email, name, slug, role, groups, externalId, guest } of rows) {
        const { users, externalIds, members, groups: groupsAfter } = after()
        if (externalId && externalIds.get(email) !== externalId)
          throw new Error(`${email} is not ${externalId}`)
        if (name && users.get(email) !== name) throw new Error(`${email} is not ${name}`)
        const member = members.get(keyOf(slug, email))
        if (!member || (role && member.role !== role)) throw new Error(`${email} is not ${role}`)
        if (guest && String(member.isGuest) !== guest) throw new Error(`${email}: guest ${guest}`)
        if (!groups.every((name) => groupsAfter.get(keyOf(slug, name))?.has(email)))
          throw new Error(`${email} is not in ${groups}`)
      }
      const again = plan(rows, after())
      return again.rows.every(({ action, changes }) => action === 'unchanged' && !changes.length)
    }),
    { numRuns: 2000 },
  )
  t.pass()
})

test('a plan never removes a name, a membership or a group membership', (t) => {
  fc.assert(
    fc.property(anyRows, anySnapshot, (rows, snapshot) => {
      const done = plan(rows, snapshot())
      fc.pre(isValid(done))
      const [before, after] = [snapshot(), apply(snapshot(), done.effects)]
      return (
        [...before.users.keys()].every((email) => after.users.get(email)) &&
        [...before.members.keys()].every((key) => after.members.has(key)) &&
        [...before.groups].every(([key, emails]) =>
          [...emails].every((email) => after.groups.get(key)?.has(email)),
        )
      )
    }),
    { numRuns: 2000 },
  )
  t.pass()
})

test('a plan without errors leaves every workspace it changes with a joined owner', (t) => {
  fc.assert(
    fc.property(anyRows, anySnapshot, (rows, snapshot) => {
      const done = plan(rows, snapshot())
      const demotes = [...done.effects.roleChanges.values()].filter(
        ({ from, to }) => from.role === 'owner' && to.role !== 'owner',
      )
      fc.pre(demotes.length > 0)
      const { workspaces } = apply(snapshot(), done.effects)
      const orphaned = demotes.some(({ slug }) => workspaces.get(slug) === 0)
      return orphaned ? !isValid(done) : true
    }),
    { numRuns: 2000 },
  )
  t.pass()
})
