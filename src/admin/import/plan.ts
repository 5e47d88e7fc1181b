import type { Role } from '../../core/roles.ts'

/** What is wrong with a column; with the whole row where `field` is empty. */
export type CellError = { field: string; message: string }

/** A row as it was read: what somebody shall have in a workspace. */
export type Row = {
  line: number
  email: string
  /** Empty: left alone. */
  name: string
  slug: string
  /** Empty: viewer where the membership is new, else left alone. */
  role: Role | ''
  groups: string[]
  errors: CellError[]
}

/** What exists of all that the rows name. */
export type Known = {
  /** Joined owners by slug; a workspace that is missing does not exist. */
  workspaces: Map<string, number>
  /** Names by e-mail. */
  users: Map<string, string>
  /** By `keyOf(slug, email)`. */
  members: Map<string, { role: Role; joined: boolean }>
  /** `keyOf(slug, group)`. */
  groups: Set<string>
  /** `keyOf(slug, email, group)`. */
  groupMembers: Set<string>
}

export type Change = { field: string; from: string; to: string }

/** What becomes of a row. */
export type PlannedRow = {
  line: number
  email: string
  action: 'create' | 'update' | 'unchanged' | 'error'
  changes: Change[]
  errors: CellError[]
}

/** What a file comes to, each thing once however many rows name it. */
export type Effects = {
  /** Name by e-mail. */
  newUsers: Map<string, string>
  renamed: Map<string, Change>
  /** By `keyOf(slug, email)`, like the next. */
  newMembers: Map<string, { slug: string; email: string; role: Role }>
  roleChanges: Map<string, { slug: string; email: string; from: Role; to: Role }>
  newGroups: { slug: string; name: string }[]
  /** By `keyOf(slug, group)`. */
  newGroupMembers: Map<string, { slug: string; name: string; emails: string[] }>
}

/** Of every action so many rows are kept at least, the first ones; all are counted. */
export const mostKept = 1000

export type Plan = {
  rows: PlannedRow[]
  counts: Record<PlannedRow['action'], number>
  effects: Effects
}

/** A plan that takes rows one after another. */
export type Planning = { add(row: Row): void; end(): Plan }

/** One key of two or three words; of them only the last may have a space, so that no two are alike. */
export function keyOf(slug: string, word: string, name?: string): string {
  return name === undefined ? `${slug} ${word}` : `${slug} ${word} ${name}`
}

/**
 * What every row does, each in the world that the rows before it leave. Where any row has an error
 * the effects are of no use. Takes what is known over as that world.
 */
