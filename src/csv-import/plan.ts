import type { Quotas } from '../core/quotas.ts'
import type { Standing } from '../workspaces/guests.ts'
import { createFindConflicts } from './conflicts.ts'
import { type CellError, keyOf, type Row, type Snapshot } from './plan-input.ts'
import { useQuotas } from './quota-use.ts'

export type Change = { field: string; from: string; to: string }

/** The action that the import takes for a row. */
export type PlannedRow = {
  line: number
  email: string
  action: 'create' | 'update' | 'unchanged' | 'error'
  changes: Change[]
  errors: CellError[]
}

/** The combined writes of all rows. Each write is listed once, even if several rows cause it. */
export type Effects = {
  /** Names by e-mail address. */
  newUsers: Map<string, string>
  /** Name changes by e-mail address. */
  renamed: Map<string, Change>
  /** Changes to `external_id` by e-mail address. */
  externalIds: Map<string, Change>
  /** By `keyOf(slug, email)`. */
  newMembers: Map<string, Standing & { slug: string; email: string }>
  /** By `keyOf(slug, email)`. */
  roleChanges: Map<string, { slug: string; email: string; from: Standing; to: Standing }>
  /** Slugs. */
  newWorkspaces: string[]
  newGroups: { slug: string; name: string }[]
  /** By `keyOf(slug, group)`. */
  newGroupMembers: Map<string, { slug: string; name: string; emails: string[] }>
}

/** The maximum number of rows of each action that a plan keeps. All rows are counted. */
export const maxRowsPerAction = 1000

export type Plan = {
  rows: PlannedRow[]
  counts: Record<PlannedRow['action'], number>
  /** Valid only if no row has an error. */
  effects: Effects
}

/** Plans rows one at a time. */
export type Planner = { add(row: Row): void; finish(): Plan }

/**
 * Creates a planner. It updates `snapshot` as it goes, because each row is planned on top of the
 * previous rows. It creates workspaces with `ownedSlugs`, the slugs of the rows that make an owner;
 * none if that is undefined.
 */
