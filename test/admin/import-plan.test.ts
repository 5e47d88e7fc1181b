import test from 'ava'
import fc from 'fast-check'
import {
  type Effects,
  type Known,
  keyOf,
  type Plan,
  type Row,
  startPlan,
} from '../../src/admin/import/plan.ts'

const emails = ['a@x', 'b@x', 'c@x']
const slugs = ['one', 'two']
const names = ['', 'Ann', 'Bo']
const roles = ['viewer', 'editor', 'admin', 'owner'] as const
const groups = ['G', 'H I', 'H']

const someRow = fc.record({
  email: fc.constantFrom(...emails),
  name: fc.constantFrom(...names),
  slug: fc.constantFrom(...slugs, 'nowhere'),
  role: fc.constantFrom('' as const, '' as const, ...roles),
  groups: fc.uniqueArray(fc.constantFrom(...groups)),
})

const someRows = fc
  .array(someRow, { maxLength: 6 })
  .map((rows) => rows.map((row, at): Row => ({ line: at + 2, errors: [], ...row })))

/** A environment in which only users are members, and only members and existing groups meet. */
const someWorld = fc
  .record({
    users: fc.uniqueArray(fc.constantFrom(...emails)),
    members: fc.array(
      fc.record({ at: fc.nat(5), role: fc.constantFrom(...roles), joined: fc.boolean() }),
    ),
    groups: fc.array(fc.record({ at: fc.nat(5), members: fc.array(fc.nat(2)) })),
  })
  .map((seed) => () => {
    const environment = {
      ...{ workspaces: new Map(slugs.map((slug) => [slug, 0])), members: new Map() },
      ...{ users: new Map(seed.users.map((email) => [email, 'Old'])) },
      ...{ groups: new Set<string>(), groupMembers: new Set<string>() },
    }
    for (const { at, role, joined } of seed.members) {
      const [slug, email] = [slugs[at % 2] as string, emails[at >> 1] as string]
      if (environment.users.has(email))
        environment.members.set(keyOf(slug, email), { role, joined })
    }
    for (const { at, members } of seed.groups) {
      const [slug, name] = [slugs[at % 2] as string, groups[at >> 1] as string]
      environment.groups.add(keyOf(slug, name))
      for (const member of members) {
        const email = emails[member] as string
        if (environment.members.has(keyOf(slug, email)))
          environment.groupMembers.add(keyOf(slug, email, name))
      }
    }
    return countOwners(environment)
  })

function countOwners(environment: Known): Known {
  for (const slug of slugs) {
    const own = [...environment.members].filter(([key]) => key.startsWith(`${slug} `))
    const owners = own.filter(([, { role, joined }]) => role === 'owner' && joined)
    environment.workspaces.set(slug, owners.length)
  }
  return environment
}

function plan(rows: Row[], known: Known): Plan {
  const planning = startPlan(known)
  for (const row of rows) planning.add(row)
  return planning.end()
}

/** What the database would hold afterwards; each effect may happen once. */
function apply(environment: Known, effects: Effects): Known {
  const insert = (set: Set<string> | Map<string, unknown>, key: string) => {
    if (set.has(key)) throw new Error(`${key} is there`)
  }
  for (const [email, name] of effects.newUsers) {
    insert(environment.users, email)
    environment.users.set(email, name)
  }
  for (const [email, { from, to }] of effects.renamed) {
    if (environment.users.get(email) !== from || from === to)
      throw new Error(`${email} is not ${from}`)
    environment.users.set(email, to)
  }
  for (const [key, { email, role }] of effects.newMembers) {
    insert(environment.members, key)
    if (!environment.users.has(email)) throw new Error(`${email} is nobody`)
    environment.members.set(key, { role, joined: false })
  }
  for (const [key, { from, to }] of effects.roleChanges) {
    const member = environment.members.get(key)
    if (member?.role !== from || from === to) throw new Error(`${key} is not ${from}`)
    environment.members.set(key, { ...member, role: to })
  }
  for (const { slug, name } of effects.newGroups) {
    insert(environment.groups, keyOf(slug, name))
    environment.groups.add(keyOf(slug, name))
  }
  for (const { slug, name, emails } of effects.newGroupMembers.values()) {
    for (const email of emails) {
      insert(environment.groupMembers, keyOf(slug, email, name))
      if (
        !environment.members.has(keyOf(slug, email)) ||
        !environment.groups.has(keyOf(slug, name))
      )
        throw new Error(`${email} cannot be in ${name}`)
      environment.groupMembers.add(keyOf(slug, email, name))
    }
  }
  return countOwners(environment)
}

const good = ({ rows }: Plan) => rows.every(({ action }) => action !== 'error')

test('a plan carried out does what every row says, and planned again changes nothing', (t) => {
  fc.assert(
    fc.property(someRows, someWorld, (rows, environment) => {
      const first = plan(rows, environment())
      fc.pre(good(first))
      const after = () => apply(environment(), first.effects)
      for (const { email, name, slug, role, groups } of rows) {
        const { users, members, groupMembers } = after()
        if (name && users.get(email) !== name) throw new Error(`${email} is not ${name}`)
        const member = members.get(keyOf(slug, email))
        if (!member || (role && member.role !== role)) throw new Error(`${email} is not ${role}`)
        if (!groups.every((name) => groupMembers.has(keyOf(slug, email, name))))
          throw new Error(`${email} is not in ${groups}`)
      }
      const again = plan(rows, after())
      return again.rows.every(({ action, changes }) => action === 'unchanged' && !changes.length)
    }),
    { numRuns: 2000 },
  )
  t.pass()
})

test('a plan only adds: nobody loses a name, a membership, a group', (t) => {
  fc.assert(
    fc.property(someRows, someWorld, (rows, environment) => {
      const done = plan(rows, environment())
      fc.pre(good(done))
      const [before, after] = [environment(), apply(environment(), done.effects)]
      return (
        [...before.users.keys()].every((email) => after.users.get(email)) &&
        [...before.members.keys()].every((key) => after.members.has(key)) &&
        [...before.groupMembers].every((key) => after.groupMembers.has(key))
      )
    }),
    { numRuns: 2000 },
  )
  t.pass()
})

test('no plan without errors demotes the last joined owner of a workspace', (t) => {
  fc.assert(
    fc.property(someRows, someWorld, (rows, environment) => {
      const done = plan(rows, environment())
      const demotes = [...done.effects.roleChanges.values()].filter(({ from }) => from === 'owner')
      fc.pre(demotes.length > 0)
      const { workspaces } = apply(environment(), done.effects)
      const orphaned = demotes.some(({ slug }) => workspaces.get(slug) === 0)
      return orphaned ? !good(done) : true
    }),
    { numRuns: 2000 },
  )
  t.pass()
})