export function startPlan(known: Known): Planning {
  const { workspaces, users, members, groups, groupMembers } = known
  const effects: Effects = {
    ...{ newUsers: new Map(), renamed: new Map(), newMembers: new Map(), roleChanges: new Map() },
    ...{ newGroups: [], newGroupMembers: new Map() },
  }
  /** What rows have said, and where; two may not contradict each other. */
  const saidNames = new Map<string, Said>()
  const saidRoles = new Map<string, Said>()
  const demotions = new Map<string, PlannedRow[]>()

  const rows: PlannedRow[] = []
  const counts = { create: 0, update: 0, unchanged: 0, error: 0 }
  return {
    add(row) {
      const outcome = plan(row)
      counts[outcome.action] += 1
      const demotes = outcome.changes.some(
        ({ field, from }) => field === 'role' && from === 'owner',
      )
      if (demotes) {
        const others = demotions.get(row.slug) ?? []
        others.push(outcome)
        demotions.set(row.slug, others)
      }
      if (demotes || counts[outcome.action] <= mostKept) rows.push(outcome)
    },
    end() {
      for (const [slug, outcomes] of demotions) {
        if (workspaces.get(slug) !== 0) continue
        for (const outcome of outcomes) {
          counts[outcome.action] -= 1
          counts.error += 1
          refuseLastOwner(outcome)
        }
      }
      return { rows, counts, effects }
    },
  }

  function plan(row: Row): PlannedRow {
    const { line, email, slug } = row
    const place = keyOf(slug, email)
    const errors = row.errors.length > 0 ? row.errors : check(row, place)
    if (errors.length > 0) return { line, email, action: 'error', changes: [], errors }
    const isNew = !members.has(place)
    const changes = [...changeUser(row), ...changeRole(row, place), ...changeGroups(row)]
    const action = isNew ? 'create' : changes.length > 0 ? 'update' : 'unchanged'
    return { line, email, action, changes, errors }
  }

  function check({ slug, name, role, email, line }: Row, place: string): CellError[] {
    if (!workspaces.has(slug))
      return [{ field: 'workspace_slug', message: 'is the slug of no workspace' }]
    const errors: CellError[] = []
    const named = name && say(saidNames, email, { text: name, line })
    if (named && named.text !== name)
      errors.push({ field: 'name', message: `is another one on line ${named.line}` })
    const placed = role && say(saidRoles, place, { text: role, line })
    if (placed && placed.text !== role)
      errors.push({ field: 'role', message: `is another one on line ${placed.line}` })
    return errors
  }

  function changeUser({ email, name }: Row): Change[] {
    const before = users.get(email)
    if (before === undefined) {
      users.set(email, name)
      effects.newUsers.set(email, name)
      const made = { field: 'user', from: '', to: email }
      return name ? [made, { field: 'name', from: '', to: name }] : [made]
    }
    if (!name || name === before) return []
    users.set(email, name)
    const change = { field: 'name', from: before, to: name }
    // A user made by an earlier row has no name to lose.
    if (effects.newUsers.has(email)) effects.newUsers.set(email, name)
    else effects.renamed.set(email, change)
    return [change]
  }

  function changeRole({ slug, email, role }: Row, key: string): Change[] {
    const member = members.get(key)
    const to = role || 'viewer'
    if (!member) {
      members.set(key, { role: to, joined: false })
      effects.newMembers.set(key, { slug, email, role: to })
      return [{ field: 'role', from: '', to }]
    }
    const from = member.role
    if (!role || from === role) return []
    members.set(key, { ...member, role })
    if (effects.newMembers.has(key)) effects.newMembers.set(key, { slug, email, role })
    else effects.roleChanges.set(key, { slug, email, from, to })
    const gone = Number(from === 'owner') - Number(role === 'owner')
    if (member.joined) workspaces.set(slug, (workspaces.get(slug) ?? 0) - gone)
    return [{ field: 'role', from, to }]
  }

  function changeGroups({ slug, email, groups: names }: Row): Change[] {
    const had = names.filter((name) => groupMembers.has(keyOf(slug, email, name)))
    const made = names.filter((name) => !groups.has(keyOf(slug, name)))
    if (had.length === names.length) return []
    for (const name of made) {
      groups.add(keyOf(slug, name))
      effects.newGroups.push({ slug, name })
    }
    for (const name of names) {
      if (had.includes(name)) continue
      groupMembers.add(keyOf(slug, email, name))
      const key = keyOf(slug, name)
      const group = effects.newGroupMembers.get(key) ?? { slug, name, emails: [] }
      effects.newGroupMembers.set(key, group)
      group.emails.push(email)
    }
    const joined = { field: 'groups', from: had.join(';'), to: names.join(';') }
    return made.length > 0
      ? [{ field: 'new_groups', from: '', to: made.join(';') }, joined]
      : [joined]
  }
}

type Said = { text: string; line: number }

/** What was said first, be it now. */
function say(all: Map<string, Said>, key: string, now: Said): Said {
  const first = all.get(key) ?? now
  all.set(key, first)
  return first
}

function refuseLastOwner(row: PlannedRow): void {
  row.action = 'error'
  row.changes = []
  row.errors = [{ field: 'role', message: 'would leave the workspace without an owner' }]
}
