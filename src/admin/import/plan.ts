import type { Role } from '../../workspaces/roles.ts'

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
  newGroupMembers: { slug: string; email: string; name: string }[]
}

export type Plan = { rows: PlannedRow[]; effects: Effects }

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
    ...{ newGroups: [], newGroupMembers: [] },
  }
  /** What rows have said, and where; two may not contradict each other. */
  const saidNames = new Map<string, Row>()
  const saidRoles = new Map<string, Row>()
  const demotions = new Map<string, PlannedRow[]>()

  const rows: PlannedRow[] = []
  return {
    add: (row) => {
      rows.push(plan(row))
    },
    end() {
      for (const [slug, outcomes] of demotions) {
        if (workspaces.get(slug) === 0) for (const outcome of outcomes) refuseLastOwner(outcome)
      }
      return { rows, effects }
    },
  }

  function plan(row: Row): PlannedRow {
    const errors = row.errors.length > 0 ? row.errors : check(row)
    const { line, email } = row
    if (errors.length > 0) return { line, email, action: 'error', changes: [], errors }
    const isNew = !members.has(keyOf(row.slug, email))
    const changes = [...changeUser(row), ...changeRole(row), ...changeGroups(row)]
    const action = isNew ? 'create' : changes.length > 0 ? 'update' : 'unchanged'
    const outcome: PlannedRow = { line, email, action, changes, errors }
    if (changes.some(({ field, from }) => field === 'role' && from === 'owner'))
      demotions.set(row.slug, [...(demotions.get(row.slug) ?? []), outcome])
    return outcome
  }

  function check(row: Row): CellError[] {
    if (!workspaces.has(row.slug))
      return [{ field: 'workspace_slug', message: 'is the slug of no workspace' }]
    const { name, role, email } = row
    const errors: CellError[] = []
    const named = name && said(saidNames, email, row)
    if (named && named.name !== name)
      errors.push({ field: 'name', message: `is another one on line ${named.line}` })
    const placed = role && said(saidRoles, keyOf(row.slug, email), row)
    if (placed && placed.role !== role)
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

  function changeRole({ slug, email, role }: Row): Change[] {
    const key = keyOf(slug, email)
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
      effects.newGroupMembers.push({ slug, email, name })
    }
    const joined = { field: 'groups', from: had.join(';'), to: names.join(';') }
    return made.length > 0
      ? [{ field: 'new_groups', from: '', to: made.join(';') }, joined]
      : [joined]
  }
}

/** The row that said it first, be it this one. */
function said(rows: Map<string, Row>, key: string, row: Row): Row {
  const first = rows.get(key) ?? row
  rows.set(key, first)
  return first
}

function refuseLastOwner(row: PlannedRow): void {
  row.action = 'error'
  row.changes = []
  row.errors = [{ field: 'role', message: 'would leave the workspace without an owner' }]
}