export function createPlanner(
  snapshot: Snapshot,
  quotas: Quotas,
  { ownedSlugs }: { ownedSlugs?: Set<string> | undefined } = {},
): Planner {
  const { workspaces, users, externalIds, members, groups } = snapshot
  const findConflicts = createFindConflicts(snapshot, ownedSlugs)
  const effects: Effects = {
    newUsers: new Map(),
    renamed: new Map(),
    externalIds: new Map(),
    newMembers: new Map(),
    roleChanges: new Map(),
    newWorkspaces: [],
    newGroups: [],
    newGroupMembers: new Map(),
  }
  const demotionsBySlug = new Map<string, PlannedRow[]>()

  const rows: PlannedRow[] = []
  const counts = { create: 0, update: 0, unchanged: 0, error: 0 }
  return {
    add(row) {
      const planned = planRow(row)
      counts[planned.action] += 1
      const demotesOwner = planned.changes.some(
        ({ field, from }) => field === 'role' && from === 'owner',
      )
      if (demotesOwner) {
        const demotions = demotionsBySlug.get(row.slug) ?? []
        demotions.push(planned)
        demotionsBySlug.set(row.slug, demotions)
      }
      if (demotesOwner || counts[planned.action] <= maxRowsPerAction) rows.push(planned)
    },
    finish() {
      for (const [slug, demotions] of demotionsBySlug) {
        if (workspaces.get(slug) !== 0) continue
        for (const planned of demotions) {
          counts[planned.action] -= 1
          counts.error += 1
          rejectDemotion(planned)
        }
      }
      return { rows, counts, effects }
    },
  }

  function planRow(row: Row): PlannedRow {
    const { line, email, slug } = row
    const memberKey = keyOf(slug, email)
    const errors = row.errors.length > 0 ? row.errors : findConflicts(row)
    if (errors.length > 0) return { line, email, action: 'error', changes: [], errors }
    const isNew = !members.has(memberKey)
    const exceeded = useQuotas(snapshot, quotas, row, isNew)
    if (exceeded.length > 0) return { line, email, action: 'error', changes: [], errors: exceeded }
    const changes = [
      ...planWorkspace(row),
      ...planUser(row),
      ...planExternalId(row),
      ...planStanding(row, memberKey),
      ...planGroups(row),
    ]
    const action = isNew ? 'create' : changes.length > 0 ? 'update' : 'unchanged'
    return { line, email, action, changes, errors }
  }

  function planExternalId({ email, externalId: to }: Row): Change[] {
    const from = externalIds.get(email) ?? ''
    if (!to || to === from) return []
    externalIds.set(email, to)
    const change = { field: 'external_id', from, to }
    effects.externalIds.set(email, change)
    return [change]
  }

  function planWorkspace({ slug }: Row): Change[] {
    if (workspaces.has(slug)) return []
    workspaces.set(slug, 0)
    effects.newWorkspaces.push(slug)
    return [{ field: 'new_workspace', from: '', to: slug }]
  }

  function planUser({ email, name }: Row): Change[] {
    const before = users.get(email)
    if (before === undefined) {
      users.set(email, name)
      effects.newUsers.set(email, name)
      const created = { field: 'user', from: '', to: email }
      return name ? [created, { field: 'name', from: '', to: name }] : [created]
    }
    if (!name || name === before) return []
    users.set(email, name)
    const change = { field: 'name', from: before, to: name }
    // An earlier row may have created the user without a name.
    if (effects.newUsers.has(email)) effects.newUsers.set(email, name)
    else effects.renamed.set(email, change)
    return [change]
  }

  function planStanding({ slug, email, role: named, guest }: Row, memberKey: string): Change[] {
    const member = members.get(memberKey)
    const isGuest = guest === '' ? (member?.isGuest ?? false) : guest === 'true'
    const role = named || (isGuest ? 'viewer' : (member?.role ?? 'viewer'))
    const to = { role, isGuest }
    if (!member) {
      members.set(memberKey, invitedMember(to))
      effects.newMembers.set(memberKey, { slug, email, ...to })
    } else if (role === member.role && isGuest === member.isGuest) return []
    else {
      members.set(memberKey, { ...member, ...to })
      const first = effects.roleChanges.get(memberKey)?.from
      if (effects.newMembers.has(memberKey))
        effects.newMembers.set(memberKey, { slug, email, ...to })
      else effects.roleChanges.set(memberKey, { slug, email, from: first ?? member, to })
    }
    if (member?.joined) {
      const ownerChange = Number(role === 'owner') - Number(member.role === 'owner')
      workspaces.set(slug, (workspaces.get(slug) ?? 0) + ownerChange)
    }
    const guestBefore = member ? String(member.isGuest) : ''
    return [
      ...(role === member?.role ? [] : [{ field: 'role', from: member?.role ?? '', to: role }]),
      ...(isGuest === (member?.isGuest ?? false)
        ? []
        : [{ field: 'guest', from: guestBefore, to: String(isGuest) }]),
    ]
  }

  function planGroups({ slug, email, groups: names }: Row): Change[] {
    const isMember = (name: string) => groups.get(keyOf(slug, name))?.has(email) ?? false
    const existing = names.filter(isMember)
    if (existing.length === names.length) return []
    const newGroups = names.filter((name) => !groups.has(keyOf(slug, name)))
    effects.newGroups.push(...newGroups.map((name) => ({ slug, name })))
    for (const name of names) {
      if (existing.includes(name)) continue
      const key = keyOf(slug, name)
      const emails = groups.get(key) ?? new Set()
      groups.set(key, emails.add(email))
      const additions = effects.newGroupMembers.get(key) ?? { slug, name, emails: [] }
      effects.newGroupMembers.set(key, additions)
      additions.emails.push(email)
    }
    const change = { field: 'groups', from: existing.join(';'), to: names.join(';') }
    if (newGroups.length === 0) return [change]
    return [{ field: 'new_groups', from: '', to: newGroups.join(';') }, change]
  }
}

type InvitedMember = Standing & { joined: false; isSupport: false }

/**
 * Members who have not joined. They share one object per standing, because a file can add many members.
 */
const invitedMembers = new Map<string, InvitedMember>()

function invitedMember(standing: Standing): InvitedMember {
  const key = `${standing.role} ${standing.isGuest}`
  const member = invitedMembers.get(key) ?? { ...standing, joined: false, isSupport: false }
  invitedMembers.set(key, member)
  return member
}

function rejectDemotion(row: PlannedRow): void {
  row.action = 'error'
  row.changes = []
  row.errors = [{ field: 'role', message: 'would leave the workspace without an owner' }]
}
